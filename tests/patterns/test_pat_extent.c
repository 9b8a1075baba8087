/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "patterns/pat_extent.h"
#include "tests/unit.h"

#include <string.h>

static int64_t few[] = {3, 0, 7};
static int64_t picks[] = {2, 2, 0, 1};
static int64_t steps[] = {5, -9, 1};

/* Element by element: the closed form must agree with it. */
static struct pat_extent walk(const struct pat_config *c)
{
    struct pat_extent e = {INT64_MAX, INT64_MIN};
    for (uint64_t i = 0; i < c->count; i++)
        for (size_t j = 0; j < c->pattern.len; j++) {
            const int64_t at = c->pattern.data[j] + pat_base(c->delta, &c->deltas, i);
            if (at < e.low) e.low = at;
            if (at > e.high) e.high = at;
        }
    return e;
}

static void pat_extent_agrees_with_a_walk(void **state)
{
    (void)state;
    for (int64_t delta = -5; delta <= 5; delta++)
        for (uint64_t count = 1; count < 12; count++)
            for (size_t list = 0; list <= 3; list++) {
                const struct pat_config c = {.pattern = {few, 3},
                                             .delta = delta,
                                             .deltas = {list ? steps : NULL, list},
                                             .count = count,
                                             .wrap = 2};
                struct pat_extent got, want = walk(&c);
                assert_int_equal(pat_extent_of(&c, PAT_SIDE_GATHER, &got), LS_OK);
                assert_int_equal(got.low, want.low);
                assert_int_equal(got.high, want.high);
                uint64_t dense;
                assert_int_equal(pat_dense_elements(&c, &dense), LS_OK);
                assert_int_equal(dense, 6);
            }
}

static void pat_multi_kernels_are_sized_by_selected_indices(void **state)
{
    (void)state;
    struct pat_config c = {.kernel = PAT_MULTIGATHER,
                           .pattern = {few, 3},
                           .gather = {picks, 4},
                           .delta = 2,
                           .count = 3,
                           .wrap = 1};
    struct pat_extent e;
    uint64_t dense;
    assert_int_equal(pat_extent_of(&c, PAT_SIDE_GATHER, &e), LS_OK);
    assert_int_equal(e.low, 0);
    assert_int_equal(e.high, 7 + 4);
    assert_int_equal(pat_extent_elements(&e), 12);
    assert_int_equal(pat_dense_elements(&c, &dense), LS_OK);
    assert_int_equal(dense, 4); /* by the outer length: the published tool overflows here */
    assert_int_equal(pat_config_bytes(&c, 8), 4 * 3 * 8);
    c.pattern.len = 2;
    assert_int_equal(pat_extent_of(&c, PAT_SIDE_GATHER, &e), LS_ERR_RANGE);
    assert_non_null(strstr(ls_last_error(), "index 0 of the outer pattern is 2"));
}

static void pat_gs_has_two_sides(void **state)
{
    (void)state;
    const struct pat_config c = {.kernel = PAT_GS,
                                 .gather = {few, 3},
                                 .scatter = {picks, 3},
                                 .delta_gather = 1,
                                 .delta_scatter = -1,
                                 .count = 2,
                                 .wrap = 1};
    struct pat_extent from, to;
    assert_int_equal(pat_extent_of(&c, PAT_SIDE_GATHER, &from), LS_OK);
    assert_int_equal(pat_extent_of(&c, PAT_SIDE_SCATTER, &to), LS_OK);
    assert_int_equal(from.high, 8);
    assert_int_equal(to.low, -1);
    assert_int_equal(to.high, 2);
    assert_int_equal(pat_config_bytes(&c, 8), 2 * 3 * 2 * 8);
}

static void pat_extent_refuses_what_does_not_fit(void **state)
{
    (void)state;
    struct pat_extent e;
    struct pat_config c = {.pattern = {few, 3}, .delta = INT64_MAX, .count = 3, .wrap = 1};
    assert_int_equal(pat_extent_of(&c, PAT_SIDE_GATHER, &e), LS_ERR_RANGE);
    c.delta = INT64_MIN;
    assert_int_equal(pat_extent_of(&c, PAT_SIDE_GATHER, &e), LS_ERR_RANGE);
    c.delta = 1;
    c.pattern.len = 0;
    assert_int_equal(pat_extent_of(&c, PAT_SIDE_GATHER, &e), LS_ERR_RANGE);
    uint64_t dense;
    c.pattern.len = 3;
    c.wrap = UINT64_MAX;
    assert_int_equal(pat_dense_elements(&c, &dense), LS_ERR_RANGE);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pat_extent_agrees_with_a_walk),
        cmocka_unit_test(pat_multi_kernels_are_sized_by_selected_indices),
        cmocka_unit_test(pat_gs_has_two_sides),
        cmocka_unit_test(pat_extent_refuses_what_does_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
