/* SPDX-License-Identifier: BSD-3-Clause */
/* Random use of two trees that share the registry, against a model that is too simple to be wrong: a list
 * of handles searched from end to end. The calls of the sink are replayed into a second list and compared,
 * too. */
#include "common/ls_random.h"
#include "loadstone/smr.h"
#include "smrtree/smr_registry.h"
#include "tests/unit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define TREES 2u
#define FIRST UINT64_C(0x100000)
#define SPACE_BYTES 300u /* few addresses, so that ranges overlap */
#define HANDLES 150u
#define IDS 20000u
#define STEPS 2500u
#define NO_HANDLE SIZE_MAX

struct handle {
    smr_node *node; /* NULL: unused slot */
    unsigned tree;
    char label[4];
    bool is_group, alive;
    uint64_t base, end;
    unsigned order; /* time of this extent: where ranges are equal, the later is the inner one */
    size_t group;   /* it was put there last; NO_HANDLE: nowhere */
};

static struct {
    smr_tree *trees[TREES];
    struct handle handles[HANDLES];
    unsigned order;
} m;

/* The sink's calls, by id. */
static struct heard {
    bool alive, is_group;
    uint64_t base, end;
} heard[IDS];

static uint64_t rng_state;

static uint64_t rng_below(uint64_t n)
{
    return ls_random_below(&rng_state, n);
}

static void hear_add(void *user, const struct smr_event_node *e)
{
    (void)user;
    assert_true(e->node < IDS && !heard[e->node].alive);
    heard[e->node] = (struct heard){true, e->is_group, e->base, e->end};
}

static void hear_range(void *user, const struct smr_event_node *e)
{
    (void)user;
    assert_true(e->node < IDS && heard[e->node].alive);
    heard[e->node].base = e->base;
    heard[e->node].end = e->end;
}

static void hear_remove(void *user, uint64_t time_ns, uint32_t node, bool freed)
{
    (void)user, (void)time_ns, (void)freed;
    assert_true(node < IDS && heard[node].alive);
    heard[node].alive = false;
}

static void hear_member(void *user, uint64_t time_ns, uint32_t group, uint32_t member)
{
    (void)user, (void)time_ns;
    assert_true(heard[member].alive && (group == 0 || heard[group].alive));
}

static const struct smr_sink ear = {
    .node_add = hear_add, .node_range = hear_range, .node_remove = hear_remove, .node_member = hear_member};

static const volatile void *at(uint64_t addr)
{
    return (const volatile void *)(uintptr_t)addr;
}

static bool is_living_range(const struct handle *h)
{
    return h->node && h->alive && !h->is_group;
}

static bool partly_overlaps(const struct handle *h, uint64_t base, uint64_t end)
{
    return (h->base < base && h->end > base && h->end < end) ||
           (h->base > base && h->base < end && h->end > end);
}

/* No living range but h itself is in the way of [base, end). */
static bool fits(const struct handle *h, uint64_t base, uint64_t end)
{
    for (size_t i = 0; i < HANDLES; i++) {
        const struct handle *o = &m.handles[i];
        if (o != h && is_living_range(o) && partly_overlaps(o, base, end)) return false;
    }
    return true;
}

/* a is further inside than b, both over the same address. */
static bool is_inner(const struct handle *a, const struct handle *b)
{
    const uint64_t a_len = a->end - a->base, b_len = b->end - b->base;
    return a_len != b_len ? a_len < b_len : a->order > b->order;
}

static struct handle *model_find(unsigned tree, uint64_t addr)
{
    struct handle *best = NULL;
    for (size_t i = 0; i < HANDLES; i++) {
        struct handle *h = &m.handles[i];
        if (!is_living_range(h) || h->tree != tree || addr < h->base || addr >= h->end) continue;
        if (!best || is_inner(h, best)) best = h;
    }
    return best;
}

/* The range of any tree that directly encloses h. */
static const struct handle *model_around(const struct handle *h)
{
    const struct handle *best = NULL;
    for (size_t i = 0; i < HANDLES; i++) {
        const struct handle *o = &m.handles[i];
        if (o == h || !is_living_range(o) || o->base > h->base || o->end < h->end || !is_inner(h, o))
            continue;
        if (!best || is_inner(o, best)) best = o;
    }
    return best;
}

static const smr_node *model_parent(const struct handle *h)
{
    if (h->group != NO_HANDLE) return m.handles[h->group].node;
    const struct handle *around = h->is_group ? NULL : model_around(h);
    return around && around->tree == h->tree ? around->node : NULL;
}

static struct handle *pick(bool groups)
{
    struct handle *h = &m.handles[rng_below(HANDLES)];
    return h->node && h->is_group == groups ? h : NULL;
}

static struct handle *unused_handle(void)
{
    for (size_t i = 0; i < HANDLES; i++)
        if (!m.handles[i].node) return &m.handles[i];
    return NULL;
}

static void draw_range(uint64_t *base, uint64_t *end)
{
    *base = FIRST + rng_below(SPACE_BYTES);
    *end = *base + 1 + rng_below(rng_below(4) ? 10 : 120);
}

static void model_settle(struct handle *h, uint64_t base, uint64_t end)
{
    h->base = base;
    h->end = end;
    h->alive = true;
    h->order = ++m.order;
}

/* The innermost living range of this tree, label and start. */
static struct handle *model_same(unsigned tree, const char *label, uint64_t base)
{
    struct handle *best = NULL;
    for (size_t i = 0; i < HANDLES; i++) {
        struct handle *h = &m.handles[i];
        if (!is_living_range(h) || h->tree != tree || h->base != base || strcmp(h->label, label)) continue;
        if (!best || is_inner(h, best)) best = h;
    }
    return best;
}

static void step_insert(void)
{
    struct handle *unused = unused_handle();
    const unsigned tree = (unsigned)rng_below(TREES);
    const char label[4] = {(char)('a' + rng_below(3))};
    uint64_t base, end;
    draw_range(&base, &end);
    struct handle *same = model_same(tree, label, base);
    if (!unused) return;
    const struct smr_spec spec = {label, at(base), at(end), 8, 1};
    const bool can = fits(same, base, end);
    smr_node *n = NULL;
    assert_int_equal(smr_tree_insert(m.trees[tree], &spec, &n), can ? LS_OK : LS_ERR_OVERLAP);
    if (!can || (same && same->end == end)) return;
    if (!same) {
        *unused = (struct handle){.node = n, .tree = tree, .group = NO_HANDLE};
        memcpy(unused->label, label, sizeof(label));
        same = unused;
    }
    assert_ptr_equal(n, same->node);
    model_settle(same, base, end);
}

static void step_resize(void)
{
    struct handle *h = pick(false);
    uint64_t base, end;
    draw_range(&base, &end);
    if (!h) return;
    const bool can = fits(h, base, end);
    assert_int_equal(smr_node_resize(h->node, at(base), at(end)), can ? LS_OK : LS_ERR_OVERLAP);
    if (can) model_settle(h, base, end);
}

static void step_group(void)
{
    struct handle *unused = unused_handle();
    if (!unused) return;
    *unused = (struct handle){.is_group = true, .alive = true, .group = NO_HANDLE};
    unused->tree = (unsigned)rng_below(TREES);
    assert_int_equal(smr_tree_insert_group(m.trees[unused->tree], "g", &unused->node), LS_OK);
}

static bool lies_below(size_t below, size_t top)
{
    for (; below != NO_HANDLE; below = m.handles[below].group)
        if (below == top) return true;
    return false;
}

static void step_join(void)
{
    struct handle *g = &m.handles[rng_below(HANDLES)], *h = &m.handles[rng_below(HANDLES)];
    if (!g->node || !h->node) return;
    const size_t g_at = (size_t)(g - m.handles), h_at = (size_t)(h - m.handles);
    const bool can = g->is_group && g->tree == h->tree && h->alive && !lies_below(g_at, h_at);
    assert_int_equal(smr_node_add_member(g->node, h->node), can ? LS_OK : LS_ERR_ARG);
    if (can) h->group = g_at;
}

static void step_remove(bool groups)
{
    struct handle *h = pick(groups);
    if (!h) return;
    assert_int_equal(smr_node_remove(h->node), LS_OK);
    for (size_t i = 0; i < HANDLES; i++)
        if (m.handles[i].group == (size_t)(h - m.handles)) m.handles[i].group = NO_HANDLE;
    *h = (struct handle){.group = NO_HANDLE};
}

static void step_end_inside(void)
{
    uint64_t base, end;
    draw_range(&base, &end);
    smr_registry_end_inside(base, end - base);
    for (size_t i = 0; i < HANDLES; i++) {
        struct handle *h = &m.handles[i];
        if (is_living_range(h) && h->base >= base && h->end <= end) h->alive = false;
    }
}

static void check_handle(const struct handle *h)
{
    const uint32_t id = smr_node_id(h->node);
    assert_int_equal(smr_node_is_alive(h->node), h->alive);
    assert_true(id < IDS && heard[id].alive == h->alive && heard[id].is_group == h->is_group);
    if (!h->alive) return;
    assert_ptr_equal(smr_node_parent(h->node), model_parent(h));
    if (h->is_group) return;
    assert_true(smr_node_start(h->node) == h->base && smr_node_end(h->node) == h->end);
    assert_true(heard[id].base == h->base && heard[id].end == h->end);
}

static int count_node(void *user, smr_node *n, unsigned depth)
{
    unsigned *count = user;
    for (n = smr_node_parent(n); n; n = smr_node_parent(n))
        depth--;
    assert_int_equal(depth, 0);
    ++*count;
    return 0;
}

static void check_all(void)
{
    unsigned handles = 0, living = 0, walked = 0;
    for (size_t i = 0; i < HANDLES; i++) {
        const struct handle *h = &m.handles[i];
        if (!h->node) continue;
        check_handle(h);
        handles++;
        living += is_living_range(h);
    }
    assert_int_equal(smr_registry_len(), living);
    for (unsigned t = 0; t < TREES; t++) {
        assert_true(smr_tree_is_valid(m.trees[t]));
        smr_tree_walk(m.trees[t], count_node, &walked);
    }
    assert_int_equal(walked, handles);
}

static void check_lookups(void)
{
    for (unsigned t = 0; t < TREES; t++)
        for (uint64_t addr = FIRST - 1; addr < FIRST + SPACE_BYTES + 121; addr++) {
            const struct handle *want = model_find(t, addr);
            assert_ptr_equal(smr_tree_find(m.trees[t], addr), want ? want->node : NULL);
        }
}

static void step(void)
{
    const uint64_t dice = rng_below(100);
    if (dice < 40)
        step_insert();
    else if (dice < 60)
        step_resize();
    else if (dice < 64)
        step_group();
    else if (dice < 78)
        step_join();
    else if (dice < 92)
        step_remove(dice == 78);
    else
        step_end_inside();
}

static void run_property(uint64_t seed)
{
    rng_state = seed;
    memset(&m, 0, sizeof(m));
    memset(heard, 0, sizeof(heard));
    for (size_t i = 0; i < HANDLES; i++)
        m.handles[i].group = NO_HANDLE;
    for (unsigned t = 0; t < TREES; t++)
        assert_int_equal(smr_tree_new(&m.trees[t]), LS_OK);
    smr_registry_set_sink(&ear);
    for (unsigned i = 0; i < STEPS; i++) {
        step();
        check_all();
        if (i % 16 == 0) check_lookups();
    }
    for (unsigned t = 0; t < TREES; t++)
        smr_tree_free(m.trees[t]);
    smr_registry_set_sink(NULL);
    assert_int_equal(smr_registry_len(), 0);
    for (size_t i = 0; i < IDS; i++)
        assert_false(heard[i].alive);
}

static void random_use_of_two_trees_agrees_with_the_model(void **state)
{
    (void)state;
    static const uint64_t seeds[] = {1, 42, 20261121, UINT64_C(0x9E3779B97F4A7C15)};
    for (size_t i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++)
        run_property(seeds[i]);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_use_of_two_trees_agrees_with_the_model)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
