/* SPDX-License-Identifier: BSD-3-Clause */
#include "smrtree/smr_avl.h"
#include "smrtree/smr_array.h"

#include <stdlib.h>
#include <string.h>

#define SMR_AVL_CAP_FIRST 64u
#define SMR_AVL_CAP_LAST UINT32_C(0x80000000)

/* One cache line, so that a step down the tree costs one miss.
 *
 * Nodes link to their parent: changes climb by these links and keep no array of the nodes passed on the way
 * down. With such an array gcc 12.2 -O2 built invalid trees. Where the code indexed a uint32_t and a uint8_t
 * member of one struct by the same counter in a loop, ivopts computed the address of one as an integer and
 * left the access with a null base (TARGET_MEM_REF); ipa-modref takes any access with a null base for an
 * invalid one (points_to_local_or_readonly_memory_p, ipa-fnsummary) and left it out of the function's
 * summary; the caller then deleted its store to the array as never read. -fno-ipa-modref, -fno-ivopts,
 * -fno-tree-dse and -fno-delete-null-pointer-checks each avoid it. Climbing by links has no counter to
 * rewrite. */
struct smr_avl_node {
    _Alignas(SMR_ARRAY_LINE_BYTES) uint64_t base;
    uint64_t end;
    /* the left child's max_end, 0 without one: a search in a gap need not read every left child */
    uint64_t left_max_end;
    uint64_t max_end; /* largest end in this subtree */
    uint32_t child[2];
    uint32_t parent; /* 0: the root */
    uint32_t value;
    uint32_t height; /* leaf: 1 */
};
_Static_assert(sizeof(struct smr_avl_node) == SMR_ARRAY_LINE_BYTES, "a node is one line");

void smr_avl_init(struct smr_avl *t)
{
    *t = (struct smr_avl){0};
}

void smr_avl_fini(struct smr_avl *t)
{
    free(t->nodes);
    smr_avl_init(t);
}

static uint32_t avl_room(const struct smr_avl *t)
{
    return t->nodes ? t->cap - 1 - t->len : 0;
}

ls_err smr_avl_reserve(struct smr_avl *t, uint32_t extra)
{
    if (avl_room(t) >= extra) return LS_OK;
    uint64_t cap = t->cap ? t->cap : SMR_AVL_CAP_FIRST;
    while (cap < (uint64_t)t->len + extra + 1)
        cap *= 2;
    if (cap > SMR_AVL_CAP_LAST)
        return ls_fail(LS_ERR_NOMEM, "more than 2^31 live ranges: register fewer, larger ones");
    struct smr_avl_node *nodes = smr_array_alloc(cap * sizeof(*nodes));
    if (!nodes) return ls_nomem("%llu address ranges", (unsigned long long)cap);
    if (t->nodes)
        memcpy(nodes, t->nodes, t->used * sizeof(*nodes));
    else
        nodes[t->used++] = (struct smr_avl_node){0};
    free(t->nodes);
    t->nodes = nodes;
    t->cap = (uint32_t)cap;
    return LS_OK;
}

ls_err smr_avl_copy(const struct smr_avl *from, struct smr_avl *to)
{
    if (from->len == 0) return LS_OK;
    LS_TRY(smr_avl_reserve(to, from->used));
    memcpy(to->nodes, from->nodes, from->used * sizeof(*to->nodes));
    to->root = from->root;
    to->free_head = from->free_head;
    to->used = from->used;
    to->len = from->len;
    return LS_OK;
}

static uint32_t avl_slot_take(struct smr_avl *t)
{
    const uint32_t i = t->free_head;
    if (!i) return t->used++;
    t->free_head = t->nodes[i].child[0];
    return i;
}

static void avl_slot_give(struct smr_avl *t, uint32_t i)
{
    t->nodes[i].child[0] = t->free_head;
    t->free_head = i;
}

static uint64_t max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void avl_update(struct smr_avl_node *nodes, uint32_t i)
{
    struct smr_avl_node *n = &nodes[i];
    const struct smr_avl_node *left = &nodes[n->child[0]], *right = &nodes[n->child[1]];
    n->height = 1 + (left->height > right->height ? left->height : right->height);
    n->left_max_end = left->max_end;
    n->max_end = max_u64(n->end, max_u64(left->max_end, right->max_end));
}

/* Put `by` (0: nothing) in the place of i. */
static void avl_replace(struct smr_avl *t, uint32_t i, uint32_t by)
{
    const uint32_t parent = t->nodes[i].parent;
    if (parent)
        t->nodes[parent].child[t->nodes[parent].child[1] == i] = by;
    else
        t->root = by;
    if (by) t->nodes[by].parent = parent;
}

/* Make `child` (0: none) the child of i on `side`. */
static void avl_adopt(struct smr_avl_node *nodes, uint32_t i, int side, uint32_t child)
{
    nodes[i].child[side] = child;
    if (child) nodes[child].parent = i;
}

/* Lift the child on `side` above i. Return the new top of the subtree. */
static uint32_t avl_rotate(struct smr_avl *t, uint32_t i, int side)
{
    const uint32_t top = t->nodes[i].child[side];
    avl_replace(t, i, top);
    avl_adopt(t->nodes, i, side, t->nodes[top].child[1 - side]);
    avl_adopt(t->nodes, top, 1 - side, i);
    avl_update(t->nodes, i);
    avl_update(t->nodes, top);
    return top;
}

static int avl_lean(const struct smr_avl_node *nodes, uint32_t i)
{
    return (int)nodes[nodes[i].child[1]].height - (int)nodes[nodes[i].child[0]].height;
}

static uint32_t avl_rebalance(struct smr_avl *t, uint32_t i)
{
    const int lean = avl_lean(t->nodes, i);
    if (lean >= -1 && lean <= 1) {
        avl_update(t->nodes, i);
        return i;
    }
    const int side = lean > 0;
    const uint32_t heavy = t->nodes[i].child[side];
    const int heavy_lean = avl_lean(t->nodes, heavy);
    if (side ? heavy_lean < 0 : heavy_lean > 0) avl_rotate(t, heavy, !side);
    return avl_rotate(t, i, side);
}

/* Repair i and its ancestors after a change below i, up to the first one that does not change. */
static void avl_repair(struct smr_avl *t, uint32_t i)
{
    while (i) {
        const uint32_t height_before = t->nodes[i].height;
        const uint64_t max_end_before = t->nodes[i].max_end;
        const struct smr_avl_node *top = &t->nodes[avl_rebalance(t, i)];
        if (top->height == height_before && top->max_end == max_end_before) return;
        i = top->parent;
    }
}

/* Return the neighbour of i in tree order: the previous node for side 0, the next one for side 1; 0 if there
 * is none. */
static uint32_t avl_step(const struct smr_avl_node *nodes, uint32_t i, int side)
{
    uint32_t next = nodes[i].child[side];
    if (next) {
        while (nodes[next].child[1 - side])
            next = nodes[next].child[1 - side];
        return next;
    }
    for (next = nodes[i].parent; next && nodes[next].child[side] == i; next = nodes[next].parent)
        i = next;
    return next;
}

static uint32_t avl_first(const struct smr_avl *t)
{
    uint32_t i = t->root;
    while (i && t->nodes[i].child[0])
        i = t->nodes[i].child[0];
    return i;
}

/* < 0: a comes before b; 0: equal ranges. */
static int range_order(uint64_t a_base, uint64_t a_end, uint64_t b_base, uint64_t b_end)
{
    if (a_base != b_base) return a_base < b_base ? -1 : 1;
    if (a_end != b_end) return a_end > b_end ? -1 : 1;
    return 0;
}

/* Find an existing range that [base, end) would partly overlap. Return false if there is none. */
static bool avl_conflict(const struct smr_avl *t, uint64_t base, uint64_t end, struct smr_range *out)
{
    if (base >= end) return false;
    /* begins before base and ends inside: the innermost range that covers base - 1 and base must also cover
     * end */
    if (base > 0 && smr_avl_last(t, base - 1, base, out) && out->end < end) return true;
    /* begins inside and ends after end */
    return smr_avl_last(t, end - 1, end, out) && out->base > base;
}

ls_err smr_avl_insert(struct smr_avl *t, struct smr_range r, enum smr_avl_side where,
                      struct smr_range *conflict)
{
    if (r.base >= r.end)
        return ls_fail(LS_ERR_RANGE, "range [%#llx, %#llx) is empty: end must be after start",
                       (unsigned long long)r.base, (unsigned long long)r.end);
    if (avl_conflict(t, r.base, r.end, conflict)) return LS_ERR_OVERLAP;
    LS_TRY(smr_avl_reserve(t, 1));
    uint32_t parent = 0;
    int side = 0;
    for (uint32_t i = t->root; i; i = t->nodes[i].child[side]) {
        const int order = range_order(r.base, r.end, t->nodes[i].base, t->nodes[i].end);
        side = order > 0 || (order == 0 && where == SMR_AVL_INNER);
        parent = i;
    }
    const uint32_t leaf = avl_slot_take(t);
    t->nodes[leaf] =
        (struct smr_avl_node){.base = r.base, .end = r.end, .max_end = r.end, .value = r.value, .height = 1};
    t->len++;
    if (parent)
        avl_adopt(t->nodes, parent, side, leaf);
    else
        t->root = leaf;
    avl_repair(t, parent);
    return LS_OK;
}

/* Return the innermost node with this base and value, 0 if there is none. */
static uint32_t avl_find(const struct smr_avl *t, uint64_t base, uint32_t value)
{
    const struct smr_avl_node *nodes = t->nodes;
    uint32_t found = 0; /* the last node in tree order whose base is at most ours */
    for (uint32_t i = t->root; i;) {
        const int right = nodes[i].base <= base;
        if (right) found = i;
        i = nodes[i].child[right];
    }
    while (found && nodes[found].base == base && nodes[found].value != value)
        found = avl_step(nodes, found, 0);
    return found && nodes[found].base == base ? found : 0;
}

/* Take i, which has two children, out of the tree: the next node in order takes its place. */
static void avl_unlink_inner(struct smr_avl *t, uint32_t i)
{
    struct smr_avl_node *nodes = t->nodes;
    const uint32_t next = avl_step(nodes, i, 1);
    uint32_t lowest = next; /* the lowest node whose children changed */
    if (nodes[next].parent != i) {
        lowest = nodes[next].parent;
        avl_replace(t, next, nodes[next].child[1]);
        avl_adopt(nodes, next, 1, nodes[i].child[1]);
    }
    avl_adopt(nodes, next, 0, nodes[i].child[0]);
    avl_replace(t, i, next);
    nodes[next].height = nodes[i].height; /* the values that its parent has used until now */
    nodes[next].max_end = nodes[i].max_end;
    avl_repair(t, lowest);
    avl_repair(t, next); /* the first repair may have stopped below it */
}

static void avl_unlink(struct smr_avl *t, uint32_t i)
{
    const struct smr_avl_node *n = &t->nodes[i];
    if (n->child[0] && n->child[1]) {
        avl_unlink_inner(t, i);
        return;
    }
    avl_replace(t, i, n->child[0] ? n->child[0] : n->child[1]);
    avl_repair(t, n->parent);
}

bool smr_avl_remove(struct smr_avl *t, uint64_t base, uint32_t value, struct smr_range *out)
{
    const uint32_t i = avl_find(t, base, value);
    if (!i) return false;
    if (out) *out = (struct smr_range){t->nodes[i].base, t->nodes[i].end, t->nodes[i].value};
    avl_unlink(t, i);
    avl_slot_give(t, i);
    t->len--;
    return true;
}

static bool avl_found(const struct smr_avl_node *n, struct smr_range *out)
{
    out->base = n->base;
    out->end = n->end;
    out->value = n->value;
    return true;
}

/* Return the last node of subtree i with end > end_above; i's max_end must guarantee that there is one. */
static uint32_t avl_last_end(const struct smr_avl_node *nodes, uint32_t i, uint64_t end_above)
{
    for (;;) {
        const struct smr_avl_node *n = &nodes[i];
        if (nodes[n->child[1]].max_end > end_above)
            i = n->child[1];
        else if (n->end > end_above)
            return i;
        else
            i = n->child[0];
    }
}

bool smr_avl_last(const struct smr_avl *t, uint64_t max_base, uint64_t end_above, struct smr_range *out)
{
    const struct smr_avl_node *nodes = t->nodes;
    uint32_t best =
        0; /* the last node with base <= max_base whose own end, or an end in its left subtree, is large enough */
    for (uint32_t i = t->root; i;) {
        const struct smr_avl_node *n = &nodes[i];
        const int right = n->base <= max_base;
        if (right && (n->end > end_above || n->left_max_end > end_above)) best = i;
        i = n->child[right];
    }
    if (!best) return false;
    if (nodes[best].end <= end_above) best = avl_last_end(nodes, nodes[best].child[0], end_above);
    return avl_found(&nodes[best], out);
}

bool smr_avl_first_from(const struct smr_avl *t, uint64_t base, uint64_t end, struct smr_range *out)
{
    uint32_t best = 0;
    for (uint32_t i = t->root; i;) {
        const struct smr_avl_node *n = &t->nodes[i];
        const int right = range_order(n->base, n->end, base, end) < 0;
        if (!right) best = i;
        i = n->child[right];
    }
    return best && avl_found(&t->nodes[best], out);
}

bool smr_avl_hull(const struct smr_avl *t, uint64_t *out_base, uint64_t *out_end)
{
    if (!t->root) return false;
    *out_base = t->nodes[avl_first(t)].base;
    *out_end = t->nodes[t->root].max_end;
    return true;
}

void smr_avl_each(const struct smr_avl *t, void (*visit)(void *user, const struct smr_range *r), void *user)
{
    for (uint32_t i = avl_first(t); i; i = avl_step(t->nodes, i, 1)) {
        const struct smr_avl_node *n = &t->nodes[i];
        visit(user, &(struct smr_range){n->base, n->end, n->value});
    }
}

/* Recompute links, balance and largest ends below i. Return the number of nodes, or UINT32_MAX if something
 * is wrong. */
static uint32_t avl_audit(const struct smr_avl *t, uint32_t i)
{
    if (!i) return 0;
    if (i >= t->used) return UINT32_MAX;
    struct smr_avl_node *nodes = t->nodes;
    const struct smr_avl_node *n = &nodes[i], *left = &nodes[n->child[0]], *right = &nodes[n->child[1]];
    const uint32_t left_len = avl_audit(t, n->child[0]), right_len = avl_audit(t, n->child[1]);
    if (left_len == UINT32_MAX || right_len == UINT32_MAX) return UINT32_MAX;
    const uint32_t height = 1 + (left->height > right->height ? left->height : right->height);
    const int lean = avl_lean(nodes, i);
    if (n->height != height || lean < -1 || lean > 1) return UINT32_MAX;
    if ((n->child[0] && left->parent != i) || (n->child[1] && right->parent != i)) return UINT32_MAX;
    if (n->left_max_end != left->max_end) return UINT32_MAX;
    if (n->max_end != max_u64(n->end, max_u64(left->max_end, right->max_end))) return UINT32_MAX;
    return left_len + right_len + 1;
}

struct avl_order_audit {
    const struct smr_avl *t;
    struct smr_range before;
    bool any, wrong;
};

static void avl_audit_order(void *user, const struct smr_range *r)
{
    struct avl_order_audit *a = user;
    struct smr_range other;
    if (r->base >= r->end || avl_conflict(a->t, r->base, r->end, &other)) a->wrong = true;
    if (a->any && range_order(a->before.base, a->before.end, r->base, r->end) > 0) a->wrong = true;
    a->before = *r;
    a->any = true;
}

bool smr_avl_is_valid(const struct smr_avl *t)
{
    if (!t->nodes) return t->root == 0 && t->len == 0;
    if (t->nodes[0].height != 0 || t->nodes[0].max_end != 0) return false;
    if (avl_audit(t, t->root) != t->len || t->nodes[t->root].parent != 0) return false;
    struct avl_order_audit audit = {.t = t};
    smr_avl_each(t, avl_audit_order, &audit);
    return !audit.wrong;
}
