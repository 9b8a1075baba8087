/* SPDX-License-Identifier: BSD-3-Clause */
/* A few accesses of an operation that needs no dense buffer, to be done before another pattern has its turn:
 * some short rows with their indices in registers, part of a long row, or part of a linked chain.
 *
 * Unless noted otherwise: Thread: one at a time for a piece. */
#ifndef KN_PIECE_H
#define KN_PIECE_H

#include "patterns/pat_config.h"

#include <stddef.h>
#include <stdint.h>

enum kn_piece_kind {
    KN_PIECE_ROWS,   /* n rows, by apart, of times the same few indices, fold_step apart */
    KN_PIECE_LISTED, /* n indices of a row */
    KN_PIECE_LEVELS, /* the same, indices of inner */
    KN_PIECE_LINKED, /* n loads from place on; each element holds the address of the next */
    KN_PIECE_KINDS
};

struct kn_piece {
    void *place;           /* element 0 of the row; in a chain the next element to load, updated */
    const int64_t *offset; /* ROWS: [offset_len], KN_HELD_MAX at most */
    size_t offset_len;
    uint64_t times;
    int64_t fold_step, by; /* ROWS: elements */
    const void *index;     /* LISTED, LEVELS: as wide as the move's index_bits */
    const void *inner;     /* LEVELS */
    uint64_t n;            /* rows, indices or loads */
    uint64_t row;          /* first row's number in the pattern: gives the stored values (kn_values.h) */
    uint64_t sum, last;    /* updated by loads: sum of the loaded bits, bits of a chase's last load */
};

typedef void kn_piece_move(struct kn_piece *p);

/* Return the loop that moves pieces of kind, or NULL where none exists: for copies, and for rows or chains of
 * elements of 4 bytes. index_bits is ignored where there is no list. */
kn_piece_move *kn_piece_find(enum kn_piece_kind kind, enum pat_operation does, unsigned element_bytes,
                             unsigned index_bits);

#endif
