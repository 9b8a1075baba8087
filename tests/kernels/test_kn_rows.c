/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows as inner loops: each row touches its elements, in the order of the pattern, alone or with a second pattern. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/ls_random.h"
#include "kernels/replay/kn_trial.h"
#include "kernels/together/kn_rows.h"
#include "kernels/together/kn_together.h"
#include "tests/unit.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 300, ROW_MAX = 9, LIST_MIN = 20 };

/* A pattern with rows, as one share. */
struct side {
    struct pat_config config;
    struct kn_session session;
    const struct kn_row_role *role;
    struct kn_cursor cursor;
    uint64_t done; /* accesses */
};

enum { ROLES_MAX = 4 };
static struct kn_row_role roles[ROLES_MAX];
static size_t roles_len, sides_open;

static struct pat_indices list_of(size_t len)
{
    struct pat_indices p = {calloc(len, sizeof(*p.data)), len};
    assert_non_null(p.data);
    return p;
}

/* Lengths from none on, or as in like. Return their sum. */
static uint64_t set_rows(uint64_t *state, struct pat_config *c, const struct pat_config *like, uint64_t most)
{
    uint64_t sum = 0;
    c->row_lengths = list_of(ROWS);
    for (size_t i = 0; i < ROWS; i++) {
        c->row_lengths.data[i] = like ? like->row_lengths.data[i] : (int64_t)ls_random_below(state, most + 1);
        sum += (uint64_t)c->row_lengths.data[i];
    }
    return sum;
}

static void config_of(struct side *s, enum pat_operation does)
{
    const bool loads = does == PAT_OPERATION_REDUCE;
    assert_int_equal(pat_config_init(&s->config), LS_OK);
    s->config.kernel = loads ? PAT_GATHER : PAT_SCATTER;
    s->config.operation = does;
    s->done = 0;
}

/* A list with rows; the elements of a list that is filled are all different. */
static void config_list(struct side *s, uint64_t *state, enum pat_operation does, uint64_t most)
{
    config_of(s, does);
    const uint64_t len = set_rows(state, &s->config, NULL, most);
    assert_true(len > LIST_MIN);
    s->config.count = 1;
    s->config.pattern = list_of(len);
    for (uint64_t j = 0; j < len; j++)
        s->config.pattern.data[j] =
            does == PAT_OPERATION_FILL ? (int64_t)(j * 7919 % len) : (int64_t)ls_random_below(state, 500);
}

/* An element after another, with the rows of like; by rows of one element or by one long row. */
static void config_strided(struct side *s, uint64_t *state, const struct pat_config *like, bool is_long)
{
    config_of(s, PAT_OPERATION_REDUCE);
    const uint64_t len = set_rows(state, &s->config, like, 0);
    s->config.pattern = list_of(is_long ? len : 1);
    for (size_t j = 0; is_long && j < len; j++)
        s->config.pattern.data[j] = 2 * (int64_t)j;
    s->config.count = is_long ? 1 : len;
    s->config.delta = 3;
}

static void begin(struct side *s, unsigned element_bytes, unsigned index_bits)
{
    static struct kn_options o;
    o = (struct kn_options){.element_bytes = element_bytes, .index_bits = index_bits};
    assert_int_equal(kn_session_init(&s->session, &s->config, &o, &kn_backend_serial, 1), LS_OK);
    assert_int_equal(kn_session_fill(&s->session, NULL), LS_OK);
    assert_int_equal(kn_arrays_narrow(&s->session.arrays), LS_OK);
    assert_int_equal(kn_row_role_init(&s->session, roles, roles_len), LS_OK);
    s->role = &roles[roles_len++];
    sides_open++;
    s->cursor = kn_cursor_of(&s->session.arrays, 0, index_bits);
}

static void end(struct side *s)
{
    struct kn_result r = {0};
    *s->session.arrays.parts[0].sum = s->cursor.piece.sum;
    kn_validate(&s->session.arrays, &r);
    if (!r.valid) print_error("%s\n", r.invalid);
    assert_true(r.valid);
    kn_arrays_fini(&s->session.arrays);
    pat_config_fini(&s->config);
    if (--sides_open) return;
    kn_row_roles_fini(roles, roles_len);
    roles_len = 0;
}

/* The element of access k. */
static int64_t element_of(const struct side *s, uint64_t k)
{
    const struct pat_config *c = &s->config;
    return c->pattern.data[k % c->pattern.len] + (int64_t)(k / c->pattern.len) * c->delta;
}

/* Sum the elements of the accesses of row i. */
static uint64_t sum_of_row(struct side *s, size_t i)
{
    uint64_t sum = 0;
    for (int64_t n = s->config.row_lengths.data[i]; n > 0; n--)
        sum += kn_arrays_get(&s->session.arrays, &s->session.plan.from, element_of(s, s->done++));
    return sum;
}

static void check_sum(struct side *s, size_t row, uint64_t *sum)
{
    const uint64_t mask = s->session.plan.element_bytes == 8 ? UINT64_MAX : UINT32_MAX;
    *sum = (*sum + sum_of_row(s, row)) & mask;
    assert_int_equal(s->cursor.piece.sum, *sum);
}

/* The elements of row i, and no others, are filled by now. */
static void check_filled(struct side *s, size_t row)
{
    const struct kn_arrays *a = &s->session.arrays;
    const unsigned bytes = s->session.plan.element_bytes;
    s->done += (uint64_t)s->config.row_lengths.data[row];
    for (uint64_t k = 0; k < s->config.pattern.len; k++) {
        const bool is_filled =
            kn_arrays_get(a, &s->session.plan.to, element_of(s, k)) == kn_value_filled(0, bytes);
        assert_int_equal(is_filled, k < s->done);
    }
}

static const unsigned widths[][2] = {
    {8, 64}, {8, 32}, {4, 64}, {4, 32}}; /* bytes of elements, bits of indices */

static void rows_are_summed_one_by_one(void **unused)
{
    (void)unused;
    for (size_t w = 0; w < 8; w++) {
        const unsigned *width = widths[w % 4];
        const bool waits = w >= 4;
        struct side a;
        struct kn_rows rows;
        uint64_t state = w, sum = 0;
        config_list(&a, &state, PAT_OPERATION_REDUCE, ROW_MAX);
        a.config.rows_wait = waits;
        begin(&a, width[0], width[1]);
        kn_rows_begin(&rows, &a.cursor, a.role);
        assert_ptr_equal(rows.a, &a.cursor);
        assert_true(rows.move ==
                    kn_rows_find(KN_ROWS_ALONE, PAT_OPERATION_REDUCE, width[0], width[1], waits));
        assert_true(rows.move !=
                    kn_rows_find(KN_ROWS_ALONE, PAT_OPERATION_REDUCE, width[0], width[1], !waits));
        assert_int_equal(rows.len, ROWS);
        for (size_t i = 0; i < ROWS; i++) {
            kn_rows_run(&rows, 1);
            check_sum(&a, i, &sum);
        }
        end(&a);
    }
}

static void rows_are_filled_one_by_one(void **unused)
{
    (void)unused;
    for (size_t w = 0; w < 4; w++) {
        struct side a;
        struct kn_rows rows;
        uint64_t state = w;
        config_list(&a, &state, PAT_OPERATION_FILL, ROW_MAX);
        begin(&a, widths[w][0], widths[w][1]);
        kn_rows_begin(&rows, &a.cursor, a.role);
        for (size_t i = 0; i < ROWS; i++) {
            kn_rows_run(&rows, 1);
            check_filled(&a, i);
        }
        end(&a);
    }
}

static void a_second_pattern_keeps_pace(void **unused)
{
    (void)unused;
    for (size_t n = 0; n < 24; n++) {
        const size_t w = n / 2;
        const unsigned *width = widths[w % 4];
        struct side a, b;
        struct kn_rows rows;
        uint64_t state = w, sums[2] = {0};
        config_list(&a, &state, PAT_OPERATION_REDUCE, ROW_MAX);
        a.config.rows_wait = n % 2;
        if (w < 8)
            config_strided(&b, &state, &a.config, w < 4);
        else
            config_list(&b, &state, PAT_OPERATION_REDUCE, 1);
        begin(&a, width[0], width[1]);
        begin(&b, width[0], width[1]);
        kn_rows_begin(&rows, &a.cursor, a.role);
        assert_true(kn_rows_add(&rows, &b.cursor, b.role));
        assert_true(rows.move == kn_rows_find(w < 8 ? KN_ROWS_WITH : KN_ROWS_THEN, PAT_OPERATION_REDUCE,
                                              width[0], width[1], n % 2));
        for (size_t i = 0; i < ROWS; i++) {
            kn_rows_run(&rows, 1);
            check_sum(&a, i, &sums[0]);
            check_sum(&b, i, &sums[1]);
        }
        end(&a);
        end(&b);
    }
}

static void updates_alternate_with_loads(void **unused)
{
    (void)unused;
    struct side a, b;
    struct kn_rows rows;
    uint64_t state = 3;
    config_list(&a, &state, PAT_OPERATION_UPDATE, ROW_MAX);
    config_strided(&b, &state, &a.config, true);
    begin(&a, 8, 64);
    begin(&b, 8, 64);
    kn_rows_begin(&rows, &a.cursor, a.role);
    assert_true(kn_rows_add(&rows, &b.cursor, b.role));
    for (uint64_t left = ROWS, n; left; left -= n) {
        n = 1 + ls_random_below(&state, left);
        kn_rows_run(&rows, n);
    }
    end(&a);
    end(&b);
}

/* Move an access of the first row that has one to the next row, or join the last two rows. */
static void change_rows(struct pat_indices *lengths, bool shorter)
{
    size_t i = 0;
    while (!lengths->data[i])
        i++;
    lengths->data[i]--;
    lengths->data[i + 1]++;
    if (!shorter) return;
    lengths->len--;
    lengths->data[lengths->len - 1] += lengths->data[lengths->len];
}

static void patterns_of_other_loops_are_refused(void **unused)
{
    (void)unused;
    for (int shorter = 0; shorter < 2; shorter++) {
        struct side a, b;
        struct kn_rows rows;
        uint64_t state = 4;
        config_list(&a, &state, PAT_OPERATION_REDUCE, ROW_MAX);
        config_strided(&b, &state, &a.config, true);
        change_rows(&b.config.row_lengths, shorter);
        begin(&a, 8, 64);
        begin(&b, 8, 64);
        kn_rows_begin(&rows, &a.cursor, a.role);
        assert_false(kn_rows_add(&rows, &b.cursor, b.role));
        assert_null(rows.piece.b);
        kn_rows_run(&rows, ROWS);
        kn_cursor_move(&b.cursor, b.cursor.units_all);
        end(&a);
        end(&b);
    }
}

/* Elements at fixed places of each row: some loaded before it, one filled after it. */
static void config_fixed(struct side *s, enum pat_operation does, size_t elements, size_t rows_each)
{
    config_of(s, does);
    s->config.pattern = list_of(elements * rows_each);
    for (size_t j = 0; j < elements * rows_each; j++)
        s->config.pattern.data[j] = (int64_t)(3 * (j / elements) + 2 * (elements - 1 - j % elements));
    s->config.count = ROWS / rows_each;
    s->config.delta = 3 * (int64_t)rows_each;
}

static void rows_have_fixed_elements(void **unused)
{
    (void)unused;
    for (size_t w = 0; w < 16; w++) {
        const unsigned *width = widths[w % 4];
        const size_t elements = 1 + w / 4 % 2, rows_each = w < 8 ? 1 : 10;
        struct side a, load, fill;
        struct kn_rows rows;
        uint64_t state = w, sum = 0, loaded = 0;
        config_list(&a, &state, PAT_OPERATION_REDUCE, ROW_MAX);
        config_fixed(&load, PAT_OPERATION_REDUCE, elements, rows_each);
        config_fixed(&fill, PAT_OPERATION_FILL, 1, rows_each);
        begin(&a, width[0], width[1]);
        begin(&load, width[0], width[1]);
        begin(&fill, width[0], width[1]);
        kn_rows_begin(&rows, &a.cursor, a.role);
        assert_true(kn_rows_add(&rows, &load.cursor, load.role));
        assert_false(kn_rows_add(&rows, &load.cursor, load.role));
        assert_true(kn_rows_add(&rows, &fill.cursor, fill.role));
        for (uint64_t i = 0; i < ROWS; i++) {
            kn_rows_run(&rows, 1);
            check_sum(&a, i, &sum);
            for (uint64_t k = i * elements; k < (i + 1) * elements; k++)
                loaded += kn_arrays_get(&load.session.arrays, &load.session.plan.from, element_of(&load, k));
            assert_int_equal(load.cursor.piece.sum, width[0] == 8 ? loaded : (uint32_t)loaded);
            assert_int_equal(kn_arrays_get(&fill.session.arrays, &fill.session.plan.to, element_of(&fill, i)),
                             kn_value_filled(i / fill.config.pattern.len, width[0]));
        }
        end(&a);
        end(&load);
        end(&fill);
    }
}

/* Results of kn_together_run for a list with rows and an array beside it. */
static void run_group(const struct kn_options *o, bool has_rows, struct kn_result *out)
{
    struct side sides[2];
    struct pat_config rows[2];
    uint64_t state = 5;
    config_list(&sides[0], &state, PAT_OPERATION_REDUCE, ROW_MAX);
    config_strided(&sides[1], &state, &sides[0].config, true);
    for (size_t k = 0; k < 2; k++) {
        rows[k] = sides[k].config;
        if (!has_rows) rows[k].row_lengths.len = 0;
    }
    assert_int_equal(kn_together_run(rows, 2, o, out), LS_OK);
    assert_true(out->valid);
    for (size_t k = 0; k < 2; k++)
        pat_config_fini(&sides[k].config);
}

static void groups_report_rows(void **unused)
{
    (void)unused;
    static const struct {
        unsigned threads;
        bool has_rows;
        const char *variant;
    } cases[] = {
        {1, true, "scalar, rows, turns of"}, {1, false, "scalar, turns of"}, {2, true, "scalar, turns of"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct kn_options o = {.threads = cases[i].threads, .runs = 2, .warmups_max = 1};
        struct kn_replay_need need;
        struct kn_result r;
        struct pat_config c;
        assert_int_equal(pat_config_init(&c), LS_OK);
        c.operation = PAT_OPERATION_REDUCE;
        c.pattern = list_of(1);
        const bool has_threads = kn_together_need(&c, 1, &o, &need) == LS_OK;
        pat_config_fini(&c);
        if (!has_threads) continue;
        run_group(&o, cases[i].has_rows, &r);
        assert_ptr_equal(strstr(r.variant, cases[i].variant), r.variant);
        kn_result_fini(&r);
    }
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_summed_one_by_one),
        cmocka_unit_test(rows_are_filled_one_by_one),
        cmocka_unit_test(a_second_pattern_keeps_pace),
        cmocka_unit_test(updates_alternate_with_loads),
        cmocka_unit_test(patterns_of_other_loops_are_refused),
        cmocka_unit_test(groups_report_rows),
        cmocka_unit_test(rows_have_fixed_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
