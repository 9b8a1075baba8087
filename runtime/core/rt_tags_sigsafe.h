/* SPDX-License-Identifier: BSD-3-Clause */
/* Site tags: each heap block, however small, leaves the number of its allocation site in a table beside the heap,
 * 16 bits for each 32 bytes of memory (a granule). A sampled access finds the site and the begin of its block
 * there; a free changes nothing.
 *
 * Blocks begin at multiples of 16 bytes, and no two of them in the same granule: a block of the C library takes at
 * least 32 bytes. (Other allocators may put two blocks of up to 16 bytes there. With them, each 16 bytes have a tag, and all
 * tags are written by rt_tag_put_slowly.) The tag of a granule in which a block begins states which half it begins in. The lower half before a begin in the upper one
 * belongs to the block of the granule before.
 *
 * A site is found by the signature of the call: return address and stack depth. The call path is unwound once for each
 * new signature. The first calls that have the signature, too, are checked: the return addresses of that path are
 * compared with the stack, and where one is not at its place, the call is unwound. Where an unwinding shows that one
 * signature has several paths, the signature's row gets the place of the first return address that differs, and from then
 * on the word of the stack at that place is hashed into a further signature. Paths are equal in their RT_TAG_FRAMES
 * innermost frames.
 *
 * Recursion makes more paths than there are sites. After RT_TAG_FLAT_SITES of them, new signatures are without the depth, and
 * paths with the same RT_TAG_NAMED_FRAMES innermost frames are one site.
 *
 * While the overhead budget is used up, only the first RT_TAG_WHOLE_LEAST paths of a process are unwound. A later call
 * with an unknown path gets the site of its return address alone: its path is cut. The next unwinding replaces that site
 * by the one of the whole path.
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

/* Hooks in a separate section have no calls into another one. */
#define RT_TAG_INLINE static inline __attribute__((always_inline))

/* --- tags --- */

enum {
    RT_TAG_UNIT_BITS = 4, /* blocks begin at multiples of a unit */
    RT_TAG_GRANULE_BITS = 5,
    RT_TAG_REGION_BITS =
        22, /* a region is 4 MiB of addresses; its tags are mapped with its first block and stay */
    RT_TAG_REGIONS = 1 << 16,
    RT_TAG_REGION_TAGS = 1 << (RT_TAG_REGION_BITS - RT_TAG_GRANULE_BITS),
    RT_TAG_REGION_BYTES = RT_TAG_REGION_TAGS * 2,
    RT_TAG_SHORT_BYTES = 512, /* a block of at most these has not more than 17 granules */
    RT_TAG_LONG_BYTES = 65536,
    RT_TAG_SITES = 21838,  /* numbers from 1; 0: none */
    RT_TAG_OTHERS = 21839, /* sites after these */
    /* The tag of a granule: the site, plus one of these if a block begins in it. */
    RT_TAG_LOWER = RT_TAG_OTHERS + 1,
    RT_TAG_UPPER = RT_TAG_LOWER * 2,
    RT_TAG_FILL_BYTES = 1 << 27, /* a longer block has a tag in its first granule alone */
    RT_TAG_SEARCH_UNITS = 256,   /* from an access to the begin of its block */
    RT_TAG_BACK_UNKNOWN = 0xffff,
};

struct rt_tag_region {
    /* Number of the region (address >> RT_TAG_REGION_BITS) + 1; 0 until tags are there, and where each unit has a tag. */
    uint64_t key;
    uint16_t *tags;   /* NULL until mapped */
    uint64_t claimed; /* the key that it will have, 0: free; set once */
    uint64_t reserved;
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
    RT_TAG_SITE_MASK = 0x7fff,
    RT_TAG_PLACE_SHIFT = 3,
    RT_TAG_PLACE_MAX = 0xffff,
    RT_TAG_CHECKS_MASK = 7,
    RT_TAG_DISPUTED = 6,     /* in place of a number: calls with another path were seen, but not unwound */
    RT_TAG_CUT = 7,          /* in place of a number: the path of the site is cut */
    RT_TAG_REFINED_MOST = 8, /* words of a signature */
    RT_TAG_FRAMES = 8,
    RT_TAG_NAMED_FRAMES = 5, /* innermost ones, which usually name a block: rt_tag_check compares them */
    RT_TAG_FLAT_SITES = 16000,
    /* Unwindings without regard to the budget, which is often used up while a program starts. Some milliseconds of a
     * process. */
    RT_TAG_WHOLE_LEAST = 2048,
};

struct rt_tags {
    uint32_t is_on;     /* 0: no block is tagged; the tables may be there */
    uint32_t is_packed; /* a granule may have two blocks: each unit has a tag */
    uint64_t *rows;
    struct rt_tag_region *regions;
    uint64_t *paths;    /* 49 bits of a path's hash and its site; 0: free */
    uint64_t *kept;     /* RT_TAG_FRAMES return addresses of each site, with their places in the upper bits */
    uint16_t *children; /* rows that refine the row of a site */
    uint32_t sites;     /* given so far */
    uint32_t is_flat;
    uint32_t held;            /* 1: paths are cut */
    uint32_t unwound;         /* paths for tags alone, so far */
    uint32_t compared;        /* paths that were found on the stack by rows that are still checked */
    uint64_t regions_refused; /* that could not be mapped */
    uint64_t others;          /* allocations at RT_TAG_OTHERS */
    uint64_t checked;         /* allocations that were drawn at random for rt_tag_check */
    uint64_t wrong;           /* checked allocations whose site has another path */
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
    bool is_cut; /* it has the return address of the call alone, because paths are cut */
    /* Record the path of a new site before any block has its tag. */
    void (*give)(void *arg, uint32_t site);
    void *arg;
};

/* Multiplicative hashing (Knuth, TAOCP vol. 3, 6.4): the upper bits select the line, the following ones are the check.
 * Calls from one place differ in the upper 26 bits if their depths do, by less than 64 MiB. */
RT_TAG_INLINE uint64_t rt_tag_signature(const struct rt_tag_call *c)
{
    return (c->ret + (c->depth << 38)) * UINT64_C(0x9e3779b97f4a7c15);
}

/* The place is part of it: a recursion has the same word at many places. */
RT_TAG_INLINE uint64_t rt_tag_refined(uint64_t signature, uint64_t place, uint64_t word)
{
    return signature * UINT64_C(0x9fb21c651e98df25) + (word ^ place << 47) * UINT64_C(0x9e3779b97f4a7c15);
}

/* Does the row have this signature? A free one may seem to have it; its site is 0 then. */
RT_TAG_INLINE bool rt_tag_row_has(uint64_t row, uint64_t signature)
{
    return (row ^ signature << (RT_TAG_ROWS_BITS - 3)) >> RT_TAG_CHECK_SHIFT == 0;
}

RT_TAG_INLINE uint64_t *rt_tag_line(uint64_t signature)
{
    return rt_tags.rows + (signature >> (64 - (RT_TAG_ROWS_BITS - 3))) * RT_TAG_LINE_ROWS;
}

/* The row of a signature if it is among the first ones of its line, else one of another. */
RT_TAG_INLINE uint64_t rt_tag_row(uint64_t signature, int rows)
{
    const uint64_t *line = rt_tag_line(signature);
    uint64_t row = __atomic_load_n(&line[0], __ATOMIC_RELAXED);
    for (int i = 1; i < rows && __builtin_expect(!rt_tag_row_has(row, signature), 0); i++)
        row = __atomic_load_n(&line[i], __ATOMIC_RELAXED);
    return row;
}

RT_TAG_INLINE uint32_t rt_tag_row_site(uint64_t row)
{
    return row >> RT_TAG_SITE_SHIFT & RT_TAG_SITE_MASK;
}

RT_TAG_INLINE uint64_t rt_tag_row_place(uint64_t row)
{
    return row >> RT_TAG_PLACE_SHIFT & RT_TAG_PLACE_MAX;
}

/* Read the word of the stack that refines a row at this place. False: it is outside of the stack. */
RT_TAG_INLINE bool rt_tag_read(const struct rt_tag_call *c, uint64_t place, uint64_t *out)
{
    if (__builtin_expect(place * 8 > c->depth, 0)) return false;
    memcpy(out, (const void *)(uintptr_t)(c->cfa + place * 8 - 8), sizeof(*out));
    return true;
}

RT_TAG_INLINE bool rt_tags_hold_paths(void)
{
    return __atomic_load_n(&rt_tags.held, __ATOMIC_RELAXED) != 0;
}
void rt_tags_hold(bool is_over_budget);

/* The site of a call, by the first rows of lines, and signatures of fewer words than this; 0: ask
 * rt_tag_known_slowly. There are tags. */
RT_TAG_INLINE uint32_t rt_tag_known(const struct rt_tag_call *c, int rows, int words)
{
    enum { MORE = RT_TAG_CHECKS_MASK | RT_TAG_PLACE_MAX << RT_TAG_PLACE_SHIFT };
    uint64_t signature = rt_tag_signature(c), word;
#pragma GCC unroll 2
    for (int i = 0; i < words; i++) {
        const uint64_t row = rt_tag_row(signature, rows);
        if (__builtin_expect(!rt_tag_row_has(row, signature), 0)) return 0;
        if (__builtin_expect((row & MORE) == 0, 1)) return rt_tag_row_site(row);
        if ((row & RT_TAG_CHECKS_MASK) != 0)
            return (row & RT_TAG_CHECKS_MASK) == RT_TAG_CUT && rt_tags_hold_paths() ? rt_tag_row_site(row)
                                                                                    : 0;
        const uint64_t place = rt_tag_row_place(row);
        if (!rt_tag_read(c, place, &word)) return 0;
        signature = rt_tag_refined(signature, place, word);
    }
    return 0;
}
/* The same for any call; 0: ask rt_tag_learn. */
uint32_t rt_tag_known_slowly(const struct rt_tag_call *c);
/* While paths are cut: the site of the return address alone of a call that is not known. 0: learn a cut path first. */
uint32_t rt_tag_cut(const struct rt_tag_call *c);
/* The site of a call, by its path. A whole path becomes known. */
uint32_t rt_tag_learn(const struct rt_tag_call *c, const struct rt_tag_path *path);
/* Before rt_tag_learn, for a call that was drawn at random: has the site that it would get without its path another one?
 * Counts it. A call that would be unwound has the right path. */
void rt_tag_check(const struct rt_tag_call *c, const struct rt_tag_path *path);

/* --- blocks --- */

typedef uint16_t rt_tag_eight __attribute__((vector_size(16), aligned(2), may_alias));

RT_TAG_INLINE void rt_tag_store_eight(uint16_t *tags, uint32_t tag)
{
    const uint16_t t = (uint16_t)tag;
    *(rt_tag_eight *)(void *)tags = (rt_tag_eight){t, t, t, t, t, t, t, t};
}

/* Tag the granules of a short block before its last one, and perhaps the first one if it is the only one. The stores
 * overlap. Blocks of the same length are in one granule more or less: the shortest ones need no branch. */
RT_TAG_INLINE void rt_tag_fill(uint16_t *tags, size_t len, uint32_t site)
{
    const uint64_t four = site * UINT64_C(0x0001000100010001);
    if (__builtin_expect(len <= 2, 1)) {
        tags[len >> 1] = (uint16_t)site;
    } else if (len <= 6) {
        memcpy(tags, &four, 4);
        memcpy(tags + (len - 1) / 2, &four, 4);
        memcpy(tags + len - 2, &four, 4);
    } else if (len <= 8) {
        memcpy(tags, &four, 8);
        memcpy(tags + len - 4, &four, 8);
    } else {
        rt_tag_store_eight(tags, site);
        rt_tag_store_eight(tags + len - 8, site);
    }
}

/* The same of a long block. A repeated store writes whole cache lines, but its start takes long. */
RT_TAG_INLINE void rt_tag_fill_long(uint16_t *tags, size_t len, uint32_t site)
{
    enum { REPEATED_LEAST = 128 };
    if (len >= REPEATED_LEAST)
        ls_store_words(tags, len / 4, site * UINT64_C(0x0001000100010001));
    else
        for (size_t at = 0; at + 8 <= len; at += 8)
            rt_tag_store_eight(tags + at, site);
    rt_tag_store_eight(tags + len - 8, site);
}

/* Tag the granules at both ends of a block, after the others. Both are numbers of bytes within the region. If the
 * block ends in the lower half of a granule, another one may begin in the upper half: its tag stays. There is no branch,
 * because lengths are random. Two threads that tag both blocks at the same time may lose one of the tags. */
RT_TAG_INLINE void rt_tag_put_ends(uint16_t *tags, uint64_t from, uint64_t to, uint32_t site)
{
    enum { HALF = 1 << RT_TAG_UNIT_BITS };
    uint16_t *const first = &tags[from >> RT_TAG_GRANULE_BITS], *const last =
                                                                    &tags[to >> RT_TAG_GRANULE_BITS];
    const uint64_t there = *last, least_kept = RT_TAG_UPPER + (to & HALF) * (0x10000 / HALF);
    *last = (uint16_t)(there >= least_kept ? there : site);
    *first = (uint16_t)(site + RT_TAG_LOWER + (from & HALF) * (RT_TAG_LOWER / HALF));
}

RT_TAG_INLINE void rt_tag_put_short(uint16_t *tags, uint64_t from, uint64_t to, uint32_t site)
{
    const size_t first = from >> RT_TAG_GRANULE_BITS, last = to >> RT_TAG_GRANULE_BITS;
    rt_tag_fill(tags + first, last - first, site);
    rt_tag_put_ends(tags, from, to, site);
}

/* Tag the block of the bytes from `from` to `to`, which are numbers within the region with these tags. */
RT_TAG_INLINE void rt_tag_put(uint16_t *tags, uint64_t from, uint64_t to, uint32_t site)
{
    const size_t first = from >> RT_TAG_GRANULE_BITS, last = to >> RT_TAG_GRANULE_BITS;
    if (last - first <= RT_TAG_SHORT_BYTES >> RT_TAG_GRANULE_BITS)
        rt_tag_fill(tags + first, last - first, site);
    else
        rt_tag_fill_long(tags + first, last - first, site);
    rt_tag_put_ends(tags, from, to, site);
}

/* Tag any block, and map the tables for that. */
void rt_tag_put_slowly(uint64_t base, size_t len_bytes, uint32_t site);

/* Tag the block if its region has tags and it is of at most longest_bytes, which is a constant. There are tags. */
RT_TAG_INLINE bool rt_tag_put_quickly(uint64_t base, size_t len_bytes, uint32_t site, size_t longest_bytes)
{
    const uint64_t number = base >> RT_TAG_REGION_BITS;
    const struct rt_tag_region *r = &rt_tags.regions[number & (RT_TAG_REGIONS - 1)];
    const uint64_t from = base & ((1 << RT_TAG_REGION_BITS) - 1), to = from + len_bytes - 1;
    if (__builtin_expect(__atomic_load_n(&r->key, __ATOMIC_ACQUIRE) != number + 1, 0)) return false;
    if (__builtin_expect(len_bytes - 1 >= longest_bytes, 0)) return false;
    if (__builtin_expect(to >> RT_TAG_REGION_BITS != 0, 0)) return false;
    if (longest_bytes > RT_TAG_SHORT_BYTES)
        rt_tag_put(r->tags, from, to, site);
    else
        rt_tag_put_short(r->tags, from, to, site);
    return true;
}

/* Return the site of the block that addr is in, 0: not known. *out_back: units from the block's begin to the unit of
 * addr, RT_TAG_BACK_UNKNOWN, 0 without a site. Sites after the last number are SPOOL_SITE_OTHERS. */
uint16_t rt_tag_find(uint64_t addr, uint16_t *out_back);

/* [base, base + len_bytes) was mapped anew: no block is there. */
void rt_tags_clear(uint64_t base, uint64_t len_bytes);

/* Map the tables, which are touched where they are used. is_packed: blocks may be closer than 32 bytes. 0 or an errno; then there are no tags.  Thread: the
 * constructor. */
int rt_tags_init(bool is_packed);
/* No block is tagged from now on; a call that is under way may still tag one. */
void rt_tags_pause(void);
/* Tag blocks again, with numbers from 1 on; blocks from before have no tag. False: there are no tables. */
bool rt_tags_resume(void);

#endif
