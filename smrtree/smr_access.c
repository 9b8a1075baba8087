/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading the tree: properties of nodes, indices, the walk, the audit. */
#include "smrtree/smr_node.h"
#include "common/ls_compat.h"

LS_EXPORT ls_err smr_node_index_of(const smr_node *n, uint64_t addr, uint64_t *out_element,
                                   uint64_t *out_component)
{
    if (!n || n->is_group) return ls_fail(LS_ERR_ARG, "only a range has element indices");
    if (addr < n->base || addr >= n->end)
        return ls_fail(LS_ERR_RANGE, "address %#llx is outside \"%.120s\" [%#llx, %#llx)",
                       (unsigned long long)addr, n->label, (unsigned long long)n->base,
                       (unsigned long long)n->end);
    const uint64_t component = (addr - n->base) / n->elem_size_bytes;
    if (out_element) *out_element = component / n->dims;
    if (out_component) *out_component = component % n->dims;
    return LS_OK;
}

LS_EXPORT uint64_t smr_node_elements(const smr_node *n)
{
    if (n->is_group) return 0;
    return ((n->end - n->base - 1) / n->elem_size_bytes) / n->dims + 1;
}

LS_EXPORT const char *smr_node_label(const smr_node *n)
{
    return n->label;
}

LS_EXPORT int smr_node_is_group(const smr_node *n)
{
    return n->is_group;
}

LS_EXPORT int smr_node_is_alive(const smr_node *n)
{
    return smr_node_died_ns(n) == SMR_ALIVE;
}

/* Read a field that another thread's free() or resize may change, under the lock. */
#define SMR_GETTER(type, name, field)      \
    LS_EXPORT type name(const smr_node *n) \
    {                                      \
        smr_lock();                        \
        const type value = n->field;       \
        smr_unlock();                      \
        return value;                      \
    }
SMR_GETTER(uint32_t, smr_node_id, id)
SMR_GETTER(uint64_t, smr_node_start, base)
SMR_GETTER(uint64_t, smr_node_end, end)
SMR_GETTER(uint64_t, smr_node_elem_size_bytes, elem_size_bytes)
SMR_GETTER(uint64_t, smr_node_dims, dims)
SMR_GETTER(uint64_t, smr_node_born_ns, born_ns)
SMR_GETTER(uint64_t, smr_node_died_ns, died_ns)

LS_EXPORT void *smr_node_user(const smr_node *n)
{
    return n->user;
}

LS_EXPORT void smr_node_set_user(smr_node *n, void *user)
{
    n->user = user;
}

LS_EXPORT void *smr_node_binding(const smr_node *n)
{
    return n->binding;
}

LS_EXPORT void smr_node_set_binding(smr_node *n, void *binding)
{
    n->binding = binding;
}

static smr_node *linked(smr_node *const *link)
{
    smr_lock();
    smr_node *n = *link;
    smr_unlock();
    return n;
}

LS_EXPORT smr_node *smr_tree_first(const smr_tree *t)
{
    return linked(&t->root->links[SMR_SHOWN].first);
}

LS_EXPORT smr_node *smr_node_parent(const smr_node *n)
{
    smr_node *p = linked(&n->links[SMR_SHOWN].parent);
    return p == n->tree->root ? NULL : p;
}

LS_EXPORT smr_node *smr_node_first_child(const smr_node *n)
{
    return linked(&n->links[SMR_SHOWN].first);
}

LS_EXPORT smr_node *smr_node_next(const smr_node *n)
{
    return linked(&n->links[SMR_SHOWN].next);
}

LS_EXPORT int smr_tree_walk(const smr_tree *t, int (*visit)(void *user, smr_node *n, unsigned depth),
                            void *user)
{
    smr_lock();
    smr_state.walks++;
    int stopped = 0;
    unsigned depth = 0;
    for (smr_node *n = t->root->links[SMR_SHOWN].first; n && !stopped;) {
        stopped = visit(user, n, depth);
        const struct smr_links *l = &n->links[SMR_SHOWN];
        if (l->first) {
            n = l->first;
            depth++;
            continue;
        }
        while (n != t->root && !n->links[SMR_SHOWN].next) {
            n = n->links[SMR_SHOWN].parent;
            depth--;
        }
        n = n == t->root ? NULL : n->links[SMR_SHOWN].next;
    }
    smr_state.walks--;
    smr_unlock();
    return stopped;
}

/* Check that the child links to its parent and neighbours, and that the path up ends at the root. */
static bool shown_is_valid(const smr_tree *t, const smr_node *n)
{
    const struct smr_links *l = &n->links[SMR_SHOWN];
    if (!l->parent || n->tree != t) return false;
    if (l->next ? l->next->links[SMR_SHOWN].prev != n : l->parent->links[SMR_SHOWN].last != n) return false;
    if (l->prev ? l->prev->links[SMR_SHOWN].next != n : l->parent->links[SMR_SHOWN].first != n) return false;
    uint32_t steps = 0;
    const smr_node *p = n;
    while (p != t->root && p && steps++ <= smr_state.last_id)
        p = p->links[SMR_SHOWN].parent;
    return p == t->root;
}

LS_EXPORT int smr_tree_is_valid(const smr_tree *t)
{
    smr_lock();
    bool ok = smr_state_is_valid();
    for (const smr_node *n = t->nodes; n && ok; n = n->tree_next)
        ok = shown_is_valid(t, n);
    smr_unlock();
    return ok;
}
