/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of a loop (pat_config.row_lengths) as inner loops: the processor predicts their ends as well or as badly as in the
 * program, because it executes a branch for each. */
#ifndef KN_ROWS_H
#define KN_ROWS_H

#include "kernels/together/kn_cursor.h"

/* ---- moves ---- */

/* The second pattern of a move by rows. */
enum kn_rows_way {
    KN_ROWS_ALONE, /* there is none */
    KN_ROWS_WITH,  /* it has an element by a step after each one of the first, in the same inner loop */
    KN_ROWS_THEN,  /* its row, of a list, comes after each row of the first */
    KN_ROWS_WAYS
};

/* Elements that each row accesses before or after its inner loop, at piece->address and from there on by steps. */
struct kn_rows_fixed {
    struct kn_piece *piece; /* NULL: none */
    unsigned elements;      /* in a row: 1 or 2 */
    int64_t second, by;     /* from the first to the second element of a row, and to the next row */
    uint64_t left,
        len; /* elements of the pattern's own row, which are filled with one value: remaining and all */
};

/* The next n rows of a. Moves pass all rows and elements that they have done. */
struct kn_rows_piece {
    struct kn_piece *a, *b;        /* a: LISTED; b: LISTED, or elements from its address on */
    const uint16_t *a_len, *b_len; /* elements of each row */
    int64_t b_by;                  /* WITH: elements from one to the next */
    struct kn_rows_fixed load,
        fill; /* a reduction of 1 or 2 elements before each row, a fill of 1 element after it */
    uint64_t n;
};

typedef void kn_rows_move(struct kn_rows_piece *p);

/* Return the loop for a pattern that does an operation, followed by a reduction except for ALONE; both have the same sizes of
 * elements and indices. waits: the branch at the end of each of its inner iterations waits for the loaded value, if it is a reduction.
 * NULL where none exists: for chases. */
kn_rows_move *kn_rows_find(enum kn_rows_way way, enum pat_operation does, unsigned element_bytes,
                           unsigned index_bits, bool waits);

/* ---- patterns ---- */

/* Steps of a pattern that has `elements` elements in each row of a loop, always at the same distances. */
struct kn_row_steps {
    bool are_equal;
    int64_t second, by; /* as in kn_rows_fixed */
};

enum { KN_ROW_FIXED_MAX = 2 };

/* The part that a pattern takes in the rows of a loop. */
struct kn_row_role {
    uint16_t *
        lengths; /* narrow, so that reading them causes little traffic; NULL: the pattern has none, or they have no use here */
    size_t len;
    bool is_borrowed;                            /* a pattern before it, with equal rows, owns lengths */
    bool waits;                                  /* pat_config.rows_wait */
    struct kn_row_steps steps[KN_ROW_FIXED_MAX]; /* [e - 1] for e elements in a row */
};

/* Find the role of session k; the roles before it are known. Lengths are kept if one thread runs it, for which rows are not
 * divided, and if they fit 16 bits: the ends of longer rows take no noticeable time.
 * Owns:   the caller ends all roles with kn_row_roles_fini.
 * Errors: LS_ERR_NOMEM. */
ls_err kn_row_role_init(const struct kn_session *s, struct kn_row_role *roles, size_t k);
void kn_row_roles_fini(struct kn_row_role *roles, size_t len);

/* Patterns whose rows are moved in turn. a == NULL: none. */
struct kn_rows {
    struct kn_rows_piece piece;
    struct kn_cursor *a;
    bool waits; /* a's */
    kn_rows_move *move;
    uint64_t len; /* rows in all */
};

/* Can the rows of a be moved one by one? Then set out to do so, at the beginning of a. Otherwise out->a is NULL. */
void kn_rows_begin(struct kn_rows *out, struct kn_cursor *a, const struct kn_row_role *role);

/* Add b if its accesses belong to the same iterations: is there a loop for it and the patterns of r? */
bool kn_rows_add(struct kn_rows *r, struct kn_cursor *b, const struct kn_row_role *role);

/* Move the next n rows, at most the remaining ones. */
void kn_rows_run(struct kn_rows *r, uint64_t n);

#endif
