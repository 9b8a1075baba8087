/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads of indices: which are left out, and which look like them only. */
#include "patterns/compact/pat_found.h"
#include "tests/patterns/pat_program.h"
#include "tests/unit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { LEN = 1000 };

/* col, element after element with this stride, and the accesses that use it as index. */
static void gather_through(struct pat_program *p, int64_t stride, int64_t times)
{
    static const struct pat_compact_options quiet = {.no_symbols = true};
    pat_program_init(p);
    struct pat_sequence *col = pat_program_sequence(p);
    col->home = 1;
    struct pat_sequence *x = pat_program_sequence(p);
    x->index_site = col->site;
    x->index_home = col->home;
    for (int64_t i = 0; i < times * LEN; i++)
        pat_program_put(col, i * stride);
    for (int64_t i = 0; i < LEN; i++)
        pat_program_put(x, i * 7919 % LEN);
    pat_program_compact(p, &quiet);
}

static size_t dropped_of(struct pat_program *p)
{
    size_t dropped;
    assert_int_equal(pat_feeds_drop(&p->found, &p->all, &dropped), LS_OK);
    return dropped;
}

static void the_walk_over_indices_is_left_out(void **state)
{
    struct pat_program p;
    (void)state;
    gather_through(&p, 1, 1);
    assert_int_equal(dropped_of(&p), 1);
    assert_int_equal(p.found.len, 1);
    assert_string_equal(p.found.rows[0].home, "x");
    assert_string_equal(p.found.rows[0].index_home, "col");
    pat_program_fini(&p);
}

/* Another order than the list of a replay, or more than the list has. */
static void other_walks_stay(void **state)
{
    struct pat_program p;
    (void)state;
    gather_through(&p, 2, 1);
    assert_int_equal(dropped_of(&p), 0);
    pat_program_fini(&p);
    gather_through(&p, 1, 2);
    assert_int_equal(dropped_of(&p), 0);
    assert_int_equal(p.found.len, 2);
    pat_program_fini(&p);
}

static void other_loads_are_kept(void **state)
{
    struct pat_program p;
    (void)state;
    gather_through(&p, 1, 1);
    p.rows[1].index_home = 2;
    assert_int_equal(dropped_of(&p), 0);
    p.rows[1].index_home = 1;
    p.rows[1].index_site = 5;
    assert_int_equal(dropped_of(&p), 0);
    p.rows[1].index_site = p.rows[0].site;
    p.rows[1].thread = 1;
    assert_int_equal(dropped_of(&p), 0);
    pat_program_fini(&p);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_walk_over_indices_is_left_out),
        cmocka_unit_test(other_walks_stay),
        cmocka_unit_test(other_loads_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
