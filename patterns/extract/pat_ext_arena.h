/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory for the tables and sequences of many rows, which accesses jump about in: blocks of a power of two
 * bytes out of chunks that have huge pages where the kernel gives them, so that a jump need not miss the TLB
 * as well as the cache. Blocks that are given back join their neighbours (the buddy system: Knowlton, "A Fast
 * Storage Allocator", CACM 1965), and chunks without blocks go back to the system. */
#ifndef PAT_EXT_ARENA_H
#define PAT_EXT_ARENA_H

#include <stddef.h>
#include <stdint.h>

enum { PAT_EXT_ARENA_LOG2_MIN = 8, PAT_EXT_ARENA_LOG2_MAX = 21 };

struct pat_ext_arena_chunk;
struct pat_ext_arena_free;

/* Zeroed, or NULL where one is wanted: every block is one of malloc's. */
struct pat_ext_arena {
    struct pat_ext_arena_chunk *chunks;
    size_t chunks_len, chunks_cap;
    size_t empty;                                                /* chunks without a block */
    struct pat_ext_arena_free *free[PAT_EXT_ARENA_LOG2_MAX + 1]; /* by size */
    uint8_t log2_chunk;                                          /* bytes of a chunk; 0: none */
};

/* The largest block that is a part of a chunk, or a whole one, by its log2; 0: none is. */
static inline uint8_t pat_ext_arena_most(const struct pat_ext_arena *a)
{
    return a ? a->log2_chunk : 0;
}

/* Chunks are a small part of so much memory.
 * Owns:   the caller ends a with pat_ext_arena_fini, which releases all blocks. */
void pat_ext_arena_init(struct pat_ext_arena *a, uint64_t memory_bytes);
void pat_ext_arena_fini(struct pat_ext_arena *a);

/* 2^log2_bytes bytes, not initialised, aligned to cache lines if they are as large as one.
 * Owns:   the caller gives them back with the same log2_bytes.  Errors: NULL without memory. */
void *pat_ext_arena_take(struct pat_ext_arena *a, uint8_t log2_bytes);
void pat_ext_arena_give(struct pat_ext_arena *a, void *block, uint8_t log2_bytes); /* NULL-safe */

#endif
