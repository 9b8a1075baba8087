/* SPDX-License-Identifier: BSD-3-Clause */
/* Periods: every one that is found gives its sequence again, by the kernels' address generator; loop nests of
 * every shape are found, and sequences without a period have none. */
#include "patterns/pat_extent.h"
#include "patterns/compact/pat_period.h"
#include "tests/unit.h"
#include "tests/xorshift.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { NEST_LEVELS = 4, NESTS = 400, ROOM = 1 << 16 };

static uint64_t random_state;

static uint64_t next_random(void)
{
    return xorshift(&random_state);
}

static int64_t between(int64_t low, int64_t high)
{
    return low + (int64_t)(next_random() % (uint64_t)(high - low + 1));
}

struct sequence {
    struct pat_indices v;
};

static void put(struct sequence *s, int64_t index)
{
    assert_true(s->v.len < ROOM);
    s->v.data[s->v.len++] = index;
}

static struct sequence sequence_new(void)
{
    return (struct sequence){{malloc(ROOM * sizeof(int64_t)), 0}};
}

/* The indices that the kernels make from c, one by one. */
static void assert_replays(const struct pat_config *c, const struct pat_indices *v, size_t start)
{
    for (uint64_t i = 0; i < c->count; i++) {
        const int64_t base = pat_base(c->delta, &c->deltas, i);
        for (size_t j = 0; j < c->pattern.len; j++)
            assert_int_equal(base + c->pattern.data[j], v->data[start + i * c->pattern.len + j]);
    }
}

/* Finds the period of s and proves it; the numbers that it takes. */
static size_t prove(const struct sequence *s, struct pat_period *out)
{
    struct pat_config c;
    bool found;
    assert_int_equal(pat_period_find(&s->v, out, &found), LS_OK);
    if (!found) return 0;
    const size_t numbers = out->len + (out->turns > 1 ? out->turns : 0);
    assert_true(pat_period_holds(out, &s->v));
    assert_true(out->start + out->len * out->count <= s->v.len);
    for (int joined = 0; joined < 2; joined++) {
        assert_int_equal(pat_config_init(&c), LS_OK);
        assert_int_equal(pat_period_write(out, &s->v, 0, &c), LS_OK);
        assert_replays(&c, &s->v, out->start);
        pat_config_fini(&c);
        pat_period_join(out, &s->v);
        assert_true(pat_period_holds(out, &s->v));
    }
    return numbers;
}

static bool is_whole(const struct pat_period *p, const struct sequence *s)
{
    return p->start == 0 && p->len * p->count == s->v.len;
}

static void uniform_strides_are_one_delta(void **state)
{
    struct sequence s = sequence_new();
    struct pat_period p;
    (void)state;
    for (int64_t stride = -3; stride <= 100; stride += 7) {
        s.v.len = 0;
        for (int64_t i = 0; i < 1000; i++)
            put(&s, 5000 + i * stride);
        assert_int_equal(prove(&s, &p), 1);
        assert_true(is_whole(&p, &s));
        assert_int_equal(p.len, 8); /* joined: 16 does not divide 1000 */
        assert_int_equal(p.count, 125);
    }
    free(s.v.data);
}

/* for plane, for row, for column: array[plane][row][column] of a sub-array */
static void sub_array_walks_have_a_list_of_deltas(void **state)
{
    struct sequence s = sequence_new();
    struct pat_period p;
    (void)state;
    for (int64_t plane = 0; plane < 6; plane++)
        for (int64_t row = 0; row < 20; row++)
            for (int64_t column = 0; column < 30; column++)
                put(&s, (plane * 50 + row) * 40 + column + 7);
    assert_int_equal(prove(&s, &p), 30 + 20);
    assert_true(is_whole(&p, &s));
    assert_int_equal(p.len, 30);
    assert_int_equal(p.turns, 20);
    assert_int_equal(p.count, 120);
    free(s.v.data);
}

/* Rows of 30 columns are one level, not 10 columns three times; five points of a grid are five. */
static void patterns_end_where_loops_do(void **state)
{
    static const int64_t points[] = {-100, -1, 0, 1, 100};
    struct sequence s = sequence_new();
    struct pat_period p;
    (void)state;
    for (int64_t row = 0; row < 40; row++)
        for (int64_t column = 0; column < 30; column++)
            put(&s, row * 64 + column);
    assert_int_equal(prove(&s, &p), 30);
    assert_int_equal(p.len, 30);
    s.v.len = 0;
    for (int64_t y = 1; y < 59; y++)
        for (int64_t x = 1; x < 99; x++)
            for (int i = 0; i < 5; i++)
                put(&s, y * 100 + x + points[i]);
    assert_int_equal(prove(&s, &p), 5 + 98);
    assert_true(is_whole(&p, &s));
    free(s.v.data);
}

/* No list of 20,000 indices where some hundred do. */
static void long_sweeps_are_cut(void **state)
{
    struct sequence s = sequence_new();
    struct pat_period p;
    (void)state;
    for (int sweep = 0; sweep < 3; sweep++)
        for (int64_t i = 0; i < 20000; i++)
            put(&s, i);
    assert_in_range(prove(&s, &p), 1, 500);
    assert_true(is_whole(&p, &s));
    free(s.v.data);
}

/* One index of a nest is changed: the whole may not be called exact. */
static void one_wrong_index_is_noticed(void **state)
{
    struct sequence s = sequence_new();
    struct pat_period p;
    random_state = 12;
    (void)state;
    for (int round = 0; round < 300; round++) {
        const int64_t columns = between(2, 9), rows = between(30, 60);
        s.v.len = 0;
        for (int64_t i = 0; i < rows * columns; i++)
            put(&s, 1000 + i / columns * 50 + i % columns * 3);
        s.v.data[between(0, rows * columns - 1)] += 1;
        if (prove(&s, &p)) assert_false(is_whole(&p, &s));
    }
    free(s.v.data);
}

/* C[i][j] += A[i][k] * B[k][j] */
static void matmul_operands_are_found(void **state)
{
    enum { N = 24 };
    struct sequence a = sequence_new(), b = sequence_new();
    struct pat_period p;
    (void)state;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++) {
                put(&a, i * N + k);
                put(&b, k * N + j);
            }
    assert_int_equal(prove(&a, &p), 2 * N);
    assert_true(is_whole(&p, &a));
    assert_int_equal(prove(&b, &p), 2 * N);
    assert_true(is_whole(&p, &b));
    free(a.v.data);
    free(b.v.data);
}

/* A block of `counts` points with strides, innermost first. */
static void put_nest(struct sequence *s, const int64_t *counts, const int64_t *strides, int level,
                     int64_t base)
{
    if (level < 0) {
        put(s, base);
        return;
    }
    for (int64_t i = 0; i < counts[level]; i++)
        put_nest(s, counts, strides, level - 1, base + i * strides[level]);
}

static void random_nests_are_exact_and_short(void **state)
{
    struct sequence s = sequence_new();
    struct pat_period p;
    random_state = 0x9e3779b97f4a7c15;
    (void)state;
    for (int nest = 0; nest < NESTS; nest++) {
        int64_t counts[NEST_LEVELS], strides[NEST_LEVELS];
        const int levels = (int)between(1, NEST_LEVELS);
        for (int l = 0; l < levels; l++) {
            counts[l] = between(l == 0 ? 4 : 2, l < 2 ? 12 : 6);
            strides[l] = between(-50, 500);
        }
        counts[levels - 1] += 8; /* enough rounds to exclude chance */
        s.v.len = 0;
        put_nest(&s, counts, strides, levels - 1, 100000);
        const size_t numbers = prove(&s, &p);
        int64_t outer = 1;
        for (int l = 1; l + 1 < levels; l++)
            outer *= counts[l];
        assert_in_range(numbers, 1, (uint64_t)(counts[0] + (outer > 1 ? 2 * outer : 0)));
        assert_true(is_whole(&p, &s));
    }
    free(s.v.data);
}

static void random_sequences_have_no_period(void **state)
{
    struct sequence s = sequence_new();
    struct pat_period p;
    bool found;
    random_state = 42;
    (void)state;
    for (size_t len = 0; len < 200; len++) {
        s.v.len = 0;
        for (size_t i = 0; i < len; i++)
            put(&s, (int64_t)(next_random() % 1000));
        assert_int_equal(pat_period_find(&s.v, &p, &found), LS_OK);
        assert_true(!found || len < 12);
        if (found) assert_true(pat_period_holds(&p, &s.v));
    }
    free(s.v.data);
}

/* Accesses before and after the period are reported, not lost. */
static void ragged_ends_are_left_out(void **state)
{
    struct sequence s = sequence_new();
    struct pat_period p;
    (void)state;
    put(&s, 999);
    put(&s, 5);
    for (int64_t i = 0; i < 100; i++)
        for (int64_t j = 0; j < 9; j++)
            put(&s, i * 64 + j * j);
    put(&s, 6400);
    put(&s, 77);
    assert_int_equal(prove(&s, &p), 9);
    assert_false(is_whole(&p, &s));
    assert_in_range(p.start, 0, 2);
    assert_in_range(p.start + p.len * p.count, 890, s.v.len);
    free(s.v.data);
}

static void wild_indices_do_no_harm(void **state)
{
    static const int64_t wild[] = {INT64_MIN, INT64_MAX, 0, -1};
    struct sequence s = sequence_new();
    struct pat_period p;
    bool found;
    (void)state;
    for (int i = 0; i < 64; i++)
        put(&s, wild[i % 4]);
    assert_int_equal(pat_period_find(&s.v, &p, &found), LS_OK);
    assert_true(found && pat_period_holds(&p, &s.v));
    free(s.v.data);
}

static size_t naive_rotation(const int64_t *c, size_t len)
{
    size_t best = 0;
    for (size_t r = 1; r < len; r++)
        for (size_t i = 0; i < len; i++) {
            const int64_t x = c[(r + i) % len], y = c[(best + i) % len];
            if (x == y) continue;
            if (x < y) best = r;
            break;
        }
    return best;
}

static void least_rotation_is_that_of_the_definition(void **state)
{
    int64_t c[12];
    random_state = 7;
    (void)state;
    for (int round = 0; round < 5000; round++) {
        const size_t len = (size_t)between(1, 12);
        for (size_t i = 0; i < len; i++)
            c[i] = between(0, 2);
        const size_t got = pat_least_rotation(c, len), want = naive_rotation(c, len);
        for (size_t i = 0; i < len; i++)
            assert_int_equal(c[(got + i) % len], c[(want + i) % len]);
    }
}

static size_t naive_period(const int64_t *c, size_t len)
{
    for (size_t p = 1; p < len; p++)
        if (memcmp(c, c + p, (len - p) * sizeof(*c)) == 0) return p;
    return len;
}

static void period_of_a_string_is_that_of_the_definition(void **state)
{
    int64_t c[20];
    uint32_t scratch[20];
    random_state = 8;
    (void)state;
    for (int round = 0; round < 5000; round++) {
        const size_t len = (size_t)between(1, 20);
        for (size_t i = 0; i < len; i++)
            c[i] = between(0, 1);
        assert_int_equal(pat_period_of_string(c, len, scratch), naive_period(c, len));
    }
}

/* Bursts of a walk over rows of 7 of 10 columns, each begun anywhere; three of ten are a stream that always
 * begins alike: more than any one beginning of the walk has. */
static void bursts_vote_for_their_cycle(void **state)
{
    struct sequence s = sequence_new();
    size_t breaks[100];
    struct pat_cycle c;
    random_state = 11;
    (void)state;
    for (int burst = 0; burst < 100; burst++) {
        if (burst) breaks[burst - 1] = s.v.len;
        const int64_t begin = between(0, 700);
        for (int64_t i = begin; i < begin + 60; i++)
            put(&s, burst % 10 > 6 ? 3 * i : i / 7 * 10 + i % 7);
    }
    const struct pat_pieces pieces = {&s.v, breaks, 99};
    assert_int_equal(pat_pieces_cycle(&pieces, &c), LS_OK);
    assert_int_equal(c.len, 7);
    int64_t sum = 0;
    for (size_t i = 0; i < c.len; i++)
        sum += c.distances[i];
    assert_int_equal(sum, 10);
    assert_int_equal(c.seen, 100 * 59);
    assert_int_equal(c.explained, 70 * 59);
    free(s.v.data);
}

/* Bursts of 30 accesses in rows of `row` columns of 64: cycles with a turn are counted. */
static void turns_of_rows(int64_t row, struct pat_cycle *out)
{
    struct sequence s = sequence_new();
    size_t breaks[100];
    random_state = 12;
    for (int burst = 0; burst < 100; burst++) {
        if (burst) breaks[burst - 1] = s.v.len;
        const int64_t begin = between(0, 20 * row);
        for (int64_t i = begin; i < begin + 30; i++)
            put(&s, i / row * 64 + i % row);
    }
    const struct pat_pieces pieces = {&s.v, breaks, 99};
    assert_int_equal(pat_pieces_cycle(&pieces, out), LS_OK);
    free(s.v.data);
}

static void rows_longer_than_bursts_have_one_turn_in_them(void **state)
{
    struct pat_cycle c;
    (void)state;
    turns_of_rows(50, &c);
    assert_int_equal(c.len, 1);
    assert_int_equal(c.pieces, 100);
    assert_in_range(c.with_turn, 30, 80); /* 29 of 50 begin at most 29 before an end */
    assert_int_equal(c.with_turns, 0);
    turns_of_rows(10, &c); /* the row is the cycle */
    assert_int_equal(c.len, 10);
    assert_int_equal(c.with_turn + c.with_turns, 0);
    turns_of_rows(1000000, &c);
    assert_int_equal(c.with_turn + c.with_turns, 0);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uniform_strides_are_one_delta),
        cmocka_unit_test(sub_array_walks_have_a_list_of_deltas),
        cmocka_unit_test(patterns_end_where_loops_do),
        cmocka_unit_test(long_sweeps_are_cut),
        cmocka_unit_test(one_wrong_index_is_noticed),
        cmocka_unit_test(matmul_operands_are_found),
        cmocka_unit_test(random_nests_are_exact_and_short),
        cmocka_unit_test(random_sequences_have_no_period),
        cmocka_unit_test(ragged_ends_are_left_out),
        cmocka_unit_test(wild_indices_do_no_harm),
        cmocka_unit_test(least_rotation_is_that_of_the_definition),
        cmocka_unit_test(period_of_a_string_is_that_of_the_definition),
        cmocka_unit_test(bursts_vote_for_their_cycle),
        cmocka_unit_test(rows_longer_than_bursts_have_one_turn_in_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
