/* SPDX-License-Identifier: BSD-3-Clause */
#include "profile/prof_tree.h"

#include <stdbool.h>
#include <stdlib.h>

/* Homes are told apart by parent, kind and label: a hash, since programs map thousands of files. */
struct prof_home {
    const char *label; /* from names: equal labels are one pointer */
    uint32_t parent, kind, node;
};

struct prof_tree {
    LS_VECTOR(struct prof_node) nodes;
    struct prof_home *homes; /* open addressing; label NULL: empty */
    size_t homes_len, homes_room;
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
    t->homes_room = 256;
    t->homes = calloc(t->homes_room, sizeof(*t->homes));
    if (!t->homes ||
        prof_tree_add(t, prof_plain_node(PROF_NO_NODE, PROF_NODE_ROOT, "all memory"), &id) != LS_OK ||
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
    free(t->homes);
    free(t);
}

ls_err prof_tree_add(prof_tree *t, struct prof_node node, uint32_t *out_id)
{
    LS_TRY(LS_VECTOR_ROOM(&t->nodes));
    node.id = (uint32_t)t->nodes.len;
    t->nodes.rows[t->nodes.len++] = node;
    *out_id = node.id;
    return LS_OK;
}

static bool prof_is_home(const struct prof_home *a, const struct prof_home *b)
{
    return a->label == b->label && a->kind == b->kind && a->parent == b->parent;
}

/* The slot of key, or the empty one where it belongs. */
static struct prof_home *prof_home_slot(const prof_tree *t, const struct prof_home *key)
{
    const uint64_t mixed =
        ((uintptr_t)key->label >> 4) * 31 + key->kind + (uint64_t)key->parent * 0x9e3779b1u;
    size_t at = (size_t)(mixed ^ mixed >> 17) & (t->homes_room - 1);
    while (t->homes[at].label && !prof_is_home(&t->homes[at], key))
        at = (at + 1) & (t->homes_room - 1);
    return &t->homes[at];
}

static ls_err prof_homes_grow(prof_tree *t)
{
    struct prof_home *old = t->homes;
    const size_t old_room = t->homes_room;
    struct prof_home *grown = calloc(2 * old_room, sizeof(*grown));
    if (!grown) return ls_fail(LS_ERR_NOMEM, "out of memory for %zu coarse homes", old_room);
    t->homes = grown;
    t->homes_room = 2 * old_room;
    for (size_t i = 0; i < old_room; i++)
        if (old[i].label) *prof_home_slot(t, &old[i]) = old[i];
    free(old);
    return LS_OK;
}

uint32_t prof_tree_child(prof_tree *t, uint32_t parent, enum prof_node_kind kind, const char *label)
{
    struct prof_home home = {prof_name_of(t->names, label), parent, kind, PROF_NO_NODE};
    const struct prof_home *known = prof_home_slot(t, &home);
    if (known->label) return known->node;
    if (2 * (t->homes_len + 1) > t->homes_room && prof_homes_grow(t) != LS_OK) return PROF_NO_NODE;
    if (prof_tree_add(t, prof_plain_node(parent, kind, home.label), &home.node) != LS_OK) return PROF_NO_NODE;
    *prof_home_slot(t, &home) = home;
    t->homes_len++;
    return home.node;
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
