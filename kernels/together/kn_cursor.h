/* SPDX-License-Identifier: BSD-3-Clause */
/* Progress of a thread in its share of a pattern that is interleaved with others.
 *
 * Unless noted otherwise: Thread: one at a time for a cursor. */
#ifndef KN_CURSOR_H
#define KN_CURSOR_H

#include "kernels/replay/kn_arena.h"
#include "kernels/together/kn_piece.h"

struct kn_cursor {
    struct kn_piece piece; /* the next piece */
    kn_piece_move *move;
    enum kn_piece_kind kind;
    struct kn_side side;
    unsigned element_bytes, index_bytes;
    char *row_place;      /* element 0 of the row */
    uint64_t end;         /* end of the rows; piece.row is the current one */
    bool by_rows;         /* a unit is a row; else the units of a row are its folds or indices */
    uint64_t unit, units; /* the current unit of the row, units in a row */
    size_t step;
    struct kn_run_at run;
    uint64_t unit_accesses; /* elements of a unit */
    uint64_t units_all;     /* units in the whole share */
};

/* Return a cursor at the beginning of a share of a, whose operation is not a copy; index_bits is the width of
 * indices.
 * Owns:   nothing: a must outlive it. */
struct kn_cursor kn_cursor_of(const struct kn_arena *a, unsigned share, unsigned index_bits);

/* Run the next units, at most the remaining ones. */
void kn_cursor_move(struct kn_cursor *c, uint64_t units);

#endif
