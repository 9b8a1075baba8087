/* SPDX-License-Identifier: BSD-3-Clause */
/* The semantic memory tree: the meaning of the program's memory. A range has a label, an extent, an element
 * size and a number of components per element; groups contain ranges and groups.
 *
 * All trees of a process share one registry: ranges of any tree may nest, but must never partly overlap.
 * While Loadstone records, free() and munmap() of a block end the ranges inside it; a handle stays usable
 * until smr_node_remove or smr_tree_free. Link with -lloadstone: without recording the tree works as a plain
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
    size_t elem_size_bytes;           /* size of one component, such as sizeof(double) */
    size_t dims;                      /* components per element, 1 for scalars; 0 counts as 1 */
};

/* Create an empty tree.  Errors: LS_ERR_NOMEM. */
ls_err smr_tree_new(smr_tree **out);
/* End all ranges of t and free its nodes; NULL-safe. */
void smr_tree_free(smr_tree *t);

/* Register a range. If t has a living range with the same label and the same start, that range is registered
 * again: *out is its node, which then has the new extent and element size.
 * Errors: LS_ERR_OVERLAP (the text names both labels), LS_ERR_RANGE (empty), LS_ERR_ARG (no label, element
 * size 0), LS_ERR_NOMEM, LS_ERR_BUSY (called from a walk); then nothing changed. */
ls_err smr_tree_insert(smr_tree *t, const struct smr_spec *spec, smr_node **out);
/* Create a group without members.  Errors: LS_ERR_ARG, LS_ERR_NOMEM, LS_ERR_BUSY. */
ls_err smr_tree_insert_group(smr_tree *t, const char *label, smr_node **out);

/* Set a new extent [start, end) after the buffer was resized or moved. A node whose buffer was freed begins a
 * new life.
 * Errors: as smr_tree_insert; the node then keeps the old extent. */
ls_err smr_node_resize(smr_node *n, const volatile void *start, const volatile void *end);
/* End and free n; members of a group stay registered.  Errors: LS_ERR_ARG, LS_ERR_BUSY. */
ls_err smr_node_remove(smr_node *n);

/* Return the innermost living range of t that contains addr, or NULL. */
smr_node *smr_tree_find(const smr_tree *t, uint64_t addr);
/* Compute the element and the component of n at addr. Either result may be NULL.
 * Errors: LS_ERR_RANGE (outside n), LS_ERR_ARG (group). */
ls_err smr_node_index_of(const smr_node *n, uint64_t addr, uint64_t *out_element, uint64_t *out_component);

/* Put member (a range or a group) into group. A node has one parent: it leaves its previous group.
 * Errors: LS_ERR_ARG (group is a range or in another tree, member has ended, or group is inside member),
 * LS_ERR_BUSY. */
ls_err smr_node_add_member(smr_node *group, smr_node *member);

const char *smr_node_label(const smr_node *n);
int smr_node_is_group(const smr_node *n);
int smr_node_is_alive(const smr_node *n);
uint32_t smr_node_id(const smr_node *n); /* from 1, never reused in a process */
uint64_t smr_node_start(const smr_node *n);
uint64_t smr_node_end(const smr_node *n);
uint64_t smr_node_elem_size_bytes(const smr_node *n);
uint64_t smr_node_dims(const smr_node *n);
uint64_t smr_node_elements(const smr_node *n); /* including a partial last element; 0 for a group */
/* The lifetime is [born, died) in ns of CLOCK_MONOTONIC; died is SMR_ALIVE while the node lives. */
uint64_t smr_node_born_ns(const smr_node *n);
uint64_t smr_node_died_ns(const smr_node *n);

void *smr_node_user(const smr_node *n);
void smr_node_set_user(smr_node *n, void *user);
/* One more pointer, for language bindings (SMRTree.h stores its object there). */
void *smr_node_binding(const smr_node *n);
void smr_node_set_binding(smr_node *n, void *binding);

/* The displayed tree: the children of a group are its members, the children of a range are the ranges of the
 * same tree directly inside it. The functions return NULL if there is no such node. */
smr_node *smr_tree_first(const smr_tree *t);
smr_node *smr_node_parent(const smr_node *n);
smr_node *smr_node_first_child(const smr_node *n);
smr_node *smr_node_next(const smr_node *n); /* next sibling */

/* Walk depth-first, parents before children; depth 0 is the top. The walk stops when visit returns a value
 * other than 0, and returns that value. visit may read the tree, but not change it (LS_ERR_BUSY). */
int smr_tree_walk(const smr_tree *t, int (*visit)(void *user, smr_node *n, unsigned depth), void *user);

/* Return 1 if every invariant of the tree and of the registry holds. Slow: for tests and assertions. */
int smr_tree_is_valid(const smr_tree *t);

#ifdef __cplusplus
}
#endif
#endif
