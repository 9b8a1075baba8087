/* SPDX-License-Identifier: BSD-3-Clause */
/* The thread-local storage of each module in each thread. glibc keeps a vector of blocks for each thread (the
 * DTV); it is compared with its last state once a burst, and written when it changed. */
#ifndef RT_TLS_BLOCKS_SIGSAFE_H
#define RT_TLS_BLOCKS_SIGSAFE_H

#include "runtime/core/rt_thread.h"
#include "spool/spool_format.h"

#include <stdbool.h>

enum { RT_TLS_IDS_MAX = 64 };

/* Numbers of modules; at: an address in the module. */
struct rt_tls_ids {
    uint32_t len;
    struct spool_tls_row rows[RT_TLS_IDS_MAX];
};

/* The calling thread's block of a module, 0: none yet. */
uint64_t rt_tls_block_of_id(uint64_t id);

/* Set the modules' numbers; is_sound: the vector has the expected layout (it may differ with other C
 * libraries). Written to t's file where they changed and it is open.  Thread: one at a time, t the caller or
 * NULL, depth > 0. */
void rt_tls_ids_set(struct rt_thread *t, const struct rt_tls_ids *ids, bool is_sound);

/* Write the known numbers into t's file, at the start of a new process. */
void rt_tls_ids_put_sigsafe(struct rt_thread *t, uint64_t time_ns);

/* Write the blocks of the calling thread t if they changed since the last time. */
void rt_tls_blocks_poll_sigsafe(struct rt_thread *t, uint64_t time_ns);

#endif
