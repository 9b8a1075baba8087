/* SPDX-License-Identifier: BSD-3-Clause */
/* The distance between patterns: the properties of a metric, independence from representation, and its terms
 * against slow code that follows the definitions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "patterns/pat_builder.h"
#include "patterns/compare/pat_compare.h"
#include "tests/patterns/pat_zoo.h"
#include "tests/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEST_LEN = 4096, TEST_BLOCK = 64 };

static struct pat_sketch sketch_walk(const struct pat_walk *w, size_t block_len)
{
    struct pat_blocks blocks;
    struct pat_sketch s;
    assert_int_equal(pat_blocks_read(w, block_len, 0, &blocks), LS_OK);
    assert_true(blocks.len > 0);
    pat_sketch_of(&blocks, &s);
    free(blocks.rows);
    return s;
}

static struct pat_sketch sketch_list(const struct pat_indices *p, size_t block_len)
{
    const struct pat_walk w = pat_walk_list(p, NULL, 0);
    return sketch_walk(&w, block_len);
}

static double distance_of(const struct pat_sketch *a, const struct pat_sketch *b)
{
    return pat_sketch_distance(a, b).total;
}

static void pat_distance_is_a_metric_on_features(void **state)
{
    (void)state;
    struct pat_sketch s[ZOO_KINDS];
    for (int i = 0; i < ZOO_KINDS; i++) {
        struct pat_indices p = zoo_make((enum zoo_kind)i, TEST_LEN, 7);
        s[i] = sketch_list(&p, TEST_BLOCK);
        free(p.data);
    }
    for (int i = 0; i < ZOO_KINDS; i++) {
        assert_true(distance_of(&s[i], &s[i]) == 0);
        for (int k = 0; k < ZOO_KINDS; k++) {
            const double d = distance_of(&s[i], &s[k]);
            assert_true(d == distance_of(&s[k], &s[i]));
            assert_true(d >= 0 && d <= 1);
            if (i != k) assert_true(d > 0.01); /* all are different */
            for (int m = 0; m < ZOO_KINDS; m++)
                assert_true(d <= distance_of(&s[i], &s[m]) + distance_of(&s[m], &s[k]) + 1e-12);
        }
    }
}

static void pat_terms_are_between_0_and_1_and_weights_sum_to_1(void **state)
{
    (void)state;
    double sum = 0;
    for (int t = 0; t < PAT_TERM_COUNT; t++)
        sum += pat_terms[t].weight;
    assert_true(fabs(sum - 1) < 1e-12);
    struct pat_indices one = zoo_make(ZOO_STRIDE1, TEST_LEN, 0),
                       other = zoo_make(ZOO_RANDOM_LARGE, TEST_LEN, 1);
    const struct pat_sketch a = sketch_list(&one, TEST_BLOCK), b = sketch_list(&other, TEST_BLOCK);
    const struct pat_distance_terms d = pat_sketch_distance(&a, &b);
    for (int t = 0; t < PAT_TERM_COUNT; t++)
        assert_true(d.terms[t] > 0.05 && d.terms[t] <= 1);
    free(one.data);
    free(other.data);
}

static void pat_position_of_an_array_does_not_matter(void **state)
{
    (void)state;
    static const int64_t shifts[] = {1, 3, 8, 511, -77, INT64_C(1) << 40};
    for (int i = 0; i < ZOO_FAR; i++) {
        struct pat_indices p = zoo_make((enum zoo_kind)i, TEST_LEN, 3),
                           q = zoo_make((enum zoo_kind)i, TEST_LEN, 3);
        const struct pat_sketch a = sketch_list(&p, TEST_BLOCK);
        for (size_t k = 0; k < sizeof(shifts) / sizeof(shifts[0]); k++) {
            for (size_t n = 0; n < q.len; n++)
                q.data[n] = p.data[n] + shifts[k];
            const struct pat_walk walks[] = {pat_walk_list(&p, NULL, 0), pat_walk_list(&q, NULL, 0)};
            const struct pat_sketch b = sketch_list(&q, TEST_BLOCK);
            assert_true(distance_of(&a, &b) == 0);
            assert_true(pat_walk_same(&walks[0], &walks[1]));
        }
        free(p.data);
        free(q.data);
    }
}

/* A suite of one configuration from Spatter's keys, "kernel=gather pattern=UNIFORM:8:1 count=4". */
static void config_from(const char *text, struct pat_suite *s)
{
    char words[256], *rest = words, *word;
    struct pat_builder b;
    assert_int_equal(pat_builder_init(&b), LS_OK);
    strcpy(words, text);
    while ((word = strtok_r(rest, " ", &rest)) != NULL) {
        char *const value = strchr(word, '=') + 1;
        const struct pat_key *key = pat_key_find(word, (size_t)(value - 1 - word));
        assert_non_null(key);
        const ls_err err = key->kind == PAT_VALUE_COUNT ? pat_builder_number(&b, key, value, strlen(value))
                                                        : pat_builder_text(&b, key, value, strlen(value));
        if (err != LS_OK) fail_msg("%s: %s", word, ls_last_error());
    }
    if (pat_builder_finish(&b, false, s) != LS_OK) fail_msg("%s: %s", text, ls_last_error());
}

static void pat_notation_does_not_matter(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        enum pat_side side;
    } rows[] = {
        {"kernel=gather pattern=UNIFORM:8:1 delta=8 count=512",
         "kernel=gather pattern=UNIFORM:4096:1 delta=0 count=1", PAT_SIDE_GATHER},
        {"kernel=scatter pattern=UNIFORM:16:3 delta=48 count=100",
         "kernel=scatter pattern=UNIFORM:4:3 delta=12 count=400", PAT_SIDE_SCATTER},
        {"kernel=gather pattern=0,5,1 delta=7 count=300",
         "kernel=gather pattern=0,5,1,7,12,8 delta=14 count=150", PAT_SIDE_GATHER},
        {"kernel=multigather pattern=0,10,20,30 pattern-gather=3,1,0 delta=2 count=200",
         "kernel=gather pattern=30,10,0 delta=2 count=200", PAT_SIDE_GATHER},
        {"kernel=gs pattern-gather=0,9 pattern-scatter=1,2 delta-gather=4 delta-scatter=3 count=200",
         "kernel=gather pattern=0,9,4,13 delta=8 count=100", PAT_SIDE_GATHER},
        {"kernel=gs pattern-gather=0,9 pattern-scatter=1,2 delta-gather=4 delta-scatter=3 count=200",
         "kernel=scatter pattern=1,2 delta=3 count=200", PAT_SIDE_SCATTER},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct pat_suite s = {0};
        struct pat_walk a, b;
        config_from(rows[i].a, &s);
        config_from(rows[i].b, &s);
        assert_int_equal(pat_walk_config(&s.rows[0], rows[i].side, &a), LS_OK);
        assert_int_equal(pat_walk_config(&s.rows[1], rows[i].side, &b), LS_OK);
        assert_true(a.len == b.len);
        assert_true(pat_walk_same(&a, &b));
        const size_t block_len = pat_block_len_for(&a);
        assert_true(block_len == pat_block_len_for(&b));
        const struct pat_sketch x = sketch_walk(&a, block_len), y = sketch_walk(&b, block_len);
        assert_true(distance_of(&x, &y) == 0);
        pat_suite_fini(&s);
    }
}

static void pat_different_accesses_are_never_the_same(void **state)
{
    (void)state;
    struct pat_indices p = zoo_make(ZOO_STENCIL, TEST_LEN, 0), q = zoo_make(ZOO_STENCIL, TEST_LEN, 0);
    const size_t breaks[] = {100}, other[] = {101};
    const struct pat_walk plain = pat_walk_list(&p, NULL, 0), first = pat_walk_list(&p, breaks, 1),
                          second = pat_walk_list(&p, other, 1);
    assert_false(pat_walk_same(&plain, &first));
    assert_false(pat_walk_same(&second, &first));
    assert_true(pat_walk_same(&first, &first));
    q.data[TEST_LEN - 1]++;
    const struct pat_walk changed = pat_walk_list(&q, NULL, 0);
    assert_false(pat_walk_same(&plain, &changed));
    free(p.data);
    free(q.data);
}

/* --- the terms, by their definitions --- */

/* Strides have one distance per lag, so that the transport is one step on the scale. */
static void pat_distance_of_strides_is_the_step_on_the_scale(void **state)
{
    (void)state;
    struct pat_indices p = zoo_make(ZOO_STRIDE1, TEST_LEN, 0), q = zoo_make(ZOO_STRIDE2, TEST_LEN, 0);
    const struct pat_sketch a = sketch_list(&p, 256), b = sketch_list(&q, 256);
    const double s[] = {1, log2(3), log2(5), log2(9), log2(17)}; /* sizes of 1, 2, 4, 8, 16 elements */
    const double ends = log2(1 + ldexp(1.125, 63)), whole = 2 * ends / (ends + 3);
    double expected = 0;
    for (int lag = 0; lag < 4; lag++)
        expected += (s[lag + 1] / (s[lag + 1] + 3) - s[lag] / (s[lag] + 3)) / 4 / whole;
    assert_true(fabs(pat_sketch_distance(&a, &b).terms[PAT_TERM_DISTANCES] - expected) < 1e-12);
    free(p.data);
    free(q.data);
}

static uint64_t naive_line(int64_t index, int64_t lowest, uint64_t shift, uint64_t elements)
{
    return ((uint64_t)index - (uint64_t)lowest + shift) / elements;
}

static int naive_between(const int64_t *x, size_t i, int64_t lowest, uint64_t shift)
{
    uint64_t seen[TEST_BLOCK];
    int n = 0;
    for (size_t k = i; k-- > 0;) {
        const uint64_t line = naive_line(x[k], lowest, shift, 8);
        if (line == naive_line(x[i], lowest, shift, 8)) return n;
        int m = 0;
        while (m < n && seen[m] != line)
            m++;
        if (m == n) seen[n++] = line;
    }
    return -1;
}

static size_t naive_units(const int64_t *x, size_t len, int64_t lowest, uint64_t shift, uint64_t elements)
{
    size_t n = 0;
    for (size_t i = 0; i < len; i++) {
        size_t k = 0;
        while (naive_line(x[k], lowest, shift, elements) != naive_line(x[i], lowest, shift, elements))
            k++;
        n += k == i;
    }
    return n;
}

static void naive_block(const int64_t *x, size_t len, double *reuse, double footprint[2],
                        double utilisation[2])
{
    int64_t lowest = x[0];
    for (size_t i = 0; i < len; i++)
        lowest = x[i] < lowest ? x[i] : lowest;
    const double distinct = (double)naive_units(x, len, lowest, 0, 1);
    for (uint64_t a = 0; a < 4; a++) {
        const double lines = (double)naive_units(x, len, lowest, 2 * a, 8);
        for (size_t i = 0; i < len; i++) {
            const int between = naive_between(x, i, lowest, 2 * a);
            const int bin = between < 0 ? PAT_REUSE_FIRST : between == 0 ? 0 : (int)log2(between) + 1;
            reuse[bin] += 0.25 / (double)len;
        }
        for (size_t i = 0; i < len; i += 16)
            footprint[0] += log2((double)naive_units(x + i, 16, lowest, 2 * a, 8)) / 4 * 16 / (double)len / 4;
        footprint[1] += log2(lines) / log2((double)len) / 4;
        utilisation[0] += distinct / (8 * lines) / 4;
        utilisation[1] += distinct / (512 * (double)naive_units(x, len, lowest, 128 * a, 512)) / 4;
    }
}

static void pat_block_features_are_those_of_the_definitions(void **state)
{
    (void)state;
    for (int kind = 0; kind < ZOO_FAR; kind++) {
        struct pat_indices p = zoo_make((enum zoo_kind)kind, TEST_BLOCK, 11);
        double reuse[PAT_REUSES] = {0}, footprint[2] = {0}, utilisation[2] = {0};
        struct pat_block b;
        pat_block_measure(p.data, p.len, 0, &b);
        naive_block(p.data, p.len, reuse, footprint, utilisation);
        for (int i = 0; i < PAT_REUSES; i++)
            assert_true(fabs(b.features[PAT_AT_REUSE + i] - reuse[i]) < 1e-9);
        for (int i = 0; i < 2; i++) {
            assert_true(fabs(b.features[PAT_AT_FOOTPRINT + i] - footprint[i]) < 1e-9);
            assert_true(fabs(b.features[PAT_AT_UTILISATION + i] - utilisation[i]) < 1e-9);
        }
        free(p.data);
    }
}

static void pat_bins_hold_their_distances_in_order(void **state)
{
    (void)state;
    assert_int_equal(pat_bin_of(INT64_MIN), 0);
    assert_int_equal(pat_bin_of(INT64_MAX), PAT_BINS - 2); /* less than the magnitude of INT64_MIN */
    assert_true(pat_bin_position(PAT_MAGNITUDES - 1) == 0);
    assert_true(fabs(pat_bin_position(pat_bin_of(1)) - 0.25) < 1e-12);
    assert_true(fabs(pat_bin_position(pat_bin_of(-7)) + 0.5) < 1e-12);
    for (size_t i = 1; i < PAT_BINS; i++)
        assert_true(pat_bin_position(i) > pat_bin_position(i - 1));
    for (int64_t d = -16; d <= 16; d++)
        assert_int_equal(pat_bin_of(d), PAT_MAGNITUDES - 1 + d);
    for (int64_t d = 16; d < INT64_MAX / 5 * 4; d += d / 7) {
        assert_true(pat_bin_of(d + d / 4 + 1) > pat_bin_of(d));
        assert_true(pat_bin_of(d) + pat_bin_of(-d) == 2 * (PAT_MAGNITUDES - 1));
    }
}

/* --- breaks and short sequences --- */

static void pat_nothing_is_measured_across_a_break(void **state)
{
    (void)state;
    enum { BURST = 32, BURSTS = 64 };
    struct pat_indices p = {malloc(BURST * BURSTS * sizeof(int64_t)), BURST * BURSTS};
    struct pat_indices whole = zoo_make(ZOO_STRIDE1, BURST * BURSTS, 0);
    size_t breaks[BURSTS - 1];
    for (size_t i = 0; i < p.len; i++) /* each burst runs by ones, somewhere else */
        p.data[i] = (int64_t)(i % BURST + i / BURST * 1000003);
    for (size_t i = 0; i + 1 < BURSTS; i++)
        breaks[i] = (i + 1) * BURST;
    const struct pat_walk bursts = pat_walk_list(&p, breaks, BURSTS - 1), joined = pat_walk_list(&p, NULL, 0);
    assert_int_equal(pat_block_len_for(&bursts), BURST);
    const struct pat_sketch a = sketch_walk(&bursts, BURST), b = sketch_list(&whole, BURST);
    const struct pat_distance_terms d = pat_sketch_distance(&a, &b);
    for (int t = 0; t < PAT_TERM_SPREAD; t++)
        assert_true(d.terms[t] < 1e-12);
    assert_true(d.terms[PAT_TERM_SPREAD] > 0.1);
    const struct pat_sketch c = sketch_walk(&joined, 128);
    const struct pat_sketch e = sketch_list(&whole, 128);
    assert_true(pat_sketch_distance(&c, &e).terms[PAT_TERM_DISTANCES] > 0.001);
    free(p.data);
    free(whole.data);
}

static void pat_short_sequences_compare_too(void **state)
{
    (void)state;
    struct pat_sketch s[12];
    for (size_t len = 1; len < 12; len++) {
        struct pat_indices p = zoo_make(ZOO_STRIDE2, len, 0);
        const struct pat_walk w = pat_walk_list(&p, NULL, 0);
        assert_int_equal(pat_block_len_for(&w), PAT_BLOCK_MIN);
        s[len] = sketch_walk(&w, PAT_BLOCK_MIN);
        assert_true(distance_of(&s[len], &s[len]) == 0);
        for (size_t k = 1; k < len; k++) {
            const double d = distance_of(&s[len], &s[k]);
            assert_true(d >= 0 && d <= 1 && d == distance_of(&s[k], &s[len]));
        }
        free(p.data);
    }
    /* lags that only one of them has are at distance 1 */
    assert_true(pat_sketch_distance(&s[1], &s[11]).terms[PAT_TERM_DISTANCES] == 1);
}

static void pat_long_sequences_are_seen_all_over(void **state)
{
    (void)state;
    struct pat_suite s = {0};
    struct pat_walk w, front;
    config_from("kernel=gather pattern=UNIFORM:16:1 delta=16 count=1000000000", &s);
    config_from("kernel=gather pattern=UNIFORM:16:1 delta=16 count=1000", &s);
    assert_int_equal(pat_walk_config(&s.rows[0], PAT_SIDE_GATHER, &w), LS_OK);
    assert_int_equal(pat_walk_config(&s.rows[1], PAT_SIDE_GATHER, &front), LS_OK);
    const struct pat_sketch a = sketch_walk(&w, 512), b = sketch_walk(&front, 512);
    const struct pat_distance_terms d = pat_sketch_distance(&a, &b);
    assert_true(d.terms[PAT_TERM_DISTANCES] < 1e-12);
    /* a uniform spread over n lines has a standard deviation of n / sqrt(12) */
    assert_true(fabs(a.spread * 32 - log2(2e9 / sqrt(12))) < 0.2);
    pat_suite_fini(&s);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pat_distance_is_a_metric_on_features),
        cmocka_unit_test(pat_terms_are_between_0_and_1_and_weights_sum_to_1),
        cmocka_unit_test(pat_position_of_an_array_does_not_matter),
        cmocka_unit_test(pat_notation_does_not_matter),
        cmocka_unit_test(pat_different_accesses_are_never_the_same),
        cmocka_unit_test(pat_distance_of_strides_is_the_step_on_the_scale),
        cmocka_unit_test(pat_block_features_are_those_of_the_definitions),
        cmocka_unit_test(pat_bins_hold_their_distances_in_order),
        cmocka_unit_test(pat_nothing_is_measured_across_a_break),
        cmocka_unit_test(pat_short_sequences_compare_too),
        cmocka_unit_test(pat_long_sequences_are_seen_all_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
