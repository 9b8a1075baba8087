/* SPDX-License-Identifier: BSD-3-Clause */
/* The nodes of run.h5 while they are being made: the root, registered groups and ranges, coarse homes. */
#ifndef PROF_TREE_H
#define PROF_TREE_H

#include "common/ls_error.h"
#include "common/ls_vector.h"
#include "run_h5/prof_names.h"
#include "run_h5/prof_reader.h"

#include <stdint.h>

#define PROF_NO_NODE UINT32_MAX

typedef struct prof_tree prof_tree;

/* Make a tree with the root (id 0) and the parent of the coarse homes (id 1). names is borrowed. NULL: out of
 * memory. */
prof_tree *prof_tree_new(prof_names *names);
void prof_tree_free(prof_tree *t);

/* Append node (its id is set); parents must be there before children.  Errors: LS_ERR_NOMEM. */
ls_err prof_tree_add(prof_tree *t, struct prof_node node, uint32_t *out_id);
/* Find or add the child of parent with this kind and label (from names): a symbol of a module, a function of
 * a stack. PROF_NO_NODE: out of memory. */
uint32_t prof_tree_child(prof_tree *t, uint32_t parent, enum prof_node_kind kind, const char *label);
/* Find or add the coarse home of this kind and label (from names), a child of node 1. PROF_NO_NODE: out of
 * memory. */
uint32_t prof_tree_home(prof_tree *t, enum prof_node_kind kind, const char *label);
struct prof_node *prof_tree_node(prof_tree *t, uint32_t id);
const struct prof_node *prof_tree_nodes(const prof_tree *t, size_t *out_len);

#endif
