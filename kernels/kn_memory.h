/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory for the arrays of a kernel: untouched, so that the thread that touches a page first places it. */
#ifndef KN_MEMORY_H
#define KN_MEMORY_H

#include "kernels/kn_options.h"

#include <stddef.h>
#include <stdint.h>

/* ---- blocks ---- */

struct kn_block {
    void *base; /* aligned to a huge page when as large as one, to a page otherwise */
    size_t len_bytes;
    void *mapping; /* the whole mapping, with room for the alignment */
    size_t mapping_bytes;
};

/* Map len_bytes of zeroes; 0 gives an empty block.
 * Owns:   the caller ends out with kn_block_fini.
 * Errors: LS_ERR_NOMEM; *out is then empty. */
ls_err kn_block_init(struct kn_block *out, size_t len_bytes, enum kn_pages pages);
void kn_block_fini(struct kn_block *b);

/* Map len_bytes of undefined contents, which `threads` threads will touch. A kept block is reused, without faults of its pages,
 * if it has this kind of pages and they are as near to the threads as new ones.
 * Owns, errors: as kn_block_init.  Thread: one at a time in a process. */
ls_err kn_block_reuse(struct kn_block *out, size_t len_bytes, enum kn_pages pages, unsigned threads);
/* End b, whose pages `threads` threads have touched, and keep some of its kind for kn_block_reuse; pages as at its
 * begin.  Thread: one at a time in a process. */
void kn_block_keep(struct kn_block *b, enum kn_pages pages, unsigned threads);

/* Move existing memory to huge pages, contents included, where pages are huge ones and the kernel can (Linux 6.1): only the
 * huge pages that it covers as a whole. */
void kn_memory_collapse(void *start, size_t len_bytes, enum kn_pages pages);

/* Return the bytes of b that are in huge pages now, from /proc/self/smaps (AnonHugePages); 0 if unknown. */
uint64_t kn_block_huge_bytes(const struct kn_block *b);

/* Return the bytes that a new job may use: the minimum of MemAvailable and the memory left in the control
 * groups, and kept blocks; UINT64_MAX when neither is known. */
uint64_t kn_memory_available_bytes(void);

/* Check that need_bytes fit into limit_bytes (0: into the available memory). Small needs are compared with the memory
 * that was available up to a second ago.
 * Errors: LS_ERR_NOMEM naming both and a remedy. */
ls_err kn_memory_check(const char *name, uint64_t need_bytes, uint64_t limit_bytes);

/* ---- caches ---- */

/* Return the size of all last-level caches together in bytes, 0 if unknown. */
uint64_t kn_caches_last_level_bytes(void);

#endif
