/* SPDX-License-Identifier: BSD-3-Clause */
/* How far apart two patterns are, 0 to 1: a weighted sum of five distances between features of equally long
 * blocks. Each term is a metric on its feature, so at one block length the sum is a pseudo-metric on
 * sequences of accesses: symmetric, 0 for equal ones, the triangle inequality holds; 0 between different ones
 * means that no feature tells them apart (pat_walk_same says whether they are equal). A shift of a whole
 * sequence and the way it is written do not matter. doc/patterns-diff.md has the formulas and their sources. */
#ifndef PAT_COMPARE_H
#define PAT_COMPARE_H

#include "patterns/compare/pat_compare_block.h"
#include "patterns/compare/pat_compare_walk.h"

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

enum { PAT_BLOCKS_SEEN = 128 /* of a sequence; drawn evenly from longer ones */ };

/* Blocks of a sequence. */
struct pat_blocks {
    struct pat_block *rows;
    size_t len;
    size_t block_len; /* accesses of each; of a sequence without a full block each stretch is one */
};

/* The mean of some blocks. */
struct pat_sketch {
    double features[PAT_BLOCK_FEATURES];
    double spread; /* log2(1 + standard deviation in lines) / 32, at most 1 */
};

struct pat_distance_terms {
    double total; /* weighted sum */
    double terms[PAT_TERM_COUNT];
};

/* The largest block length, a power of two from PAT_BLOCK_MIN to PAT_BLOCK_MAX, with which w has 16 full
 * blocks that hold half of its accesses; PAT_BLOCK_MIN when there is none. */
size_t pat_block_len_for(const struct pat_walk *w);

/* Blocks of w of block_len accesses; blocks_max of them, 0: PAT_BLOCKS_SEEN. w has one access at least.
 * Owns:   the caller frees out->rows.
 * Errors: LS_ERR_NOMEM; *out is then empty. */
ls_err pat_blocks_read(const struct pat_walk *w, size_t block_len, size_t blocks_max, struct pat_blocks *out);

void pat_sketch_of(const struct pat_blocks *b, struct pat_sketch *out);

struct pat_distance_terms pat_sketch_distance(const struct pat_sketch *a, const struct pat_sketch *b);

/* log2(1 + standard deviation) / 32 in lines, at most 1, from the mean of positions and of their squares. */
double pat_spread_of(double centre, double square);

#endif
