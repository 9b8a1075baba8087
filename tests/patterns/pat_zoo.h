/* SPDX-License-Identifier: BSD-3-Clause */
/* Sequences for tests of comparison. */
#ifndef PAT_ZOO_H
#define PAT_ZOO_H

#include "patterns/compare/pat_compare.h"

enum zoo_kind {
    ZOO_STRIDE1,
    ZOO_STRIDE2,
    ZOO_STRIDE_BACK,
    ZOO_STRIDE_PAGE,
    ZOO_SAME,
    ZOO_SMALL_LOOP,
    ZOO_STENCIL,
    ZOO_RANDOM_SMALL,
    ZOO_RANDOM_LARGE,
    ZOO_WALK,
    ZOO_FAR,
    ZOO_KINDS
};

/* len indices of a kind on the heap; seed matters to random kinds only. */
struct pat_indices zoo_make(enum zoo_kind kind, size_t len, uint64_t seed);

/* len indices of a process with known parts: with probability near_share / 256 the next element, else a jump
 * to one of `room` elements. */
struct pat_indices zoo_jumps(size_t len, unsigned near_share, uint64_t room, uint64_t seed);

#endif
