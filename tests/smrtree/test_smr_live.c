/* SPDX-License-Identifier: BSD-3-Clause */
/* Live ranges against a model that is too simple to be wrong: a list of ranges searched from end to end. */
#include "common/ls_random.h"
#include "smrtree/smr_live.h"
#include "tests/unit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define SPACE 400u /* addresses of the property test: few, so that ranges overlap */
#define MODEL_CAP 4096u

struct piece {
    uint64_t base, end;
    uint32_t value;
};

struct model {
    struct piece pieces[MODEL_CAP]; /* oldest first: where ranges are equal, the later is the inner one */
    size_t len;
};

static uint64_t rng_state;

static uint64_t rng_below(uint64_t n)
{
    return ls_random_below(&rng_state, n);
}

static bool partly_overlaps(const struct piece *p, uint64_t base, uint64_t end)
{
    return (p->base < base && p->end > base && p->end < end) ||
           (p->base > base && p->base < end && p->end > end);
}

static bool model_insert(struct model *m, uint64_t base, uint64_t end, uint32_t value)
{
    for (size_t i = 0; i < m->len; i++)
        if (partly_overlaps(&m->pieces[i], base, end)) return false;
    assert_true(m->len < MODEL_CAP);
    m->pieces[m->len++] = (struct piece){base, end, value};
    return true;
}

static void model_drop(struct model *m, size_t i)
{
    memmove(&m->pieces[i], &m->pieces[i + 1], (m->len - i - 1) * sizeof(m->pieces[0]));
    m->len--;
}

/* Index of the innermost piece over addr: the shortest, of equal ones the last. */
static bool model_find(const struct model *m, uint64_t addr, size_t *out)
{
    bool found = false;
    for (size_t i = 0; i < m->len; i++) {
        const struct piece *p = &m->pieces[i];
        if (addr < p->base || addr >= p->end) continue;
        const struct piece *best = &m->pieces[*out];
        if (!found || p->end - p->base <= best->end - best->base) *out = i;
        found = true;
    }
    return found;
}

/* Clip every piece; nesting among pieces that become equal is kept by clipping the containing ones into older
 * slots. */
static void model_evict(struct model *m, uint64_t base, uint64_t end)
{
    static struct model kept;
    struct piece *sorted = m->pieces;
    kept.len = 0;
    /* containing before contained, so that list order is nesting order among equals afterwards */
    for (size_t i = 1; i < m->len; i++)
        for (size_t j = i; j > 0 && sorted[j].end - sorted[j].base > sorted[j - 1].end - sorted[j - 1].base;
             j--) {
            const struct piece swap = sorted[j];
            sorted[j] = sorted[j - 1];
            sorted[j - 1] = swap;
        }
    for (size_t i = 0; i < m->len; i++) {
        const struct piece p = m->pieces[i];
        const bool apart = p.end <= base || p.base >= end;
        if (apart) kept.pieces[kept.len++] = p;
        if (!apart && p.base < base) kept.pieces[kept.len++] = (struct piece){p.base, base, p.value};
        if (!apart && p.end > end) kept.pieces[kept.len++] = (struct piece){end, p.end, p.value};
    }
    *m = kept;
}

static void check_lookups(const smr_live *l, const struct model *m)
{
    smr_index *x = NULL;
    uint64_t addrs[SPACE + 3];
    uint32_t bulk[SPACE + 3];
    assert_int_equal(smr_live_freeze(l, &x), LS_OK);
    for (uint64_t a = 0; a < SPACE + 3; a++)
        addrs[a] = a;
    addrs[SPACE + 2] = UINT64_MAX;
    smr_index_find_bulk(x, addrs, SPACE + 3, bulk);
    for (size_t i = 0; i < SPACE + 3; i++) {
        size_t at = 0;
        uint32_t live = SMR_INDEX_NONE, frozen = SMR_INDEX_NONE;
        const bool want = model_find(m, addrs[i], &at);
        assert_int_equal(smr_live_find(l, addrs[i], &live), want);
        assert_int_equal(smr_index_find(x, addrs[i], &frozen), want);
        const uint32_t value = want ? m->pieces[at].value : SMR_INDEX_NONE;
        assert_int_equal(live, value);
        assert_int_equal(frozen, value);
        assert_int_equal(bulk[i], value);
    }
    smr_index_free(x);
}

static void step_insert(smr_live *l, struct model *m, uint32_t value)
{
    const uint64_t base = rng_below(SPACE), room = rng_below(4) ? 12 : 150;
    const uint64_t end = base + 1 + rng_below(room);
    const bool fits = model_insert(m, base, end, value);
    assert_int_equal(smr_live_insert(l, base, end, value), fits ? LS_OK : LS_ERR_OVERLAP);
}

static void step_remove(smr_live *l, struct model *m)
{
    if (m->len == 0) return;
    const size_t picked = rng_below(m->len);
    const struct piece p = m->pieces[picked];
    size_t innermost =
        picked; /* a split leaves pieces of one value; among equal bases the innermost is removed */
    for (size_t i = 0; i < m->len; i++) {
        const struct piece *q = &m->pieces[i];
        if (q->base != p.base || q->value != p.value) continue;
        const struct piece *best = &m->pieces[innermost];
        if (q->end < best->end || (q->end == best->end && i > innermost)) innermost = i;
    }
    assert_int_equal(smr_live_remove(l, p.base, p.value), LS_OK);
    model_drop(m, innermost);
}

static void step_evict(smr_live *l, struct model *m)
{
    const uint64_t base = rng_below(SPACE), end = base + 1 + rng_below(40);
    assert_int_equal(smr_live_evict(l, base, end), LS_OK);
    model_evict(m, base, end);
}

static void run_property(uint64_t seed, unsigned steps)
{
    static struct model m;
    smr_live *l = smr_live_new();
    assert_non_null(l);
    rng_state = seed;
    m.len = 0;
    for (unsigned i = 0; i < steps; i++) {
        const uint64_t dice = rng_below(20);
        if (dice < 11)
            step_insert(l, &m, i);
        else if (dice < 19)
            step_remove(l, &m);
        else
            step_evict(l, &m);
        assert_int_equal(smr_live_len(l), m.len);
        assert_true(smr_live_is_valid(l));
        if (i % 7 == 0) check_lookups(l, &m);
    }
    smr_live_free(l);
}

static void random_operations_agree_with_the_model(void **state)
{
    (void)state;
    static const uint64_t seeds[] = {1, 42, 20261121, UINT64_C(0x9E3779B97F4A7C15)};
    for (size_t i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++)
        run_property(seeds[i], 4000);
}

static void partial_overlap_is_refused_and_nesting_is_not(void **state)
{
    (void)state;
    smr_live *l = smr_live_new();
    uint32_t v = 0;
    assert_int_equal(smr_live_insert(l, 100, 200, 1), LS_OK);
    assert_int_equal(smr_live_insert(l, 150, 250, 2), LS_ERR_OVERLAP);
    assert_int_equal(smr_live_insert(l, 50, 101, 3), LS_ERR_OVERLAP);
    assert_int_equal(smr_live_insert(l, 100, 100, 4), LS_ERR_RANGE);
    assert_int_equal(smr_live_insert(l, 200, 300, 5), LS_OK);
    assert_int_equal(smr_live_insert(l, 120, 130, 6), LS_OK);
    assert_int_equal(smr_live_insert(l, 0, UINT64_MAX, 7), LS_OK);
    assert_true(smr_live_find(l, 125, &v) && v == 6);
    assert_true(smr_live_find(l, 130, &v) && v == 1);
    assert_true(smr_live_find(l, 250, &v) && v == 5);
    assert_true(smr_live_find(l, 99, &v) && v == 7);
    assert_int_equal(smr_live_remove(l, 0, 7), LS_OK);
    assert_int_equal(smr_live_remove(l, 0, 7), LS_ERR_NOT_FOUND);
    assert_false(smr_live_find(l, 99, &v));
    smr_live_free(l);
}

static void evicting_the_middle_splits(void **state)
{
    (void)state;
    smr_live *l = smr_live_new();
    uint64_t base = 0, end = 0;
    uint32_t v = 0;
    assert_int_equal(smr_live_insert(l, 100, 200, 1), LS_OK);
    assert_int_equal(smr_live_evict(l, 140, 150), LS_OK);
    assert_int_equal(smr_live_len(l), 2);
    assert_true(smr_live_find_range(l, 139, &base, &end, &v) && base == 100 && end == 140 && v == 1);
    assert_true(smr_live_find_range(l, 150, &base, &end, &v) && base == 150 && end == 200 && v == 1);
    assert_false(smr_live_find(l, 145, &v));
    smr_live_free(l);
}

static void pieces_are_removed_together(void **state)
{
    (void)state;
    smr_live *l = smr_live_new();
    uint32_t v = 0;
    assert_int_equal(smr_live_insert(l, 100, 200, 1), LS_OK);
    assert_int_equal(smr_live_insert(l, 150, 170, 2), LS_OK);
    assert_int_equal(smr_live_insert(l, 170, 200, 3), LS_OK);
    assert_int_equal(smr_live_insert(l, 170, 200, 1), LS_OK);
    assert_int_equal(smr_live_evict(l, 90, 110), LS_OK);
    assert_int_equal(smr_live_evict(l, 140, 150), LS_OK);
    smr_live_remove_pieces(l, 100, 200, 1);
    assert_int_equal(smr_live_len(l), 2);
    assert_true(smr_live_find(l, 160, &v) && v == 2);
    assert_true(smr_live_find(l, 180, &v) && v == 3);
    smr_live_remove_pieces(l, 170, 200, 3);
    smr_live_remove_pieces(l, 170, 200, 3);
    assert_int_equal(smr_live_len(l), 1);
    assert_true(smr_live_is_valid(l));
    smr_live_free(l);
}

static void many_equal_and_deep_ranges_stay_balanced(void **state)
{
    (void)state;
    enum { DEEP = 20000 };
    smr_live *l = smr_live_new();
    uint32_t v = 0;
    for (uint32_t i = 0; i < DEEP; i++) /* every range inside the one before; each third one equal to it */
        assert_int_equal(smr_live_insert(l, i - i % 3, 10 * DEEP - i + i % 3, i), LS_OK);
    assert_true(smr_live_find(l, 5 * DEEP, &v) && v == DEEP - 1);
    assert_true(smr_live_find(l, 4, &v) && v == 5);
    assert_true(smr_live_find(l, 10 * DEEP - 1, &v) && v == 2);
    for (uint32_t i = 0; i < DEEP; i += 2)
        assert_int_equal(smr_live_remove(l, i - i % 3, i), LS_OK);
    assert_int_equal(smr_live_len(l), DEEP / 2);
    assert_true(smr_live_is_valid(l));
    smr_live_free(l);
}

static void an_empty_set_freezes_to_nothing(void **state)
{
    (void)state;
    smr_live *l = smr_live_new();
    smr_index *x = NULL;
    uint64_t addrs[40] = {0, 1, UINT64_MAX};
    uint32_t values[40], v;
    assert_int_equal(smr_live_freeze(l, &x), LS_OK);
    smr_index_find_bulk(x, addrs, 40, values);
    for (int i = 0; i < 40; i++)
        assert_int_equal(values[i], SMR_INDEX_NONE);
    assert_false(smr_index_find(x, 0, &v));
    assert_int_equal(smr_index_len(x), 0);
    smr_index_free(x);
    smr_live_free(l);
    smr_live_free(NULL);
    smr_index_free(NULL);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_operations_agree_with_the_model),
        cmocka_unit_test(partial_overlap_is_refused_and_nesting_is_not),
        cmocka_unit_test(evicting_the_middle_splits),
        cmocka_unit_test(pieces_are_removed_together),
        cmocka_unit_test(many_equal_and_deep_ranges_stay_balanced),
        cmocka_unit_test(an_empty_set_freezes_to_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
