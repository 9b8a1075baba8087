/* SPDX-License-Identifier: BSD-3-Clause */
/* What a distance between two patterns is worth: blocks are resampled as wholes, because accesses of one
 * block depend on each other (Carlstein, Ann. Statist. 14, 1986). */
#ifndef PAT_COMPARE_RESAMPLE_H
#define PAT_COMPARE_RESAMPLE_H

#include "patterns/compare/pat_compare.h"

enum {
    PAT_RESAMPLES = 300,
    PAT_BLOCKS_MIN = 8 /* of each; below, there is no interval and no null */
};
#define PAT_CONFIDENCE 0.95

struct pat_comparison {
    struct pat_distance_terms distance;
    /* PAT_CONFIDENCE interval of the total for infinitely long sequences of the same kind; NAN: too few
     * blocks. The bootstrap's standard error on both sides, and below it the basic limit (Davison and
     * Hinkley, Bootstrap Methods and their Application, 1997, 5.6) where that is lower. */
    double low, high;
    /* Distances between random halves of A alone and of B alone: the quantile PAT_CONFIDENCE of each, and the
     * larger one. NAN: too few blocks. */
    double halves[2], null;
    /* Of the permutation test of "A and B are one pattern": the share of random divisions of all blocks of
     * both into two as large ones that are not nearer (+ 1: Phipson and Smyth, Stat. Appl. Genet. Mol. Biol.
     * 9, 2010), for the term where it is least, times the number of terms (Bonferroni). NAN: too few blocks. */
    double p_value;
    size_t blocks[2];
    size_t block_len;
};

/* Errors: LS_ERR_NOMEM; *out is then unchanged. a and b have equal block_len and 1 block at least. */
ls_err pat_blocks_compare(const struct pat_blocks *a, const struct pat_blocks *b, uint64_t seed,
                          struct pat_comparison *out);

#endif
