/* SPDX-License-Identifier: BSD-3-Clause */
/* Remember which live blocks have an ALLOC record, so that only these get a FREE. The program's blocks get no
 * header; instead, a wait-free bit map has a bit for each 16 bytes of heap. A cache line of bits covers 8 KiB
 * of heap, so a look-up costs no more than the heap's own book-keeping, which is read at the same time. */
#ifndef RT_BLOCKS_SIGSAFE_H
#define RT_BLOCKS_SIGSAFE_H

#include "common/ls_compat.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A region is 16 MiB of addresses; its bits are mapped with its first recorded block and stay. */
enum {
    RT_UNIT_BITS = 4,
    RT_REGION_BITS = 24,
    RT_REGIONS_BITS = 14,
    RT_REGIONS = 1 << RT_REGIONS_BITS,
    RT_REGION_PROBES = 32,
    RT_REGION_WORDS = 1 << (RT_REGION_BITS - RT_UNIT_BITS - 6),
};
struct rt_region {
    uint64_t key;    /* number (address >> RT_REGION_BITS) + 1, 0: free; set once */
    uint64_t *words; /* NULL until mapped */
};
extern struct rt_region *rt_regions LS_HIDDEN;

/* A filter before the table, for the many frees of blocks that were not recorded: where the bits of a region
 * are, by the last bits of its number, as a distance from rt_no_bits. Regions that would share a row both
 * have rt_all_bits there. Zero bytes are a valid filter, so it works before the constructor. */
enum { RT_FILTER_BITS = 12 };
extern uint64_t rt_no_bits[RT_REGION_WORDS] LS_HIDDEN;
extern uintptr_t rt_filter[1 << RT_FILTER_BITS] LS_HIDDEN;

/* Fibonacci hashing (Knuth, TAOCP vol. 3, 6.4). */
static inline struct rt_region *rt_region_home(uint64_t number)
{
    return &rt_regions[(number * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - RT_REGIONS_BITS)];
}

static inline struct rt_region *rt_region_next(struct rt_region *r)
{
    return r + 1 < rt_regions + RT_REGIONS ? r + 1 : rt_regions;
}

/* Return the bits of the region; NULL: no block of it was ever recorded. */
static inline uint64_t *rt_region_words(uint64_t number)
{
    struct rt_region *r = rt_region_home(number);
    for (int i = 0; i < RT_REGION_PROBES; i++, r = rt_region_next(r)) {
        const uint64_t there = __atomic_load_n(&r->key, __ATOMIC_RELAXED);
        if (__builtin_expect(there == number + 1, 1)) return __atomic_load_n(&r->words, __ATOMIC_ACQUIRE);
        if (there == 0) return NULL;
    }
    return NULL;
}

static inline uint64_t rt_block_word(uint64_t base)
{
    return base >> (RT_UNIT_BITS + 6) & (RT_REGION_WORDS - 1);
}

static inline uint64_t rt_block_bit(uint64_t base)
{
    return UINT64_C(1) << (base >> RT_UNIT_BITS & 63);
}

static inline bool rt_block_is_unit(uint64_t base)
{
    return rt_regions && (base & ((1u << RT_UNIT_BITS) - 1)) == 0;
}

/* False: it is not there. True: ask rt_blocks_has. */
static inline bool rt_blocks_may_have(uint64_t base)
{
    const uintptr_t *row = &rt_filter[base >> RT_REGION_BITS & ((1 << RT_FILTER_BITS) - 1)];
    const uint64_t *bits = (const uint64_t *)((uintptr_t)rt_no_bits + __atomic_load_n(row, __ATOMIC_RELAXED));
    return __atomic_load_n(&bits[rt_block_word(base)], __ATOMIC_RELAXED) & rt_block_bit(base);
}

/* Map the table of regions (touched where it is used). 0 or an errno.  Thread: the constructor. */
int rt_blocks_init(void);
/* Remember base. False: there is no room for it, or it is no multiple of 16; then do not record it. */
bool rt_blocks_add(uint64_t base);
/* Is it there? */
static inline bool rt_blocks_has(uint64_t base)
{
    if (!rt_block_is_unit(base)) return false;
    const uint64_t *words = rt_region_words(base >> RT_REGION_BITS);
    return words && (__atomic_load_n(&words[rt_block_word(base)], __ATOMIC_RELAXED) & rt_block_bit(base));
}
/* Was it there? Forget it. */
bool rt_blocks_remove(uint64_t base);

#endif
