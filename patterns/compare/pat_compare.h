/* SPDX-License-Identifier: BSD-3-Clause */
/* The distance of two patterns, 0 to 1: a weighted sum of five distances between features of equally long
 * blocks. Each term is a metric on its feature, so at one block length the sum is a pseudo-metric on
 * sequences of accesses: symmetric, 0 for equal ones, the triangle inequality holds; 0 between different
 * sequences means that no feature distinguishes them (pat_walk_same tests for equality). A shift of a whole
 * sequence and its notation do not matter. doc/patterns-diff.md has the formulas and their sources.
 *
 * Confidence of a distance, matching of patterns, and groups are included because the paper on GS Patterns
 * (section 4) calls for rigorous statistics to compare patterns of several inputs.
 *
 * Thread: any, one at a time for one item. */
#ifndef PAT_COMPARE_H
#define PAT_COMPARE_H

#include "common/ls_error.h"
#include "patterns/pat_config.h"
#include "patterns/pat_extent.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- blocks ---- */

/* Features of a stretch of accesses, as numbers that can be averaged over stretches; patterns are compared by
 * them. doc/patterns-diff.md gives the formulas.
 *
 * A block is placed relative to its own lowest index, so that a pattern looks the same wherever its array is,
 * and counts are averaged over PAT_ALIGNMENTS positions of that index in its cache line and page, because
 * pattern files do not record how an array is aligned. An element has 8 bytes, as in replay. */
enum {
    PAT_BLOCK_MIN = 16,   /* accesses */
    PAT_BLOCK_MAX = 1024, /* a power of two */
    PAT_LAGS = 4,         /* distances over 1, 2, 4 and 8 accesses */
    PAT_MAGNITUDES = 254, /* 0 to 16 one by one, then four bins an octave up to 2^63 */
    PAT_BINS = 2 * PAT_MAGNITUDES - 1,
    PAT_REUSES =
        12, /* 0: the line just before; i: 2^(i-1) to 2^i - 1 other lines since; the last: first use */
    PAT_REUSE_FIRST = PAT_REUSES - 1,
    PAT_ALIGNMENTS = 4,
    PAT_LINE_ELEMENTS = 8,   /* 64 bytes */
    PAT_PAGE_ELEMENTS = 512, /* 4 KiB */
    /* features of a block, in this order */
    PAT_AT_DISTANCES = 0,                         /* PAT_LAGS histograms, shares */
    PAT_AT_REUSE = PAT_LAGS * PAT_BINS,           /* shares */
    PAT_AT_FOOTPRINT = PAT_AT_REUSE + PAT_REUSES, /* PAT_BLOCK_MIN accesses, the block */
    PAT_AT_UTILISATION = PAT_AT_FOOTPRINT + 2,    /* lines, pages */
    PAT_BLOCK_FEATURES = PAT_AT_UTILISATION + 2
};

struct pat_block {
    double features[PAT_BLOCK_FEATURES]; /* all in 0 to 1 */
    double centre;                       /* mean of the positions, elements from a common origin */
    double square;                       /* mean of their squares */
};

/* Return the bin of a distance: PAT_MAGNITUDES - 1 is 0, higher bins are positive. Distances in one bin
 * differ by at most 25 %. */
size_t pat_bin_of(int64_t distance);

/* Return the position of a bin on the scale of signed logarithms, -1 to 1: sign * s / (s + 3), s = log2(1 +
 * |distance|).
 * 0, 1/4, 1/2, 3/4 correspond to 0, 1 element, 7 (a line), 511 (a page). */
double pat_bin_position(size_t bin);

/* Measure the features of len accesses, 1 to PAT_BLOCK_MAX. The histogram of a lag of len or more stays
 * empty. */
void pat_block_measure(const int64_t *accesses, size_t len, int64_t origin, struct pat_block *out);

/* ---- walks ---- */

/* The accesses of a pattern by number, independent of its notation: UNIFORM:8:1 with delta 8 and count 2
 * walks as UNIFORM:16:1 with count 1 does. Comparison uses patterns only through this type. */
struct pat_walk {
    const struct pat_indices *list;   /* one iteration: indices, or positions in inner */
    const struct pat_indices *inner;  /* NULL: one level */
    const struct pat_indices *deltas; /* NULL: delta alone */
    int64_t delta;
    uint64_t len;         /* number of accesses */
    const size_t *breaks; /* accesses that do not follow the previous one, ascending; NULL: none */
    size_t breaks_len;
};

/* Walk the accesses of c that read (PAT_SIDE_GATHER) or write its sparse array; all kernels but gs have one
 * side only.
 * Owns:   c must outlive *out.
 * Errors: LS_ERR_RANGE if an element or the number of accesses exceeds 63 bits, or there are no indices; *out
 * is then unchanged. */
ls_err pat_walk_config(const struct pat_config *c, enum pat_side side, struct pat_walk *out);

/* Walk a list as it is, with breaks where accesses are missing (struct pat_sequence).
 * Owns:   p and breaks must outlive the result. */
struct pat_walk pat_walk_list(const struct pat_indices *p, const size_t *breaks, size_t breaks_len);

/* Return whether a and b make the same accesses, up to one constant shift, with the same breaks. */
bool pat_walk_same(const struct pat_walk *a, const struct pat_walk *b);

/* ---- distance ---- */

/* X(enumerator, name, weight, text) */
#define PAT_TERM_LIST(X)                                                                                \
    X(PAT_TERM_DISTANCES, "distances", 0.40, "from access to access, over 1, 2, 4 and 8 accesses")      \
    X(PAT_TERM_REUSE, "reuse", 0.20, "how many other lines are used between two uses of a line")        \
    X(PAT_TERM_FOOTPRINT, "footprint", 0.15, "lines in 16 accesses and in a block")                     \
    X(PAT_TERM_UTILISATION, "utilisation", 0.10, "elements used of the lines and of the pages touched") \
    X(PAT_TERM_SPREAD, "spread", 0.15, "how far the accesses of the whole sequence lie apart")
#define PAT_TERM_ENUM(id, name, weight, text) id,
enum pat_term { PAT_TERM_LIST(PAT_TERM_ENUM) PAT_TERM_COUNT };
#undef PAT_TERM_ENUM

struct pat_term_row {
    const char *name;
    double weight;
    const char *text;
};
extern const struct pat_term_row pat_terms[PAT_TERM_COUNT];

enum { PAT_BLOCKS_SEEN = 128 /* blocks read of a sequence; drawn evenly from longer ones */ };

/* Blocks of a sequence. */
struct pat_blocks {
    struct pat_block *rows;
    size_t len;
    size_t block_len; /* accesses of each; in a sequence without a full block, each stretch is one block */
};

/* Return the mean of some blocks. */
struct pat_sketch {
    double features[PAT_BLOCK_FEATURES];
    double spread; /* log2(1 + standard deviation in lines) / 32, at most 1 */
};

struct pat_distance_terms {
    double total; /* weighted sum */
    double terms[PAT_TERM_COUNT];
};

/* Return the largest block length, a power of two from PAT_BLOCK_MIN to PAT_BLOCK_MAX, at which w has at
 * least 16 full blocks that contain half of its accesses; PAT_BLOCK_MIN if there is none. */
size_t pat_block_len_for(const struct pat_walk *w);

/* Read blocks of block_len accesses of w, at most blocks_max; 0: PAT_BLOCKS_SEEN. w has at least one access.
 * Owns:   the caller frees out->rows.
 * Errors: LS_ERR_NOMEM; *out is then empty. */
ls_err pat_blocks_read(const struct pat_walk *w, size_t block_len, size_t blocks_max, struct pat_blocks *out);

void pat_sketch_of(const struct pat_blocks *b, struct pat_sketch *out);

struct pat_distance_terms pat_sketch_distance(const struct pat_sketch *a, const struct pat_sketch *b);

/* Return log2(1 + standard deviation in lines) / 32, at most 1, from the mean of positions and of their
 * squares. */
double pat_spread_of(double centre, double square);

/* ---- confidence of a distance ---- */

/* The statistical confidence of a distance between two patterns: blocks are resampled as wholes, because
 * accesses of one block depend on each other (Carlstein, Ann. Statist. 14, 1986). */
enum {
    PAT_RESAMPLES = 300,
    PAT_BLOCKS_MIN = 8 /* blocks of each pattern; with fewer there is no interval and no null */
};
#define PAT_CONFIDENCE 0.95

struct pat_comparison {
    struct pat_distance_terms distance;
    /* PAT_CONFIDENCE interval of the total for infinitely long sequences of the same kind; NAN: too few
     * blocks. The bootstrap's standard error on both sides; the lower limit is the basic limit (Davison and
     * Hinkley, Bootstrap Methods and their Application, 1997, 5.6) if that is lower. */
    double low, high;
    /* Distances between random halves of A alone and of B alone: the quantile PAT_CONFIDENCE of each, and the
     * larger of the two. NAN: too few blocks. */
    double halves[2], null;
    /* p-value of the permutation test of "A and B are one pattern": the share of random divisions of all
     * blocks into two sets of the same sizes that are at least as far apart (+ 1: Phipson and Smyth, Stat.
     * Appl. Genet. Mol. Biol. 9, 2010), for the term where it is least, times the number of terms
     * (Bonferroni). NAN: too few blocks. */
    double p_value;
    size_t blocks[2];
    size_t block_len;
};

/* Compare two sets of blocks with equal block_len, at least 1 block each.
 * Errors: LS_ERR_NOMEM; *out is then unchanged. */
ls_err pat_blocks_compare(const struct pat_blocks *a, const struct pat_blocks *b, uint64_t seed,
                          struct pat_comparison *out);

/* ---- items: patterns in the form used for comparison, from any source ---- */

/* Patterns of different kinds are not compared: their distance is 1. */
enum pat_kind { PAT_KIND_READS, PAT_KIND_WRITES, PAT_KIND_BOTH };

enum { PAT_BLOCK_LENS = 7 /* 16 to 1024 */ };

struct pat_item {
    char *name; /* to be displayed */
    char *key;  /* identifies it in another run: the function and the data; "" for none */
    char *thread;
    enum pat_kind kind;
    uint32_t threads;         /* number of threads with this pattern */
    double share;             /* share in the total cost; NAN: unknown */
    uint32_t input;           /* number of its file */
    struct pat_walk walks[2]; /* two for PAT_KIND_BOTH: accesses that read, and accesses that write */
    size_t walks_len;
    struct pat_sketch *sketches[2][PAT_BLOCK_LENS]; /* computed when first needed */
};

struct pat_items {
    struct pat_item *rows;
    size_t len;
};

/* Set kind and accesses of a new item from c, which must outlive it.
 * Errors: any error of pat_walk_config. */
ls_err pat_item_set_config(struct pat_item *item, const struct pat_config *c);

/* Create the items of a suite, one per configuration. The key is the configuration's recorded origin, or else
 * its name.
 * Owns:   the caller ends *out with pat_items_fini; s must outlive it.
 * Errors: LS_ERR_NOMEM, any error of pat_walk_config; *out is then empty. */
ls_err pat_items_of_suite(const struct pat_suite *s, struct pat_items *out);
void pat_items_fini(struct pat_items *items);

/* Append one item, all zero except its texts, which are copied.
 * Owns:   items; *out until the next one.  Errors: LS_ERR_NOMEM. */
ls_err pat_items_add(struct pat_items *items, const char *name, const char *key, struct pat_item **out);

/* Append all items of from to the items of to, as items of input number `input`.
 * Owns:   to; from is empty afterwards.  Errors: LS_ERR_NOMEM; both are then unchanged. */
ls_err pat_items_move(struct pat_items *from, struct pat_items *to, uint32_t input);

/* Compute the distance at a block length that suits both; for PAT_KIND_BOTH, the mean of reading and writing.
 * Errors: LS_ERR_NOMEM. */
ls_err pat_item_distance(struct pat_item *a, struct pat_item *b, double *out);

struct pat_item_comparison {
    struct pat_comparison total; /* both sides: means, and twice the smaller p-value */
    bool same;                   /* the same accesses */
};

/* Compute the distance and its confidence. a and b are of one kind.
 * Errors: LS_ERR_NOMEM; *out is then unchanged. */
ls_err pat_item_compare(const struct pat_item *a, const struct pat_item *b, uint64_t seed,
                        struct pat_item_comparison *out);

/* ---- matching ---- */

#define PAT_UNASSIGNED SIZE_MAX

/* Assign rows to columns so that the sum of costs is least.
 * costs[row * columns_len + column], all finite. out[row]: its column; PAT_UNASSIGNED for the remaining rows
 * if there are more rows than columns. Ties are resolved deterministically.
 * Owns:   out has rows_len elements.
 * Errors: LS_ERR_NOMEM. */
ls_err pat_assign(const double *costs, size_t rows_len, size_t columns_len, size_t *out);

/* How a pattern of A was matched with one of B: by key first, then the remaining ones by distance. */
enum pat_matched {
    PAT_MATCHED_KEY,      /* the same function and data, at any distance */
    PAT_MATCHED_DISTANCE, /* near enough */
    PAT_MATCHED_NONE      /* in only one of the inputs */
};

struct pat_match {
    size_t a, b; /* PAT_UNASSIGNED: none */
    enum pat_matched by;
    double distance; /* NAN: PAT_MATCHED_NONE */
};

struct pat_match_options {
    double within;    /* the remaining items are matched up to this distance */
    bool ignore_keys; /* match all by distance */
};

/* Match items of the same kind. Each item of a and of b is in one row of the result: first, items with equal
 * keys are matched by the assignment with the least sum of distances; then items with equal names; then the
 * remaining ones, where no pair is further apart than within. Rows follow a's order, then b's.
 * Owns:   the caller frees *out.
 * Errors: LS_ERR_NOMEM. */
ls_err pat_items_match(struct pat_items *a, struct pat_items *b, const struct pat_match_options *o,
                       struct pat_match **out, size_t *out_len);

/* ---- groups ---- */

/* Groups of similar patterns: across threads, ranks, inputs. Agglomerative with complete linkage (Defays,
 * Comput. J. 20, 1977), cut at a distance: no two patterns of a group are further apart than that, and any
 * two groups have a pair that is. */
struct pat_group {
    size_t representative; /* the medoid: least sum of distances to the other members */
    size_t members;
    uint64_t threads; /* threads of all members, each counted once */
    uint32_t inputs;  /* number of files with members */
    double share;     /* sum of the members' shares; NAN if none is known */
    double diameter;  /* largest distance between two members */
    double mean;      /* mean distance of the members to the representative */
};

struct pat_clusters {
    size_t *group_of;         /* by item */
    double *distance;         /* by item, to its group's representative */
    struct pat_group *groups; /* the one with most threads first */
    size_t groups_len;
    double silhouette; /* mean over the items, -1 to 1 (Rousseeuw, J. Comput. Appl. Math. 20, 1987); NAN:
                          there is one group, or each item is a group */
};

/* Group items whose distances are at most within.
 * Owns:   the caller ends *out with pat_clusters_fini.
 * Errors: LS_ERR_NOMEM; *out is then empty. */
ls_err pat_cluster(struct pat_items *items, double within, struct pat_clusters *out);

/* Group by distances[i * len + k], symmetric: out[i] is the number of i's group, numbered by the first
 * member.
 * Owns:   out has len elements.
 * Errors: LS_ERR_NOMEM. */
ls_err pat_cluster_distances(const double *distances, size_t len, double within, size_t *out);
void pat_clusters_fini(struct pat_clusters *c);

#endif
