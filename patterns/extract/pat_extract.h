/* SPDX-License-Identifier: BSD-3-Clause */
/* Extraction: turn accesses into one sequence per site, home and thread, in one streaming pass with bounded
 * memory. */
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

/* fold_min of the commands that show patterns: folding shorter sequences saves no noticeable time. */
enum { PAT_FOLD_MIN = 1 << 18 };

/* Fields that are 0 or NULL take the default of the mode. */
struct pat_extract_options {
    enum pat_mode mode;
    uint64_t memory_bytes; /* default 1 GiB */
    uint32_t top;          /* sequences to return; more with_companions */
    uint64_t accesses_min; /* threshold for the accesses of a sequence */
    uint32_t unique_min;   /* unique distances ... */
    double far_share_min;  /* ... or share of distances that are far */
    uint64_t far_elements; /* |distance| from which one is far: 513 as published */
    uint32_t window_rows;  /* instructions in a window of the published modes: 1024 */
    uint32_t window_bytes; /* bytes of accesses of one instruction in such a window: 64 */
    bool with_companions;  /* return enough sequences for `top` patterns after sequences that take turns are
                              joined: all members of these groups, also if the filters reject them
                              (is_companion) */
    bool merge_threads; /* merge threads that behave alike into one sequence (the longest) with the counts of
                           all */
    uint64_t fold_min;  /* fold repeats in sequences of at least this many accesses; 0: fold none */
    bool keep_loader;   /* keep the sequences of the dynamic loader, which the default mode counts only */
    /* published modes: sets known[i] where sites[i] has a source line; NULL: not asked (pat_names_known) */
    ls_err (*lines)(const struct pat_tables *t, const uint32_t *sites, size_t len, bool *known);
    bool keep_trivial; /* keep sites whose distances are only -1, 0, 1 (the default mode keeps the costly
                           ones anyway) */
};

/* The accesses of one site to one home in one thread. */
struct pat_sequence {
    uint32_t site, home, thread; /* rows of the source's tables; home PAT_NONE: no known range */
    uint32_t threads;            /* number of threads with this sequence (merge_threads) */
    /* merge_threads: where the threads use different places of a block, the bytes from this thread's to each one's, the
     * threads in the order of their numbers; NULL: they use the same ones, or it is not known. */
    int64_t *threads_apart;   /* [threads] */
    uint64_t elem_size_bytes; /* unit of the indices: the home's element, else the access */
    uint64_t accesses;        /* all accesses, kept or not, by weight */
    /* Kept accesses in order, in elements from the start of the accessed range (for an unknown home or a
     * pool: from the lowest address). Index i and i + 1 follow each other in the thread unless i + 1 is in
     * breaks. */
    struct pat_indices indices;
    size_t *breaks; /* ascending positions in indices */
    size_t breaks_len;
    struct pat_fold fold; /* if the sequence repeats: indices holds two periods, breaks is empty; else all
                             zero */
    bool is_whole;        /* all accesses were kept (with several threads: all of this one) */
    bool is_companion;    /* rejected by the filters; useful only where it is joined with another sequence */
    bool is_pool; /* the home's ranges are many and small (such as the nodes of a list); indices run over all
                     of them, distances lead from one to another */
    uint64_t range_elements; /* length of the longest accessed range of the home; 0: unknown */
    /* Distances to the previous access, over all accesses, kept or not, by weight; the most frequent first (at most 64).
     * With more than 16384 different distances, or with little memory, the counts are approximate. */
    struct pat_distance *distances;
    size_t distances_len;
    uint64_t distances_seen; /* how many there are, listed or not; 0: there is only an approximate count */
    double distances_entropy_bits; /* entropy of all, if they are counted */
    uint64_t distances_unique;     /* a lower bound above 16384 */
    uint64_t distances_far;        /* how many are far */
    uint64_t lines, pages; /* distinct 64-byte lines and 4-KiB pages touched, estimated above 16384 pages */
    double cost;           /* estimated cycles of waiting; doc/patterns.md describes the model */
    uint32_t index_site;   /* the load whose value indexes this one: A of B[A[i]]; PAT_NONE */
    uint32_t index_home;   /* home that this load reads, PAT_NONE */
    bool decides;          /* a branch depends on the value that each access loads */
    uint64_t base;         /* address of index 0; with several ranges, in the last one */
    uint64_t ranges_print; /* a fingerprint of the ranges in order; 0: unknown homes, pools */
    /* Sequences of one home and thread that take turns (struct pat_ext_turns). */
    uint32_t order; /* rank by first access */
    uint32_t ahead; /* order of the sequence whose turn comes directly before each turn of this one,
                       PAT_NONE */
    uint32_t first; /* order of the first of all sequences ahead, PAT_NONE */
    uint64_t turns; /* how often the distance changed */
    /* published modes: rank among loads or stores by appearances in windows, 0 the first, before the last
     * filters; share of the appearances of all loads or stores, 0 in the default mode */
    uint32_t rank;
    double window_share;
};

/* Return the number of accesses that were kept, as indices or folded. */
static inline size_t pat_sequence_len(const struct pat_sequence *s)
{
    return s->fold.period ? s->fold.len : s->indices.len;
}

/* Sequences that are not among the rows, by reason. X(enumerator, name, text); in this order, a sequence
 * counts once. */
#define PAT_LEFT_OUT_LIST(X)                                                                      \
    X(PAT_LEFT_OUT_LOADER, "loader", "the dynamic loader's (keep_loader)")                        \
    X(PAT_LEFT_OUT_SHORT, "short", "fewer accesses than accesses_min")                            \
    X(PAT_LEFT_OUT_TRIVIAL, "trivial", "distances of -1, 0 and 1 only, and cheap (keep_trivial)") \
    X(PAT_LEFT_OUT_FILTERED, "filtered", "rejected by unique_min and far_share_min")              \
    X(PAT_LEFT_OUT_CHEAP, "cheap", "cheaper than the `top` costliest")
#define PAT_LEFT_OUT_ENUM(id, name, text) id,
enum pat_left_out { PAT_LEFT_OUT_LIST(PAT_LEFT_OUT_ENUM) PAT_LEFT_OUT_COUNT };
#undef PAT_LEFT_OUT_ENUM
struct pat_left_out_row {
    size_t len;
    uint64_t accesses;
    double cost;
};

struct pat_sequences {
    struct pat_sequence *rows; /* the costliest first, companions last */
    size_t len;
    uint64_t accesses;          /* accesses in the source; about the sum of all sequences' */
    uint64_t sites;             /* number of sites seen */
    uint64_t accesses_filtered; /* in sequences that the mode rejected */
    uint64_t accesses_unplaced; /* dropped because no memory was left for a row */
    double cost;                /* total cost of all sequences */
    /* default mode; accesses_filtered is the sum of their accesses */
    struct pat_left_out_row left_out[PAT_LEFT_OUT_COUNT];
};

/* Return o's top, or the default of its mode. */
uint32_t pat_extract_top(const struct pat_extract_options *o);

/* Read s to its end.
 * Owns:   the caller ends out with pat_sequences_fini. Row numbers refer to s's tables: keep s open.
 * Errors: any error of pat_source_next; LS_ERR_NOMEM; then out is empty. */
ls_err pat_extract(pat_source *s, const struct pat_extract_options *o, struct pat_sequences *out);
void pat_sequences_fini(struct pat_sequences *s);

#endif
