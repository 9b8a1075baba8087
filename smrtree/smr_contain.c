/* SPDX-License-Identifier: BSD-3-Clause */
/* Containment of ranges, and its effect on the displayed tree. */
#include "common/ls_vector.h"
#include "smrtree/smr_node.h"

#include <stdlib.h>

void smr_link(enum smr_forest f, smr_node *parent, smr_node *n)
{
    struct smr_links *l = &n->links[f];
    *l = (struct smr_links){.parent = parent, .first = l->first, .last = l->last};
    if (!parent) return;
    struct smr_links *p = &parent->links[f];
    l->prev = p->last;
    if (p->last)
        p->last->links[f].next = n;
    else
        p->first = n;
    p->last = n;
}

void smr_unlink(enum smr_forest f, smr_node *n)
{
    struct smr_links *l = &n->links[f];
    struct smr_links *p = l->parent ? &l->parent->links[f] : NULL;
    if (l->prev)
        l->prev->links[f].next = l->next;
    else if (p)
        p->first = l->next;
    if (l->next)
        l->next->links[f].prev = l->prev;
    else if (p)
        p->last = l->prev;
    l->parent = l->prev = l->next = NULL;
}

ls_err smr_slot_take(smr_node *n)
{
    struct smr_state *s = &smr_state;
    if (s->slot_free_len > 0) {
        n->slot = s->slot_free[--s->slot_free_len];
    } else {
        LS_TRY(LS_GROW(s->slots, s->slots_room, s->slots_used + 1));
        LS_TRY(LS_GROW(s->slot_free, s->slot_free_room, s->slots_used + 1));
        n->slot = s->slots_used++;
    }
    s->slots[n->slot] = n;
    return LS_OK;
}

void smr_slot_give(smr_node *n)
{
    smr_state.slots[n->slot] = NULL;
    smr_state.slot_free[smr_state.slot_free_len++] = n->slot;
}

static smr_node *natural_parent(const smr_node *n)
{
    smr_node *around = n->links[SMR_INSIDE].parent;
    return around && around->tree == n->tree ? around : n->tree->root;
}

void smr_show_naturally(smr_node *n)
{
    n->grouped = false;
    smr_unlink(SMR_SHOWN, n);
    smr_link(SMR_SHOWN, n->is_group ? n->tree->root : natural_parent(n), n);
}

/* Record that n is now directly inside `around`, and show it there unless the program grouped it. */
static void move_inside(smr_node *n, smr_node *around, uint64_t now_ns, bool tell)
{
    smr_unlink(SMR_INSIDE, n);
    smr_link(SMR_INSIDE, around, n);
    if (n->grouped || n->links[SMR_SHOWN].parent == natural_parent(n)) return;
    smr_show_naturally(n);
    if (tell) smr_report_member(n, now_ns);
}

/* Adopt the ranges directly inside n, which come after n in the order. An earlier range of equal extent
 * contains n. */
void smr_contain_adopt(smr_node *n, uint64_t now_ns)
{
    uint64_t base = n->base, end = n->end - 1;
    struct smr_range r;
    while (smr_avl_first_from(&smr_state.ranges, base, end, &r) && r.base < n->end) {
        if (r.value != n->slot) move_inside(smr_state.slots[r.value], n, now_ns, true);
        base = r.end;
        end = UINT64_MAX;
    }
}

static ls_err fail_overlap(const smr_node *n, uint64_t base, uint64_t end, const struct smr_range *r)
{
    const char *other = smr_state.slots[r->value]->label;
    return ls_fail(
        LS_ERR_OVERLAP,
        "\"%.120s\" [%#llx, %#llx) partly overlaps \"%.120s\" [%#llx, %#llx): remove or resize \"%.120s\" "
        "first, or nest one in the other",
        n->label, (unsigned long long)base, (unsigned long long)end, other, (unsigned long long)r->base,
        (unsigned long long)r->end, other);
}

/* Find the range at one end of n's new extent, ignoring n itself. If n is found, the result is the innermost
 * other range that covers the end: all ranges over one address nest, so it is among those around n. */
static bool other_at(const smr_node *n, uint64_t max_base, uint64_t end_above, struct smr_range *out)
{
    if (!smr_avl_last(&smr_state.ranges, max_base, end_above, out)) return false;
    if (out->value != n->slot) return true;
    const smr_node *around = n->links[SMR_INSIDE].parent;
    for (; around; around = around->links[SMR_INSIDE].parent)
        if (around->base <= max_base && around->end > end_above) break;
    if (around) *out = (struct smr_range){around->base, around->end, around->slot};
    return around != NULL;
}

ls_err smr_contain_can_move(const smr_node *n, uint64_t base, uint64_t end)
{
    struct smr_range r;
    if ((base > 0 && other_at(n, base - 1, base, &r) && r.end < end) ||
        (other_at(n, end - 1, end, &r) && r.base > base))
        return fail_overlap(n, base, end, &r);
    return LS_OK;
}

static void update_hull(void)
{
    uint64_t base = UINT64_MAX, end = 0;
    if (!smr_avl_hull(&smr_state.ranges, &base, &end))
        __atomic_store_n(&smr_state.len_min_bytes, UINT64_MAX, __ATOMIC_RELAXED);
    __atomic_store_n(&smr_state.hull_base, base, __ATOMIC_RELAXED);
    __atomic_store_n(&smr_registry_hull_end, end, __ATOMIC_RELAXED);
}

ls_err smr_contain_attach(smr_node *n)
{
    struct smr_range r;
    const bool has_outer = n->base < n->end && smr_avl_last(&smr_state.ranges, n->base, n->end - 1, &r);
    smr_node *outer = has_outer ? smr_state.slots[r.value] : NULL;
    const struct smr_range mine = {n->base, n->end, n->slot};
    const ls_err e = smr_avl_insert(&smr_state.ranges, mine, SMR_AVL_INNER, &r);
    if (e == LS_ERR_OVERLAP) return fail_overlap(n, n->base, n->end, &r);
    LS_TRY(e);
    smr_link(SMR_INSIDE, outer, n);
    if (!n->grouped) smr_show_naturally(n);
    update_hull();
    if (n->end - n->base < smr_state.len_min_bytes)
        __atomic_store_n(&smr_state.len_min_bytes, n->end - n->base, __ATOMIC_RELAXED);
    return LS_OK;
}

void smr_contain_detach(smr_node *n, uint64_t now_ns)
{
    smr_avl_remove(&smr_state.ranges, n->base, n->slot, NULL);
    smr_node *outer = n->links[SMR_INSIDE].parent;
    /* nodes shown below n keep this position in the recording, because n stays in its tables */
    for (smr_node *c; (c = n->links[SMR_INSIDE].first);)
        move_inside(c, outer, now_ns, false);
    smr_unlink(SMR_INSIDE, n);
    update_hull();
}
