/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls of the public API that change the semantic tree, under the lock of the registry. */
#include "smrtree/smr_node.h"
#include "common/ls_clock.h"
#include "common/ls_compat.h"

#include <stdlib.h>
#include <string.h>

#define SMR_LABEL_MAX_BYTES 4096u

static ls_err node_new(smr_tree *t, const char *label, smr_node **out)
{
    const size_t len = label ? strnlen(label, SMR_LABEL_MAX_BYTES + 1) : 0;
    if (!label || len > SMR_LABEL_MAX_BYTES)
        return ls_fail(LS_ERR_ARG, "a node needs a label of at most %u bytes", SMR_LABEL_MAX_BYTES);
    smr_node *n = calloc(1, sizeof(*n) + len + 1);
    if (!n) return ls_nomem("\"%.120s\"", label);
    memcpy(n->label, label, len);
    n->tree = t;
    n->dims = 1;
    n->died_ns = SMR_ALIVE;
    *out = n;
    return LS_OK;
}

static void tree_list_add(smr_tree *t, smr_node *n)
{
    n->tree_next = t->nodes;
    if (t->nodes) t->nodes->tree_prev = n;
    t->nodes = n;
}

static void tree_list_drop(smr_tree *t, smr_node *n)
{
    if (n->tree_prev)
        n->tree_prev->tree_next = n->tree_next;
    else
        t->nodes = n->tree_next;
    if (n->tree_next) n->tree_next->tree_prev = n->tree_prev;
}

/* Lock for a change. Return LS_ERR_BUSY (without the lock) from within a walk. */
static ls_err lock_to_change(void)
{
    smr_lock();
    if (smr_state.walks == 0) return LS_OK;
    smr_unlock();
    return ls_fail(LS_ERR_BUSY, "the tree is being walked: change it after smr_tree_walk has returned");
}

/* Lock to remove n, or t with all its nodes: first deliver pending samples to their natural-domain functions,
 * then wait for a running call that uses one of the nodes. */
static ls_err lock_to_remove(const smr_node *n, const smr_tree *t)
{
    const struct smr_watch *w = __atomic_load_n(&smr_state.watch, __ATOMIC_ACQUIRE);
    if (w && (!n || n->map)) w->leaving(n);
    LS_TRY(lock_to_change());
    smr_wait_unused(n, t);
    return LS_OK;
}

LS_EXPORT ls_err smr_tree_new(smr_tree **out)
{
    if (!out) return ls_fail(LS_ERR_ARG, "smr_tree_new needs a place for the tree");
    smr_registry_init();
    smr_tree *t = calloc(1, sizeof(*t));
    if (!t) return ls_nomem("a semantic memory tree");
    const ls_err e = node_new(t, "", &t->root);
    if (e != LS_OK) {
        free(t);
        return e;
    }
    t->root->is_group = true;
    smr_lock();
    t->next = smr_state.trees;
    if (t->next) t->next->prev = t;
    smr_state.trees = t;
    smr_unlock();
    *out = t;
    return LS_OK;
}

/* Remove n from all structures and free it; its members move to their natural position in the shown tree. */
static void node_destroy(smr_node *n, uint64_t now_ns)
{
    smr_node_end_life(n, now_ns, false);
    if (n->map) smr_state.watch->gone(n);
    n->is_orphan = smr_is_used_elsewhere(n);                   /* another thread did not release it in time */
    if (smr_state.in_use == n && !n->is_orphan) smr_use_end(); /* it is in use by this thread */
    for (smr_node *c; (c = n->links[SMR_SHOWN].first);)
        smr_show_naturally(c);
    smr_unlink(SMR_SHOWN, n);
    tree_list_drop(n->tree, n);
    if (!n->is_orphan) free(n);
}

LS_EXPORT void smr_tree_free(smr_tree *t)
{
    if (!t || lock_to_remove(NULL, t) != LS_OK) return;
    const uint64_t now_ns = ls_clock_mono_ns();
    while (t->nodes)
        node_destroy(t->nodes, now_ns);
    if (t->prev)
        t->prev->next = t->next;
    else
        smr_state.trees = t->next;
    if (t->next) t->next->prev = t->prev;
    free(t->root);
    free(t);
    smr_unlock();
}

/* Find a living range with this label that begins at base. */
static smr_node *find_same(const smr_tree *t, const char *label, uint64_t base)
{
    for (smr_node *n = smr_tree_find(t, base); n; n = n->links[SMR_INSIDE].parent)
        if (n->tree == t && n->base == base && strcmp(n->label, label) == 0) return n;
    return NULL;
}

/* Assign [base, end) and a slot to n, which covers nothing now. On failure it still covers nothing. */
static ls_err settle(smr_node *n, uint64_t base, uint64_t end)
{
    n->base = base;
    n->end = end;
    LS_TRY(smr_slot_take(n));
    const ls_err e = smr_contain_attach(n);
    if (e != LS_OK) smr_slot_give(n);
    return e;
}

static ls_err resize_locked(smr_node *n, uint64_t base, uint64_t end)
{
    const uint64_t now_ns = ls_clock_mono_ns(), old_base = n->base, old_end = n->end;
    const bool was_alive = n->died_ns == SMR_ALIVE;
    if (was_alive) {
        /* before any change: put back later, n would become the inner one of equal ranges */
        LS_TRY(smr_contain_can_move(n, base, end));
        smr_contain_detach(n, now_ns);
        smr_slot_give(n);
    }
    const ls_err e = settle(n, base, end);
    if (e != LS_OK) {
        n->base = old_base;
        n->end = old_end;
        return e; /* only if n was not alive: slot and room of a living one are still free */
    }
    if (was_alive) {
        smr_report_range(n, now_ns);
    } else {
        n->id = ++smr_state.last_id;
        n->born_ns = now_ns;
        n->died_ns = SMR_ALIVE;
        smr_report_add(n, now_ns);
        if (n->map) smr_state.watch->reborn(n);
    }
    smr_contain_adopt(n, now_ns);
    return LS_OK;
}

static ls_err insert_new(smr_tree *t, const struct smr_spec *spec, smr_node **out)
{
    smr_node *n = NULL;
    LS_TRY(node_new(t, spec->label, &n));
    n->elem_size_bytes = spec->elem_size_bytes;
    n->dims = spec->dims ? spec->dims : 1;
    const ls_err e = settle(n, (uint64_t)(uintptr_t)spec->start, (uint64_t)(uintptr_t)spec->end);
    if (e != LS_OK) {
        free(n);
        return e;
    }
    tree_list_add(t, n);
    n->id = ++smr_state.last_id;
    n->born_ns = ls_clock_mono_ns();
    smr_report_add(n, n->born_ns);
    smr_contain_adopt(n, n->born_ns);
    *out = n;
    return LS_OK;
}

static ls_err insert_again(smr_node *n, const struct smr_spec *spec, smr_node **out)
{
    const uint64_t end = (uint64_t)(uintptr_t)spec->end, dims = spec->dims ? spec->dims : 1;
    const uint64_t old_size = n->elem_size_bytes, old_dims = n->dims;
    *out = n;
    if (end == n->end && spec->elem_size_bytes == old_size && dims == old_dims) return LS_OK;
    n->elem_size_bytes = spec->elem_size_bytes;
    n->dims = dims;
    const ls_err e = resize_locked(n, n->base, end);
    if (e == LS_OK) return LS_OK;
    n->elem_size_bytes = old_size;
    n->dims = old_dims;
    return e;
}

LS_EXPORT ls_err smr_tree_insert(smr_tree *t, const struct smr_spec *spec, smr_node **out)
{
    smr_node *ignored;
    if (!t || !spec || !spec->label) return ls_fail(LS_ERR_ARG, "a range needs a tree and a label");
    if (spec->elem_size_bytes == 0)
        return ls_fail(LS_ERR_ARG, "\"%.120s\": the element size is 0; give sizeof of one component",
                       spec->label);
    if ((uintptr_t)spec->start >= (uintptr_t)spec->end)
        return ls_fail(LS_ERR_RANGE, "\"%.120s\" [%#llx, %#llx) is empty: end must be after start",
                       spec->label, (unsigned long long)(uintptr_t)spec->start,
                       (unsigned long long)(uintptr_t)spec->end);
    LS_TRY(lock_to_change());
    if (!out) out = &ignored;
    smr_node *same = find_same(t, spec->label, (uint64_t)(uintptr_t)spec->start);
    const ls_err e = same ? insert_again(same, spec, out) : insert_new(t, spec, out);
    smr_unlock();
    return e;
}

LS_EXPORT ls_err smr_tree_insert_group(smr_tree *t, const char *label, smr_node **out)
{
    if (!t || !out) return ls_fail(LS_ERR_ARG, "a group needs a tree and a place for its node");
    LS_TRY(lock_to_change());
    smr_node *n = NULL;
    const ls_err e = node_new(t, label, &n);
    if (e == LS_OK) {
        n->is_group = true;
        n->id = ++smr_state.last_id;
        n->born_ns = ls_clock_mono_ns();
        tree_list_add(t, n);
        smr_link(SMR_SHOWN, t->root, n);
        smr_report_add(n, n->born_ns);
        *out = n;
    }
    smr_unlock();
    return e;
}

LS_EXPORT ls_err smr_node_resize(smr_node *n, const volatile void *start, const volatile void *end)
{
    if (!n || n->is_group) return ls_fail(LS_ERR_ARG, "only a range can be resized");
    if ((uintptr_t)start >= (uintptr_t)end)
        return ls_fail(LS_ERR_RANGE, "\"%.120s\" cannot become empty: use smr_node_remove", n->label);
    const struct smr_watch *w = __atomic_load_n(&smr_state.watch, __ATOMIC_ACQUIRE);
    if (w && n->map) w->leaving(n); /* samples at its old address */
    LS_TRY(lock_to_change());
    const ls_err e = resize_locked(n, (uint64_t)(uintptr_t)start, (uint64_t)(uintptr_t)end);
    smr_unlock();
    return e;
}

LS_EXPORT ls_err smr_node_remove(smr_node *n)
{
    if (!n || !n->id) return ls_fail(LS_ERR_ARG, "no node to remove");
    LS_TRY(lock_to_remove(n, NULL));
    node_destroy(n, ls_clock_mono_ns());
    smr_unlock();
    return LS_OK;
}

LS_EXPORT smr_node *smr_tree_find(const smr_tree *t, uint64_t addr)
{
    struct smr_range r;
    smr_node *n = NULL;
    if (!t) return NULL;
    smr_lock();
    if (smr_avl_last(&smr_state.ranges, addr, addr, &r)) n = smr_state.slots[r.value];
    while (n && n->tree != t)
        n = n->links[SMR_INSIDE].parent;
    smr_unlock();
    return n;
}

static ls_err member_fits(const smr_node *group, const smr_node *member)
{
    if (!group->is_group)
        return ls_fail(LS_ERR_ARG, "\"%.120s\" is a range: only a group has members", group->label);
    if (group->tree != member->tree)
        return ls_fail(LS_ERR_ARG, "\"%.120s\" belongs to another tree than the group \"%.120s\"",
                       member->label, group->label);
    if (member->died_ns != SMR_ALIVE)
        return ls_fail(LS_ERR_ARG, "\"%.120s\" was freed: register it again first", member->label);
    for (const smr_node *p = group; p; p = p->links[SMR_SHOWN].parent)
        if (p == member)
            return ls_fail(LS_ERR_ARG, "group \"%.120s\" is inside \"%.120s\": that would be a cycle",
                           group->label, member->label);
    return LS_OK;
}

LS_EXPORT ls_err smr_node_add_member(smr_node *group, smr_node *member)
{
    if (!group || !member) return ls_fail(LS_ERR_ARG, "no group or no member given");
    LS_TRY(lock_to_change());
    const ls_err e = member_fits(group, member);
    if (e == LS_OK && member->links[SMR_SHOWN].parent != group) {
        smr_unlink(SMR_SHOWN, member);
        smr_link(SMR_SHOWN, group, member);
        member->grouped = true;
        smr_report_member(member, ls_clock_mono_ns());
    }
    smr_unlock();
    return e;
}
