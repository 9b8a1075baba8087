/* SPDX-License-Identifier: BSD-3-Clause */
#include "smrtree/smr_avl.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* An AVL tree of 2^32 nodes has fewer levels than 1.4405 * 32 + 1 (Knuth, TAOCP 3, 6.2.3, theorem A). */
#define SMR_AVL_LEVELS 48
#define SMR_AVL_CAP_FIRST 64u
#define SMR_AVL_CAP_LAST UINT32_C(0x80000000)

struct smr_avl_node {
    uint64_t base, end;
    uint64_t max_end; /* largest end in this subtree */
    uint64_t
        left_max_end; /* the left child's, 0 without: saves a search in a gap the look at every left child */
    uint32_t child[2];
    uint32_t value;
    uint32_t height; /* leaf: 1 */
};

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
    struct smr_avl_node *nodes = realloc(t->nodes, cap * sizeof(*nodes));
    if (!nodes)
        return ls_fail(LS_ERR_NOMEM, "out of memory for %llu address ranges", (unsigned long long)cap);
    if (!t->nodes) {
        memset(&nodes[0], 0, sizeof(nodes[0]));
        t->used = 1;
    }
    t->nodes = nodes;
    t->cap = (uint32_t)cap;
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

/* Lift the child on `side` above i; returns the new top of the subtree. */
static uint32_t avl_rotate(struct smr_avl_node *nodes, uint32_t i, int side)
{
    struct smr_avl_node *low = &nodes[i];
    const uint32_t top = low->child[side];
    struct smr_avl_node *high = &nodes[top];
    low->child[side] = high->child[1 - side];
    high->child[1 - side] = i;
    avl_update(nodes, i);
    avl_update(nodes, top);
    return top;
}

static int avl_lean(const struct smr_avl_node *nodes, uint32_t i)
{
    return (int)nodes[nodes[i].child[1]].height - (int)nodes[nodes[i].child[0]].height;
}

static uint32_t avl_rebalance(struct smr_avl_node *nodes, uint32_t i)
{
    const int lean = avl_lean(nodes, i);
    if (lean >= -1 && lean <= 1) {
        avl_update(nodes, i);
        return i;
    }
    const int side = lean > 0;
    const uint32_t heavy = nodes[i].child[side];
    const int heavy_lean = avl_lean(nodes, heavy);
    if (side ? heavy_lean < 0 : heavy_lean > 0) nodes[i].child[side] = avl_rotate(nodes, heavy, !side);
    return avl_rotate(nodes, i, side);
}

/* < 0: a stands before b; 0: equal ranges. */
static int range_order(uint64_t a_base, uint64_t a_end, uint64_t b_base, uint64_t b_end)
{
    if (a_base != b_base) return a_base < b_base ? -1 : 1;
    if (a_end != b_end) return a_end > b_end ? -1 : 1;
    return 0;
}

/* The way from the root down to a place, so that what lies on it can be rebalanced on the way back.
 * side is not uint8_t: with it gcc 12.2 -O2 built a tree that the property test found invalid (not with
 * -fno-ipa-modref, -fno-strict-aliasing, sanitizers or clang; the cause is not known in detail). */
struct avl_path {
    uint32_t node[SMR_AVL_LEVELS];
    uint32_t side[SMR_AVL_LEVELS];
    unsigned len;
};

static void path_push(struct avl_path *p, uint32_t node, int side)
{
    assert(p->len < SMR_AVL_LEVELS);
    p->node[p->len] = node;
    p->side[p->len++] = (uint32_t)side;
}

/* Hang `top` where the path ends and rebalance up to the root. */
static void path_apply(struct smr_avl *t, struct avl_path *p, uint32_t top)
{
    while (p->len > 0) {
        const uint32_t i = p->node[--p->len];
        t->nodes[i].child[p->side[p->len]] = top;
        top = avl_rebalance(t->nodes, i);
    }
    t->root = top;
}

ls_err smr_avl_insert(struct smr_avl *t, struct smr_range r, enum smr_avl_place place,
                      struct smr_range *conflict)
{
    if (r.base >= r.end)
        return ls_fail(LS_ERR_RANGE, "range [%#llx, %#llx) is empty: end must lie behind start",
                       (unsigned long long)r.base, (unsigned long long)r.end);
    if (smr_avl_conflict(t, r.base, r.end, conflict)) return LS_ERR_OVERLAP;
    LS_TRY(smr_avl_reserve(t, 1));
    struct avl_path path = {.len = 0};
    for (uint32_t i = t->root; i;) {
        const struct smr_avl_node *n = &t->nodes[i];
        const int order = range_order(r.base, r.end, n->base, n->end);
        const int side = order > 0 || (order == 0 && place == SMR_AVL_INNER);
        path_push(&path, i, side);
        i = n->child[side];
    }
    const uint32_t leaf = avl_slot_take(t);
    t->nodes[leaf] =
        (struct smr_avl_node){.base = r.base, .end = r.end, .max_end = r.end, .value = r.value, .height = 1};
    t->len++;
    path_apply(t, &path, leaf);
    return LS_OK;
}

/* Extend p to the innermost node with this base and value below i; 0 when there is none (p is then as
 * before). */
static uint32_t path_find(const struct smr_avl *t, struct avl_path *p, uint32_t i, uint64_t base,
                          uint32_t value)
{
    const unsigned len_before = p->len;
    while (i && t->nodes[i].base != base) {
        const int side = base > t->nodes[i].base;
        path_push(p, i, side);
        i = t->nodes[i].child[side];
    }
    if (!i) {
        p->len = len_before;
        return 0;
    }
    path_push(p, i, 1);
    uint32_t found = path_find(t, p, t->nodes[i].child[1], base, value);
    if (found) return found;
    p->len--;
    if (t->nodes[i].value == value) return i;
    path_push(p, i, 0);
    found = path_find(t, p, t->nodes[i].child[0], base, value);
    if (!found) p->len = len_before;
    return found;
}

/* Take node i, where p ends, out of the tree. */
static void path_unlink(struct smr_avl *t, struct avl_path *p, uint32_t i)
{
    struct smr_avl_node *n = &t->nodes[i];
    if (!n->child[0] || !n->child[1]) {
        path_apply(t, p, n->child[0] ? n->child[0] : n->child[1]);
        return;
    }
    /* the next node in order takes its place */
    const unsigned at = p->len;
    path_push(p, i, 1);
    uint32_t next = n->child[1];
    while (t->nodes[next].child[0]) {
        path_push(p, next, 0);
        next = t->nodes[next].child[0];
    }
    const uint32_t orphan = t->nodes[next].child[1];
    t->nodes[next].child[0] = n->child[0];
    t->nodes[next].child[1] = n->child[1];
    p->node[at] = next;
    path_apply(t, p, orphan);
}

bool smr_avl_remove(struct smr_avl *t, uint64_t base, uint32_t value, struct smr_range *out)
{
    struct avl_path path = {.len = 0};
    const uint32_t i = path_find(t, &path, t->root, base, value);
    if (!i) return false;
    if (out) *out = (struct smr_range){t->nodes[i].base, t->nodes[i].end, t->nodes[i].value};
    path_unlink(t, &path, i);
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

/* The last node of subtree i with end > end_above; its max_end says that there is one. */
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
    uint32_t
        turns[SMR_AVL_LEVELS]; /* nodes with base <= max_base on the way down: candidates, last one best */
    unsigned turns_len = 0;
    for (uint32_t i = t->root; i;) {
        const int right = nodes[i].base <= max_base;
        if (right) turns[turns_len++] = i;
        i = nodes[i].child[right];
    }
    while (turns_len > 0) {
        const struct smr_avl_node *n = &nodes[turns[--turns_len]];
        if (n->end > end_above) return avl_found(n, out);
        if (n->left_max_end > end_above)
            return avl_found(&nodes[avl_last_end(nodes, n->child[0], end_above)], out);
    }
    return false;
}

bool smr_avl_conflict(const struct smr_avl *t, uint64_t base, uint64_t end, struct smr_range *out)
{
    if (base >= end) return false;
    /* begins before us and ends inside: the innermost that reaches over our base must reach over our end, too
     */
    if (base > 0 && smr_avl_last(t, base - 1, base, out) && out->end < end) return true;
    /* begins inside and ends behind us */
    return smr_avl_last(t, end - 1, end, out) && out->base > base;
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
    uint32_t i = t->root;
    while (t->nodes[i].child[0])
        i = t->nodes[i].child[0];
    *out_base = t->nodes[i].base;
    *out_end = t->nodes[t->root].max_end;
    return true;
}

void smr_avl_each(const struct smr_avl *t, void (*visit)(void *user, const struct smr_range *r), void *user)
{
    uint32_t stack[SMR_AVL_LEVELS];
    unsigned len = 0;
    for (uint32_t i = t->root; i || len > 0;) {
        for (; i; i = t->nodes[i].child[0])
            stack[len++] = i;
        const struct smr_avl_node *n = &t->nodes[stack[--len]];
        visit(user, &(struct smr_range){n->base, n->end, n->value});
        i = n->child[1];
    }
}

/* Balance and largest ends below i, recomputed; the number of nodes, or UINT32_MAX when something is wrong.
 */
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
    if (r->base >= r->end || smr_avl_conflict(a->t, r->base, r->end, &other)) a->wrong = true;
    if (a->any && range_order(a->before.base, a->before.end, r->base, r->end) > 0) a->wrong = true;
    a->before = *r;
    a->any = true;
}

bool smr_avl_is_valid(const struct smr_avl *t)
{
    if (!t->nodes) return t->root == 0 && t->len == 0;
    if (t->nodes[0].height != 0 || t->nodes[0].max_end != 0) return false;
    if (avl_audit(t, t->root) != t->len) return false;
    struct avl_order_audit audit = {.t = t};
    smr_avl_each(t, avl_audit_order, &audit);
    return !audit.wrong;
}
