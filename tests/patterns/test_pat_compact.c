/* SPDX-License-Identifier: BSD-3-Clause */
/* From sequences to patterns: forms, classes, shares, in sequences made by hand as the loops of known
 * programs make them. */
#include "patterns/pat_extent.h"
#include "tests/patterns/pat_program.h"

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
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* The configuration does what the program did, from its first element on; nothing lies below element 0. */
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

/* As a compiler takes two columns of a matrix at once: columns meet after many steps, which is no stencil. */
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

static void random_places_are_random(void **state)
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
    } cases[] = {{PAT_NONE, PAT_NONE, PAT_CLASS_RANDOM}, /* the addresses alone do not tell */
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

static void ragged_ends_are_told(void **state)
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

/* Bursts of a sweep over 100,000 elements, each broken off anywhere: count spans what was seen. */
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

/* The beginning of a long walk was kept; that the rest is like it is seen in the distances. */
static void kept_parts_are_extended_where_the_rest_is_alike(void **state)
{
    (void)state;
    for (int alike = 0; alike < 2; alike++) {
        struct pat_program p;
        pat_program_init(&p);
        struct pat_sequence *s = pat_program_sequence(&p);
        for (int64_t i = 0; i < 1600; i++)
            pat_program_put(s, 2 * i);
        s->accesses = 16000;
        s->is_whole = false;
        s->range_elements = 40000;
        s->distances = calloc(1, sizeof(*s->distances));
        s->distances[0] = (struct pat_distance){2, alike ? 15999 : 8000};
        s->distances_len = 1;
        const struct pat_found *f = pat_program_compact(&p, &quiet);
        assert_int_equal(f->form, PAT_FORM_PERIODIC);
        assert_int_equal(f->config.pattern.len * f->config.count, alike ? 16000 : 1600);
        assert_true(fabs(f->explained - (alike ? 1 : 0.1)) < 1e-12);
        pat_program_fini(&p);
    }
}

/* Four threads did the same; the indices are those of one of them. */
static void merged_threads_have_one_pattern(void **state)
{
    struct pat_program p;
    (void)state;
    pat_program_init(&p);
    struct pat_sequence *s = pat_program_sequence(&p);
    for (int64_t i = 0; i < 640; i++)
        pat_program_put(s, i);
    s->accesses *= 4;
    s->threads = 4;
    const struct pat_found *f = pat_program_compact(&p, &quiet);
    assert_int_equal(f->form, PAT_FORM_EXACT);
    assert_true(f->explained == 1);
    assert_int_equal(f->config.pattern.len * f->config.count, 640);
    assert_int_equal(f->accesses, 2560);
    pat_program_fini(&p);
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

/* Who names no seed draws what all others draw. */
static void no_seed_is_seed_1(void **state)
{
    (void)state;
    int64_t first[2][1000];
    for (uint64_t seed = 0; seed < 2; seed++) {
        const struct pat_compact_options o = {.no_symbols = true, .seed = seed};
        struct pat_program p;
        pat_program_init(&p);
        struct pat_sequence *s = pat_program_sequence(&p);
        s->accesses = 1000;
        s->is_whole = false;
        s->range_elements = 4000;
        const struct pat_found *f = pat_program_compact(&p, &o);
        assert_int_equal(f->form, PAT_FORM_SYNTHETIC);
        memcpy(first[seed], f->config.pattern.data, sizeof(first[seed]));
        pat_program_fini(&p);
    }
    assert_memory_equal(first[0], first[1], sizeof(first[0]));
}

/* Memory was short: what is left are counts. They decide the class, and nothing that needs the order is told.
 */
static void sequences_without_order_are_drawn_from_their_counts(void **state)
{
    static const struct {
        struct pat_distance distances[2];
        size_t len;
        uint64_t unique;
        enum pat_class class;
    } rows[] = {
        {{{3, 998}, {-7, 1}}, 2, 2, PAT_CLASS_UNIFORM},
        {{{0, 700}, {1, 299}}, 2, 2, PAT_CLASS_BROADCAST},
        {{{1, 500}, {90, 20}}, 2, 400, PAT_CLASS_MOSTLY_1},
        {{{5, 2}, {9, 2}}, 2, 900, PAT_CLASS_RANDOM},
        {{{0, 0}}, 0, 0, PAT_CLASS_COMPLEX}, /* nothing is known */
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct pat_program p;
        pat_program_init(&p);
        struct pat_sequence *s = pat_program_sequence(&p);
        s->accesses = 1000;
        s->is_whole = false;
        s->range_elements = i % 2 ? 4000 : 0; /* 0: not known, but 500 lines hold as many */
        s->lines = 500;
        s->distances = calloc(2, sizeof(*s->distances));
        memcpy(s->distances, rows[i].distances, sizeof(rows[i].distances));
        s->distances_len = rows[i].len;
        s->distances_unique = rows[i].unique;
        const struct pat_found *f = pat_program_compact(&p, &quiet);
        assert_int_equal(f->form, PAT_FORM_SYNTHETIC);
        assert_int_equal(f->config.pattern.len, 1000);
        assert_int_equal(f->config.count, 1); /* what was drawn is all of it */
        assert_int_equal(f->config.delta, 0);
        assert_int_equal(f->class, rows[i].class);
        const struct pat_indices *drawn = &f->config.pattern;
        int64_t highest = 0;
        for (size_t k = 0; k < drawn->len; k++)
            if (drawn->data[k] > highest) highest = drawn->data[k];
        assert_in_range(highest, 1, 3999);
        assert_true(isnan(f->measures.spatial) && isnan(f->measures.line_utilisation));
        assert_int_equal(isnan(f->measures.delta_entropy_bits) != 0, rows[i].len == 0);
        assert_int_equal(f->measures.footprint_bytes, 500 * 64);
        pat_program_fini(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stream_is_exact_and_uniform),
        cmocka_unit_test(descending_and_strided_walks_are_uniform),
        cmocka_unit_test(the_same_element_again_is_broadcast),
        cmocka_unit_test(five_points_on_a_grid_are_a_stencil),
        cmocka_unit_test(twenty_seven_points_are_a_stencil),
        cmocka_unit_test(columns_of_a_matrix_are_uniform),
        cmocka_unit_test(columns_taken_two_at_once_are_uniform),
        cmocka_unit_test(rows_with_gaps_are_mostly_stride_1),
        cmocka_unit_test(random_places_are_random),
        cmocka_unit_test(irregular_walks_are_complex),
        cmocka_unit_test(skewed_walks_are_complex),
        cmocka_unit_test(chase_needs_its_own_value_as_address),
        cmocka_unit_test(ragged_ends_are_told),
        cmocka_unit_test(bursts_become_one_period),
        cmocka_unit_test(bursts_without_period_are_pieces),
        cmocka_unit_test(long_ones_are_cut_or_drawn),
        cmocka_unit_test(kept_parts_are_extended_where_the_rest_is_alike),
        cmocka_unit_test(merged_threads_have_one_pattern),
        cmocka_unit_test(sequences_of_one_access_or_none_are_fine),
        cmocka_unit_test(sequences_without_order_are_drawn_from_their_counts),
        cmocka_unit_test(no_seed_is_seed_1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
