/* SPDX-License-Identifier: BSD-3-Clause */
/* Call paths that are in a thread's stream already. Forgetting one only costs room in the spool. */
#ifndef RT_PATHS_SIGSAFE_H
#define RT_PATHS_SIGSAFE_H

#include <stdbool.h>
#include <stdint.h>

enum { RT_PATHS_BITS = 10, RT_PATHS = 1 << RT_PATHS_BITS };

/* Zeroed is empty. */
struct rt_paths {
    uint64_t hashes[RT_PATHS];
    uint32_t stream; /* number of the thread's stream they are in */
};

/* Note that the path of this hash (spool_path_hash) is in this stream. True: it was there before.
 * Thread: the owner of p. */
bool rt_paths_note(struct rt_paths *p, uint32_t stream, uint64_t hash);
/* Is it there? */
bool rt_paths_has(const struct rt_paths *p, uint32_t stream, uint64_t hash);
/* Undo the note: the path was not written. */
void rt_paths_forget(struct rt_paths *p, uint64_t hash);

#endif
