/* SPDX-License-Identifier: BSD-3-Clause */
/* Sequences that repeat are represented by two rounds: their patterns and measures must equal the ones of all
 * of their accesses, and nothing that repeats only approximately may be folded. */
#include "common/ls_random.h"
#include "patterns/compact/pat_compact.h"
#include "tests/patterns/memory_source.h"
#include "tests/unit.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { LEVELS = 3, LEAST = 64, ROUNDS = 150 };
#define BASE UINT64_C(0x10000000)

static uint64_t state;

static uint64_t rng(uint64_t below)
{
    return ls_random_below(&state, below);
}

/* A loop nest that is run again and again: lane l of an innermost iteration is 8 bytes from the one before. */
struct nest {
    int64_t extent[LEVELS], stride[LEVELS];
    uint64_t period, accesses;
    unsigned lanes;
    int64_t move;     /* a round from the one before */
    bool is_shuffled; /* the innermost index through a permutation */
    uint64_t odd_one; /* this access of the first lane is elsewhere; UINT64_MAX: none */
};

static void nest_draw(struct nest *n)
{
    *n = (struct nest){.period = 1, .odd_one = UINT64_MAX, .lanes = 1 + (unsigned)rng(2)};
    for (int i = 0; i < LEVELS; i++) {
        n->extent[i] = 1 + (int64_t)rng(i ? 6 : 40);
        n->stride[i] = (int64_t)rng(30) - 4;
        n->period *= (uint64_t)n->extent[i];
    }
    n->is_shuffled = rng(3) == 0;
    n->move = rng(2) ? (int64_t)rng(60) - 20 : 0;
    n->accesses = n->period * (4 + rng(8)) + (rng(2) ? rng(n->period) : 0);
    if (n->accesses < LEAST) n->accesses += LEAST + rng(500);
}

static uint64_t nest_addr(const struct nest *n, uint64_t i, unsigned lane)
{
    uint64_t rest = i % n->period;
    int64_t at = 1000 + (int64_t)(i / n->period) * n->move;
    for (int l = 0; l < LEVELS; l++) {
        const uint64_t extent = (uint64_t)n->extent[l];
        uint64_t k = rest % extent;
        rest /= extent;
        if (l == 0 && n->is_shuffled) k = (k * k * 7 + 3) % 41;
        at += (int64_t)k * n->stride[l];
    }
    return BASE + (uint64_t)at * 8 * n->lanes + 8 * lane + (i == n->odd_one && lane == 0 ? 512 : 0);
}

/* The nest's accesses, as events of a source. */
static void nest_run(const struct nest *n, struct memory_source *m)
{
    const bool has_range = rng(2);
    for (unsigned lane = 0; lane < n->lanes; lane++)
        memory_site(m, 0x1000 + 16 * lane, 8, PAT_OP_LOAD);
    memory_thread(m);
    memory_home(m, "x", 8);
    if (has_range) {
        memory_range(m, BASE - (UINT64_C(1) << 27), BASE + (UINT64_C(1) << 30), 0);
        memory_event(m, PAT_EVENT_RANGE_BORN, PAT_NONE, 0);
    }
    for (uint64_t i = 0; i < n->accesses; i++)
        for (unsigned lane = 0; lane < n->lanes; lane++)
            memory_access(m, lane, 0, nest_addr(n, i, lane));
}

struct outcome {
    struct pat_sequences sequences;
    struct pat_findings found;
};

static void outcome_within(struct memory_source *m, uint64_t fold_min, uint64_t memory_bytes,
                           struct outcome *o)
{
    const struct pat_extract_options extract = {
        .keep_trivial = true, .fold_min = fold_min, .memory_bytes = memory_bytes};
    const struct pat_compact_options compact = {.no_symbols = true};
    pat_source *s = memory_open(m);
    if (pat_extract(s, &extract, &o->sequences) != LS_OK) fail_msg("%s", ls_last_error());
    if (pat_compact(&o->sequences, pat_source_tables(s), &compact, &o->found) != LS_OK)
        fail_msg("%s", ls_last_error());
    pat_source_close(s);
}

static void outcome_of(struct memory_source *m, uint64_t fold_min, struct outcome *o)
{
    outcome_within(m, fold_min, 0, o);
}

static void outcome_fini(struct outcome *o)
{
    pat_findings_fini(&o->found);
    pat_sequences_fini(&o->sequences);
}

static void assert_near(double a, double b)
{
    assert_true(fabs(a - b) < 1e-9);
}

static void assert_same_indices(const struct pat_indices *a, const struct pat_indices *b)
{
    assert_int_equal(a->len, b->len);
    assert_memory_equal(a->data ? (const void *)a->data : "", b->data ? (const void *)b->data : "",
                        a->len * sizeof(*a->data));
}

static void assert_same_measures(const struct pat_measures *a, const struct pat_measures *b)
{
    assert_near(a->spatial, b->spatial);
    assert_near(a->temporal, b->temporal);
    assert_near(a->delta_entropy_bits, b->delta_entropy_bits);
    assert_near(a->line_utilisation, b->line_utilisation);
    assert_near(a->page_utilisation, b->page_utilisation);
    assert_int_equal(a->footprint_bytes, b->footprint_bytes);
    assert_memory_equal(a->reuse, b->reuse, sizeof(a->reuse));
    assert_int_equal(a->cold, b->cold);
    assert_int_equal(a->reuse_is_sampled, b->reuse_is_sampled);
}

static void assert_same_pattern(const struct pat_found *a, const struct pat_found *b)
{
    assert_string_equal(pat_form_name(a->form), pat_form_name(b->form));
    assert_string_equal(pat_class_name(a->class), pat_class_name(b->class));
    assert_int_equal(a->stride, b->stride);
    assert_int_equal(a->members_len, b->members_len);
    assert_int_equal(a->first_element, b->first_element);
    assert_int_equal(a->prologue, b->prologue);
    assert_int_equal(a->epilogue, b->epilogue);
    assert_same_indices(&a->head, &b->head);
    assert_same_indices(&a->tail, &b->tail);
    assert_near(a->explained, b->explained);
    assert_same_indices(&a->config.pattern, &b->config.pattern);
    assert_same_indices(&a->config.deltas, &b->config.deltas);
    assert_int_equal(a->config.delta, b->config.delta);
    assert_int_equal(a->config.count, b->config.count);
}

/* Every field of a folded sequence agrees with the indices. */
static void assert_same_sequence(const struct pat_sequence *folded, const struct pat_sequence *all)
{
    assert_int_equal(pat_sequence_len(folded), all->indices.len);
    assert_int_equal(folded->base, all->base);
    assert_int_equal(folded->ranges_print, all->ranges_print);
    if (!folded->fold.period) {
        assert_same_indices(&folded->indices, &all->indices);
        return;
    }
    assert_int_equal(folded->indices.len, 2 * folded->fold.period);
    for (size_t i = 0; i < all->indices.len; i++)
        assert_int_equal(pat_fold_index(&folded->fold, folded->indices.data, i), all->indices.data[i]);
}

static void patterns_and_measures_are_those_of_all_accesses(void **unused)
{
    size_t folded_len = 0, joined_len = 0;
    (void)unused;
    for (int round = 0; round < ROUNDS; round++) {
        struct memory_source m = {0};
        struct outcome folded, all;
        struct nest n;
        nest_draw(&n);
        nest_run(&n, &m);
        outcome_of(&m, LEAST, &folded);
        outcome_of(&m, 0, &all);
        assert_int_equal(folded.sequences.len, all.sequences.len);
        for (size_t i = 0; i < all.sequences.len; i++) {
            assert_int_equal(all.sequences.rows[i].fold.period, 0);
            assert_same_sequence(&folded.sequences.rows[i], &all.sequences.rows[i]);
            folded_len += folded.sequences.rows[i].fold.period > 0;
        }
        assert_int_equal(folded.found.len, all.found.len);
        for (size_t i = 0; i < all.found.len; i++) {
            assert_same_pattern(&folded.found.rows[i], &all.found.rows[i]);
            assert_same_measures(&folded.found.rows[i].measures, &all.found.rows[i].measures);
            joined_len += all.found.rows[i].members_len > 0;
        }
        outcome_fini(&folded);
        outcome_fini(&all);
        memory_fini(&m);
    }
    assert_true(folded_len > ROUNDS / 2 && joined_len > 0);
}

/* Walks that advance: some ten thousand accesses; few are kept. Rounds that overlap, lie apart, go back, and
 * touch a line or a page together with the one before. */
static void rounds_that_move_on_are_measured_as_all_of_them(void **unused)
{
    static const int64_t moves[] = {1, -1, 2, 7, 8, 17, -24, 64, 100, 512, 513, -1000};
    size_t folded_len = 0;
    (void)unused;
    for (size_t round = 0; round < sizeof(moves) / sizeof(moves[0]); round++) {
        struct memory_source m = {0};
        struct outcome folded, all;
        struct nest n = {.move = moves[round], .period = 1, .lanes = 1 + (round & 1), .odd_one = UINT64_MAX};
        for (int i = 0; i < LEVELS; i++) {
            n.extent[i] = 1 + (int64_t)rng(4);
            n.stride[i] = (int64_t)rng(3) * (1 + (int64_t)rng(20)) * (i == 2 ? 50 : 1);
            n.period *= (uint64_t)n.extent[i];
        }
        n.accesses = 60000 + rng(5000);
        nest_run(&n, &m);
        outcome_of(&m, LEAST, &folded);
        outcome_of(&m, 0, &all);
        for (size_t i = 0; i < all.sequences.len; i++) {
            assert_same_sequence(&folded.sequences.rows[i], &all.sequences.rows[i]);
            folded_len += folded.sequences.rows[i].fold.shift != 0;
        }
        assert_int_equal(folded.found.len, all.found.len);
        for (size_t i = 0; i < all.found.len; i++) {
            assert_same_pattern(&folded.found.rows[i], &all.found.rows[i]);
            assert_same_measures(&folded.found.rows[i].measures, &all.found.rows[i].measures);
        }
        outcome_fini(&folded);
        outcome_fini(&all);
        memory_fini(&m);
    }
    assert_true(folded_len >= sizeof(moves) / sizeof(moves[0]));
}

static void single_repetitions_are_not_folded(void **unused)
{
    (void)unused;
    for (int round = 0; round < ROUNDS; round++) {
        struct memory_source m = {0};
        struct outcome folded, all;
        struct nest n;
        nest_draw(&n);
        n.odd_one = rng(n.accesses);
        nest_run(&n, &m);
        outcome_of(&m, LEAST, &folded);
        outcome_of(&m, 0, &all);
        for (size_t i = 0; i < all.sequences.len; i++) {
            assert_same_sequence(&folded.sequences.rows[i], &all.sequences.rows[i]);
            if (folded.sequences.rows[i].site == 0) assert_int_equal(folded.sequences.rows[i].fold.period, 0);
        }
        outcome_fini(&folded);
        outcome_fini(&all);
        memory_fini(&m);
    }
}

/* Beyond the first accesses that are searched, the period is still found once it fits; so it is where rounds
 * are recognised during extraction, although the accesses before are not examined. */
static void long_periods_are_found(void **unused)
{
    static const uint64_t lens[][3] = {{3000, 5, 7},    {5000, 5, 7},    {20000, 5, 7},  {65537, 4, 0},
                                       {100000, 4, 0},  {131072, 4, 0},  {131100, 4, 0}, {140000, 4, 1},
                                       {200001, 4, 99}, {240000, 4, 30}, {500000, 4, 0}, {150000, 9, 0}};
    (void)unused;
    for (size_t p = 0; p < sizeof(lens) / sizeof(lens[0]); p++) {
        struct memory_source m = {0};
        struct outcome o;
        memory_site(&m, 0x1000, 8, PAT_OP_LOAD);
        memory_thread(&m);
        for (uint64_t i = 0; i < lens[p][0] * lens[p][1] + lens[p][2]; i++)
            memory_access(&m, 0, 0, BASE + ls_random_mix(i % lens[p][0]) % 65537 * 8);
        outcome_of(&m, LEAST, &o);
        assert_int_equal(o.sequences.rows[0].fold.period, lens[p][0]);
        assert_int_equal(o.found.rows[0].form, lens[p][2] ? PAT_FORM_PERIODIC : PAT_FORM_EXACT);
        assert_int_equal(o.found.rows[0].config.pattern.len, lens[p][0]);
        assert_int_equal(o.found.rows[0].config.count, lens[p][1]);
        assert_int_equal(o.found.rows[0].epilogue, lens[p][2]);
        outcome_fini(&o);
        memory_fini(&m);
    }
}

/* The neighbours of each point of a small grid, sweep after sweep: along each line of the grid the distances
 * come again every 18, which is no period of all. */
static void periods_with_rounds_inside_are_found(void **unused)
{
    enum { SIDE = 14, SWEEPS = 12, PERIOD = (3 * SIDE - 2) * (3 * SIDE - 2) * (3 * SIDE - 2) };
    struct memory_source m = {0};
    struct outcome o;
    (void)unused;
    memory_site(&m, 0x1000, 8, PAT_OP_LOAD);
    memory_thread(&m);
    for (int at = 0; at < SWEEPS * SIDE * SIDE * SIDE * 27; at++) {
        const int cell = at / 27 % (SIDE * SIDE * SIDE), side = at % 27;
        const int x = cell % SIDE + side % 3 - 1, y = cell / SIDE % SIDE + side / 3 % 3 - 1;
        const int z = cell / SIDE / SIDE + side / 9 - 1;
        const bool is_inside = x >= 0 && x < SIDE && y >= 0 && y < SIDE && z >= 0 && z < SIDE;
        if (is_inside) memory_access(&m, 0, 0, BASE + (uint64_t)((z * SIDE + y) * SIDE + x) * 8);
    }
    outcome_of(&m, LEAST, &o);
    assert_int_equal(o.sequences.rows[0].accesses, SWEEPS * PERIOD);
    assert_int_equal(o.sequences.rows[0].fold.period, PERIOD);
    outcome_fini(&o);
    memory_fini(&m);
}

/* One pass over a long array takes almost no memory: all of it is known, however low the limit. Where it ends
 * in no order the beginning is kept. */
static void one_pass_is_whole_in_little_memory(void **unused)
{
    enum { LEN = 300000, LITTLE = 1 << 20 };
    (void)unused;
    for (int has_end = 0; has_end < 2; has_end++) {
        struct memory_source m = {0};
        struct outcome o;
        memory_site(&m, 0x1000, 8, PAT_OP_LOAD);
        memory_thread(&m);
        for (uint64_t i = 0; i < LEN; i++)
            memory_access(&m, 0, 0, BASE + 8 * (has_end && i > LEN - 20000 ? i * i % LEN : i));
        outcome_within(&m, LEAST, LITTLE, &o);
        const struct pat_sequence *s = &o.sequences.rows[0];
        const struct pat_found *f = &o.found.rows[0];
        assert_int_equal(s->is_whole, !has_end);
        assert_int_equal(s->accesses, LEN);
        assert_int_equal(f->form == PAT_FORM_EXACT, !has_end);
        assert_int_equal(f->measures.part > 0, has_end);
        assert_true(s->indices.len * sizeof(*s->indices.data) < LITTLE);
        for (size_t i = 0; i < pat_sequence_len(s); i++)
            assert_int_equal(pat_fold_index(&s->fold, s->indices.data, i), i);
        if (!has_end) assert_int_equal(f->measures.footprint_bytes, LEN * 8);
        outcome_fini(&o);
        memory_fini(&m);
    }
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(patterns_and_measures_are_those_of_all_accesses),
                                       cmocka_unit_test(rounds_that_move_on_are_measured_as_all_of_them),
                                       cmocka_unit_test(single_repetitions_are_not_folded),
                                       cmocka_unit_test(long_periods_are_found),
                                       cmocka_unit_test(periods_with_rounds_inside_are_found),
                                       cmocka_unit_test(one_pass_is_whole_in_little_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
