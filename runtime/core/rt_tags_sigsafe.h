/* SPDX-License-Identifier: BSD-3-Clause */
/* Site tags: each heap block, however small, leaves the number of its allocation site in a table beside the heap,
 * 16 bits for each 16 bytes of memory (a granule). A sampled access finds the site and the begin of its block
 * there; a free changes nothing. Long blocks have a tag for each 256 bytes (a span) that they cover as a whole. The
 * tag of a span replaces the tags of its granules, until a later block in the span writes tags of granules.
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
    RT_TAG_GRANULE_BITS = 4,
    RT_TAG_REGION_BITS =
        24, /* a region is 16 MiB of addresses; its tags are mapped with its first block and stay */
    RT_TAG_REGIONS = 1 << 14,
    RT_TAG_REGION_TAGS = 1 << (RT_TAG_REGION_BITS - RT_TAG_GRANULE_BITS),
    RT_TAG_SPAN_GRANULES = 16,
    RT_TAG_REGION_SPANS = RT_TAG_REGION_TAGS / RT_TAG_SPAN_GRANULES,
    RT_TAG_REGION_BYTES = (RT_TAG_REGION_TAGS + RT_TAG_REGION_SPANS) * 2, /* the tags of spans come last */
    RT_TAG_FIRST = 0x8000,        /* the first granule of a block; the other 15 bits are the site */
    RT_TAG_SITES = 32766,         /* numbers from 1; 0: none */
    RT_TAG_OTHERS = 32767,        /* sites after these */
    RT_TAG_FILL_BYTES = 1 << 27,  /* a longer block has a tag in its first granule alone */
    RT_TAG_SEARCH_GRANULES = 256, /* from an access to the begin of its block */
    RT_TAG_BACK_UNKNOWN = 0xffff,
};

struct rt_tag_region {
    uint64_t key;     /* number of the region (address >> RT_TAG_REGION_BITS) + 1, 0 until tags are there */
    uint16_t *tags;   /* NULL until mapped */
    uint64_t claimed; /* the key that it will have, 0: free; set once */
    uint64_t reserved;
};

/* --- signatures ---
 *
 * A row: RT_TAG_CHECK bits of the signature, the site, the place of the word that refines it (in words above
 * the return address of the hook; 0: none), and the number of unwindings that still check it. 0: free. */
enum {
    RT_TAG_SMALL_BITS = 14, /* rows of the small table */
    RT_TAG_LARGE_BITS = 17, /* of the large one, which comes next */
    RT_TAG_ROWS = (1 << RT_TAG_SMALL_BITS) + (1 << RT_TAG_LARGE_BITS),
    RT_TAG_NEAR_BITS = 11, /* sets of near_rows */
    RT_TAG_NEAR_ROWS = 2,  /* in a set */
    RT_TAG_NEAR_PATHS_BITS = 12,
    RT_TAG_LINE_ROWS = 8, /* rows of a cache line */
    RT_TAG_CHECK_SHIFT = 34,
    RT_TAG_SITE_SHIFT = 19,
    RT_TAG_PLACE_SHIFT = 3,
    RT_TAG_PLACE_MAX = 0xffff,
    RT_TAG_CHECKS_MASK = 7,
    RT_TAG_DISPUTED = 7,     /* in place of a number: calls with another path were seen, but not unwound */
    RT_TAG_REFINED_MOST = 8, /* words of a signature */
    RT_TAG_FRAMES = 8,
    RT_TAG_NAMED_FRAMES = 5, /* innermost ones, which usually name a block: rt_tag_check compares them */
    RT_TAG_FLAT_SITES = 16000,
    /* Unwindings without regard to the budget, which is often used up while a program starts. Some milliseconds of a
     * process. */
    RT_TAG_WHOLE_LEAST = 2048,
};

struct rt_tags {
    uint32_t is_on; /* 0: no block is tagged; the tables may be there */
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
    /* Rows and paths are put here while there is room: nearly every entry of a larger table needs another page. */
    _Alignas(64) uint64_t near_rows[RT_TAG_NEAR_ROWS << RT_TAG_NEAR_BITS];
    uint64_t near_paths[1 << RT_TAG_NEAR_PATHS_BITS];
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

/* Multiplicative hashing (Knuth, TAOCP vol. 3, 6.4): the upper bits select the line, the following ones are the check. */
RT_TAG_INLINE uint64_t rt_tag_signature(const struct rt_tag_call *c)
{
    return c->ret * UINT64_C(0x9e3779b97f4a7c15) + c->depth * UINT64_C(0xd6e8feb86659fd93);
}

/* The place is part of it: a recursion has the same word at many places. */
RT_TAG_INLINE uint64_t rt_tag_refined(uint64_t signature, uint64_t place, uint64_t word)
{
    return signature * UINT64_C(0x9fb21c651e98df25) + (word ^ place << 47) * UINT64_C(0x9e3779b97f4a7c15);
}

/* Does the row have this signature? A free one may seem to have it; its site is 0 then. */
RT_TAG_INLINE bool rt_tag_row_has(uint64_t row, uint64_t signature)
{
    return (row ^ signature << (RT_TAG_LARGE_BITS - 3)) >> RT_TAG_CHECK_SHIFT == 0;
}

/* The line of a signature in the small table, which is used while there is room, or in the large one. */
RT_TAG_INLINE uint64_t *rt_tag_line(uint64_t signature, bool is_large)
{
    const int bits = is_large ? RT_TAG_LARGE_BITS : RT_TAG_SMALL_BITS;
    uint64_t *const table = rt_tags.rows + (is_large ? 1 << RT_TAG_SMALL_BITS : 0);
    return table + (signature >> (64 - (bits - 3))) * RT_TAG_LINE_ROWS;
}

RT_TAG_INLINE uint64_t *rt_tag_near(uint64_t signature)
{
    return rt_tags.near_rows + (signature >> (64 - RT_TAG_NEAR_BITS)) * RT_TAG_NEAR_ROWS;
}

/* The row of a signature if it is near or in one of its lines, else one of another. */
RT_TAG_INLINE uint64_t rt_tag_row(uint64_t signature)
{
    const uint64_t *at = rt_tag_near(signature);
    uint64_t row = 0;
    for (int i = 0; i < RT_TAG_NEAR_ROWS; i++) {
        row = __atomic_load_n(&at[i], __ATOMIC_RELAXED);
        if (__builtin_expect(rt_tag_row_has(row, signature), 1)) return row;
    }
    for (int is_large = 0; is_large < 2; is_large++) {
        if (row == 0) return row; /* it would have been put here */
        at = rt_tag_line(signature, is_large);
        for (int i = 0; i < RT_TAG_LINE_ROWS; i++) {
            row = __atomic_load_n(&at[i], __ATOMIC_RELAXED);
            if (rt_tag_row_has(row, signature)) return row;
        }
    }
    return row;
}

RT_TAG_INLINE uint32_t rt_tag_row_site(uint64_t row)
{
    return row >> RT_TAG_SITE_SHIFT & RT_TAG_OTHERS;
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

/* The site of a row that is still checked, if its path is cut and paths are held; else 0. */
RT_TAG_INLINE uint32_t rt_tag_held_site(uint64_t row)
{
    const uint32_t site = rt_tag_row_site(row);
    const uint64_t *kept = rt_tags.kept + (size_t)site * RT_TAG_FRAMES;
    return rt_tags_hold_paths() && __atomic_load_n(&kept[1], __ATOMIC_RELAXED) == 0 ? site : 0;
}

/* The site of a call; 0: ask rt_tag_known_slowly, which goes on at *out_signature. There are tags. */
RT_TAG_INLINE uint32_t rt_tag_known(const struct rt_tag_call *c, uint64_t *out_signature)
{
    enum { MORE = RT_TAG_CHECKS_MASK | RT_TAG_PLACE_MAX << RT_TAG_PLACE_SHIFT };
    uint64_t signature = rt_tag_signature(c), word;
    *out_signature = signature;
    for (int i = 0; i < RT_TAG_REFINED_MOST; i++) {
        const uint64_t row = rt_tag_row(signature);
        const bool is_here = __builtin_expect(rt_tag_row_has(row, signature), 1);
        if (is_here && __builtin_expect((row & MORE) == 0, 1)) return rt_tag_row_site(row);
        if (!is_here || (row & RT_TAG_CHECKS_MASK) != 0) {
            *out_signature = signature;
            return is_here ? rt_tag_held_site(row) : 0;
        }
        const uint64_t place = rt_tag_row_place(row);
        if (!rt_tag_read(c, place, &word)) return 0;
        signature = rt_tag_refined(signature, place, word);
    }
    return 0;
}
/* The same for any call, from this signature on; 0: ask rt_tag_learn. */
uint32_t rt_tag_known_slowly(const struct rt_tag_call *c, uint64_t signature);
/* While paths are cut: the site of the return address alone of a call that is not known. 0: learn a cut path first. */
uint32_t rt_tag_cut(const struct rt_tag_call *c);
/* The site of a call, by its path. A whole path becomes known. */
uint32_t rt_tag_learn(const struct rt_tag_call *c, const struct rt_tag_path *path);
/* Before rt_tag_learn, for a call that was drawn at random: has the site that it would get without its path another one?
 * Counts it. A call that would be unwound has the right path. */
void rt_tag_check(const struct rt_tag_call *c, const struct rt_tag_path *path);

/* --- blocks --- */

typedef uint16_t rt_tag_eight __attribute__((vector_size(16), aligned(2), may_alias));

/* Tag 1 to RT_TAG_SPAN_GRANULES granules. The stores overlap; the one with the first granule is the last. */
RT_TAG_INLINE void rt_tag_fill(uint16_t *tags, size_t len, uint32_t site)
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
        *(rt_tag_eight *)(void *)tags = eight;
        *(rt_tag_eight *)(void *)(tags + len - 8) = eight;
        *tags = (uint16_t)(site | RT_TAG_FIRST);
    }
}

RT_TAG_INLINE void rt_tag_put_short(uint16_t *tags, size_t first, size_t len, uint32_t site)
{
    uint16_t *span = tags + RT_TAG_REGION_TAGS + first / RT_TAG_SPAN_GRANULES;
    uint16_t *end = span + (first % RT_TAG_SPAN_GRANULES + len - 1) / RT_TAG_SPAN_GRANULES;
    rt_tag_fill(tags + first, len, site);
    if (__builtin_expect(__atomic_load_n(span, __ATOMIC_RELAXED) | __atomic_load_n(end, __ATOMIC_RELAXED),
                         0)) {
        __atomic_store_n(span, 0, __ATOMIC_RELAXED);
        __atomic_store_n(end, 0, __ATOMIC_RELAXED);
    }
}

/* Tag the granules at both ends, which may share their spans with other blocks, and the spans between. */
RT_TAG_INLINE void rt_tag_put_long(uint16_t *tags, size_t first, size_t len, uint32_t site)
{
    const uint16_t s = (uint16_t)site, whole = s ? s : RT_TAG_FIRST; /* 0: the granules count */
    const rt_tag_eight eight = {s, s, s, s, s, s, s, s};
    const rt_tag_eight wholes = {whole, whole, whole, whole, whole, whole, whole, whole};
    uint16_t *const spans = tags + RT_TAG_REGION_TAGS;
    const size_t end = first + len, span_end = end / RT_TAG_SPAN_GRANULES;
    size_t span = (first + RT_TAG_SPAN_GRANULES - 1) / RT_TAG_SPAN_GRANULES;
    *(rt_tag_eight *)(void *)(tags + first) = eight;
    *(rt_tag_eight *)(void *)(tags + first + 8) = eight;
    *(rt_tag_eight *)(void *)(tags + end - 16) = eight;
    *(rt_tag_eight *)(void *)(tags + end - 8) = eight;
    tags[first] = s | RT_TAG_FIRST;
    spans[first / RT_TAG_SPAN_GRANULES] = spans[(end - 1) / RT_TAG_SPAN_GRANULES] = 0;
    for (; span + 8 <= span_end; span += 8)
        *(rt_tag_eight *)(void *)(spans + span) = wholes;
    for (; span < span_end; span++)
        spans[span] = whole;
    if (first % RT_TAG_SPAN_GRANULES == 0) spans[first / RT_TAG_SPAN_GRANULES] = s | RT_TAG_FIRST;
}

/* Tag len >= 1 granules of a block, from its first one on, in the region with these tags. */
RT_TAG_INLINE void rt_tag_put(uint16_t *tags, size_t first, size_t len, uint32_t site)
{
    if (__builtin_expect(len <= RT_TAG_SPAN_GRANULES, 1))
        rt_tag_put_short(tags, first, len, site);
    else
        rt_tag_put_long(tags, first, len, site);
}

/* Tag any block, and map the tables for that. */
void rt_tag_put_slowly(uint64_t base, size_t len_bytes, uint32_t site);

/* Tag the block if that needs a few stores only. There are tags. */
RT_TAG_INLINE bool rt_tag_put_quickly(uint64_t base, size_t len_bytes, uint32_t site)
{
    enum { LONGEST_BYTES = 65536 };
    const uint64_t number = base >> RT_TAG_REGION_BITS;
    const struct rt_tag_region *r = &rt_tags.regions[number & (RT_TAG_REGIONS - 1)];
    const size_t first = base >> RT_TAG_GRANULE_BITS & (RT_TAG_REGION_TAGS - 1);
    const size_t last = (len_bytes - 1) >> RT_TAG_GRANULE_BITS;
    if (__builtin_expect(__atomic_load_n(&r->key, __ATOMIC_ACQUIRE) != number + 1, 0)) return false;
    if (__builtin_expect(len_bytes - 1 >= LONGEST_BYTES, 0) || __builtin_expect((base & 15) != 0, 0))
        return false;
    if (__builtin_expect(first + last >= RT_TAG_REGION_TAGS, 0)) return false;
    rt_tag_put(r->tags, first, last + 1, site);
    return true;
}

/* Return the site of the block that addr is in, 0: not known. *out_back: granules from the block's first one to the one
 * of addr, RT_TAG_BACK_UNKNOWN, 0 without a site. */
uint16_t rt_tag_find(uint64_t addr, uint16_t *out_back);
/* Bring the tags that rt_tag_find() reads first into the cache. */
void rt_tag_prefetch(uint64_t addr);

/* [base, base + len_bytes) was mapped anew: no block is there. */
void rt_tags_clear(uint64_t base, uint64_t len_bytes);

/* Map the tables, which are touched where they are used. 0 or an errno; then there are no tags.  Thread: the
 * constructor. */
int rt_tags_init(void);
/* No block is tagged from now on; a call that is under way may still tag one. */
void rt_tags_pause(void);
/* Tag blocks again, with numbers from 1 on; blocks from before have no tag. False: there are no tables. */
bool rt_tags_resume(void);

#endif
