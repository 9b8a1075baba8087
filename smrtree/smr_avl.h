/* SPDX-License-Identifier: BSD-3-Clause */
/* Height-balanced (AVL) tree of address ranges [base, end) that nest but never partly overlap.
 *
 * Order: base ascending, then end descending, so a range comes before the ranges inside it; among equal
 * ranges the later one counts as the inner one. Every node also stores the largest end in its subtree, which
 * makes all queries O(log n) at any nesting depth. Nodes are in one array and link by index: one cache line
 * (64 bytes) a range, and a removed slot is reused.
 *
 * Unless stated otherwise: Thread: one at a time for one object, any for different ones.  Signal: not
 * safe. */
#ifndef SMR_AVL_H
#define SMR_AVL_H

#include "common/ls_error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct smr_range {
    uint64_t base, end; /* [base, end) */
    uint32_t value;     /* any number chosen by the caller */
};

struct smr_avl_node;
struct smr_avl {
    struct smr_avl_node *nodes; /* [0] means "no node" */
    uint32_t root, free_head, used, cap;
    uint32_t len;
};

enum smr_avl_side { SMR_AVL_INNER, SMR_AVL_OUTER }; /* position of a range among equal ones */

void smr_avl_init(struct smr_avl *t);
void smr_avl_fini(struct smr_avl *t);

/* Make room, so that the next `extra` inserts cannot fail for lack of memory.  Errors: LS_ERR_NOMEM. */
ls_err smr_avl_reserve(struct smr_avl *t, uint32_t extra);

/* Insert a range.
 * Errors: LS_ERR_RANGE (empty), LS_ERR_OVERLAP (*conflict is the other range; the caller, which knows names,
 * sets the text), LS_ERR_NOMEM; then t is unchanged. Thread: one at a time.  Signal: not safe. */
ls_err smr_avl_insert(struct smr_avl *t, struct smr_range range, enum smr_avl_side where,
                      struct smr_range *conflict);

/* Remove the range with this base and value (the innermost of several). Return false if there is none. out
 * may be NULL. */
bool smr_avl_remove(struct smr_avl *t, uint64_t base, uint32_t value, struct smr_range *out);

/* Find the last range in tree order with base <= max_base and end > end_above.
 *   (addr, addr)        innermost range that contains addr
 *   (base, end - 1)     innermost range that contains all of [base, end)
 *   (end - 1, base)     the last range that overlaps [base, end) */
bool smr_avl_last(const struct smr_avl *t, uint64_t max_base, uint64_t end_above, struct smr_range *out);

/* Find the first range in tree order that is not before (base, end); (base, UINT64_MAX) means the first range
 * that begins at or after base. */
bool smr_avl_first_from(const struct smr_avl *t, uint64_t base, uint64_t end, struct smr_range *out);

/* Find the smallest base and the largest end. Return false if the tree is empty. */
bool smr_avl_hull(const struct smr_avl *t, uint64_t *out_base, uint64_t *out_end);

/* Make the empty tree `to` equal to `from`.  Errors: LS_ERR_NOMEM; then to is empty. */
ls_err smr_avl_copy(const struct smr_avl *from, struct smr_avl *to);

/* Call visit for all ranges in tree order; t must not change meanwhile. */
void smr_avl_each(const struct smr_avl *t, void (*visit)(void *user, const struct smr_range *r), void *user);

/* Check every invariant: order, nesting, balance, largest ends, count. For tests and assertions: O(n log
 * n). */
bool smr_avl_is_valid(const struct smr_avl *t);

#endif
