/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables that rows count in: divisors, buckets of four, distances (exact, and when there are too many of
 * them), and the stream of their accesses; each against a direct implementation. */
#include "common/ls_checked.h"
#include "common/ls_random.h"
#include "patterns/extract/pat_ext.h"
#include "patterns/extract/pat_ext_counts.h"
#include "patterns/extract/pat_ext_stream.h"
#include "tests/unit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

static uint64_t state;

static uint64_t rng(uint64_t below)
{
    return ls_random_below(&state, below);
}

/* Numbers with any length in bits. */
static uint64_t any_number(void)
{
    const uint64_t bits = rng(65);
    return bits ? ls_random_next(&state) >> (64 - bits) : 0;
}

static struct pat_ext_arena arena;
static struct pat_ext_budget budget;

static void begin(uint64_t seed)
{
    state = seed;
    pat_ext_arena_init(&arena, UINT64_C(1) << 30);
    budget = (struct pat_ext_budget){.limit_bytes = UINT64_C(1) << 30, .arena = &arena};
}

/* Each block is malloc's, so that sanitizers see its bounds. */
static void begin_without_arena(uint64_t seed)
{
    begin(seed);
    budget.arena = NULL;
}

static void end(void)
{
    assert_int_equal(budget.used_bytes, 0);
    pat_ext_arena_fini(&arena);
}

/* ---- divisors ---- */

static void divisor_is_that_of_all_numbers(void **unused)
{
    (void)unused;
    begin(1);
    for (int i = 0; i < 20000; i++) {
        struct pat_ext_divisor d = {0};
        const uint64_t unit = any_number() >> rng(64);
        uint64_t all = 0;
        for (int k = 0; k < 20; k++) {
            const uint64_t number = rng(3) ? unit * (any_number() >> 32) : k % 7 == 6 ? any_number() : 0;
            pat_ext_divisor_take(&d, number);
            all = ls_gcd_u64(number, all);
            assert_int_equal(d.value, all);
        }
    }
    end();
}

/* ---- buckets of four ---- */

static void keys_that_share_buckets_are_distinguished(void **unused)
{
    enum { KEYS = 200, LOG2_CAP = 8 };
    (void)unused;
    begin(2);
    for (int round = 0; round < 200; round++) {
        struct pat_ext_way *slots = pat_ext_ways_new(&budget, LOG2_CAP);
        uint64_t counts[KEYS] = {0};
        const uint64_t buckets = 1 + rng(64);
        assert_non_null(slots);
        for (int i = 0; i < 2000; i++) {
            const uint64_t key = rng(KEYS); /* 0, too */
            struct pat_ext_way *way = pat_ext_ways_find(slots, LOG2_CAP, key % buckets * 4 + 3, key);
            assert_int_equal(way->value, counts[key]);
            assert_true(!way->value || way->key == key);
            *way = (struct pat_ext_way){key, ++counts[key]};
        }
        pat_ext_ways_free(slots, &budget, LOG2_CAP);
    }
    end();
}

/* ---- distances ---- */

static uint64_t tally_count(const struct pat_ext_tally *t, int64_t distance)
{
    uint64_t count = 0;
    for (size_t i = 0; i < pat_ext_ways_cap(t->log2_cap); i++)
        if (t->slots[i].value && (int64_t)t->slots[i].key == distance) count += t->slots[i].value;
    return count;
}

static size_t tally_slots(const struct pat_ext_tally *t)
{
    size_t used = 0;
    for (size_t i = 0; i < pat_ext_ways_cap(t->log2_cap); i++)
        used += t->slots[i].value > 0;
    return used;
}

static void distances_are_exact_as_long_as_they_fit(void **unused)
{
    enum { DIFFERENT = PAT_EXT_TALLY_MAX, JOINED = DIFFERENT / 2 };
    static uint64_t counts[DIFFERENT];
    struct pat_ext_tally t = {0}, more = {0};
    (void)unused;
    begin(3);
    for (int i = 0; i < 4 * DIFFERENT; i++) {
        const uint64_t k = i < DIFFERENT ? (uint64_t)i : rng(DIFFERENT), times = 1 + rng(3);
        const int64_t distance = ((int64_t)k - DIFFERENT / 2) * 24;
        counts[k] += times;
        assert_true(pat_ext_tally_add(k < JOINED ? &more : &t, &budget, distance, times));
    }
    assert_true(pat_ext_tally_join(&t, &more, &budget));
    assert_false(t.is_pruned);
    assert_int_equal(t.unique, DIFFERENT);
    assert_int_equal(t.gcd.value, 24);
    assert_int_equal(t.len, tally_slots(&t));
    for (size_t i = 0; i < pat_ext_ways_cap(t.log2_cap); i++) {
        const int64_t k = (int64_t)t.slots[i].key / 24 + DIFFERENT / 2;
        if (t.slots[i].value) assert_int_equal(t.slots[i].value, counts[k]);
    }
    pat_ext_tally_fini(&more, &budget);
    pat_ext_tally_fini(&t, &budget);
    end();
}

/* Among millions of others, distances that make up a 400th each are found, with nearly all of their
 * counts. */
static void frequent_distances_are_found_among_too_many(void **unused)
{
    enum { FREQUENT = 100, ALL = 2000000, PART = 4 };
    static uint64_t counts[FREQUENT];
    struct pat_ext_tally t = {0}, more = {0};
    (void)unused;
    begin(4);
    for (int i = 0; i < ALL; i++) {
        const uint64_t k = rng(PART) ? FREQUENT : rng(FREQUENT);
        const int64_t distance =
            k < FREQUENT ? ((int64_t)k - 5) * 40 : (int64_t)(ls_random_next(&state) >> 20) * 8 + 8000;
        assert_true(pat_ext_tally_add(i < ALL / 2 ? &t : &more, &budget, distance, 1));
        if (k < FREQUENT) counts[k]++;
    }
    assert_true(t.is_pruned && more.is_pruned);
    assert_true(pat_ext_tally_join(&t, &more, &budget));
    assert_true(t.unique >= PAT_EXT_TALLY_MAX);
    assert_int_equal(t.gcd.value, 8);
    assert_int_equal(t.len, tally_slots(&t));
    for (size_t k = 0; k < FREQUENT; k++) {
        const uint64_t count = tally_count(&t, ((int64_t)k - 5) * 40);
        assert_true(count <= counts[k]);
        assert_true(count >= counts[k] - counts[k] / 20);
    }
    pat_ext_tally_fini(&more, &budget);
    pat_ext_tally_fini(&t, &budget);
    end();
}

/* Batches of runs as rows count them. */
static uint32_t add_batch(struct pat_ext_tally *t, const struct pat_ext_run *runs, size_t len)
{
    const uint32_t weight = pat_ext_tally_weigh(t);
    assert_true(weight == 1 || (t->is_sampled && (weight == 0 || weight == PAT_EXT_TALLY_SAMPLE)));
    assert_true(pat_ext_tally_add_runs(t, &budget, (struct pat_ext_runs){runs, len, weight}, 1));
    return weight;
}

/* If only one distance in 25 has a slot, one batch in eight is counted with weight eight. Counts of frequent
 * distances are approximately correct, even if they always come in the same batch of 64; long runs and the
 * divisor are exact. When more distances have a slot, all are counted again. */
static void distances_that_hardly_come_again_are_sampled(void **unused)
{
    enum { BATCHES = 200000, RUNS = 25, TURN = 64, LENGTH = 2, LONG = 1000 };
    struct pat_ext_tally t = {0};
    uint64_t batches[PAT_EXT_TALLY_SAMPLE + 1] = {0};
    int64_t longs = 0;
    (void)unused;
    begin(11);
    for (int i = 0; i < BATCHES; i++) {
        struct pat_ext_run runs[RUNS];
        for (int k = 0; k < RUNS; k++)
            runs[k] = (struct pat_ext_run){(int64_t)(ls_random_next(&state) >> 20) * 16 + 1600, LENGTH};
        runs[0].distance = -16 * (1 + i % TURN);
        if (i == BATCHES - 2) runs[RUNS - 1].distance = 24;
        if (i > BATCHES / 4 && i % 10000 == 0) runs[1] = (struct pat_ext_run){8 * ++longs, LONG};
        batches[add_batch(&t, runs, RUNS)]++;
    }
    assert_true(t.is_pruned && t.is_sampled);
    assert_true(batches[1] < BATCHES / 10);
    assert_in_range(batches[0], 6 * batches[PAT_EXT_TALLY_SAMPLE], 8 * batches[PAT_EXT_TALLY_SAMPLE]);
    assert_int_equal(t.gcd.value, 8);
    assert_int_equal(t.len, tally_slots(&t));
    const uint64_t each = BATCHES / TURN * LENGTH;
    for (int64_t k = 1; k <= TURN; k++)
        assert_in_range(tally_count(&t, -16 * k), each - each / 5, each + each / 5);
    for (; longs > 0; longs--)
        assert_int_equal(tally_count(&t, 8 * longs), LONG);
    for (int i = 0; i < 1000; i++) {
        const struct pat_ext_run runs[] = {{-16, 1}, {-32, 1}, {-48, 1}};
        add_batch(&t, runs, 3);
    }
    assert_false(t.is_sampled);
    pat_ext_tally_fini(&t, &budget);
    end();
}

/* A distance that becomes frequent is admitted, and stays. */
static void long_runs_are_counted_among_too_many(void **unused)
{
    enum { RUNS = 50, RUN = 1000, BEFORE = 100000, BETWEEN = 1000 };
    struct pat_ext_tally t = {0};
    (void)unused;
    begin(7);
    for (int i = 0; i < BEFORE + RUNS * BETWEEN; i++) {
        pat_ext_tally_add(&t, &budget, (int64_t)(ls_random_next(&state) >> 20), 1);
        if (i >= BEFORE && i % BETWEEN == 0)
            pat_ext_tally_add(&t, &budget, -8 * (int64_t)((i - BEFORE) / BETWEEN), RUN);
    }
    assert_true(t.is_pruned);
    for (int i = 0; i < RUNS; i++)
        assert_in_range(tally_count(&t, -8 * (int64_t)i), RUN - RUN / 20, RUN);
    pat_ext_tally_fini(&t, &budget);
    end();
}

/* An exact table and a pruned one, merged in either order: distances that were frequent in either are in both
 * together. */
static void exact_and_pruned_tallies_are_joined(void **unused)
{
    enum { FEW = 40, TIMES = 5000, MANY = 60000 };
    (void)unused;
    for (int order = 0; order < 2; order++) {
        struct pat_ext_tally few = {0}, many = {0}, *to = order ? &few : &many, *from = order ? &many : &few;
        begin(8);
        for (int64_t i = 0; i < FEW; i++)
            assert_true(pat_ext_tally_add(&few, &budget, (i + 1) * 12, TIMES));
        for (int i = 0; i < MANY; i++)
            assert_true(pat_ext_tally_add(&many, &budget, (int64_t)(ls_random_next(&state) >> 20) * 18, 1));
        assert_true(!few.is_pruned && many.is_pruned);
        assert_true(pat_ext_tally_join(to, from, &budget));
        assert_true(to->is_pruned);
        assert_true(to->unique >= PAT_EXT_TALLY_MAX);
        assert_int_equal(to->gcd.value, 6);
        assert_int_equal(to->len, tally_slots(to));
        for (int64_t i = 0; i < FEW; i++)
            assert_in_range(tally_count(to, (i + 1) * 12), TIMES, TIMES + 1);
        pat_ext_tally_fini(from, &budget);
        pat_ext_tally_fini(to, &budget);
        end();
    }
}

/* ---- pages ---- */

static void touch(struct pat_ext_pages *p, uint64_t page, uint64_t lines)
{
    for (uint64_t line = 0; line < lines; line++)
        pat_ext_pages_touch(p, &budget, page * PAT_EXT_PAGE_LINES + line * 7 % PAT_EXT_PAGE_LINES);
}

static void pages_are_exact_then_a_sample(void **unused)
{
    enum { LINES = 5 };
    (void)unused;
    for (uint64_t pages = 1; pages <= 1 << 20; pages *= 4) {
        struct pat_ext_pages p = {0}, half = {0};
        begin(9);
        for (uint64_t i = 0; i < pages; i++) { /* some in both */
            if (i < pages / 2 + pages / 8) touch(&p, i * 3, LINES);
            if (i >= pages / 2) touch(&half, i * 3, LINES);
        }
        pat_ext_pages_join(&p, &half, &budget);
        const uint64_t margin = pages <= PAT_EXT_PAGES_MAX ? 0 : pages / 16;
        assert_in_range(pat_ext_pages_count(&p), pages - margin, pages + margin);
        assert_in_range(pat_ext_pages_lines(&p), (pages - margin) * LINES, (pages + margin) * LINES);
        pat_ext_pages_fini(&half, &budget);
        pat_ext_pages_fini(&p, &budget);
        end();
    }
}

/* ---- streams ---- */

static struct pat_ext_token any_token(void)
{
    struct pat_ext_token t = {.range = PAT_NONE, .count = 1};
    const uint64_t kind = rng(20);
    if (kind == 0) {
        t.kind = PAT_EXT_JUMP;
        t.addr = any_number();
        t.range = rng(2) ? PAT_NONE : (uint32_t)any_number();
        t.is_break = rng(2);
        return t;
    }
    t.count = kind == 1 ? 1 + (any_number() >> 2) : 1;
    t.distance = (int64_t)any_number();
    if (t.count == 1) t.distance >>= 2;
    return t;
}

/* Put as many runs at once as there are, or a single token. Return how many. */
static size_t put(struct pat_ext_stream *s, const struct pat_ext_token *tokens, size_t len)
{
    enum { RUNS = 40 };
    struct pat_ext_run runs[RUNS] = {0};
    size_t n = 0;
    for (const size_t most = rng(RUNS + 1); n < len && n < most && tokens[n].kind == PAT_EXT_RUN; n++)
        runs[n] = (struct pat_ext_run){tokens[n].distance, tokens[n].count};
    assert_int_equal(pat_ext_stream_put_runs(s, &budget, (struct pat_ext_runs){runs, n, 1}), n);
    if (n) return n;
    assert_true(pat_ext_stream_put(s, &budget, tokens));
    return 1;
}

static void assert_same_token(const struct pat_ext_token *a, const struct pat_ext_token *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->range, b->range);
    assert_int_equal(a->is_break, b->is_break);
    if (a->kind == PAT_EXT_JUMP)
        assert_int_equal(a->addr, b->addr);
    else
        assert_int_equal(a->distance, b->distance);
}

/* One by one, or as many as there are of one access in succession. */
static size_t read_some(struct pat_ext_reader *r, const struct pat_ext_token *tokens, size_t at)
{
    int64_t distances[50];
    struct pat_ext_token t;
    const size_t n = rng(2) ? pat_ext_stream_singles(r, distances, 1 + rng(50)) : 0;
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(tokens[at + i].kind, PAT_EXT_RUN);
        assert_int_equal(tokens[at + i].count, 1);
        assert_int_equal(tokens[at + i].distance, distances[i]);
    }
    if (n) return at + n;
    assert_true(pat_ext_stream_next(r, &t));
    assert_same_token(&t, &tokens[at]);
    return at + 1;
}

static void streams_return_the_accesses_that_were_put(void **unused)
{
    enum { TOKENS = 3000 };
    static struct pat_ext_token tokens[TOKENS];
    (void)unused;
    begin_without_arena(5);
    for (int round = 0; round < 200; round++) {
        struct pat_ext_stream s = {0};
        struct pat_ext_token t;
        for (size_t i = 0; i < TOKENS; i++)
            tokens[i] = any_token();
        for (size_t i = 0; i < TOKENS;)
            i += put(&s, &tokens[i], TOKENS - i);
        struct pat_ext_reader r = pat_ext_stream_read(&s);
        for (size_t at = 0; at < TOKENS;)
            at = read_some(&r, tokens, at);
        int64_t one;
        assert_int_equal(pat_ext_stream_singles(&r, &one, 1), 0);
        assert_false(pat_ext_stream_next(&r, &t));
        pat_ext_stream_fini(&s, &budget);
    }
    end();
}

/* The rounds of a repeat come from its source, single distances after it do not belong to it. */
static void repeats_are_read_between_single_distances(void **unused)
{
    enum { PERIOD = 7, TOKENS = 45, AFTER = 30 };
    struct pat_ext_stream s = {0};
    struct pat_ext_token tokens[PERIOD + TOKENS + AFTER];
    size_t len = 0;
    (void)unused;
    begin_without_arena(6);
    for (; len < PERIOD; len++) {
        tokens[len] = (struct pat_ext_token){.range = PAT_NONE, .count = 1, .distance = (int64_t)len * 8};
        put(&s, &tokens[len], 1);
    }
    const struct pat_ext_repeat repeat = {{s.first, 0}, PERIOD, TOKENS};
    assert_true(pat_ext_stream_put_repeat(&s, &budget, &repeat));
    for (; len < PERIOD + TOKENS; len++)
        tokens[len] = tokens[len % PERIOD];
    for (; len < PERIOD + TOKENS + AFTER; len++) {
        tokens[len] = (struct pat_ext_token){.range = PAT_NONE, .count = 1, .distance = -(int64_t)len};
        put(&s, &tokens[len], 1);
    }
    for (int round = 0; round < 100; round++) {
        struct pat_ext_reader r = pat_ext_stream_read(&s);
        for (size_t at = 0; at < len;)
            at = read_some(&r, tokens, at);
    }
    pat_ext_stream_fini(&s, &budget);
    end();
}

/* Accesses without memory are not put, and earlier ones stay. */
static void runs_are_put_as_far_as_memory_goes(void **unused)
{
    enum { RUNS = 1000 };
    struct pat_ext_run runs[RUNS];
    (void)unused;
    for (uint64_t limit = 0; limit < 4096; limit += 100) {
        struct pat_ext_stream s = {0};
        struct pat_ext_token t;
        size_t at = 0;
        begin_without_arena(12);
        budget.limit_bytes = limit;
        for (int i = 0; i < RUNS; i++)
            runs[i] = (struct pat_ext_run){(int64_t)any_number(), 1 + rng(3)};
        const size_t n = pat_ext_stream_put_runs(&s, &budget, (struct pat_ext_runs){runs, RUNS, 1});
        assert_true(n < RUNS && (n > 0) == (limit > 128) && budget.used_bytes <= limit);
        for (struct pat_ext_reader r = pat_ext_stream_read(&s); pat_ext_stream_next(&r, &t); at++) {
            assert_int_equal(t.distance, runs[at].distance);
            assert_int_equal(t.count, runs[at].len);
        }
        assert_int_equal(at, n);
        pat_ext_stream_fini(&s, &budget);
        end();
    }
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(divisor_is_that_of_all_numbers),
                                       cmocka_unit_test(keys_that_share_buckets_are_distinguished),
                                       cmocka_unit_test(distances_are_exact_as_long_as_they_fit),
                                       cmocka_unit_test(frequent_distances_are_found_among_too_many),
                                       cmocka_unit_test(distances_that_hardly_come_again_are_sampled),
                                       cmocka_unit_test(long_runs_are_counted_among_too_many),
                                       cmocka_unit_test(exact_and_pruned_tallies_are_joined),
                                       cmocka_unit_test(pages_are_exact_then_a_sample),
                                       cmocka_unit_test(streams_return_the_accesses_that_were_put),
                                       cmocka_unit_test(repeats_are_read_between_single_distances),
                                       cmocka_unit_test(runs_are_put_as_far_as_memory_goes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
