/* SPDX-License-Identifier: BSD-3-Clause */
#include "run_h5/prof_tree.h"

#include "common/ls_index.h"

#include <stdbool.h>
#include <stdlib.h>

struct prof_tree {
    LS_VECTOR(struct prof_node) nodes;
    struct ls_index homes; /* nodes by parent, kind and label: programs map thousands of files */
    prof_names *names;
};

enum { PROF_UNREGISTERED_ID = 1 };

static struct prof_node prof_plain_node(uint32_t parent, enum prof_node_kind kind, const char *label)
{
    return (struct prof_node){
        .parent = parent, .kind = kind, .process = UINT32_MAX, .label = label, .died_ns = UINT64_MAX};
}

prof_tree *prof_tree_new(prof_names *names)
{
    prof_tree *t = calloc(1, sizeof(*t));
    if (!t) return NULL;
    uint32_t id;
    t->names = names;
    if (prof_tree_add(t, prof_plain_node(PROF_NO_NODE, PROF_NODE_ROOT, "all memory"), &id) != LS_OK ||
        prof_tree_add(t, prof_plain_node(0, PROF_NODE_UNREGISTERED, "unregistered"), &id) != LS_OK) {
        prof_tree_free(t);
        return NULL;
    }
    return t;
}

void prof_tree_free(prof_tree *t)
{
    if (!t) return;
    free(t->nodes.rows);
    ls_index_fini(&t->homes);
    free(t);
}

ls_err prof_tree_add(prof_tree *t, struct prof_node node, uint32_t *out_id)
{
    *out_id = node.id = (uint32_t)t->nodes.len;
    return LS_VECTOR_ADD(&t->nodes, node);
}

uint32_t prof_tree_child(prof_tree *t, uint32_t parent, enum prof_node_kind kind, const char *label)
{
    const char *name = prof_name_of(t->names, label); /* equal labels are one pointer */
    const uint64_t key = ls_index_key((uintptr_t)name, (uint64_t)parent << 32 | kind);
    uint32_t id;
    for (size_t step = 0; ls_index_next(&t->homes, key, &step, &id);) {
        const struct prof_node *home = &t->nodes.rows[id];
        if (home->label == name && home->kind == kind && home->parent == parent) return id;
    }
    if (prof_tree_add(t, prof_plain_node(parent, kind, name), &id) != LS_OK) return PROF_NO_NODE;
    return ls_index_put(&t->homes, key, id) == LS_OK ? id : PROF_NO_NODE;
}

uint32_t prof_tree_home(prof_tree *t, enum prof_node_kind kind, const char *label)
{
    return prof_tree_child(t, PROF_UNREGISTERED_ID, kind, label);
}

struct prof_node *prof_tree_node(prof_tree *t, uint32_t id)
{
    return &t->nodes.rows[id];
}

const struct prof_node *prof_tree_nodes(const prof_tree *t, size_t *out_len)
{
    *out_len = t->nodes.len;
    return t->nodes.rows;
}
