/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of loops: the lengths of inner loops, found in the order of the accesses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/ls_random.h"
#include "patterns/compact/pat_compact.h"
#include "patterns/compact/pat_row_lengths.h"
#include "tests/patterns/memory_source.h"
#include "tests/unit.h"

enum { ROWS = 600, ELEMENTS = 1 << 16, ROW_MAX = 7 };

#define ARRAY_BYTES (UINT64_C(8) * ELEMENTS)

/* x[col[k]] and a[k] in rows, y[i] after each; z[...] after some of the rows. */
enum { X, A, Y, Z, SITES };
struct loop {
    struct memory_source source;
    struct pat_sequences sequences;
    struct pat_findings found;
    uint64_t state, base[SITES], k, threads;
    int64_t length[ROWS], has_z[ROWS];
};

static void loop_begin(struct loop *l)
{
    static const char *const labels[SITES] = {"x", "a", "y", "z"};
    *l = (struct loop){.state = 11, .threads = 1};
    for (int i = 0; i < SITES; i++) {
        l->base[i] = UINT64_C(0x7f0000000000) + 2 * ARRAY_BYTES * (uint64_t)i;
        memory_site(&l->source, 0x1000 + 8 * (uint64_t)i, 8, i == Y ? PAT_OP_STORE : PAT_OP_LOAD);
        const uint32_t home = memory_home(&l->source, labels[i], 8);
        memory_range(&l->source, l->base[i], l->base[i] + ARRAY_BYTES, home);
        memory_event(&l->source, PAT_EVENT_RANGE_BORN, PAT_NONE, (uint32_t)i);
    }
    memory_thread(&l->source);
    memory_thread(&l->source);
}

static void touch(struct loop *l, uint32_t site, uint64_t element)
{
    memory_access(&l->source, site, 0, l->base[site] + 8 * element);
}

static void touch_anywhere(struct loop *l, uint32_t site)
{
    touch(l, site, ls_random_below(&l->state, ELEMENTS));
    /* the other thread's accesses in between are none of this loop's */
    if (l->threads > 1 && ls_random_below(&l->state, 2)) memory_access(&l->source, A, 1, l->base[A]);
}

static void loop_row(struct loop *l, uint64_t i)
{
    for (int64_t n = 0; n < l->length[i]; n++) {
        touch_anywhere(l, X);
        touch(l, A, l->k++);
    }
    touch(l, Y, i);
    if (l->has_z[i]) touch_anywhere(l, Z);
}

static void loop_find(struct loop *l)
{
    static const struct pat_extract_options extract = {.keep_trivial = true, .accesses_min = 1, .top = 64};
    static const struct pat_compact_options compact = {.no_symbols = true};
    memory_extract(&l->source, &extract, &l->sequences);
    assert_int_equal(pat_compact(&l->sequences, &l->source.tables, &compact, &l->found), LS_OK);
    assert_true(pat_row_lengths_possible(&l->found, &l->sequences));
    pat_source *source = memory_open(&l->source);
    assert_int_equal(pat_row_lengths(source, &l->sequences, &l->found), LS_OK);
    pat_source_close(source);
}

static void loop_run(struct loop *l)
{
    for (uint64_t i = 0; i < ROWS; i++)
        loop_row(l, i);
    loop_find(l);
}

static void loop_end(struct loop *l)
{
    pat_findings_fini(&l->found);
    pat_sequences_fini(&l->sequences);
    memory_fini(&l->source);
}

static const struct pat_config *of_site(const struct loop *l, uint32_t site)
{
    for (size_t i = 0; i < l->found.len; i++)
        if (l->found.rows[i].ip == 0x1000 + 8 * (uint64_t)site && l->found.rows[i].threads == 1)
            return &l->found.rows[i].config;
    fail_msg("no pattern of site %u", site);
    return NULL;
}

static void assert_rows(const struct loop *l, uint32_t site, const int64_t *wanted)
{
    const struct pat_config *c = of_site(l, site);
    assert_int_equal(c->row_lengths.len, ROWS);
    assert_memory_equal(c->row_lengths.data, wanted, ROWS * sizeof(*wanted));
    assert_true(pat_rows_hold_all(c));
}

static void vary_lengths(struct loop *l)
{
    for (int i = 0; i < ROWS; i++) {
        l->length[i] = 1 + (int64_t)ls_random_below(&l->state, ROW_MAX);
        l->has_z[i] = (int64_t)ls_random_below(&l->state, 2);
    }
}

static void inner_loops_are_rows(void **unused)
{
    (void)unused;
    struct loop l;
    loop_begin(&l);
    vary_lengths(&l);
    loop_run(&l);
    assert_rows(&l, X, l.length);
    assert_rows(&l, A, l.length);
    assert_int_equal(of_site(&l, Y)->row_lengths.len, 0);
    loop_end(&l);
}

static void conditional_accesses_have_rows_of_none_or_one(void **unused)
{
    (void)unused;
    struct loop l;
    loop_begin(&l);
    vary_lengths(&l);
    loop_run(&l);
    assert_rows(&l, Z, l.has_z);
    loop_end(&l);
}

static void other_threads_do_not_end_rows(void **unused)
{
    (void)unused;
    struct loop l;
    loop_begin(&l);
    vary_lengths(&l);
    l.threads = 2;
    loop_run(&l);
    assert_rows(&l, X, l.length);
    loop_end(&l);
}

/* A store after each row shows the rows without an access. */
static void empty_rows_are_rows(void **unused)
{
    (void)unused;
    struct loop l;
    loop_begin(&l);
    vary_lengths(&l);
    int64_t all = 0;
    for (int i = 1; i + 1 < ROWS; i++) {
        if (ls_random_below(&l.state, 8) == 0) l.length[i] = 0;
        all += l.length[i];
    }
    l.length[0] = 1;
    l.length[ROWS - 1] = 8 - (all + 1) % 8; /* a has rows of 8 indices */
    loop_run(&l);
    assert_rows(&l, X, l.length);
    assert_rows(&l, A, l.length);
    assert_int_equal(of_site(&l, Y)->row_lengths.len, 0);
    loop_end(&l);
}

static void constant_lengths_are_rows(void **unused)
{
    (void)unused;
    struct loop l;
    loop_begin(&l);
    for (int i = 0; i < ROWS; i++)
        l.length[i] = 3;
    loop_run(&l);
    assert_rows(&l, X, l.length);
    assert_rows(&l, A, l.length);
    assert_int_equal(of_site(&l, Y)->row_lengths.len, 0);
    loop_end(&l);
}

static void ends_of_long_rows_do_not_matter(void **unused)
{
    (void)unused;
    struct loop l;
    loop_begin(&l);
    for (int i = 0; i < ROWS; i++)
        l.length[i] = 80 + i % 9;
    loop_run(&l);
    assert_int_equal(of_site(&l, X)->row_lengths.len, 0);
    loop_end(&l);
}

/* Accesses of the same instruction to other data are not distinguished. */
static void accesses_elsewhere_leave_no_rows(void **unused)
{
    (void)unused;
    struct loop l;
    loop_begin(&l);
    vary_lengths(&l);
    memory_access(&l.source, X, 0, l.base[A]);
    loop_run(&l);
    for (size_t i = 0; i < l.found.len; i++)
        if (l.found.rows[i].ip == 0x1000) assert_int_equal(l.found.rows[i].config.row_lengths.len, 0);
    loop_end(&l);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inner_loops_are_rows),
        cmocka_unit_test(conditional_accesses_have_rows_of_none_or_one),
        cmocka_unit_test(other_threads_do_not_end_rows),
        cmocka_unit_test(empty_rows_are_rows),
        cmocka_unit_test(constant_lengths_are_rows),
        cmocka_unit_test(ends_of_long_rows_do_not_matter),
        cmocka_unit_test(accesses_elsewhere_leave_no_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
