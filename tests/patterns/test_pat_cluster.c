/* SPDX-License-Identifier: BSD-3-Clause */
/* Assignments and groups against slow code that tries everything; matching by name and by distance. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "patterns/compare/pat_compare.h"
#include "common/ls_random.h"
#include "tests/patterns/pat_zoo.h"
#include "tests/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEST_SIDE = 6, TEST_ITEMS = 24, TEST_LEN = 2048 };

/* --- assignment --- */

/* The least cost of giving rows from `row` on to columns that are not used. */
static double least_cost(const double *costs, size_t rows, size_t columns, size_t row, unsigned used)
{
    double best = INFINITY;
    size_t left = 0;
    if (row == rows) return 0;
    for (size_t c = 0; c < columns; c++) {
        if (used & (1u << c)) continue;
        left++;
        best =
            fmin(best, costs[row * columns + c] + least_cost(costs, rows, columns, row + 1, used | 1u << c));
    }
    /* with fewer columns than rows a row may go without */
    if (rows - row > left) best = fmin(best, least_cost(costs, rows, columns, row + 1, used));
    return best;
}

static void pat_assignment_costs_the_least(void **state)
{
    (void)state;
    uint64_t random = 4;
    for (int round = 0; round < 200; round++) {
        const size_t rows = 1 + ls_random_below(&random, TEST_SIDE),
                     columns = 1 + ls_random_below(&random, TEST_SIDE);
        double costs[TEST_SIDE * TEST_SIDE], sum = 0;
        size_t out[TEST_SIDE], given = 0;
        unsigned used = 0;
        for (size_t i = 0; i < rows * columns; i++)
            costs[i] = (double)ls_random_below(&random, round % 2 ? 5 : 1000); /* with ties, and without */
        assert_int_equal(pat_assign(costs, rows, columns, out), LS_OK);
        for (size_t r = 0; r < rows; r++) {
            if (out[r] == PAT_UNASSIGNED) continue;
            assert_true(out[r] < columns && !(used & (1u << out[r])));
            used |= 1u << out[r];
            sum += costs[r * columns + out[r]];
            given++;
        }
        assert_true(given == (rows < columns ? rows : columns));
        assert_true(fabs(sum - least_cost(costs, rows, columns, 0, 0)) < 1e-9);
    }
}

/* --- linkage --- */

/* Joins the two groups whose furthest members are nearest, as long as that is within; numbers as
 * pat_cluster_distances gives them. */
static void naive_groups(const double *d, size_t n, double within, size_t *group)
{
    for (size_t i = 0; i < n; i++)
        group[i] = i;
    for (;;) {
        double best = INFINITY;
        size_t join[2] = {0, 0};
        for (size_t a = 0; a < n; a++)
            for (size_t b = a + 1; b < n; b++) {
                double furthest = -1;
                for (size_t i = 0; i < n * n; i++)
                    if (group[i / n] == a && group[i % n] == b) furthest = fmax(furthest, d[i]);
                if (furthest < 0 || furthest >= best) continue;
                best = furthest;
                join[0] = a;
                join[1] = b;
            }
        if (best > within) break;
        for (size_t i = 0; i < n; i++)
            if (group[i] == join[1]) group[i] = join[0];
    }
    for (size_t i = 0, next = 0; i < n; i++) { /* renumber by first member, above n meanwhile */
        if (group[i] >= n) continue;
        const size_t old = group[i];
        for (size_t k = i; k < n; k++)
            if (group[k] == old) group[k] = n + next;
        next++;
    }
    for (size_t i = 0; i < n; i++)
        group[i] -= n;
}

static void pat_groups_are_those_of_complete_linkage(void **state)
{
    (void)state;
    uint64_t random = 9;
    for (int round = 0; round < 60; round++) {
        enum { N = 10 };
        double d[N * N], at[N][2];
        size_t fast[N], slow[N];
        for (size_t i = 0; i < N; i++)
            for (size_t x = 0; x < 2; x++)
                at[i][x] = ls_random_uniform(&random);
        for (size_t i = 0; i < N; i++)
            for (size_t k = 0; k < N; k++)
                d[i * N + k] = hypot(at[i][0] - at[k][0], at[i][1] - at[k][1]);
        assert_int_equal(pat_cluster_distances(d, N, 0.05 * (round % 10), fast), LS_OK);
        naive_groups(d, N, 0.05 * (round % 10), slow);
        assert_memory_equal(fast, slow, sizeof fast);
    }
}

/* --- items --- */

struct stock {
    struct pat_items items;
    struct pat_indices lists[TEST_ITEMS];
};

static void stock_add(struct stock *s, const char *key, enum pat_kind kind, struct pat_indices list)
{
    struct pat_item *item;
    const size_t n = s->items.len;
    s->lists[n] = list;
    assert_int_equal(pat_items_add(&s->items, key, key, &item), LS_OK);
    item->kind = kind;
    item->walks[item->walks_len++] = pat_walk_list(&s->lists[n], NULL, 0);
}

static void stock_end(struct stock *s)
{
    for (size_t i = 0; i < s->items.len; i++)
        free(s->lists[i].data);
    pat_items_fini(&s->items);
}

static const struct pat_match *match_of(const struct pat_match *rows, size_t len, size_t a)
{
    for (size_t i = 0; i < len; i++)
        if (rows[i].a == a) return &rows[i];
    return NULL;
}

static void pat_names_match_before_distances(void **state)
{
    (void)state;
    struct stock a = {{0}, {{0}}}, b = {{0}, {{0}}};
    const struct pat_match_options o = {.within = 0.1};
    struct pat_match *rows;
    size_t len;
    stock_add(&a, "x in spmv", PAT_KIND_READS, zoo_make(ZOO_STENCIL, TEST_LEN, 0));
    stock_add(&a, "old name", PAT_KIND_READS, zoo_make(ZOO_WALK, TEST_LEN, 1));
    stock_add(&a, "gone", PAT_KIND_READS, zoo_make(ZOO_SAME, TEST_LEN, 0));
    stock_add(&a, "", PAT_KIND_WRITES, zoo_make(ZOO_STRIDE2, TEST_LEN, 0));
    stock_add(&b, "", PAT_KIND_READS, zoo_make(ZOO_STRIDE2, TEST_LEN, 0));
    stock_add(&b, "new name", PAT_KIND_READS, zoo_make(ZOO_WALK, TEST_LEN, 2));
    stock_add(&b, "x in spmv", PAT_KIND_READS, zoo_make(ZOO_RANDOM_LARGE, TEST_LEN, 0));
    assert_int_equal(pat_items_match(&a.items, &b.items, &o, &rows, &len), LS_OK);
    assert_int_equal(len, 5);
    assert_true(match_of(rows, len, 0)->b == 2 && match_of(rows, len, 0)->by == PAT_MATCHED_KEY);
    assert_true(match_of(rows, len, 0)->distance > 0.1); /* it is the same thing, and it has changed */
    assert_true(match_of(rows, len, 1)->b == 1 && match_of(rows, len, 1)->by == PAT_MATCHED_DISTANCE);
    assert_true(match_of(rows, len, 2)->b == PAT_UNASSIGNED && isnan(match_of(rows, len, 2)->distance));
    assert_true(match_of(rows, len, 3)->b == PAT_UNASSIGNED); /* a store is no load */
    assert_true(rows[4].a == PAT_UNASSIGNED && rows[4].b == 0 && rows[4].by == PAT_MATCHED_NONE);
    free(rows);
    stock_end(&a);
    stock_end(&b);
}

/* Two loads of one array on one line: their operations distinguish them. */
static void pat_equal_names_are_reported_apart_by_distance(void **state)
{
    (void)state;
    struct stock a = {{0}, {{0}}}, b = {{0}, {{0}}};
    const struct pat_match_options o = {.within = 0.1};
    struct pat_match *rows;
    size_t len;
    stock_add(&a, "x", PAT_KIND_READS, zoo_make(ZOO_STRIDE1, TEST_LEN, 0));
    stock_add(&a, "x", PAT_KIND_READS, zoo_make(ZOO_RANDOM_LARGE, TEST_LEN, 1));
    stock_add(&b, "x", PAT_KIND_READS, zoo_make(ZOO_RANDOM_LARGE, TEST_LEN, 2));
    stock_add(&b, "x", PAT_KIND_READS, zoo_make(ZOO_STRIDE1, TEST_LEN, 0));
    assert_int_equal(pat_items_match(&a.items, &b.items, &o, &rows, &len), LS_OK);
    assert_int_equal(len, 2);
    assert_true(rows[0].b == 1 && rows[0].distance == 0 && rows[1].b == 0);
    free(rows);
    stock_end(&a);
    stock_end(&b);
}

static void pat_nothing_matches_nothing(void **state)
{
    (void)state;
    struct stock a = {{0}, {{0}}}, b = {{0}, {{0}}};
    const struct pat_match_options o = {.within = 0.1};
    struct pat_match *rows;
    size_t len;
    assert_int_equal(pat_items_match(&a.items, &b.items, &o, &rows, &len), LS_OK);
    assert_int_equal(len, 0);
    free(rows);
    stock_add(&b, "x", PAT_KIND_READS, zoo_make(ZOO_STRIDE1, TEST_LEN, 0));
    assert_int_equal(pat_items_match(&a.items, &b.items, &o, &rows, &len), LS_OK);
    assert_true(len == 1 && rows[0].a == PAT_UNASSIGNED);
    free(rows);
    stock_end(&b);
}

/* Eight patterns of three sorts, the last two of one thread: the groups are the sorts, each with one member
 * as representative. */
static void pat_planted_groups_are_found(void **state)
{
    (void)state;
    static const enum zoo_kind sorts[] = {ZOO_WALK,         ZOO_RANDOM_LARGE, ZOO_WALK, ZOO_STENCIL,
                                          ZOO_RANDOM_LARGE, ZOO_WALK,         ZOO_WALK, ZOO_WALK};
    enum { N = sizeof(sorts) / sizeof(sorts[0]) };
    struct stock s = {{0}, {{0}}};
    struct pat_clusters c;
    for (size_t i = 0; i < N; i++) {
        stock_add(&s, "x", PAT_KIND_READS, zoo_make(sorts[i], 8 * TEST_LEN, i + 1));
        s.items.rows[i].threads = (uint32_t)i + 1;
        free(s.items.rows[i].thread);
        s.items.rows[i].thread = strdup((const char[]){(char)('0' + (i < N - 1 ? i : i - 1)), '\0'});
        s.items.rows[i].input = (uint32_t)i / 4;
        s.items.rows[i].share = 0.125;
    }
    assert_int_equal(pat_cluster(&s.items, 0.05, &c), LS_OK);
    assert_int_equal(c.groups_len, 3);
    for (size_t i = 0; i < N; i++) {
        const struct pat_group *g = &c.groups[c.group_of[i]];
        assert_true(sorts[g->representative] == sorts[i]);
        assert_true(c.distance[i] <= g->diameter && g->diameter <= 0.05);
    }
    assert_true(c.groups[0].members == 5 && c.groups[0].threads == 1 + 3 + 6 + 7 && c.groups[0].inputs == 2);
    assert_true(c.groups[1].members == 2 && c.groups[1].threads == 7 &&
                fabs(c.groups[1].share - 0.25) < 1e-12);
    assert_true(c.groups[2].members == 1 && c.groups[2].threads == 4 && c.groups[2].inputs == 1);
    assert_true(c.silhouette > 0.5);
    pat_clusters_fini(&c);
    assert_int_equal(pat_cluster(&s.items, 1, &c), LS_OK);
    assert_true(c.groups_len == 1 && isnan(c.silhouette));
    pat_clusters_fini(&c);
    stock_end(&s);
}

static void pat_no_items_have_no_groups(void **state)
{
    (void)state;
    struct pat_items none = {0};
    struct pat_clusters c;
    assert_int_equal(pat_cluster(&none, 0.05, &c), LS_OK);
    assert_int_equal(c.groups_len, 0);
    pat_clusters_fini(&c);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pat_assignment_costs_the_least),
        cmocka_unit_test(pat_groups_are_those_of_complete_linkage),
        cmocka_unit_test(pat_names_match_before_distances),
        cmocka_unit_test(pat_equal_names_are_reported_apart_by_distance),
        cmocka_unit_test(pat_nothing_matches_nothing),
        cmocka_unit_test(pat_planted_groups_are_found),
        cmocka_unit_test(pat_no_items_have_no_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
