/* SPDX-License-Identifier: BSD-3-Clause */
/* Patterns of incomplete sequences: parts, one thread of several, counts without an order. */
#include "tests/patterns/pat_program.h"
#include "tests/unit.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const struct pat_compact_options quiet = {.no_symbols = true};

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
        assert_int_equal(f->measures.part, 1600);
        pat_program_fini(&p);
    }
}

/* Four threads did the same; the indices are taken from one of them. */
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

/* Without a seed, all calls draw the same sequence. */
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

/* Memory was short and only counts are left. They decide the class, and no measure that needs the order is
 * printed. */
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
        assert_int_equal(f->config.count, 1); /* the drawn sequence is complete */
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

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kept_parts_are_extended_where_the_rest_is_alike),
        cmocka_unit_test(merged_threads_have_one_pattern),
        cmocka_unit_test(no_seed_is_seed_1),
        cmocka_unit_test(sequences_without_order_are_drawn_from_their_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
