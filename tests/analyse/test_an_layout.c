/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts, visits, lines and orders of a type with members of known use. */
#include "analyse/an_layout.h"
#include "tests/analyse/an_fixture.h"
#include "tests/unit.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { NONE = -1, WHOLE = 0, KEY, COLD, NEXT, TAIL, MEMBERS };
#define BASE UINT64_C(0x7f0000000000)

/* Objects of two lines: key in the first, next in the second. */
static const struct prof_type_row types[] = {
    {.id = 0, .kind = PROF_TYPE_STRUCT, .name = "node", .len_bytes = 128}};
static const struct prof_member members[MEMBERS] = {
    [WHOLE] = {.parent = UINT32_MAX, .kind = PROF_MEMBER_WHOLE, .path = "", .len_bytes = 128},
    [KEY] = {.kind = PROF_MEMBER_FIELD, .path = "key", .len_bytes = 8},
    [COLD] = {.kind = PROF_MEMBER_FIELD,
              .path = "cold[]",
              .offset_bytes = 8,
              .len_bytes = 104,
              .elem_len_bytes = 8},
    [NEXT] = {.kind = PROF_MEMBER_FIELD, .path = "next", .offset_bytes = 112, .len_bytes = 8},
    [TAIL] = {.kind = PROF_MEMBER_FIELD, .path = "tail", .offset_bytes = 120, .len_bytes = 4},
};

struct layout_run {
    struct an_fixture *f;
    struct an_tables t;
    uint32_t member[4000];
    uint64_t type_offset[4000];
    uint16_t size[4000];
    uint64_t spacing_bytes; /* between objects */
};

static struct layout_run *layout_run_new(void)
{
    struct layout_run *r = calloc(1, sizeof(*r));
    assert_non_null(r);
    r->f = fix_new(5, 4);
    r->spacing_bytes = 128;
    r->t = (struct an_tables){.types = types, .types_len = 1, .members = members, .members_len = MEMBERS};
    return r;
}

static void touch(struct layout_run *r, uint64_t object, int member, uint32_t position)
{
    const size_t i = r->f->samples_len;
    if (member == TAIL)
        fix_store(r->f, 0, position);
    else
        fix_load(r->f, 0, position, 5);
    r->f->addr[i] = BASE + r->spacing_bytes * object;
    r->member[i] = UINT32_MAX;
    r->type_offset[i] = UINT64_MAX;
    r->size[i] = member == COLD ? 104 : 8;
    if (member == NONE) return;
    r->member[i] = (uint32_t)member;
    r->type_offset[i] = members[member].offset_bytes;
    r->f->addr[i] += members[member].offset_bytes;
}

static void find(struct layout_run *r, struct an_layout *out)
{
    fix_input(r->f);
    r->f->in.samples.member = r->member;
    r->f->in.samples.type_offset = r->type_offset;
    r->f->in.samples.size = r->size;
    r->t.bursts = r->f->bursts;
    r->t.bursts_len = r->f->bursts_len;
    assert_int_equal(an_layout_init(out, &r->f->in, &r->t, 0, NULL), LS_OK);
}

static void layout_run_free(struct layout_run *r)
{
    fix_free(r->f);
    free(r);
}

/* A list of blocks: 8 scattered objects a burst, key and next of each. Then single samples far apart, which are left out. */
static void an_layout_counts_visits_and_suggests_a_split(void **state)
{
    struct layout_run *r = layout_run_new();
    struct an_layout *l = calloc(1, sizeof(*l));
    (void)state;
    r->spacing_bytes = 144;
    for (uint64_t burst = 0; burst < 50; burst++) {
        fix_burst(r->f, 1000, 1000);
        for (uint32_t i = 0; i < 8; i++) {
            touch(r, burst * 1000 + 50 * i, KEY, 4 * i);
            touch(r, burst * 1000 + 50 * i, NEXT, 4 * i + 1);
        }
        touch(r, 1, NONE, 40);
        touch(r, burst, COLD, 500);
    }
    find(r, l);
    assert_int_equal(l->samples, 50 * 17);
    assert_int_equal(l->accesses, 50 * 16);
    assert_int_equal(l->visits, 50 * 8);
    assert_int_equal(l->loads[KEY], 400);
    assert_int_equal(l->loads[COLD], 0);
    assert_int_equal(l->fields_len, 2);
    assert_int_equal(l->together[0][1], 400);
    assert_true(l->is_cold[COLD] && l->is_cold[TAIL] && !l->is_cold[KEY] && !l->is_cold[NEXT]);
    assert_true(fabs(l->lines - 1) < 1e-9); /* each access another line */
    assert_true(fabs(l->bytes_used - 8) < 1e-9);
    assert_int_equal(l->parts[0].visits, 400);
    assert_int_equal(l->parts[1].bytes, 400 * 8);
    assert_true(l->is_movable);
    /* key and next beside each other: one line for both */
    assert_true(l->order.is_better && fabs(l->order.lines - 0.5) < 0.01);
    assert_int_equal(l->order.members[0], KEY);
    assert_int_equal(l->order.members[1], NEXT);
    assert_int_equal(l->order.len_bytes, 128);
    assert_int_equal(l->split.hot_len, 2);
    assert_int_equal(l->split.len_bytes, 24); /* key, next, the pointer to the rest */
    assert_int_equal(l->split.cold_bytes, 112);
    assert_true(l->split.has_pointer && !l->is_array);
    assert_int_equal(l->in_runs, 0);
    an_layout_fini(l);
    free(l);
    layout_run_free(r);
}

/* Objects one after the other: a split puts several into a line, an order does not. */
static void an_layout_knows_neighbours(void **state)
{
    struct layout_run *r = layout_run_new();
    struct an_layout *l = calloc(1, sizeof(*l));
    (void)state;
    for (uint64_t burst = 0; burst < 50; burst++) {
        fix_burst(r->f, 1000, 1000);
        for (uint32_t i = 0; i < 32; i++)
            touch(r, burst * 32 + i, i % 2 ? KEY : TAIL, 2 * i);
    }
    find(r, l);
    assert_int_equal(l->stores[TAIL], 50 * 16);
    assert_true(fabs(l->lines - 1) < 1e-9);
    assert_false(l->order.is_better);
    assert_true(l->split.is_better && fabs(l->split.lines - 0.25) < 0.01); /* 16 bytes an object */
    assert_int_equal(l->whole_visits, 50 * 30);
    assert_int_equal(l->in_runs, l->whole_visits);
    an_layout_fini(l);
    free(l);
    layout_run_free(r);
}

/* Member a of each object and, unless it is NONE, member b; `run` neighbours at a time, each at a random place. */
static void walk(struct layout_run *r, int a, int b, uint32_t run, uint32_t objects)
{
    uint64_t n = 7, first = 0;
    for (uint64_t burst = 0, at = 0; burst < 50; burst++) {
        fix_burst(r->f, 1000, 1000);
        for (uint32_t i = 0; i < objects; i++, at++) {
            if (at % run == 0) {
                n = n * 6364136223846793005u + 1442695040888963407u;
                first = (n >> 40) * 16;
            }
            touch(r, first + at % run, a, 2 * i);
            if (b != NONE) touch(r, first + at % run, b, 2 * i + 1);
        }
    }
}

static struct an_layout *layout_of(struct layout_run *r)
{
    struct an_layout *l = calloc(1, sizeof(*l));
    find(r, l);
    return l;
}

static void layout_free(struct layout_run *r, struct an_layout *l)
{
    an_layout_fini(l);
    free(l);
    layout_run_free(r);
}

static double lines_per_visit(const struct an_layout *l, double lines)
{
    return lines * (double)l->whole_accesses / (double)l->whole_visits;
}

/* A sweep brings a line for each object; after a split one for eight. */
static void an_layout_shares_lines_in_a_sweep(void **state)
{
    struct layout_run *r = layout_run_new();
    (void)state;
    walk(r, KEY, NONE, UINT32_MAX, 30);
    struct an_layout *l = layout_of(r);
    assert_true(fabs(l->lines - 1) < 1e-9);
    assert_true(l->is_array && l->split.is_better && !l->split.has_pointer);
    assert_int_equal(l->split.len_bytes, 8);
    assert_int_equal(l->split.cold_bytes, 120);
    assert_true(fabs(l->split.lines - 0.125) < 1e-9);
    assert_true(l->run_len > 32);
    layout_free(r, l);
}

/* Members in both lines of an object. */
static void an_layout_joins_members_that_lie_apart(void **state)
{
    struct layout_run *r = layout_run_new();
    (void)state;
    walk(r, KEY, NEXT, UINT32_MAX, 30);
    struct an_layout *l = layout_of(r);
    assert_true(fabs(lines_per_visit(l, l->lines) - 2) < 1e-9);
    assert_true(fabs(lines_per_visit(l, l->split.lines) - 0.25) < 1e-9);
    assert_int_equal(l->split.hot_len, 2);
    layout_free(r, l);
}

/* Bursts that end before the next object: their neighbours are known from the few that see two objects. */
static void an_layout_knows_a_sweep_by_few_objects_in_a_burst(void **state)
{
    struct layout_run *r = layout_run_new();
    (void)state;
    for (uint32_t burst = 0; burst < 60; burst++) {
        fix_burst(r->f, 1000, 1000);
        for (uint32_t i = 0; i < 20; i++)
            touch(r, burst * 1000 + (burst % 10 == 0 && i > 10), i % 2 ? KEY : TAIL, i);
    }
    struct an_layout *l = layout_of(r);
    assert_int_equal(l->visits, 66);
    assert_true(fabs(lines_per_visit(l, l->split.lines) - 0.25) < 0.03);
    layout_free(r, l);
}

/* Objects in random order share no line, before or after. */
static void an_layout_does_not_split_for_random_objects(void **state)
{
    struct layout_run *r = layout_run_new();
    (void)state;
    walk(r, KEY, NONE, 1, 30);
    struct an_layout *l = layout_of(r);
    assert_true(fabs(l->lines - 1) < 0.01);
    assert_int_equal(l->in_runs, 0);
    assert_false(l->split.is_better);
    assert_false(l->order.is_better);
    layout_free(r, l);
}

/* Two members of random objects beside each other, in the present objects or in small ones. */
static void an_layout_prefers_small_objects_with_equal_lines(void **state)
{
    struct layout_run *r = layout_run_new();
    (void)state;
    for (uint64_t burst = 0; burst < 50; burst++) {
        fix_burst(r->f, 1000, 1000);
        for (uint32_t i = 0; i < 8; i++) {
            touch(r, burst * 1000 + 52 * i, KEY, 4 * i);
            touch(r, burst * 1000 + 52 * i, NEXT, 4 * i + 1);
        }
    }
    struct an_layout *l = layout_of(r);
    assert_true(fabs(l->split.lines - l->order.lines) < 1e-9);
    assert_true(2 * l->split.len_bytes < l->order.len_bytes);
    assert_true(l->order.is_better && l->split.is_better);
    layout_free(r, l);
}

/* Four neighbours somewhere, as in the cells of a grid: 32 bytes are in one line or in two. */
static void an_layout_counts_the_ends_of_short_runs(void **state)
{
    struct layout_run *r = layout_run_new();
    (void)state;
    walk(r, KEY, NONE, 4, 30);
    struct an_layout *l = layout_of(r);
    assert_true(fabs(l->lines - 1) < 1e-9);
    assert_true(l->split.is_better && l->split.lines > 0.25 && l->split.lines < 0.4);
    assert_true(l->run_len > 3 && l->run_len < 6);
    layout_free(r, l);
}

/* Bursts that begin and end within an object. */
static void an_layout_leaves_visits_out_that_are_cut(void **state)
{
    struct layout_run *r = layout_run_new();
    (void)state;
    for (uint32_t burst = 0; burst < 50; burst++) {
        fix_burst(r->f, 1000, 1000);
        for (uint32_t i = burst % 4; i < 14; i++)
            touch(r, burst * 20 + i / 4, KEY + (int)(i % 4), i);
    }
    struct an_layout *l = layout_of(r);
    assert_int_equal(l->visits, 50 * 4);
    assert_int_equal(l->whole_visits, 50 * 2);
    assert_int_equal(l->whole_accesses, 50 * 8);
    assert_true(fabs(lines_per_visit(l, l->lines) - 2) < 1e-9);
    layout_free(r, l);
}

static void an_layout_leaves_objects_that_are_used_as_a_whole(void **state)
{
    struct layout_run *r = layout_run_new();
    (void)state;
    for (uint32_t burst = 0; burst < 50; burst++) {
        fix_burst(r->f, 1000, 1000);
        for (uint32_t i = 0; i < 15; i++)
            for (int member = KEY; member < MEMBERS; member++)
                touch(r, burst * 15 + i, member, 4 * i + (uint32_t)member);
    }
    struct an_layout *l = layout_of(r);
    assert_true(fabs(lines_per_visit(l, l->lines) - 2) < 1e-9);
    assert_false(l->split.is_better);
    assert_false(l->order.is_better);
    layout_free(r, l);
}

/* One loop sweeps over keys, another one over the rest: no member is cold, and the key belongs elsewhere. */
static void an_layout_separates_members_of_two_loops(void **state)
{
    struct layout_run *r = layout_run_new();
    (void)state;
    walk(r, KEY, NONE, UINT32_MAX, 30);
    walk(r, NEXT, COLD, UINT32_MAX, 12);
    struct an_layout *l = layout_of(r);
    assert_false(l->is_cold[NEXT] || l->is_cold[COLD]);
    assert_true(l->split.is_better);
    assert_int_equal(l->split.hot_len, 1);
    assert_int_equal(l->split.members[0], KEY);
    layout_free(r, l);
}

/* Heap blocks of 16 bytes are 32 bytes apart, a multiple of their size. */
static void an_layout_tells_small_blocks_from_an_array(void **state)
{
    static const struct prof_type_row small = {.kind = PROF_TYPE_STRUCT, .name = "pair", .len_bytes = 16};
    (void)state;
    for (uint64_t spacing = 16; spacing <= 32; spacing += 16) {
        struct layout_run *r = layout_run_new();
        r->spacing_bytes = spacing;
        r->t.types = &small;
        walk(r, KEY, NONE, UINT32_MAX, 30);
        struct an_layout *l = layout_of(r);
        assert_int_equal(l->is_array, spacing == 16);
        layout_free(r, l);
    }
}

static void an_layout_of_nothing_and_of_a_union(void **state)
{
    struct layout_run *r = layout_run_new();
    struct an_layout *l = calloc(1, sizeof(*l));
    const struct prof_type_row is_union = {.kind = PROF_TYPE_UNION, .name = "u", .len_bytes = 128};
    (void)state;
    fix_burst(r->f, 1000, 1000);
    find(r, l);
    assert_int_equal(l->accesses, 0);
    assert_false(l->is_movable);
    an_layout_fini(l);
    touch(r, 0, KEY, 0);
    r->t.types = &is_union;
    find(r, l);
    assert_int_equal(l->accesses, 1);
    assert_false(l->is_movable);
    an_layout_fini(l);
    free(l);
    layout_run_free(r);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_layout_counts_visits_and_suggests_a_split),
        cmocka_unit_test(an_layout_knows_neighbours),
        cmocka_unit_test(an_layout_shares_lines_in_a_sweep),
        cmocka_unit_test(an_layout_joins_members_that_lie_apart),
        cmocka_unit_test(an_layout_knows_a_sweep_by_few_objects_in_a_burst),
        cmocka_unit_test(an_layout_does_not_split_for_random_objects),
        cmocka_unit_test(an_layout_prefers_small_objects_with_equal_lines),
        cmocka_unit_test(an_layout_counts_the_ends_of_short_runs),
        cmocka_unit_test(an_layout_leaves_visits_out_that_are_cut),
        cmocka_unit_test(an_layout_leaves_objects_that_are_used_as_a_whole),
        cmocka_unit_test(an_layout_separates_members_of_two_loops),
        cmocka_unit_test(an_layout_tells_small_blocks_from_an_array),
        cmocka_unit_test(an_layout_of_nothing_and_of_a_union),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
