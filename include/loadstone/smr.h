/* SPDX-License-Identifier: BSD-3-Clause */
/* The semantic memory tree: what the program's memory means. A range has a label, an extent, an element size
 * and a number of components an element; groups gather ranges and groups.
 *
 * All trees of a process share one registry: ranges of any tree nest, but never partly overlap. free() and
 * munmap() of a block end the ranges inside it while Loadstone records; a handle stays usable until
 * smr_node_remove or smr_tree_free. Link with -lloadstone: without recording the tree works as a plain
 * library.
 *
 * Thread: all functions may be called from any thread; a handle must not be used while another thread removes
 * it. Signal: not safe. No function exits, aborts or prints; the text of a failure is in ls_last_error(). */
#ifndef LOADSTONE_SMR_H
#define LOADSTONE_SMR_H

#include "loadstone/error.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct smr_tree smr_tree;
typedef struct smr_node smr_node;

#define SMR_ALIVE UINT64_MAX

struct smr_spec {
    const char *label;                /* copied; at most 4096 bytes */
    const volatile void *start, *end; /* [start, end) */
    size_t elem_size_bytes;           /* of one component: sizeof(double) */
    size_t dims;                      /* components of an element, 1 for scalars; 0 counts as 1 */
};

/* Errors: LS_ERR_NOMEM. */
ls_err smr_tree_new(smr_tree **out);
/* Ends all ranges of t and frees its nodes; NULL-safe. */
void smr_tree_free(smr_tree *t);

/* Register a range. The same label at the same start as a living range of t re-registers that one: *out is
 * its node, which now has the new extent and element size. Errors: LS_ERR_OVERLAP (the text names both
 * labels), LS_ERR_RANGE (empty), LS_ERR_ARG (no label, element size 0), LS_ERR_NOMEM, LS_ERR_BUSY (called
 * from a walk); then nothing changed. */
ls_err smr_tree_insert(smr_tree *t, const struct smr_spec *spec, smr_node **out);
/* Errors: LS_ERR_ARG, LS_ERR_NOMEM, LS_ERR_BUSY. */
ls_err smr_tree_insert_group(smr_tree *t, const char *label, smr_node **out);

/* The buffer was resized or moved: the node now covers [start, end). A node that was freed begins a new life.
 * Errors: as smr_tree_insert; the old extent then still holds. */
ls_err smr_node_resize(smr_node *n, const volatile void *start, const volatile void *end);
/* End and free n; members of a group stay registered.  Errors: LS_ERR_ARG, LS_ERR_BUSY. */
ls_err smr_node_remove(smr_node *n);

/* The innermost living range of t that contains addr, or NULL. */
smr_node *smr_tree_find(const smr_tree *t, uint64_t addr);
/* Element and component of addr in n. Either result may be NULL.  Errors: LS_ERR_RANGE (outside n),
 * LS_ERR_ARG (group). */
ls_err smr_node_index_of(const smr_node *n, uint64_t addr, uint64_t *out_element, uint64_t *out_component);

/* Put member (a range or a group) into group. A node has one parent: it leaves the group it was in.
 * Errors: LS_ERR_ARG (group is a range, another tree, an ended member, or the group lies inside member),
 * LS_ERR_BUSY. */
ls_err smr_node_add_member(smr_node *group, smr_node *member);

const char *smr_node_label(const smr_node *n);
int smr_node_is_group(const smr_node *n);
int smr_node_is_alive(const smr_node *n);
uint32_t smr_node_id(const smr_node *n); /* from 1, never used again in a process */
uint64_t smr_node_start(const smr_node *n);
uint64_t smr_node_end(const smr_node *n);
uint64_t smr_node_elem_size_bytes(const smr_node *n);
uint64_t smr_node_dims(const smr_node *n);
uint64_t smr_node_elements(const smr_node *n); /* whole or begun elements; 0 for a group */
/* Life-time [born, died) in ns of CLOCK_MONOTONIC; died is SMR_ALIVE while it lives. */
uint64_t smr_node_born_ns(const smr_node *n);
uint64_t smr_node_died_ns(const smr_node *n);

void *smr_node_user(const smr_node *n);
void smr_node_set_user(smr_node *n, void *user);
/* One more pointer, for language bindings (SMRTree.h keeps its object there). */
void *smr_node_binding(const smr_node *n);
void smr_node_set_binding(smr_node *n, void *binding);

/* The tree as people see it: below a group its members, below a range the ranges of the same tree directly
 * inside it. NULL: none. */
smr_node *smr_tree_first(const smr_tree *t);
smr_node *smr_node_parent(const smr_node *n);
smr_node *smr_node_first_child(const smr_node *n);
smr_node *smr_node_next(const smr_node *n); /* sibling */

/* Depth-first, parents before children; depth 0 is the top. Stops when visit returns other than 0 and returns
 * that. visit may read the tree, not change it (LS_ERR_BUSY). */
int smr_tree_walk(const smr_tree *t, int (*visit)(void *user, smr_node *n, unsigned depth), void *user);

/* 1 when every invariant of the tree and of the registry holds. Slow: for tests and assertions. */
int smr_tree_is_valid(const smr_tree *t);

#ifdef __cplusplus
}
#endif
#endif
