/* SPDX-License-Identifier: BSD-3-Clause */
/* Every measure against its definition, computed directly, on small random sequences; and the accuracy of the
 * sampled forms on large ones. */
#include "patterns/compact/pat_measure.h"
#include "patterns/compact/pat_measure_fenwick.h"
#include "patterns/compact/pat_compact_parts.h"
#include "tests/unit.h"
#include "tests/xorshift.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { ROOM = 400, ROUNDS = 120 };

/* assert_float_equal compares in single precision */
#define assert_near(a, b, within) assert_true(fabs((double)(a) - (double)(b)) <= (within))

static uint64_t random_state;

static uint64_t next_random(void)
{
    return xorshift(&random_state);
}

struct made {
    int64_t data[ROOM];
    size_t breaks[8];
    struct pat_indices v;
    struct pat_stream stream;
};

/* Something of every kind: walks, hot elements, random elements; elements of all sizes. */
static void make(struct made *m, bool with_breaks)
{
    static const uint64_t elems[] = {1, 4, 8, 12, 24, 64, 100};
    const size_t len = 1 + next_random() % (ROOM - 1);
    const int64_t span = 1 + (int64_t)(next_random() % 300);
    for (size_t i = 0; i < len; i++)
        switch (i ? next_random() % 3 : 2) {
        case 0:
            m->data[i] = m->data[i - 1] + 1;
            break;
        case 1:
            m->data[i] = m->data[next_random() % i];
            break;
        default:
            m->data[i] = (int64_t)(next_random() % (uint64_t)span);
        }
    m->v = (struct pat_indices){m->data, len};
    size_t breaks = 0;
    for (size_t i = 1; with_breaks && i < len && breaks < 8; i++)
        if (next_random() % 40 == 0) m->breaks[breaks++] = i;
    m->stream = (struct pat_stream){.pieces = {&m->v, m->breaks, breaks},
                                    .elem_size_bytes = elems[next_random() % 7],
                                    .access_size_bytes = 1 + next_random() % 70,
                                    .limit = PAT_MEASURE_LIMIT};
}

static size_t piece_begin(const struct pat_stream *s, size_t i)
{
    size_t begin = 0;
    for (size_t b = 0; b < s->pieces.breaks_len; b++)
        if (s->pieces.breaks[b] <= i) begin = s->pieces.breaks[b];
    return begin;
}

static uint64_t unit(const struct pat_stream *s, size_t i, unsigned shift)
{
    return pat_stream_byte(s, i) >> shift;
}

/* Distinct units between access i and the last touch of its unit in the piece; UINT64_MAX: no earlier
 * touch. */
static uint64_t naive_distance(const struct pat_stream *s, size_t i, unsigned shift)
{
    uint64_t distinct = 0;
    for (size_t j = i; j-- > piece_begin(s, i);) {
        bool known = false;
        if (unit(s, j, shift) == unit(s, i, shift)) return distinct;
        for (size_t k = j + 1; k < i && !known; k++)
            known = unit(s, k, shift) == unit(s, j, shift);
        distinct += !known;
    }
    return UINT64_MAX;
}

static void reuse_distances_are_those_of_the_definition(void **state)
{
    struct made m;
    struct pat_reuse r;
    random_state = 1;
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t bins[PAT_REUSE_BINS] = {0}, cold = 0;
        const unsigned shift = round % 2 ? 3 : 6;
        make(&m, round % 3 == 0);
        for (size_t i = 0; i < m.v.len; i++) {
            const uint64_t d = naive_distance(&m.stream, i, shift);
            unsigned bin = 0;
            while (d != UINT64_MAX && d >> bin)
                bin++;
            if (d == UINT64_MAX)
                cold++;
            else
                bins[bin]++;
        }
        assert_int_equal(pat_reuse_of(&m.stream, shift, &r), LS_OK);
        assert_memory_equal(r.bins, bins, sizeof(bins));
        assert_int_equal(r.cold, cold);
        assert_int_equal(r.rate_shift, 0);
    }
}

static double naive_temporal(const struct pat_stream *s)
{
    double sum = 0;
    for (unsigned i = 0; i < 17; i++) {
        uint64_t within = 0, before = 0; /* as many units, this one counted, or half as many */
        for (size_t at = 0; at < s->pieces.sequence->len; at++) {
            const uint64_t d = naive_distance(s, at, 3);
            if (d == UINT64_MAX) continue;
            within += d + 1 <= UINT64_C(2) << i;
            before += d + 1 <= UINT64_C(1) << i;
        }
        if (i == 0) sum += (double)before;
        sum += (double)(within - before) * (17.0 - i) / 17.0;
    }
    return sum / (double)s->pieces.sequence->len;
}

static double naive_spatial(const struct pat_stream *s)
{
    double sum = 0;
    for (size_t i = 0; i < s->pieces.sequence->len; i++) {
        double least = INFINITY;
        for (size_t j = piece_begin(s, i); j < i; j++)
            if (i - j <= 32) least = fmin(least, fabs((double)unit(s, i, 3) - (double)unit(s, j, 3)));
        if (least > 0 && least < INFINITY) sum += 1 / least;
    }
    return sum / (double)s->pieces.sequence->len;
}

static double naive_entropy(const struct pat_stream *s)
{
    const int64_t *v = s->pieces.sequence->data;
    double entropy = 0, seen = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 1; i < s->pieces.sequence->len; i++) {
            double same = 0;
            if (piece_begin(s, i) == i) continue;
            for (size_t j = 1; j < s->pieces.sequence->len; j++)
                same += piece_begin(s, j) != j && v[j] - v[j - 1] == v[i] - v[i - 1];
            if (pass == 0)
                seen++;
            else
                entropy -= log2(same / seen) / seen;
        }
    return entropy;
}

/* Bytes used, and units of 2^shift bytes that hold them. */
static void naive_lines(const struct pat_stream *s, unsigned shift, uint64_t *out_bytes, uint64_t *out_units)
{
    enum { BYTES = (ROOM + 400) * 101 + 128 };
    static bool used[BYTES];
    memset(used, 0, sizeof(used));
    *out_bytes = *out_units = 0;
    for (size_t i = 0; i < s->pieces.sequence->len; i++)
        for (uint64_t b = 0; b < s->access_size_bytes; b++)
            used[pat_stream_byte(s, i) + b] = true;
    for (uint64_t begin = 0; begin < BYTES; begin += UINT64_C(1) << shift) {
        uint64_t here = 0;
        for (uint64_t b = begin; b < BYTES && b < begin + (UINT64_C(1) << shift); b++)
            here += used[b];
        *out_bytes += here;
        *out_units += here > 0;
    }
}

static void measures_are_those_of_the_definitions(void **state)
{
    struct made m;
    struct pat_measures got;
    uint64_t bytes, lines, pages;
    random_state = 2;
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        make(&m, round % 3 == 0);
        assert_int_equal(pat_measure(&m.stream, &got), LS_OK);
        assert_near(got.temporal, naive_temporal(&m.stream), 1e-9);
        assert_near(got.spatial, naive_spatial(&m.stream), 1e-9);
        assert_near(got.delta_entropy_bits, naive_entropy(&m.stream), 1e-9);
        naive_lines(&m.stream, 6, &bytes, &lines);
        naive_lines(&m.stream, 12, &bytes, &pages);
        assert_int_equal(got.footprint_bytes, 64 * lines);
        assert_near(got.line_utilisation, (double)bytes / (64.0 * (double)lines), 1e-9);
        assert_near(got.page_utilisation, (double)bytes / (4096.0 * (double)pages), 1e-9);
        assert_false(got.reuse_is_sampled);
    }
}

static void fenwick_tree_finds_what_it_sums(void **state)
{
    uint32_t sums[100] = {0};
    bool is_one[100] = {false};
    struct pat_fenwick f = {sums, 100};
    random_state = 3;
    (void)state;
    for (int round = 0; round < 2000; round++) {
        const size_t at = next_random() % 100;
        pat_fenwick_add(&f, at, is_one[at] ? UINT32_MAX : 1);
        is_one[at] = !is_one[at];
        uint64_t before = 0;
        for (size_t i = 0; i < 100; i++) {
            assert_int_equal(pat_fenwick_sum(&f, i), before);
            if (is_one[i]) assert_int_equal(pat_fenwick_find(&f, before), i);
            before += is_one[i];
        }
    }
}

/* Half the sum of differences between two histograms as shares. */
static double apart(const struct pat_reuse *a, const struct pat_reuse *b, uint64_t len)
{
    double sum = fabs((double)a->cold - (double)b->cold);
    for (unsigned i = 0; i < PAT_REUSE_BINS; i++)
        sum += fabs((double)a->bins[i] - (double)b->bins[i]);
    return sum / 2 / (double)len;
}

/* The largest difference between the shares of hits in caches of 2^6 lines and more: distances that are short
 * compared with 1 / rate cannot be distinguished in a sample. */
static double hits_apart(const struct pat_reuse *a, const struct pat_reuse *b, uint64_t len)
{
    double sum = 0, most = 0;
    for (unsigned i = 0; i < PAT_REUSE_BINS; i++) {
        sum += ((double)a->bins[i] - (double)b->bins[i]) / (double)len;
        if (i >= 6) most = fmax(most, fabs(sum));
    }
    return most;
}

/* Three kinds, 200,000 accesses: uniform, skewed, and a sweep with hot elements between. */
static int64_t large_index(int kind, size_t i)
{
    const double u = (double)(next_random() >> 11) * 0x1p-53;
    if (kind == 0) return (int64_t)(u * 400000);
    if (kind == 1) return (int64_t)(pow(u, 4) * 400000);
    return i % 4 == 0 ? (int64_t)(i % 64) * 9 : (int64_t)(1000 + i % 100000 * 4);
}

static void sampled_reuse_is_near_the_exact_one(void **state)
{
    enum { LEN = 200000 };
    int64_t *data = malloc(LEN * sizeof(*data));
    const struct pat_indices v = {data, LEN};
    struct pat_stream s = {.pieces = {&v, NULL, 0}, .elem_size_bytes = 8, .access_size_bytes = 8};
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        struct pat_reuse exact, sampled;
        uint64_t sum;
        random_state = 4;
        for (size_t i = 0; i < LEN; i++)
            data[i] = large_index(kind, i);
        s.limit = LEN;
        assert_int_equal(pat_reuse_of(&s, 6, &exact), LS_OK);
        s.limit = LEN / 16;
        assert_int_equal(pat_reuse_of(&s, 6, &sampled), LS_OK);
        assert_int_equal(exact.rate_shift, 0);
        assert_int_equal(sampled.rate_shift, 4);
        assert_true(hits_apart(&exact, &sampled, LEN) < 0.04);
        sum = sampled.cold; /* the correction: nothing is lost, nothing invented */
        for (unsigned i = 0; i < PAT_REUSE_BINS; i++)
            sum += sampled.bins[i];
        assert_in_range(sum, LEN, LEN + LEN / 20);
    }
    free(data);
}

static void measures_of_blocks_are_near_those_of_all(void **state)
{
    enum { LEN = 200000 };
    int64_t *data = malloc(LEN * sizeof(*data));
    const struct pat_indices v = {data, LEN};
    struct pat_stream s = {.pieces = {&v, NULL, 0}, .elem_size_bytes = 8, .access_size_bytes = 8};
    struct pat_measures all, some;
    random_state = 5;
    (void)state;
    for (size_t i = 0; i < LEN; i++)
        data[i] = large_index(2, i);
    s.limit = LEN;
    assert_int_equal(pat_measure(&s, &all), LS_OK);
    s.limit = LEN / 8;
    assert_int_equal(pat_measure(&s, &some), LS_OK);
    assert_true(some.reuse_is_sampled);
    assert_near(some.spatial, all.spatial, 0.02);
    assert_true(some.delta_entropy_bits <= all.delta_entropy_bits + 0.1); /* fewer distances are met */
    assert_near(some.line_utilisation, all.line_utilisation, 0.02);
    assert_near((double)some.footprint_bytes / (double)all.footprint_bytes, 1, 0.1);
    free(data);
}

/* The examples of the definitions: a stream has full spatial and no temporal locality, a single word full
 * temporal and no spatial locality. */
static void extremes_are_extreme(void **state)
{
    int64_t data[4000];
    const struct pat_indices v = {data, 4000};
    const struct pat_stream s = {
        .pieces = {&v, NULL, 0}, .elem_size_bytes = 8, .access_size_bytes = 8, .limit = 4000};
    struct pat_measures m;
    (void)state;
    for (int i = 0; i < 4000; i++)
        data[i] = i;
    assert_int_equal(pat_measure(&s, &m), LS_OK);
    assert_true(m.spatial > 0.999 && m.temporal == 0);
    assert_near(m.line_utilisation, 1, 0);
    for (int i = 0; i < 4000; i++)
        data[i] = 17;
    assert_int_equal(pat_measure(&s, &m), LS_OK);
    assert_true(m.spatial == 0 && m.temporal > 0.999);
    assert_near(m.line_utilisation, 1.0 / 8, 0);
    assert_near(m.delta_entropy_bits, 0, 0);
}

/* A drawn sequence has the distances and the reuse of the original. */
static void synthetic_sequences_are_alike(void **state)
{
    enum { LEN = 50000 };
    int64_t *data = malloc(LEN * sizeof(*data));
    const struct pat_indices v = {data, LEN};
    struct pat_stream s = {
        .pieces = {&v, NULL, 0}, .elem_size_bytes = 8, .access_size_bytes = 8, .limit = LEN};
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        struct pat_reuse want, got;
        struct pat_indices drawn, again;
        struct pat_distance *distances;
        size_t distances_len;
        random_state = 6;
        for (size_t i = 0; i < LEN; i++)
            data[i] = i % 8 < 3 && i ? data[i - 1] + 1 : large_index(kind, i) / 8;
        assert_int_equal(pat_reuse_of(&s, 6, &want), LS_OK);
        assert_int_equal(pat_distances(&v, &distances, &distances_len), LS_OK);
        const struct pat_likeness like = {
            distances, distances_len < 64 ? distances_len : 64, LEN - 1, want.bins, want.cold, 400000 / 8 + 8,
            8};
        assert_int_equal(pat_synthetic_draw(&like, LEN, 9, &drawn), LS_OK);
        assert_int_equal(pat_synthetic_draw(&like, LEN, 9, &again), LS_OK);
        assert_memory_equal(drawn.data, again.data, LEN * sizeof(int64_t));
        const struct pat_stream t = {
            .pieces = {&drawn, NULL, 0}, .elem_size_bytes = 8, .access_size_bytes = 8, .limit = LEN};
        struct pat_shares of_all, of_drawn;
        assert_int_equal(pat_reuse_of(&t, 6, &got), LS_OK);
        assert_int_equal(pat_measure_shares(&s, &of_all), LS_OK);
        assert_int_equal(pat_measure_shares(&t, &of_drawn), LS_OK);
        assert_true(apart(&want, &got, LEN) < 0.25);
        assert_near(of_drawn.one_share, of_all.one_share, 0.03);
        for (size_t i = 0; i < LEN; i++)
            assert_in_range(drawn.data[i], 0, 400000 / 8 + 7);
        free(drawn.data);
        free(again.data);
        free(distances);
    }
    free(data);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reuse_distances_are_those_of_the_definition),
        cmocka_unit_test(measures_are_those_of_the_definitions),
        cmocka_unit_test(fenwick_tree_finds_what_it_sums),
        cmocka_unit_test(sampled_reuse_is_near_the_exact_one),
        cmocka_unit_test(measures_of_blocks_are_near_those_of_all),
        cmocka_unit_test(extremes_are_extreme),
        cmocka_unit_test(synthetic_sequences_are_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
