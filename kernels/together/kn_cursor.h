/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of kn_together.c: progress of a thread in a pattern that is interleaved with others, its pieces,
 * arrays that several patterns use. */
#ifndef KN_CURSOR_H
#define KN_CURSOR_H

#include "kernels/replay/kn_arrays.h"
#include "patterns/pat_config.h"
#include "kernels/kn_memory.h"
#include "kernels/replay/kn_session.h"

#include <stddef.h>
#include <stdint.h>

/* ---- pieces ---- */

/* A few accesses of an operation that needs no dense buffer, to be done before another pattern has its turn:
 * some short rows with their indices in registers, part of a long row, or part of a linked chain. */

enum kn_piece_kind {
    KN_PIECE_ROWS,   /* n rows, by apart, of times the same few indices, fold_step apart */
    KN_PIECE_LISTED, /* n indices of a row */
    KN_PIECE_LEVELS, /* the same, indices of inner */
    KN_PIECE_LINKED, /* n loads, the first one from address; each element holds the address of the next */
    KN_PIECE_KINDS
};

struct kn_piece {
    void *address;         /* element 0 of the row; in a chain the next element to load, updated */
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

/* Loads of pattern a and accesses of pattern b in turn, as in one iteration of a loop: `rows` times n times a unit of a, then an
 * element of b. */
struct kn_pair {
    struct kn_piece *a, *b; /* a: ROWS (by apart, once each) or LISTED; b: elements by apart */
    uint64_t rows, n;
    int64_t a_row_by, b_row_by; /* elements from the first unit of a row to that of the next one */
    bool counts_units; /* the stored values count up with each element of b, otherwise with each row */
};

typedef void kn_pair_move(struct kn_pair *p);

/* Return the loop of a pair of elements of 8 bytes, where a is a reduction, or NULL where none exists. */
kn_pair_move *kn_pair_find(enum kn_piece_kind kind_of_a, enum pat_operation b_does, unsigned index_bits);

/* ---- progress of a thread ---- */

struct kn_cursor {
    struct kn_piece piece; /* the next piece */
    kn_piece_move *move;
    enum kn_piece_kind kind;
    enum pat_operation does;
    struct kn_side side;
    unsigned element_bytes, index_bytes;
    char *row_address;    /* element 0 of the row */
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
struct kn_cursor kn_cursor_of(const struct kn_arrays *a, unsigned share, unsigned index_bits);

/* Run the next units, at most the remaining ones. */
void kn_cursor_move(struct kn_cursor *c, uint64_t units);

/* Do a and b have as many units in their shares, like the accesses of one iteration, and is there a loop for them in turn? */
bool kn_cursors_pair(const struct kn_cursor *a, const struct kn_cursor *b);

/* Run the next units of a and b in turn; as kn_cursor_move of both. */
void kn_cursor_move_pair(struct kn_cursor *a, struct kn_cursor *b, uint64_t units);

/* ---- arrays that several patterns use ---- */

struct kn_shared_arrays {
    struct kn_block *blocks; /* [len], of the first session of each array; most are empty */
    struct kn_block *parts;  /* [len], the part of its block that each session uses; base NULL: not shared */
    size_t len;
};

/* Map the arrays that two sessions or more name (pat_config.array); nothing is filled.
 * Owns:   the caller ends out with kn_shared_arrays_fini, also after a failure.
 * Errors: LS_ERR_NOMEM; LS_ERR_RANGE for an array that does not fit 63 bits of bytes, naming it. */
ls_err kn_shared_arrays_init(struct kn_shared_arrays *out, const struct kn_session *sessions, size_t len,
                             enum kn_pages pages);
void kn_shared_arrays_fini(struct kn_shared_arrays *c);

/* Return the memory of session k's sparse array, valid as long as c is; or NULL: it shares with none. */
const struct kn_block *kn_shared_arrays_part(const struct kn_shared_arrays *c, size_t k);

#endif
