/* SPDX-License-Identifier: BSD-3-Clause */
/* Interleaved patterns: pieces of any size give the result of whole rows, a turn does exactly its number of
 * accesses, patterns of one array share one memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/ls_random.h"
#include "kernels/replay/kn_arrays.h"
#include "kernels/together/kn_cursor.h"
#include "kernels/together/kn_together.h"
#include "kernels/replay/kn_trial.h"
#include "tests/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CASES = 2000, LEN_MAX = 90, DELTAS_MAX = 30 };

static struct pat_indices list_of(size_t len)
{
    struct pat_indices p = {calloc(len, sizeof(*p.data)), len};
    assert_non_null(p.data);
    return p;
}

/* Irregular, or the same few indices again and again, a step apart. */
static void random_pattern(uint64_t *state, struct pat_indices *out)
{
    const size_t len = 1 + ls_random_below(state, LEN_MAX), fold = 1 + ls_random_below(state, 9);
    const bool folded = ls_random_below(state, 2);
    const int64_t step = (int64_t)ls_random_below(state, 20) - 10;
    *out = list_of(folded ? fold * (1 + len / fold) : len);
    for (size_t j = 0; j < out->len; j++)
        out->data[j] =
            folded && j >= fold ? out->data[j - fold] + step : (int64_t)ls_random_below(state, 200);
}

/* One step, runs of equal ones, or all different. */
static void random_deltas(uint64_t *state, struct pat_config *c)
{
    const uint64_t kind = ls_random_below(state, 3);
    c->delta = (int64_t)ls_random_below(state, 60) - 20;
    if (kind == 0) return;
    c->deltas = list_of(2 + ls_random_below(state, DELTAS_MAX));
    for (size_t i = 0; i < c->deltas.len; i++)
        c->deltas.data[i] =
            i % 8 && kind == 1 ? c->deltas.data[i - 1] : (int64_t)ls_random_below(state, 60) - 20;
}

static void random_config(uint64_t *state, struct pat_config *c)
{
    static const enum pat_kernel kernels[] = {PAT_GATHER, PAT_SCATTER, PAT_MULTIGATHER, PAT_MULTISCATTER};
    static const enum pat_operation operations[2][2] = {{PAT_OPERATION_REDUCE, PAT_OPERATION_CHASE},
                                                        {PAT_OPERATION_FILL, PAT_OPERATION_UPDATE}};
    const size_t kernel = ls_random_below(state, 4);
    assert_int_equal(pat_config_init(c), LS_OK);
    c->kernel = kernels[kernel];
    c->operation = operations[kernel % 2][ls_random_below(state, 2)];
    c->count = 1 + ls_random_below(state, 100);
    random_pattern(state, &c->pattern);
    random_deltas(state, c);
    if (kernel < 2) return;
    struct pat_indices *outer = kernel == 2 ? &c->gather : &c->scatter;
    *outer = list_of(1 + ls_random_below(state, LEN_MAX));
    for (size_t j = 0; j < outer->len; j++)
        outer->data[j] = (int64_t)ls_random_below(state, c->pattern.len);
}

/* All units of a share, some at a time. */
static void move_all(uint64_t *state, const struct kn_arrays *a, unsigned share, unsigned index_bits)
{
    struct kn_cursor c = kn_cursor_of(a, share, index_bits);
    assert_int_equal(c.units_all * c.unit_accesses,
                     (a->parts[share].end - a->parts[share].begin) * a->plan->len);
    for (uint64_t left = c.units_all; left;) {
        const uint64_t most = 1 + ls_random_below(state, ls_random_below(state, 4) ? 10 : 1000);
        const uint64_t units = most < left ? most : left;
        kn_cursor_move(&c, units);
        left -= units;
    }
    *a->parts[share].sum = c.piece.sum;
}

static void check_case(uint64_t *state)
{
    struct pat_config c;
    struct kn_plan plan;
    struct kn_arrays arena;
    struct kn_result r = {0};
    const struct kn_options o = {.element_bytes = ls_random_below(state, 4) ? 8 : 4};
    const unsigned index_bits = ls_random_below(state, 2) ? 32 : 64;
    random_config(state, &c);
    assert_int_equal(kn_plan_init(&plan, &c, &o, 1 + (unsigned)ls_random_below(state, 3)), LS_OK);
    assert_int_equal(kn_arrays_init(&arena, &plan, &kn_backend_serial, KN_PAGES_DEFAULT), LS_OK);
    assert_int_equal(kn_arrays_narrow(&arena), LS_OK);
    if (kn_chain_fits(&plan) && ls_random_below(state, 2)) kn_chain_link(&arena);
    for (unsigned share = 0; share < plan.threads; share++)
        move_all(state, &arena, share, index_bits);
    kn_validate(&arena, &r);
    if (!r.valid)
        print_error("kernel %s, operation %s: %s\n", pat_kernel_name(c.kernel),
                    pat_operation_name(c.operation), r.invalid);
    assert_true(r.valid);
    kn_arrays_fini(&arena);
    pat_config_fini(&c);
}

static void pieces_give_the_result_of_rows(void **unused)
{
    (void)unused;
    for (uint64_t i = 0; i < CASES; i++) {
        uint64_t state = i;
        check_case(&state);
    }
}

/* Two patterns as one share each; a cursor of each. */
struct side {
    struct pat_config config;
    struct kn_plan plan;
    struct kn_arrays arrays;
    struct kn_cursor cursor;
};

static void side_make(struct side *s, size_t len, uint64_t count, bool listed, bool fills)
{
    static const struct kn_options o = {.element_bytes = 8};
    uint64_t state = len + count;
    assert_int_equal(pat_config_init(&s->config), LS_OK);
    s->config.kernel = fills ? PAT_SCATTER : PAT_GATHER;
    s->config.operation = fills ? PAT_OPERATION_FILL : PAT_OPERATION_REDUCE;
    s->config.count = count;
    s->config.delta = 3;
    s->config.pattern = list_of(len);
    for (size_t j = 0; j < len; j++)
        s->config.pattern.data[j] = (int64_t)(listed     ? ls_random_below(&state, 1000)
                                              : len < 64 ? j * j
                                                         : 2 * j);
    assert_int_equal(kn_plan_init(&s->plan, &s->config, &o, 1), LS_OK);
    assert_int_equal(kn_arrays_init(&s->arrays, &s->plan, &kn_backend_serial, KN_PAGES_DEFAULT), LS_OK);
    assert_int_equal(kn_arrays_narrow(&s->arrays), LS_OK);
    s->cursor = kn_cursor_of(&s->arrays, 0, listed ? 32 : 64);
}

static void side_end(struct side *s)
{
    struct kn_result r = {0};
    *s->arrays.parts[0].sum = s->cursor.piece.sum;
    kn_validate(&s->arrays, &r);
    assert_true(r.valid);
    kn_arrays_fini(&s->arrays);
    pat_config_fini(&s->config);
}

static void a_pair_gives_the_results_of_both(void **unused)
{
    (void)unused;
    static const struct {
        size_t len[2];
        uint64_t count[2];
        bool listed, fills;
    } cases[] = {
        {{7, 1}, {900, 900}, false, true}, /* a stencil and its result */
        {{7, 1}, {900, 900}, false, false},
        {{500, 500}, {1, 1}, true, false}, /* a list, and a long row with a stride */
        {{500, 1}, {2, 1000}, true, true}, /* rows of one element */
        {{1, 500}, {500, 1}, false, false},
        {{1, 500}, {1500, 3}, false, true}, /* long rows of stores */
        {{500, 500}, {4, 4}, true, true},   /* whole rows at once */
        {{500, 500}, {4, 4}, false, true},
    };
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        struct side a, b;
        uint64_t state = c;
        side_make(&a, cases[c].len[0], cases[c].count[0], cases[c].listed, false);
        side_make(&b, cases[c].len[1], cases[c].count[1], false, cases[c].fills);
        assert_true(kn_cursors_pair(&a.cursor, &b.cursor));
        for (uint64_t left = a.cursor.units_all, n; left; left -= n) {
            n = 1 + ls_random_below(&state, ls_random_below(&state, 4) ? 90 : 2000);
            if (n > left) n = left;
            kn_cursor_move_pair(&a.cursor, &b.cursor, n);
        }
        b.cursor.units_all++;
        assert_false(kn_cursors_pair(&a.cursor, &b.cursor));
        side_end(&a);
        side_end(&b);
    }
}

/* A row of indices in no order, and rows of four that are regular. */
static void fill_config(struct pat_config *c, size_t len, uint64_t count, bool regular)
{
    uint64_t state = 5;
    assert_int_equal(pat_config_init(c), LS_OK);
    c->kernel = PAT_SCATTER;
    c->operation = PAT_OPERATION_FILL;
    c->count = count;
    c->delta = (int64_t)len;
    c->pattern = list_of(len);
    for (size_t j = 0; j < len; j++)
        c->pattern.data[j] = (int64_t)j;
    for (size_t j = len - 1; !regular && j > 0; j--) { /* Fisher and Yates */
        const size_t k = ls_random_below(&state, j + 1);
        const int64_t swapped = c->pattern.data[j];
        c->pattern.data[j] = c->pattern.data[k];
        c->pattern.data[k] = swapped;
    }
}

static size_t count_filled(const struct kn_arrays *a)
{
    size_t filled = 0;
    for (uint64_t e = 0; e < a->plan->to.elements; e++)
        filled += kn_arrays_get(a, &a->plan->to, (int64_t)e) !=
                  kn_value_bits(KN_SALT_SPARSE, (int64_t)e, a->plan->element_bytes);
    return filled;
}

static void a_turn_has_the_reported_number_of_accesses(void **unused)
{
    (void)unused;
    for (int regular = 0; regular < 2; regular++) {
        struct pat_config c;
        struct kn_plan plan;
        struct kn_arrays arena;
        const struct kn_options o = {0};
        fill_config(&c, regular ? 4 : 100, 50, regular);
        assert_int_equal(kn_plan_init(&plan, &c, &o, 1), LS_OK);
        assert_int_equal(kn_arrays_init(&arena, &plan, &kn_backend_serial, KN_PAGES_DEFAULT), LS_OK);
        struct kn_cursor cursor = kn_cursor_of(&arena, 0, 64);
        assert_int_equal(cursor.unit_accesses, regular ? 4 : 1);
        for (size_t done = 7; done < 50; done += 7) {
            kn_cursor_move(&cursor, 7);
            assert_int_equal(count_filled(&arena), done * cursor.unit_accesses);
        }
        kn_arrays_fini(&arena);
        pat_config_fini(&c);
    }
}

static void name_array(struct pat_config *c, const char *array, uint64_t first)
{
    c->array = strdup(array);
    assert_non_null(c->array);
    c->first = first;
}

static void patterns_of_one_array_have_one_memory(void **unused)
{
    (void)unused;
    enum { LEN = 4 };
    static const uint64_t firsts[LEN] = {100, 40, 0, 60};
    static const char *const arrays[LEN] = {"values", "values", "other", "values"};
    const struct kn_options o = {0};
    struct pat_config c[LEN];
    struct kn_session sessions[LEN];
    struct kn_shared_arrays shared;
    for (size_t k = 0; k < LEN; k++) {
        fill_config(&c[k], 8, 10, true);
        name_array(&c[k], arrays[k], firsts[k]);
        assert_int_equal(kn_session_init(&sessions[k], &c[k], &o, &kn_backend_serial, 1), LS_OK);
    }
    assert_int_equal(kn_shared_arrays_init(&shared, sessions, LEN, KN_PAGES_DEFAULT), LS_OK);
    const char *const base = kn_shared_arrays_part(&shared, 1)->base; /* the lowest */
    assert_ptr_equal(kn_shared_arrays_part(&shared, 0)->base, base + 60 * 8);
    assert_ptr_equal(kn_shared_arrays_part(&shared, 3)->base, base + 20 * 8);
    assert_null(kn_shared_arrays_part(&shared, 2)); /* alone in its array */
    kn_shared_arrays_fini(&shared);
    for (size_t k = 0; k < LEN; k++)
        pat_config_fini(&c[k]);
}

static void groups_run_and_are_correct(void **unused)
{
    (void)unused;
    enum { GROUPS = 60, LEN_OF_GROUP = 4 };
    for (uint64_t g = 0; g < GROUPS; g++) {
        const struct kn_options one = {.backend = "serial", .threads = 1, .runs = 1, .warmups_max = 1},
                                two = {.threads = 2, .runs = 1, .warmups_max = 1};
        struct kn_replay_need need;
        uint64_t state = 1000 + g, bytes = 0;
        struct pat_config rows[LEN_OF_GROUP];
        struct kn_result r;
        const size_t len = 1 + g % LEN_OF_GROUP;
        for (size_t k = 0; k < len; k++) {
            random_config(&state, &rows[k]);
            if (ls_random_below(&state, 2)) name_array(&rows[k], "shared", ls_random_below(&state, 100));
            bytes += pat_config_bytes(&rows[k], 8);
        }
        const bool has_two = kn_together_need(rows, len, &two, &need) == LS_OK;
        const struct kn_options *o = g % 2 && has_two ? &two : &one;
        const ls_err err = kn_together_run(rows, len, o, &r);
        if (err != LS_OK) print_error("group %u: %s\n", (unsigned)g, ls_last_error());
        assert_int_equal(err, LS_OK);
        if (!r.valid) print_error("group %u: %s\n", (unsigned)g, r.invalid);
        assert_true(r.valid);
        assert_int_equal(r.bytes, bytes);
        kn_result_fini(&r);
        for (size_t k = 0; k < len; k++)
            pat_config_fini(&rows[k]);
    }
}

static void configurations_that_cannot_be_interleaved_are_named(void **unused)
{
    (void)unused;
    const struct kn_options o = {.backend = "serial", .threads = 1, .runs = 1, .warmups_max = 1};
    struct pat_config rows[2];
    struct kn_result r;
    for (size_t k = 0; k < 2; k++) {
        fill_config(&rows[k], 8, 10, true);
        name_array(&rows[k], "values", 0);
    }
    rows[1].first = (uint64_t)INT64_MAX;
    assert_int_equal(kn_together_run(rows, 2, &o, &r), LS_ERR_RANGE);
    assert_non_null(strstr(ls_last_error(), "array values"));
    kn_result_fini(&r);
    rows[1].first = UINT64_C(1) << 60;
    assert_int_equal(kn_together_run(rows, 2, &o, &r), LS_ERR_RANGE);
    kn_result_fini(&r);
    rows[1].operation = PAT_OPERATION_COPY;
    assert_int_equal(kn_together_run(rows, 2, &o, &r), LS_ERR_UNSUPPORTED);
    assert_non_null(strstr(ls_last_error(), "configuration 1 copies"));
    kn_result_fini(&r);
    for (size_t k = 0; k < 2; k++)
        pat_config_fini(&rows[k]);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_give_the_result_of_rows),
        cmocka_unit_test(a_pair_gives_the_results_of_both),
        cmocka_unit_test(a_turn_has_the_reported_number_of_accesses),
        cmocka_unit_test(patterns_of_one_array_have_one_memory),
        cmocka_unit_test(groups_run_and_are_correct),
        cmocka_unit_test(configurations_that_cannot_be_interleaved_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
