/* SPDX-License-Identifier: BSD-3-Clause */
/* Site tags: each heap block, however small, leaves the number of its allocation site in a table beside the heap,
 * 16 bits for each 16 bytes of memory (a granule). A sampled access finds the site and the begin of its block
 * there; a free changes nothing.
 *
 * A site is found by the signature of the call: return address and stack depth. The call path is unwound once for each
 * new signature. Where a later unwinding shows that one signature has several paths, the signature's row gets
 * the place of the first return address that differs, and from then on the word of the stack at that place is
 * hashed into a further signature. Paths are equal in their RT_TAG_FRAMES innermost frames.
 *
 * All tables are words that are changed by atomic operations, so there is no lock that a fork could leave taken.
 *
 * Thread: any.  Signal: safe. */
#ifndef RT_TAGS_SIGSAFE_H
#define RT_TAGS_SIGSAFE_H

#include "common/ls_compat.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* --- tags --- */

enum {
    RT_TAG_GRANULE_BITS = 4,
    RT_TAG_REGION_BITS =
        24, /* a region is 16 MiB of addresses; its tags are mapped with its first block and stay */
    RT_TAG_REGIONS = 1 << 14,
    RT_TAG_REGION_TAGS = 1 << (RT_TAG_REGION_BITS - RT_TAG_GRANULE_BITS),
    RT_TAG_FIRST = 0x8000,        /* the first granule of a block; the other 15 bits are the site */
    RT_TAG_SITES = 32766,         /* numbers from 1; 0: none */
    RT_TAG_OTHERS = 32767,        /* sites after these */
    RT_TAG_FILL_BYTES = 1 << 20,  /* of a longer block the first granule alone is tagged */
    RT_TAG_SEARCH_GRANULES = 256, /* from an access to the begin of its block */
    RT_TAG_BACK_UNKNOWN = 0xffff,
};

struct rt_tag_region {
    uint64_t key;   /* number of the region (address >> RT_TAG_REGION_BITS) + 1, 0: free; set once */
    uint16_t *tags; /* NULL until mapped */
};

/* --- signatures ---
 *
 * A row: RT_TAG_CHECK bits of the signature, the site, the place of the word that refines it (in words above
 * the return address of the hook; 0: none), and the number of unwindings that still check it. 0: free. */
enum {
    RT_TAG_ROWS_BITS = 17,
    RT_TAG_LINE_ROWS = 8, /* rows of a cache line */
    RT_TAG_CHECK_SHIFT = 34,
    RT_TAG_SITE_SHIFT = 19,
    RT_TAG_PLACE_SHIFT = 3,
    RT_TAG_PLACE_MAX = 0xffff,
    RT_TAG_CHECKS_MASK = 7,
    RT_TAG_REFINED_MOST = 8, /* words of a signature */
    RT_TAG_FRAMES = 8,
    RT_TAG_FLAT_SITES =
        16000, /* from here on new signatures are without the depth, which recursion multiplies */
};

struct rt_tags {
    uint64_t *rows; /* NULL: there are no tags */
    struct rt_tag_region *regions;
    uint64_t *paths;    /* 49 bits of a path's hash and its site; 0: free */
    uint64_t *kept;     /* RT_TAG_FRAMES return addresses of each site */
    uint16_t *children; /* rows that refine the row of a site */
    uint32_t sites;     /* given so far */
    uint32_t is_flat;
    uint64_t regions_refused; /* that could not be mapped */
    uint64_t others;          /* allocations at RT_TAG_OTHERS */
};
extern struct rt_tags rt_tags LS_HIDDEN;

/* Call of an allocator. */
struct rt_tag_call {
    uint64_t ret, cfa; /* its return address, which is in the word below cfa */
    uint64_t depth;    /* bytes from cfa to the end of the stack; 0: another stack than the thread's */
};
/* Its path. */
struct rt_tag_path {
    const uint64_t *frames; /* return addresses, innermost first */
    const uint64_t *places; /* where on the stack they are */
    uint32_t len;
    bool may_refine;
    /* Record the path of a new site before any block has its tag. */
    void (*give)(void *arg, uint32_t site);
    void *arg;
};

static inline uint64_t rt_tag_signature(const struct rt_tag_call *c)
{
    return c->ret + c->depth * UINT64_C(0xd6e8feb86659fd93);
}

/* The place is part of it: a recursion has the same word at many places. */
static inline uint64_t rt_tag_refined(uint64_t signature, uint64_t row, uint64_t word)
{
    const uint64_t place = row & (uint64_t)RT_TAG_PLACE_MAX << RT_TAG_PLACE_SHIFT;
    return (signature ^ signature >> 29) * UINT64_C(0x9fb21c651e98df25) + (word ^ place << 40);
}

static inline uint64_t rt_tag_hash(uint64_t signature)
{
    const uint64_t h = signature * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 32;
}

/* The bits that a row of this hash has. */
static inline uint64_t rt_tag_check(uint64_t hash)
{
    return (hash << (RT_TAG_ROWS_BITS - 3) | UINT64_C(1) << RT_TAG_CHECK_SHIFT) >> RT_TAG_CHECK_SHIFT
                                                                                       << RT_TAG_CHECK_SHIFT;
}

static inline uint64_t *rt_tag_line(uint64_t hash)
{
    return rt_tags.rows + (hash >> (64 - (RT_TAG_ROWS_BITS - 3))) * RT_TAG_LINE_ROWS;
}

/* The row of a signature in its line, 0: it is not there. */
static inline uint64_t rt_tag_row(uint64_t signature)
{
    const uint64_t hash = rt_tag_hash(signature), check = rt_tag_check(hash);
    const uint64_t *line = rt_tag_line(hash);
    for (int i = 0; i < RT_TAG_LINE_ROWS; i++) {
        const uint64_t row = __atomic_load_n(&line[i], __ATOMIC_RELAXED);
        if ((row ^ check) >> RT_TAG_CHECK_SHIFT == 0) return row;
        if (row == 0) return 0;
    }
    return 0;
}

static inline uint32_t rt_tag_row_site(uint64_t row)
{
    return row >> RT_TAG_SITE_SHIFT & RT_TAG_OTHERS;
}

static inline uint64_t rt_tag_row_place(uint64_t row)
{
    return row >> RT_TAG_PLACE_SHIFT & RT_TAG_PLACE_MAX;
}

/* Read the word of the stack that refines the row. False: it is outside of the stack. */
static inline bool rt_tag_read(const struct rt_tag_call *c, uint64_t row, uint64_t *out)
{
    const uint64_t at_bytes = (rt_tag_row_place(row) - 1) * 8;
    if (at_bytes + 8 > c->depth) return false;
    memcpy(out, (const void *)(uintptr_t)(c->cfa + at_bytes), sizeof(*out));
    return true;
}

/* The site of a call, 0: ask rt_tag_known_slowly. There are tags. */
static inline uint32_t rt_tag_known(const struct rt_tag_call *c)
{
    uint64_t signature = rt_tag_signature(c), word;
    for (int i = 0; i < RT_TAG_REFINED_MOST; i++) {
        const uint64_t row = rt_tag_row(signature);
        if (__builtin_expect(row == 0 || (row & RT_TAG_CHECKS_MASK) != 0, 0)) return 0;
        if (__builtin_expect(rt_tag_row_place(row) == 0, 1)) return rt_tag_row_site(row);
        if (!rt_tag_read(c, row, &word)) return rt_tag_row_site(row);
        signature = rt_tag_refined(signature, row, word);
    }
    return 0;
}
/* The same for any call; 0: ask rt_tag_learn. Rows that are still checked answer only if !may_refine. */
uint32_t rt_tag_known_slowly(const struct rt_tag_call *c, bool may_refine);
/* The site of a call, by its path. It becomes known. */
uint32_t rt_tag_learn(const struct rt_tag_call *c, const struct rt_tag_path *path);

/* --- blocks --- */

typedef uint16_t rt_tag_eight __attribute__((vector_size(16), aligned(2), may_alias));

/* Tag len >= 1 granules, which are in one region. The stores overlap; the one with the first granule is the last. */
static inline void rt_tag_fill(uint16_t *tags, size_t len, uint32_t site)
{
    const uint64_t four = site * UINT64_C(0x0001000100010001), head = four | RT_TAG_FIRST;
    if (len < 4) {
        if (len > 1) memcpy(tags + len - 2, &four, 4);
        if (len > 1)
            memcpy(tags, &head, 4);
        else
            memcpy(tags, &head, 2);
    } else if (len <= 8) {
        memcpy(tags + len - 4, &four, 8);
        memcpy(tags, &head, 8);
    } else {
        const uint16_t s = (uint16_t)site;
        const rt_tag_eight eight = {s, s, s, s, s, s, s, s};
        for (size_t i = 0; i + 8 < len; i += 8)
            *(rt_tag_eight *)(void *)(tags + i) = eight;
        *(rt_tag_eight *)(void *)(tags + len - 8) = eight;
        *tags = (uint16_t)(site | RT_TAG_FIRST);
    }
}

/* The tags of the region of addr if it is in its first row, else NULL. */
static inline uint16_t *rt_tag_region_tags(uint64_t addr)
{
    const uint64_t number = addr >> RT_TAG_REGION_BITS;
    const struct rt_tag_region *r = &rt_tags.regions[number & (RT_TAG_REGIONS - 1)];
    return __atomic_load_n(&r->key, __ATOMIC_RELAXED) == number + 1
               ? __atomic_load_n(&r->tags, __ATOMIC_ACQUIRE)
               : NULL;
}

/* Tag any block, and map what it needs for that. */
void rt_tag_put_slowly(uint64_t base, size_t len_bytes, uint32_t site);

/* Tag the block. There are tags. */
static inline void rt_tag_put(uint64_t base, size_t len_bytes, uint32_t site)
{
    enum { QUICK_BYTES = 4096 };
    const size_t first = base >> RT_TAG_GRANULE_BITS & (RT_TAG_REGION_TAGS - 1);
    const size_t len = ((base & 15) + len_bytes + (len_bytes == 0) + 15) >> RT_TAG_GRANULE_BITS;
    uint16_t *tags = rt_tag_region_tags(base);
    if (__builtin_expect(!tags || len_bytes > QUICK_BYTES || first + len > RT_TAG_REGION_TAGS, 0))
        rt_tag_put_slowly(base, len_bytes, site);
    else
        rt_tag_fill(tags + first, len, site);
}

/* Return the site of the block that addr is in, 0: not known. *out_back: granules from the block's first one to the one
 * of addr, RT_TAG_BACK_UNKNOWN, 0 without a site. */
uint16_t rt_tag_find(uint64_t addr, uint16_t *out_back);

/* [base, base + len_bytes) was mapped anew: no block is there. */
void rt_tags_clear(uint64_t base, uint64_t len_bytes);

/* Map the tables, which are touched where they are used. 0 or an errno; then there are no tags.  Thread: the
 * constructor. */
int rt_tags_init(void);

#endif
