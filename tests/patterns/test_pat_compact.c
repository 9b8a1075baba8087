/* SPDX-License-Identifier: BSD-3-Clause */
/* From sequences to patterns: forms, classes, shares, in hand-written sequences like those of loops in known
 * programs. */
#include "patterns/pat_extent.h"
#include "patterns/write/pat_writers.h"
#include "tests/patterns/pat_program.h"
#include "tests/unit.h"
#include "tests/xorshift.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static uint64_t random_state;

static uint64_t next_random(void)
{
    return xorshift(&random_state);
}

/* Access by access nothing is left out, neither before the first round nor after the last. */
static void assert_whole(const struct pat_found *f, const struct pat_sequence *s)
{
    struct pat_indices all;
    int64_t low = INT64_MAX;
    assert_int_equal(pat_whole(f, 1 << 22, &all), LS_OK);
    assert_int_equal(all.len, s->indices.len);
    for (size_t i = 0; i < all.len; i++)
        if (s->indices.data[i] < low) low = s->indices.data[i];
    for (size_t i = 0; i < all.len; i++)
        assert_int_equal(all.data[i], s->indices.data[i] - low);
    free(all.data);
}

/* The configuration makes the accesses of the program, from its first element on; nothing is below element
 * 0. */
static void assert_replays(const struct pat_found *f, const struct pat_sequence *s)
{
    struct pat_extent e;
    size_t at = f->prologue;
    assert_int_equal(pat_extent_of(&f->config, PAT_SIDE_GATHER, &e), LS_OK);
    assert_int_equal(e.low, 0);
    for (uint64_t i = 0; i < f->config.count; i++)
        for (size_t j = 0; j < f->config.pattern.len; j++, at++)
            assert_int_equal(f->first_element + pat_base(f->config.delta, &f->config.deltas, i) +
                                 f->config.pattern.data[j],
                             s->indices.data[at]);
    assert_int_equal(at + f->epilogue, s->indices.len);
    assert_whole(f, s);
}

static const struct pat_compact_options quiet = {.no_symbols = true};

static void check(struct pat_program *p, enum pat_form form, enum pat_class class)
{
    const struct pat_found *f = pat_program_compact(p, &quiet);
    assert_string_equal(pat_form_name(f->form), pat_form_name(form));
    assert_string_equal(pat_class_name(f->class), pat_class_name(class));
    assert_replays(f, &p->rows[0]);
    pat_program_fini(p);
}

static void a_stream_is_exact_and_uniform(void **state)
{
    struct pat_program p;
    (void)state;
    pat_program_init(&p);
    struct pat_sequence *s = pat_program_sequence(&p);
    for (int64_t i = 0; i < 4096; i++)
        pat_program_put(s, 100 + i);
    const struct pat_found *f = pat_program_compact(&p, &quiet);
    assert_int_equal(f->form, PAT_FORM_EXACT);
    assert_int_equal(f->class, PAT_CLASS_UNIFORM);
    assert_int_equal(f->stride, 1);
    assert_int_equal(f->first_element, 100);
    assert_int_equal(f->config.kernel, PAT_GATHER);
    assert_int_equal(f->config.pattern.len, 16);
    assert_int_equal(f->config.delta, 16);
    assert_int_equal(f->config.count, 256);
    assert_true(f->explained == 1);
    assert_true(f->measures.spatial > 0.99);
    assert_replays(f, s);
    pat_program_fini(&p);
}

static void descending_and_strided_walks_are_uniform(void **state)
{
    static const int64_t strides[] = {-1, -24, 3, 512};
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct pat_program p;
        pat_program_init(&p);
        struct pat_sequence *s = pat_program_sequence(&p);
        for (int64_t k = 0; k < 1024; k++)
            pat_program_put(s, 40000 + k * strides[i]);
        assert_int_equal(pat_program_compact(&p, &quiet)->stride, strides[i]);
        pat_findings_fini(&p.found);
        check(&p, PAT_FORM_EXACT, PAT_CLASS_UNIFORM);
    }
}

/* for (i) for (k) y[i] += A[i * n + k] * x[k]; the load of y[i] */
static void the_same_element_again_is_broadcast(void **state)
{
    struct pat_program p;
    (void)state;
    pat_program_init(&p);
    struct pat_sequence *s = pat_program_sequence(&p);
    for (int64_t i = 0; i < 200; i++)
        for (int k = 0; k < 30; k++)
            pat_program_put(s, i);
    check(&p, PAT_FORM_EXACT, PAT_CLASS_BROADCAST);
}

static void five_points_on_a_grid_are_a_stencil(void **state)
{
    static const int64_t points[] = {-100, -1, 0, 1, 100};
    struct pat_program p;
    (void)state;
    pat_program_init(&p);
    struct pat_sequence *s = pat_program_sequence(&p);
    for (int64_t y = 1; y < 59; y++)
        for (int64_t x = 1; x < 99; x++)
            for (int i = 0; i < 5; i++)
                pat_program_put(s, y * 100 + x + points[i]);
    check(&p, PAT_FORM_EXACT, PAT_CLASS_STENCIL);
}

static void twenty_seven_points_are_a_stencil(void **state)
{
    struct pat_program p;
    (void)state;
    pat_program_init(&p);
    struct pat_sequence *s = pat_program_sequence(&p);
    for (int64_t z = 1; z < 9; z++)
        for (int64_t y = 1; y < 19; y++)
            for (int64_t x = 1; x < 29; x++)
                for (int64_t i = 0; i < 27; i++)
                    pat_program_put(s, ((z + i / 9 - 1) * 20 + y + i / 3 % 3 - 1) * 30 + x + i % 3 - 1);
    check(&p, PAT_FORM_EXACT, PAT_CLASS_STENCIL);
}

/* A whole row of addresses is the period: the class is still that of each address; also where its row is
 * left out. */
static void points_along_long_rows_are_a_stencil(void **state)
{
    static const int64_t points[] = {-40, 40, -1520, 1520, 0, -1, 1};
    static const int numbers[] = {7, 4};
    (void)state;
    for (int k = 0; k < 2; k++) {
        struct pat_program p;
        pat_program_init(&p);
        struct pat_sequence *s = pat_program_sequence(&p);
        for (int64_t z = 1; z < 26; z++)
            for (int64_t y = 1; y < 37; y++)
                for (int64_t x = 1; x < 39; x++)
                    for (int i = 0; i < numbers[k]; i++)
                        pat_program_put(s, (z * 38 + y) * 40 + x + points[i]);
        check(&p, PAT_FORM_EXACT, PAT_CLASS_STENCIL);
    }
}

/* A stencil in vectors of two, two of them at a time: each row reaches the positions of the next one. */
static void vectors_of_a_stencil_are_one(void **state)
{
    static const int64_t one[] = {120, 119, 121, 0, 240}, two[] = {119, 120, 121, 122, 123, 0, 2, 240, 242};
    static const struct {
        const int64_t *points;
        int len, step;
    } kinds[] = {{one, 5, 2}, {two, 9, 4}};
    (void)state;
    for (int k = 0; k < 2; k++) {
        struct pat_program p;
        pat_program_init(&p);
        struct pat_sequence *s = pat_program_sequence(&p);
        p.sites[s->site].size_bytes = 16;
        for (int64_t y = 0; y < 118; y++)
            for (int64_t x = 0; x + kinds[k].step <= 118; x += kinds[k].step)
                for (int i = 0; i < kinds[k].len; i++)
                    pat_program_put(s, y * 120 + x + kinds[k].points[i]);
        check(&p, PAT_FORM_EXACT, PAT_CLASS_STENCIL);
    }
}

/* Four rows at a time: no element is touched twice. */
static void rows_taken_four_at_once_are_no_stencil(void **state)
{
    struct pat_program p;
    (void)state;
    pat_program_init(&p);
    struct pat_sequence *s = pat_program_sequence(&p);
    for (int64_t y = 0; y < 96; y += 4)
        for (int64_t x = 0; x < 100; x++)
            for (int i = 0; i < 4; i++)
                pat_program_put(s, (y + i) * 100 + x);
    check(&p, PAT_FORM_EXACT, PAT_CLASS_COMPLEX);
}

/* rowptr[i] and rowptr[i + 1]: no element has three points. */
static void pairs_that_meet_are_mostly_stride_1(void **state)
{
    struct pat_program p;
    (void)state;
    pat_program_init(&p);
    struct pat_sequence *s = pat_program_sequence(&p);
    for (int64_t row = 0; row < 60; row++)
        for (int64_t i = 0; i < 200; i++)
            pat_program_put(s, row * 1000 + i / 2 + i % 2);
    check(&p, PAT_FORM_EXACT, PAT_CLASS_MOSTLY_1);
}

/* B[k * n + j] of a matrix product: columns. */
static void columns_of_a_matrix_are_uniform(void **state)
{
    struct pat_program p;
    (void)state;
    pat_program_init(&p);
    struct pat_sequence *s = pat_program_sequence(&p);
    for (int64_t i = 0; i < 20; i++)
        for (int64_t j = 0; j < 40; j++)
            for (int64_t k = 0; k < 40; k++)
                pat_program_put(s, k * 40 + j);
    check(&p, PAT_FORM_EXACT, PAT_CLASS_UNIFORM);
}

/* Two columns of a matrix at once, as a compiler generates them: columns reach each other's positions after
 * many steps, so this is no stencil. */
static void columns_taken_two_at_once_are_uniform(void **state)
{
    struct pat_program p;
    (void)state;
    pat_program_init(&p);
    struct pat_sequence *s = pat_program_sequence(&p);
    for (int64_t row = 0; row < 4; row++)
        for (int64_t column = 0; column < 96; column += 2)
            for (int64_t k = 0; k < 96; k++)
                pat_program_put(s, 96 * k + column);
    const struct pat_found *f = pat_program_compact(&p, &quiet);
    assert_int_equal(f->class, PAT_CLASS_UNIFORM);
    assert_int_equal(f->stride, 96);
    assert_replays(f, s);
    pat_program_fini(&p);
}

static void rows_with_gaps_are_mostly_stride_1(void **state)
{
    struct pat_program p;
    (void)state;
    pat_program_init(&p);
    struct pat_sequence *s = pat_program_sequence(&p);
    for (int64_t row = 0; row < 100; row++)
        for (int64_t i = 0; i < 7; i++)
            pat_program_put(s, row * 20 + i);
    check(&p, PAT_FORM_EXACT, PAT_CLASS_MOSTLY_1);
}

static void random_elements_are_random(void **state)
{
    struct pat_program p;
    (void)state;
    pat_program_init(&p);
    struct pat_sequence *s = pat_program_sequence(&p);
    random_state = 1;
    for (int64_t i = 0; i < 5000; i++)
        pat_program_put(s, (int64_t)(next_random() % 100000));
    check(&p, PAT_FORM_FULL, PAT_CLASS_RANDOM);
}

/* The same random elements again and again: the number of repetitions does not change the class. A short list
 * of elements is a shape. */
static void random_elements_that_come_again_are_random(void **state)
{
    (void)state;
    for (int64_t len = 500; len <= 5000; len += 4500) {
        struct pat_program p;
        pat_program_init(&p);
        struct pat_sequence *s = pat_program_sequence(&p);
        for (int round = 0; round < 5; round++) {
            random_state = 1;
            for (int64_t i = 0; i < len; i++)
                pat_program_put(s, (int64_t)(next_random() % 100000));
        }
        check(&p, PAT_FORM_EXACT, len > 1024 ? PAT_CLASS_RANDOM : PAT_CLASS_COMPLEX);
    }
}

/* Few distances in no order: a walk that turns. */
static void irregular_walks_are_complex(void **state)
{
    static const int64_t steps[] = {3, 3, 7, -5};
    struct pat_program p;
    int64_t at = 20000;
    (void)state;
    pat_program_init(&p);
    struct pat_sequence *s = pat_program_sequence(&p);
    random_state = 2;
    for (int64_t i = 0; i < 5000; i++)
        pat_program_put(s, at += steps[next_random() % 4]);
    check(&p, PAT_FORM_FULL, PAT_CLASS_COMPLEX);
}

/* Many distances, but not evenly many: each is three quarters as frequent as the one before. */
static void skewed_walks_are_complex(void **state)
{
    struct pat_program p;
    int64_t at = 0;
    (void)state;
    pat_program_init(&p);
    struct pat_sequence *s = pat_program_sequence(&p);
    random_state = 9;
    for (int64_t i = 0; i < 5000; i++) {
        int64_t step = 2;
        while (next_random() % 100 < 76)
            step += 5;
        pat_program_put(s, at += step);
    }
    check(&p, PAT_FORM_FULL, PAT_CLASS_COMPLEX);
}

static void chase_needs_its_own_value_as_address(void **state)
{
    static const struct {
        uint32_t site, home;
        enum pat_class class;
    } cases[] = {{PAT_NONE, PAT_NONE, PAT_CLASS_RANDOM}, /* the addresses alone do not show it */
                 {0, 0, PAT_CLASS_CHASE},
                 {1, 0, PAT_CLASS_CHASE},
                 {1, 1, PAT_CLASS_RANDOM}};
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct pat_program p;
        pat_program_init(&p);
        struct pat_sequence *s = pat_program_sequence(&p);
        s->index_site = cases[i].site;
        s->index_home = cases[i].home;
        random_state = 3;
        for (int64_t k = 0; k < 3000; k++)
            pat_program_put(s, (int64_t)(next_random() % 100000));
        check(&p, PAT_FORM_FULL, cases[i].class);
    }
}

static void ragged_ends_are_reported_and_kept(void **state)
{
    struct pat_program p;
    (void)state;
    pat_program_init(&p);
    struct pat_sequence *s = pat_program_sequence(&p);
    for (int64_t i = 0; i < 10007; i++) /* a prime: no row of 8 to 16 divides it */
        pat_program_put(s, i * 3);
    const struct pat_found *f = pat_program_compact(&p, &quiet);
    assert_int_equal(f->form, PAT_FORM_PERIODIC);
    assert_int_equal(f->config.pattern.len, 16);
    assert_int_equal(f->epilogue, 7);
    assert_true(fabs(f->explained - 10000.0 / 10007) < 1e-12);
    assert_replays(f, s);
    pat_program_fini(&p);
}

/* The first 90 and the last 50 accesses do not repeat. A limit cuts the stored ends. */
static void accesses_before_and_after_the_period_are_kept(void **state)
{
    static const size_t limits[] = {0, 4000, 40};
    (void)state;
    for (size_t k = 0; k < sizeof(limits) / sizeof(limits[0]); k++) {
        const struct pat_compact_options o = {.no_symbols = true, .pattern_max = limits[k]};
        struct pat_program p;
        pat_program_init(&p);
        struct pat_sequence *s = pat_program_sequence(&p);
        random_state = 11;
        for (int i = 0; i < 90; i++)
            pat_program_put(s, (int64_t)(next_random() % 100000));
        for (int64_t i = 0; i < 4096; i++)
            pat_program_put(s, 1000 + i / 4 * 100 + (i % 4) * (i % 4));
        for (int i = 0; i < 50; i++)
            pat_program_put(s, (int64_t)(next_random() % 100000));
        const struct pat_found *f = pat_program_compact(&p, &o);
        assert_int_equal(f->form, PAT_FORM_PERIODIC);
        assert_in_range(f->prologue, 80, 90);
        assert_in_range(f->epilogue, 50, 60);
        assert_int_equal(f->head.len, limits[k] == 40 ? 40 : f->prologue);
        assert_int_equal(f->tail.len, limits[k] ? 0 : f->epilogue);
        if (!limits[k]) assert_replays(f, s);
        pat_program_fini(&p);
    }
}

/* Bursts of a sweep over 100,000 elements, each broken off anywhere: count spans the observed elements. */
static void bursts_become_one_period(void **state)
{
    const struct pat_compact_options sampled = {.no_symbols = true, .is_sampled = true};
    struct pat_program p;
    (void)state;
    pat_program_init(&p);
    struct pat_sequence *s = pat_program_sequence(&p);
    random_state = 4;
    for (int64_t burst = 0; burst < 200; burst++) {
        if (burst) pat_program_break(s);
        for (int64_t i = burst * 500; i < burst * 500 + 40 + (int64_t)(next_random() % 30); i++)
            pat_program_put(s, 5 + i / 3 * 4 + i % 3);
    }
    const struct pat_found *f = pat_program_compact(&p, &sampled);
    assert_int_equal(f->form, PAT_FORM_PERIODIC);
    assert_int_equal(f->class, PAT_CLASS_MOSTLY_1);
    assert_true(f->explained == 1);
    assert_int_equal(f->config.pattern.len, 15);
    assert_int_equal(f->config.delta, 20);
    const uint64_t span = (uint64_t)(s->indices.data[s->indices.len - 1] - 5 + 1);
    assert_in_range(f->config.count * 20, span - 20, span);
    assert_int_equal(f->first_element, 5);
    pat_program_fini(&p);
}

static void bursts_without_period_are_pieces(void **state)
{
    const struct pat_compact_options sampled = {.no_symbols = true, .is_sampled = true};
    struct pat_program p;
    (void)state;
    pat_program_init(&p);
    struct pat_sequence *s = pat_program_sequence(&p);
    random_state = 5;
    for (int64_t i = 0; i < 3000; i++) {
        if (i && i % 60 == 0) pat_program_break(s);
        pat_program_put(s, (int64_t)(next_random() % 100000));
    }
    const struct pat_found *f = pat_program_compact(&p, &sampled);
    assert_int_equal(f->form, PAT_FORM_PIECES);
    assert_int_equal(f->class, PAT_CLASS_RANDOM);
    assert_replays(f, s);
    pat_program_fini(&p);
}

static void long_ones_are_cut_or_drawn(void **state)
{
    const struct pat_compact_options brief = {.no_symbols = true, .pattern_max = 1000, .seed = 7};
    (void)state;
    for (int drawn = 0; drawn < 2; drawn++) {
        struct pat_program p;
        pat_program_init(&p);
        struct pat_sequence *s = pat_program_sequence(&p);
        random_state = 6;
        for (int64_t i = 0; i < 20000; i++) /* in few lines, or in ever new ones */
            pat_program_put(s, (int64_t)(next_random() % (drawn ? 1000000 : 4000)));
        s->range_elements = drawn ? 1000000 : 4000;
        const struct pat_found *f = pat_program_compact(&p, &brief);
        assert_int_equal(f->form, drawn ? PAT_FORM_SYNTHETIC : PAT_FORM_PREFIX);
        assert_int_equal(f->config.pattern.len, 1000);
        assert_int_equal(f->config.count, 1);
        assert_true(f->explained == (drawn ? 0 : 0.05));
        for (size_t i = 0; i < 1000; i++) {
            const int64_t index = f->first_element + f->config.pattern.data[i];
            assert_in_range(index, 0, s->range_elements - 1);
            if (!drawn) assert_int_equal(index, s->indices.data[i]);
        }
        pat_program_fini(&p);
    }
}

static void sequences_of_one_access_or_none_are_fine(void **state)
{
    (void)state;
    for (int64_t len = 0; len < 5; len++) {
        struct pat_program p;
        pat_program_init(&p);
        struct pat_sequence *s = pat_program_sequence(&p);
        for (int64_t i = 0; i < len; i++)
            pat_program_put(s, 7 + i);
        const struct pat_found *f = pat_program_compact(&p, &quiet);
        assert_true(f->config.pattern.len >= 1 && f->config.count >= 1);
        if (len) assert_replays(f, s);
        pat_program_fini(&p);
    }
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stream_is_exact_and_uniform),
        cmocka_unit_test(descending_and_strided_walks_are_uniform),
        cmocka_unit_test(the_same_element_again_is_broadcast),
        cmocka_unit_test(five_points_on_a_grid_are_a_stencil),
        cmocka_unit_test(twenty_seven_points_are_a_stencil),
        cmocka_unit_test(points_along_long_rows_are_a_stencil),
        cmocka_unit_test(vectors_of_a_stencil_are_one),
        cmocka_unit_test(rows_taken_four_at_once_are_no_stencil),
        cmocka_unit_test(pairs_that_meet_are_mostly_stride_1),
        cmocka_unit_test(columns_of_a_matrix_are_uniform),
        cmocka_unit_test(columns_taken_two_at_once_are_uniform),
        cmocka_unit_test(rows_with_gaps_are_mostly_stride_1),
        cmocka_unit_test(random_elements_are_random),
        cmocka_unit_test(random_elements_that_come_again_are_random),
        cmocka_unit_test(irregular_walks_are_complex),
        cmocka_unit_test(skewed_walks_are_complex),
        cmocka_unit_test(chase_needs_its_own_value_as_address),
        cmocka_unit_test(ragged_ends_are_reported_and_kept),
        cmocka_unit_test(accesses_before_and_after_the_period_are_kept),
        cmocka_unit_test(bursts_become_one_period),
        cmocka_unit_test(bursts_without_period_are_pieces),
        cmocka_unit_test(long_ones_are_cut_or_drawn),
        cmocka_unit_test(sequences_of_one_access_or_none_are_fine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
