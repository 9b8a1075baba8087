/* SPDX-License-Identifier: BSD-3-Clause */
/* A few accesses of an operation that needs no dense buffer, to be done before another pattern has its turn:
 * some short rows with their indices in registers, part of a long row, or part of a linked chain.
 *
 * Unless noted otherwise: Thread: a piece by one at a time. */
#ifndef KN_PIECE_H
#define KN_PIECE_H

#include "patterns/pat_config.h"

#include <stddef.h>
#include <stdint.h>

enum kn_piece_kind {
    KN_PIECE_ROWS,   /* n rows, by apart, of times the same few indices, fold_step apart */
    KN_PIECE_LISTED, /* n indices of a row */
    KN_PIECE_LEVELS, /* the same, indices of inner */
    KN_PIECE_LINKED, /* n loads from place on, each of which holds where the next is */
    KN_PIECE_KINDS
};

struct kn_piece {
    void *place;           /* element 0 of the row; of a chain the element that is loaded next, kept up */
    const int64_t *offset; /* ROWS: [offset_len], KN_HELD_MAX at most */
    size_t offset_len;
    uint64_t times;
    int64_t fold_step, by; /* ROWS: elements */
    const void *index;     /* LISTED, LEVELS: of as many bits as the move */
    const void *inner;     /* LEVELS */
    uint64_t n;            /* rows, indices or loads */
    uint64_t row;          /* of the pattern, the first: what is stored (kn_values.h) */
    uint64_t sum, last;    /* kept up by loads: bits that were loaded, those of the last one of a chase */
};

typedef void kn_piece_move(struct kn_piece *p);

/* The loop that moves pieces of kind, or NULL for what there is none of: copies, and rows or chains of
 * elements of 4 bytes. index_bits means nothing where there is no list. */
kn_piece_move *kn_piece_find(enum kn_piece_kind kind, enum pat_operation does, unsigned element_bytes,
                             unsigned index_bits);

#endif
