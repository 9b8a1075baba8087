/* SPDX-License-Identifier: BSD-3-Clause */
/* Extraction: from accesses to what each site did on each home, one streaming pass in bounded memory. */
#ifndef PAT_EXTRACT_H
#define PAT_EXTRACT_H

#include "patterns/extract/pat_fold.h"
#include "patterns/pat_config.h"
#include "patterns/source/pat_source.h"

/* X(enumerator, name, text) */
#define PAT_MODE_LIST(X)                                                         \
    X(PAT_MODE_COST, "cost", "all sites, ranked by estimated cost: the default") \
    X(PAT_MODE_PAPER, "paper", "the filters of the published paper")             \
    X(PAT_MODE_V1, "v1", "those of GS Patterns 1.0")                             \
    X(PAT_MODE_V2, "v2", "those of GS Patterns 2")
#define PAT_MODE_ENUM(id, name, text) id,
enum pat_mode { PAT_MODE_LIST(PAT_MODE_ENUM) PAT_MODE_COUNT };
#undef PAT_MODE_ENUM

/* fold_min of the commands that show patterns: with fewer accesses it saves no time to speak of. */
enum { PAT_FOLD_MIN = 1 << 18 };

/* 0 or NULL everywhere: the defaults of the mode. */
struct pat_extract_options {
    enum pat_mode mode;
    uint64_t memory_bytes; /* default 1 GiB */
    uint32_t top;          /* sequences to return; more with_companions */
    uint64_t accesses_min; /* of a sequence */
    uint32_t unique_min;   /* unique distances ... */
    double far_share_min;  /* ... or share of distances that are far */
    uint64_t far_elements; /* |distance| from which one is far: 513 as published */
    uint32_t window_rows;  /* instructions in a window of the published modes: 1024 */
    uint32_t window_bytes; /* of accesses of one instruction there: 64 */
    bool with_companions;  /* so many sequences that there are top patterns when those that take turns have
                              become one: all of the groups that may, also what the filters leave out;
                              is_companion then */
    bool merge_threads; /* threads that do the same become one sequence (the longest) with all their counts */
    uint64_t fold_min;  /* sequences of so many accesses at least are folded where they repeat; 0: none is */
    bool keep_trivial;  /* keep sites whose distances are -1, 0, 1 only (default mode keeps the costly ones
                           anyhow) */
};

/* What one site did on one home in one thread. */
struct pat_sequence {
    uint32_t site, home, thread; /* rows of the source's tables; home PAT_NONE: no range was known there */
    uint32_t threads;            /* how many did this (merge_threads) */
    uint64_t elem_size_bytes;    /* unit of the indices: the home's element, else the access */
    uint64_t accesses;           /* all of them, kept or not */
    /* Elements from the start of the range that was accessed (of an unknown home or a pool: from the lowest
     * address), in order, the kept ones. Index i and i + 1 follow each other in the thread unless i + 1 is in
     * breaks. */
    struct pat_indices indices;
    size_t *breaks; /* ascending positions in indices */
    size_t breaks_len;
    struct pat_fold fold; /* what repeats has two periods of indices only, and no breaks; else all zero */
    bool is_whole;        /* all accesses were kept (of several threads: those of this one) */
    bool is_companion;    /* left out by the filters: of use only where it is one with another sequence */
    bool is_pool; /* the home's ranges are many and small: the nodes of a list, say; indices run over all of
                     them, distances lead from one to another */
    uint64_t range_elements; /* of the longest range of the home that was accessed, 0: not known */
    /* Of all accesses, kept or not: distances to the one before, the most frequent first (at most 64). With
     * more than 16384 different ones, or little memory, counts are about these. */
    struct pat_distance *distances;
    size_t distances_len;
    uint64_t distances_unique; /* as far as counted: a lower bound above 16384 */
    uint64_t distances_far;    /* how many are far */
    uint64_t lines, pages; /* distinct 64-byte lines and 4-KiB pages touched, estimated above 16384 pages */
    double cost;           /* estimated cycles of waiting, doc/patterns.md says how */
    uint32_t index_site;   /* the load whose value indexes this one: A of B[A[i]]; PAT_NONE */
    uint32_t index_home;   /* where that load reads, PAT_NONE */
    uint64_t base;         /* address of index 0; that of the last range, where there are several */
    uint64_t ranges_print; /* a fingerprint of the ranges in order; 0: unknown homes, pools */
    /* Sequences of one home and thread that take turns (patterns/extract/pat_ext_turns.h). */
    uint32_t order; /* of first accesses */
    uint32_t ahead; /* order of the one whose turn comes before each of its own, PAT_NONE */
    uint32_t first; /* order of the first of all that are ahead, PAT_NONE */
    uint64_t turns; /* how often the distance changed */
};

/* Accesses that were kept, as indices or folded. */
static inline size_t pat_sequence_len(const struct pat_sequence *s)
{
    return s->fold.period ? s->fold.len : s->indices.len;
}

struct pat_sequences {
    struct pat_sequence *rows; /* the costliest first, companions behind them */
    size_t len;
    uint64_t accesses;          /* of the source */
    uint64_t sites;             /* that were seen */
    uint64_t accesses_filtered; /* in sequences that the mode left out */
    uint64_t accesses_unplaced; /* for which memory had no row */
    double cost;                /* of everything */
};

/* o's top, or the default of its mode. */
uint32_t pat_extract_top(const struct pat_extract_options *o);

/* Read s to its end.
 * Owns:   the caller ends out with pat_sequences_fini. Rows' numbers are those of s's tables: keep s open.
 * Errors: those of pat_source_next; LS_ERR_NOMEM; then out is empty. */
ls_err pat_extract(pat_source *s, const struct pat_extract_options *o, struct pat_sequences *out);
void pat_sequences_fini(struct pat_sequences *s);

#endif
