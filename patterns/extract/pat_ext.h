/* SPDX-License-Identifier: BSD-3-Clause */
/* Types shared by all parts of extraction: the memory budget, the arena for tables and sequences, a hash, and
 * runs of accesses. */
#ifndef PAT_EXT_H
#define PAT_EXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- memory budget ---- */

struct pat_ext_arena;

/* The memory that extraction may use. Each part asks before it grows, and works with less if refused. */
struct pat_ext_budget {
    uint64_t limit_bytes, used_bytes;
    struct pat_ext_arena *arena; /* allocates tables and sequences; NULL: use malloc */
};

/* Return whether len_bytes are left. */
static inline bool pat_ext_fits(const struct pat_ext_budget *b, uint64_t len_bytes)
{
    return b->used_bytes <= b->limit_bytes && len_bytes <= b->limit_bytes - b->used_bytes;
}

/* Take len_bytes. Return false, and take nothing, if they are not left. */
static inline bool pat_ext_take(struct pat_ext_budget *b, uint64_t len_bytes)
{
    if (!pat_ext_fits(b, len_bytes)) return false;
    b->used_bytes += len_bytes;
    return true;
}

/* Account for memory that is needed in any case, even if it exceeds the limit. */
static inline void pat_ext_charge(struct pat_ext_budget *b, uint64_t len_bytes)
{
    b->used_bytes += len_bytes;
}

static inline void pat_ext_give(struct pat_ext_budget *b, uint64_t len_bytes)
{
    b->used_bytes -= len_bytes < b->used_bytes ? len_bytes : b->used_bytes;
}

/* ---- arena ---- */

/* Memory for the tables and sequences of many rows, which are accessed in random order: blocks of a power of
 * two bytes, taken from chunks that use huge pages where the kernel provides them, so that a random access
 * need not miss the TLB as well as the cache. Freed blocks merge with their neighbours (the buddy system:
 * Knowlton, "A Fast Storage Allocator", CACM 1965), and chunks without blocks are returned to the system. */
enum { PAT_EXT_ARENA_LOG2_MIN = 8, PAT_EXT_ARENA_LOG2_MAX = 21 };

struct pat_ext_arena_chunk;
struct pat_ext_arena_free;

/* With a zeroed arena, or NULL, every block comes from malloc. */
struct pat_ext_arena {
    struct pat_ext_arena_chunk *chunks;
    size_t chunks_len, chunks_cap;
    size_t empty;                                                /* chunks without a block */
    struct pat_ext_arena_free *free[PAT_EXT_ARENA_LOG2_MAX + 1]; /* by size */
    uint8_t log2_chunk;                                          /* bytes of a chunk; 0: none */
};

/* Return log2 of the largest block that fits into a chunk; 0: the arena has no chunks. */
static inline uint8_t pat_ext_arena_most(const struct pat_ext_arena *a)
{
    return a ? a->log2_chunk : 0;
}

/* Choose a chunk size that is a small part of memory_bytes.
 * Owns:   the caller ends a with pat_ext_arena_fini, which releases all blocks. */
void pat_ext_arena_init(struct pat_ext_arena *a, uint64_t memory_bytes);
void pat_ext_arena_fini(struct pat_ext_arena *a);

/* Allocate 2^log2_bytes uninitialised bytes, aligned to cache lines if they fill at least one.
 * Owns:   the caller gives them back with the same log2_bytes.  Errors: NULL without memory. */
void *pat_ext_arena_take(struct pat_ext_arena *a, uint8_t log2_bytes);
void pat_ext_arena_give(struct pat_ext_arena *a, void *block, uint8_t log2_bytes); /* NULL-safe */

/* ---- hash ---- */

/* The finalizer of MurmurHash3 (Appleby), a bijection; it is 0 only for 2^64 - 1. */
static inline uint64_t pat_ext_hash(uint64_t thing)
{
    uint64_t h = thing + 1;
    h = (h ^ h >> 33) * UINT64_C(0xff51afd7ed558ccd);
    h = (h ^ h >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return h ^ h >> 33;
}

/* ---- runs ---- */

/* Consecutive accesses of one row at the same distance. */
struct pat_ext_run {
    int64_t distance;
    uint64_t len; /* accesses */
};

/* Consecutive runs of one row. */
struct pat_ext_runs {
    const struct pat_ext_run *data;
    size_t len;
    uint32_t weight; /* how often each short run counts: pat_ext_tally_weigh */
};

/* Return runs without the first n. */
static inline struct pat_ext_runs pat_ext_runs_from(struct pat_ext_runs runs, size_t n)
{
    return (struct pat_ext_runs){runs.data + n, runs.len - n, runs.weight};
}

/* Return |distance|, also for INT64_MIN. */
static inline uint64_t pat_ext_magnitude(int64_t distance)
{
    return distance < 0 ? -(uint64_t)distance : (uint64_t)distance;
}

#endif
