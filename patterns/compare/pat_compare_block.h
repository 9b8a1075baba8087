/* SPDX-License-Identifier: BSD-3-Clause */
/* What a stretch of accesses looks like, as numbers that can be averaged over stretches: the features that
 * patterns are compared by. doc/patterns-diff.md gives the formulas.
 *
 * A block is placed by its own lowest index, so that a pattern looks the same wherever its array lies, and
 * counts are averaged over PAT_ALIGNMENTS places of that index in its cache line and page, because pattern
 * files do not say how an array is aligned. An element has 8 bytes, as replay moves them. */
#ifndef PAT_COMPARE_BLOCK_H
#define PAT_COMPARE_BLOCK_H

#include "common/ls_error.h"

#include <stddef.h>
#include <stdint.h>

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
    PAT_AT_FOOTPRINT = PAT_AT_REUSE + PAT_REUSES, /* of PAT_BLOCK_MIN accesses, of the block */
    PAT_AT_UTILISATION = PAT_AT_FOOTPRINT + 2,    /* of lines, of pages */
    PAT_BLOCK_FEATURES = PAT_AT_UTILISATION + 2
};

struct pat_block {
    double features[PAT_BLOCK_FEATURES]; /* all in 0 to 1 */
    double centre;                       /* mean of the positions, elements from a common origin */
    double square;                       /* mean of their squares */
};

/* Bin of a distance: PAT_MAGNITUDES - 1 is 0, above are positive ones. Distances of one bin differ by 25 % at
 * most. */
size_t pat_bin_of(int64_t distance);

/* Where a bin lies on the scale of signed logarithms, -1 to 1: sign * s / (s + 3), s = log2(1 + |distance|).
 * 0, 1/4, 1/2, 3/4 stand for 0, 1 element, 7 (a line), 511 (a page). */
double pat_bin_place(size_t bin);

/* Features of len accesses, 1 to PAT_BLOCK_MAX. A lag that no two accesses have leaves its histogram empty. */
void pat_block_measure(const int64_t *accesses, size_t len, int64_t origin, struct pat_block *out);

#endif
