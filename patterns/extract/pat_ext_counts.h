/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters of a row: distances and their greatest common divisor, lines and pages. */
#ifndef PAT_EXT_COUNTS_H
#define PAT_EXT_COUNTS_H

#include "common/ls_compat.h"
#include "patterns/extract/pat_ext.h"

#include <stddef.h>
#include <stdint.h>

/* ---- tables in buckets ---- */

/* Hash tables in buckets of four slots, one cache line each. The four keys are compared without branches: the
 * matching slot is unpredictable, and where most keys are new, mispredictions would dominate the look-up
 * time. */
enum { PAT_EXT_WAYS = 4 };

struct pat_ext_way {
    uint64_t key, value; /* value 0: free; free slots are at the end of a bucket, and their keys are 0 */
};

/* Allocate 2^log2_cap slots (4 at least), all free. They are charged to b even if they exceed its limit.
 * Owns:   the caller ends them with pat_ext_ways_free.  Errors: NULL without memory. */
struct pat_ext_way *pat_ext_ways_new(struct pat_ext_budget *b, uint8_t log2_cap);
/* NULL-safe. */
void pat_ext_ways_free(struct pat_ext_way *slots, struct pat_ext_budget *b, uint8_t log2_cap);

/* Return the number of slots of a table; log2_cap 0: there is no table yet. */
static inline size_t pat_ext_ways_cap(uint8_t log2_cap)
{
    return log2_cap ? (size_t)1 << log2_cap : 0;
}

static inline uint64_t pat_ext_ways_bytes(uint8_t log2_cap)
{
    return pat_ext_ways_cap(log2_cap) * sizeof(struct pat_ext_way);
}

/* Return the bucket's slot that holds `key`, or, for key 0, a free slot; NULL: neither exists. */
static inline struct pat_ext_way *pat_ext_ways_match(struct pat_ext_way *bucket, uint64_t key)
{
    unsigned same = (unsigned)(bucket[0].key == key) | (unsigned)(bucket[1].key == key) << 1 |
                    (unsigned)(bucket[2].key == key) << 2 | (unsigned)(bucket[3].key == key) << 3;
    __asm__("" : "+r"(same)); /* otherwise GCC may branch on the last comparison */
    return same ? &bucket[__builtin_ctz(same)] : NULL;
}

/* Return the slot that holds `key`, or a free one for it; there must be a free slot. The search begins at the
 * bucket of slot `at`, modulo 2^log2_cap. */
static inline struct pat_ext_way *pat_ext_ways_find(struct pat_ext_way *slots, uint8_t log2_cap, uint64_t at,
                                                    uint64_t key)
{
    const uint64_t mask = (UINT64_C(1) << log2_cap) - PAT_EXT_WAYS;
    for (;; at += PAT_EXT_WAYS) {
        struct pat_ext_way *bucket = &slots[at & mask], *way = pat_ext_ways_match(bucket, key);
        if (way) return way;
        const unsigned used = (unsigned)(bucket[0].value != 0) + (unsigned)(bucket[1].value != 0) +
                              (unsigned)(bucket[2].value != 0) + (unsigned)(bucket[3].value != 0);
        if (used < PAT_EXT_WAYS) return &bucket[used];
    }
}

/* ---- greatest common divisor ---- */

/* The greatest common divisor of a stream of numbers. Most numbers are multiples of it, which one
 * multiplication verifies (Granlund and Montgomery, "Division by Invariant Integers using Multiplication",
 * PLDI 1994, section 9). Zeroed: no number yet, or only zeros. */
struct pat_ext_divisor {
    uint64_t value;   /* 0: none */
    uint64_t inverse; /* inverse of its odd part, modulo 2^64 */
    uint64_t most;    /* the largest quotient */
};

/* Include a number in the divisor. */
void pat_ext_divisor_take(struct pat_ext_divisor *d, uint64_t number);

/* ---- distances ---- */

/* Counts the occurrences of each distance: exact up to PAT_EXT_TALLY_MAX different ones. Beyond that, or when
 * memory is short, the tally is pruned: it then keeps the frequent distances, with approximate counts. A
 * distance has one of four slots there. When it has none, every eighth such run (and each run of eight or
 * more accesses) takes the slot of the rarest of the four, if that is no more frequent, and else reduces the
 * count of that one (after Misra and Gries, "Finding Repeated Elements", Science of Computer Programming 2,
 * 1982, and Demaine et al., "Frequency Estimation of Internet Packet Streams with Limited Space", ESA 2002).
 * If hardly any distance has a slot, looking up each one would dominate the run time: then one batch of short
 * runs in eight is counted, with weight eight; long runs are rare, and are all counted. */
enum { PAT_EXT_TALLY_MAX = 16384, PAT_EXT_TALLY_SAMPLE = 8 };

/* Zeroed is empty. */
struct pat_ext_tally {
    struct pat_ext_way *slots;  /* counts by distance */
    uint32_t unique;            /* different distances; a lower bound once is_pruned */
    uint32_t batches;           /* batches of runs since sampling began */
    struct pat_ext_divisor gcd; /* greatest common divisor of all distances, 0: all are 0 */
    uint16_t len;               /* slots in use */
    uint8_t log2_cap;           /* log2 of the number of slots; 0: no slots */
    bool is_pruned : 1;
    bool is_sampled : 1; /* pruned, and hardly any distance has a slot */
    uint8_t newcomers;   /* runs without a slot since it was pruned */
    uint8_t looked, met; /* recent look-ups, and how many of them found a slot */
};
_Static_assert(2 * PAT_EXT_TALLY_MAX <= UINT16_MAX, "as many slots as there may be");

/* Return the first slot of the distance's bucket. Multiplicative hashing by the golden ratio (Knuth, The Art
 * of Computer Programming, volume 3, 6.4). */
static inline uint32_t pat_ext_tally_slot(const struct pat_ext_tally *t, int64_t distance)
{
    return (uint32_t)((uint64_t)distance * UINT64_C(0x9e3779b97f4a7c15) >> (64 - t->log2_cap)) &
           -(uint32_t)PAT_EXT_WAYS;
}

static inline void pat_ext_tally_prefetch(const struct pat_ext_tally *t, int64_t distance)
{
    if (t->log2_cap) ls_prefetch(&t->slots[pat_ext_tally_slot(t, distance)]);
}

/* pat_ext_tally_add for a tally that is not pruned, and for a pruned one.  Errors: as there; none. */
bool pat_ext_tally_add_exact(struct pat_ext_tally *t, struct pat_ext_budget *b, int64_t distance,
                             uint64_t count);
void pat_ext_tally_add_pruned(struct pat_ext_tally *t, struct pat_ext_run run, uint64_t weight);

/* Count `count` occurrences of the distance.
 * Errors: false without memory for the first slots; then only the divisor includes it. */
static inline bool pat_ext_tally_add(struct pat_ext_tally *t, struct pat_ext_budget *b, int64_t distance,
                                     uint64_t count)
{
    if (!t->is_pruned) return pat_ext_tally_add_exact(t, b, distance, count);
    pat_ext_tally_add_pruned(t, (struct pat_ext_run){distance, count}, 1);
    return true;
}

/* Return the weight of the next batch of runs, so that its memory can be prefetched: 1, or, when the tally is
 * sampled, 0 or PAT_EXT_TALLY_SAMPLE. A hash of the batch's number decides, so that periods of the program do
 * no harm. */
static inline uint32_t pat_ext_tally_weigh(struct pat_ext_tally *t)
{
    if (!t->is_sampled) return 1;
    return pat_ext_hash(++t->batches) % PAT_EXT_TALLY_SAMPLE ? 0 : PAT_EXT_TALLY_SAMPLE;
}

/* Call pat_ext_tally_add for a batch of runs; each access counts `each` times.  Errors: as there, for some of them. */
bool pat_ext_tally_add_runs(struct pat_ext_tally *t, struct pat_ext_budget *b, struct pat_ext_runs runs,
                            uint32_t each);

/* Add the counts of `from` to `to`.  Errors: as pat_ext_tally_add, for some of them. */
bool pat_ext_tally_join(struct pat_ext_tally *to, const struct pat_ext_tally *from, struct pat_ext_budget *b);

/* Release the counts; unique, gcd and is_pruned stay. */
void pat_ext_tally_fini(struct pat_ext_tally *t, struct pat_ext_budget *b);

/* ---- lines and pages ---- */

/* The set of touched lines and pages: exact up to PAT_EXT_PAGES_MAX pages of 4 KiB. Beyond that, or when
 * memory is short, it is a sample of the pages that halves itself (adaptive sampling: Flajolet, "On adaptive
 * sampling", Computing 43, 1990), with the lines of the sampled pages: a standard error of about 1.5 %. */
enum { PAT_EXT_PAGES_MAX = 16384, PAT_EXT_PAGE_LINES = 64, PAT_EXT_PAGES_FETCHED = 3 };

/* Zeroed is empty. */
struct pat_ext_pages {
    struct pat_ext_way *slots; /* value: a bit for each line, key: the hash of the page number */
    uint32_t len;
    uint8_t log2_cap; /* 0: none */
    uint8_t halvings; /* only hashes with this many leading zero bits are kept */
    uint64_t page;    /* the last page, and its slot (NULL if it is not kept) */
    struct pat_ext_way *last;
};

/* The slow path of pat_ext_pages_touch: the page, whose hash is given, is not in its first bucket. */
void pat_ext_pages_turn(struct pat_ext_pages *p, struct pat_ext_budget *b, uint64_t line, uint64_t hash);

/* Return whether the page is in the sample. */
static inline bool pat_ext_pages_keep(const struct pat_ext_pages *p, uint64_t hash)
{
    return !p->halvings || hash >> (64 - p->halvings) == 0;
}

/* Return the bucket that is searched first; there must be slots. */
static inline struct pat_ext_way *pat_ext_pages_bucket(const struct pat_ext_pages *p, uint64_t hash)
{
    return &p->slots[hash & (((uint64_t)1 << p->log2_cap) - PAT_EXT_WAYS)];
}

/* Note an access to the line (address / 64). Without memory the counts become less precise. */
static inline void pat_ext_pages_touch(struct pat_ext_pages *p, struct pat_ext_budget *b, uint64_t line)
{
    const uint64_t page = line / PAT_EXT_PAGE_LINES;
    if (!p->log2_cap) {
        pat_ext_pages_turn(p, b, line, pat_ext_hash(page));
        return;
    }
    if (p->page != page) {
        const uint64_t hash = pat_ext_hash(page);
        struct pat_ext_way *way =
            pat_ext_pages_keep(p, hash) ? pat_ext_ways_match(pat_ext_pages_bucket(p, hash), hash) : NULL;
        p->page = page;
        p->last = way;
        if (pat_ext_pages_keep(p, hash) && (!way || !way->value)) {
            pat_ext_pages_turn(p, b, line, hash);
            return;
        }
    }
    if (p->last) p->last->value |= UINT64_C(1) << line % PAT_EXT_PAGE_LINES;
}

/* Prefetch the line's bucket. A sample of few pages skips that: most pages are not in it. */
static inline void pat_ext_pages_prefetch(const struct pat_ext_pages *p, uint64_t line)
{
    if (!p->log2_cap || p->halvings > PAT_EXT_PAGES_FETCHED) return;
    const uint64_t hash = pat_ext_hash(line / PAT_EXT_PAGE_LINES);
    if (pat_ext_pages_keep(p, hash)) ls_prefetch(pat_ext_pages_bucket(p, hash));
}

/* Add everything touched in `from` to `to`. */
void pat_ext_pages_join(struct pat_ext_pages *to, const struct pat_ext_pages *from, struct pat_ext_budget *b);

uint64_t pat_ext_pages_count(const struct pat_ext_pages *p);
uint64_t pat_ext_pages_lines(const struct pat_ext_pages *p);
void pat_ext_pages_fini(struct pat_ext_pages *p, struct pat_ext_budget *b);

#endif
