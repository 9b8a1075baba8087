/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "analyse/an_select.h"
#include "analyse/an_table.h"
#include "tests/analyse/an_fixture.h"
#include "tests/unit.h"

#include <stdlib.h>

/* root 0 > group 1 > ranges 2, 4; root > range 3: ids out of depth-first order on purpose */
static const uint32_t parents[] = {AN_NO_GROUP, 0, 1, 0, 1};

static void an_rolled_up_rows_equal_the_sums_below(void **state)
{
    (void)state;
    struct an_fixture *f = fix_new(5, 4);
    fix_burst(f, 1000, 1000);
    fix_load(f, 2, 600, 105);
    fix_load(f, 4, 610, 305);
    fix_store(f, 3, 620);
    fix_burst(f, 500, 1000);
    fix_load(f, 2, 600, 5);
    fix_load(f, 2, 630, 15);
    fix_load(f, 99, 640, FIX_NOT_MEASURED); /* no such group */
    struct an_costs c;
    an_table *t = NULL;
    assert_int_equal(an_costs_init(&c, fix_input(f)), LS_OK);
    const struct an_grouping by = {.group_of_sample = f->node, .parent = parents, .groups_len = 5};
    assert_int_equal(an_table_new(&f->in, &c, &by, &t), LS_OK);

    const struct an_row *g = an_table_total(t, 1), *two = an_table_self(t, 2), *four = an_table_self(t, 4);
    assert_int_equal(two->loads, 3);
    assert_int_equal(g->samples, 4);
    assert_int_equal(g->bursts, 2);
    assert_float_equal(g->stall_ns, two->stall_ns + four->stall_ns, 1e-6);
    assert_float_equal(g->time_ns, two->time_ns + four->time_ns, 1e-6);
    assert_float_equal(g->median_cycles, 15, 0); /* 5 15 105 305: nearest rank */
    assert_float_equal(g->p95_cycles, 305, 0);
    assert_float_equal(two->median_cycles, 15, 0);
    assert_int_equal(g->levels[PROF_LEVEL_DRAM], 3);
    assert_true(isnan(an_table_self(t, 3)->median_cycles));
    assert_int_equal(an_table_self(t, 3)->stores, 1);
    assert_int_equal(an_table_self(t, 5)->samples, 1);
    const double whole = an_table_total(t, 0)->time_ns + an_table_total(t, 5)->time_ns;
    assert_float_equal(whole, c.attributed_ns, 1e-3);
    an_table_free(t);
    an_costs_fini(&c);
    fix_free(f);
}

/* The mean of 99 fast loads and a slow one says nothing about the median of all. */
static void an_sums_over_ranks_have_no_median(void **state)
{
    (void)state;
    struct an_fixture *f = fix_new(5, 4);
    struct an_costs c;
    an_table *t = NULL;
    fix_sum_loads(f, 0, 99, 5, 1000);
    fix_sum_loads(f, 0, 1, 1005, 1000);
    assert_int_equal(an_costs_init(&c, fix_input(f)), LS_OK);
    const struct an_grouping by = {.group_of_sample = f->node, .groups_len = 1};
    assert_int_equal(an_table_new(&f->in, &c, &by, &t), LS_OK);
    const struct an_row *row = an_table_total(t, 0);
    assert_int_equal(row->measured, 100);
    assert_float_equal(row->latency_sum_cycles, 99 * 5 + 1005, 1e-6);
    assert_true(isnan(row->median_cycles) && isnan(row->p95_cycles));
    an_table_free(t);
    an_costs_fini(&c);
    fix_free(f);
}

static void an_parent_after_its_child_is_a_format_error(void **state)
{
    (void)state;
    static const uint32_t loop[] = {1, 0};
    struct an_fixture *f = fix_new(5, 4);
    struct an_costs c;
    an_table *t = NULL;
    assert_int_equal(an_costs_init(&c, fix_input(f)), LS_OK);
    const struct an_grouping by = {.group_of_sample = f->node, .parent = loop, .groups_len = 2};
    assert_int_equal(an_table_new(&f->in, &c, &by, &t), LS_ERR_FORMAT);
    assert_null(t);
    an_costs_fini(&c);
    fix_free(f);
}

static int compare_i32(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static void an_quantile_equals_the_sorted_rank(void **state)
{
    (void)state;
    int32_t values[200], sorted[200];
    srand(7);
    for (int round = 0; round < 500; round++) {
        const size_t len = 1 + (size_t)rand() % 200;
        const int distinct = 1 + rand() % 50;
        for (size_t i = 0; i < len; i++)
            values[i] = sorted[i] = rand() % distinct - 3;
        qsort(sorted, len, sizeof(*sorted), compare_i32);
        assert_float_equal(an_quantile_i32(values, len, 0.5), sorted[(len + 1) / 2 - 1], 0);
        assert_float_equal(an_quantile_i32(values, len, 1), sorted[len - 1], 0);
        assert_float_equal(an_quantile_i32(values, len, 0), sorted[0], 0);
    }
    assert_true(isnan(an_quantile_i32(values, 0, 0.5)));
}

static void an_median_sees_between_the_steps_of_a_coarse_clock(void **state)
{
    int32_t values[100];
    (void)state;
    for (int i = 0; i < 100; i++)
        values[i] = i < 60 ? -3 : i < 99 ? 23 : 100000; /* the last is an interrupt */
    assert_float_equal(an_median_refined(values, 100, 26), (60 * -3 + 39 * 23) / 99.0, 1e-9);
    assert_float_equal(an_median_refined(values, 100, 1), -3, 0);
    assert_true(isnan(an_median_refined(values, 0, 26)));
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_rolled_up_rows_equal_the_sums_below),
        cmocka_unit_test(an_sums_over_ranks_have_no_median),
        cmocka_unit_test(an_parent_after_its_child_is_a_format_error),
        cmocka_unit_test(an_quantile_equals_the_sorted_rank),
        cmocka_unit_test(an_median_sees_between_the_steps_of_a_coarse_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
