/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "analyse/an_tiles.h"
#include "common/ls_random.h"
#include "tests/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 20000, NODES = 300, LINES = 1500, THREADS = 40, BURSTS = 500, SLICES = 64 };

static struct prof_node nodes[NODES];
static struct prof_line lines[LINES];
static struct prof_thread threads[THREADS];
static struct prof_burst bursts[BURSTS];
static struct prof_process process;
static uint32_t node[SAMPLES], thread[SAMPLES], burst[SAMPLES], position[SAMPLES];
static uint64_t ip[SAMPLES], time_ns[SAMPLES];
static int32_t latency_cycles[SAMPLES];
static uint8_t op[SAMPLES], level[SAMPLES], latency_valid[SAMPLES];
static float cost_ns[SAMPLES], stall_ns[SAMPLES];
static struct an_input in = {.bursts = bursts,
                             .bursts_len = BURSTS,
                             .samples = {.len = SAMPLES,
                                         .node = node,
                                         .thread = thread,
                                         .burst = burst,
                                         .position = position,
                                         .ip = ip,
                                         .time_ns = time_ns,
                                         .latency_cycles = latency_cycles,
                                         .op = op,
                                         .level = level,
                                         .latency_valid = latency_valid}};
static struct an_costs costs = {.time_ns = cost_ns, .stall_ns = stall_ns};
static const struct an_tables tables = {.nodes = nodes,
                                        .nodes_len = NODES,
                                        .lines = lines,
                                        .lines_len = LINES,
                                        .threads = threads,
                                        .threads_len = THREADS,
                                        .processes = &process,
                                        .processes_len = 1,
                                        .bursts = bursts,
                                        .bursts_len = BURSTS,
                                        .duration_ns = BURSTS * 1000,
                                        .slices = SLICES};

static uint64_t random_state = 88172645463325252u;

static uint32_t random_below(uint32_t n)
{
    return (uint32_t)ls_random_below(&random_state, n);
}

static void make_tables(void)
{
    static char functions[LINES][16];
    for (uint32_t n = 0; n < NODES; n++)
        nodes[n] = (struct prof_node){.id = n,
                                      .parent = n ? n / 3 : UINT32_MAX,
                                      .kind = n ? PROF_NODE_RANGE : PROF_NODE_ROOT,
                                      .label = "n"};
    for (uint32_t l = 0; l < LINES; l++) {
        snprintf(functions[l], sizeof(functions[l]), "f%u", l);
        lines[l] = (struct prof_line){.ip = l + 1,
                                      .module = "m",
                                      .function = functions[l],
                                      .symbol = functions[l],
                                      .file = "a.c",
                                      .line = l + 1,
                                      .until_ns = UINT64_MAX};
    }
    for (uint32_t t = 0; t < THREADS; t++)
        threads[t] = (struct prof_thread){.tid = t, .name = "t"};
    for (uint32_t b = 0; b < BURSTS; b++)
        bursts[b] = (struct prof_burst){.time_ns = b * 1000,
                                        .first_sample = (uint64_t)b * (SAMPLES / BURSTS),
                                        .samples_len = SAMPLES / BURSTS};
}

/* Small numbers are frequent; times are whole numbers, so that their sums are exact. */
static int make(void **state)
{
    (void)state;
    make_tables();
    for (uint32_t i = 0; i < SAMPLES; i++) {
        node[i] = random_below(1 + random_below(NODES));
        thread[i] = random_below(1 + random_below(THREADS));
        burst[i] = i / (SAMPLES / BURSTS);
        ip[i] = 1 + random_below(1 + random_below(LINES + 20)); /* some are of no line */
        op[i] = random_below(4) == 0;
        latency_cycles[i] = (int32_t)random_below(1 + random_below(2000));
        latency_valid[i] = (uint8_t)random_below(2);
        level[i] = (uint8_t)random_below(5);
        cost_ns[i] = (float)random_below(1000);
        stall_ns[i] = (float)random_below(100);
    }
    return 0;
}

/* Every third row is a sum of several accesses, as in a profile of a job. */
static uint32_t count[SAMPLES];

struct sums {
    double samples, time_ns, stall_ns, latency_cycles;
};

static void add(struct sums *s, double samples, double time, double stall, double latency)
{
    s->samples += samples;
    s->time_ns += time;
    s->stall_ns += stall;
    s->latency_cycles += latency;
}

static struct sums sums_of_samples(uint32_t of_node)
{
    struct sums s = {0};
    for (uint32_t i = 0; i < SAMPLES; i++)
        if (of_node == UINT32_MAX || node[i] == of_node)
            add(&s, (double)an_accesses(&in.samples, i), (double)cost_ns[i], (double)stall_ns[i],
                an_is_measured(&in.samples, i)
                    ? (double)latency_cycles[i] * (double)an_accesses(&in.samples, i)
                    : 0);
    return s;
}

static struct sums sums_of_tiles(const struct an_tiles *t, uint32_t of_node)
{
    struct sums s = {0};
    for (size_t i = 0; i < t->len; i++)
        if (of_node == UINT32_MAX || t->node.keys[t->tiles[i].node] == of_node)
            add(&s, (double)t->tiles[i].samples, t->tiles[i].time_ns, t->tiles[i].stall_ns,
                t->tiles[i].latency_cycles);
    return s;
}

static void tile(struct an_tiles *t, size_t len_max)
{
    const struct an_tiles_input from = {.tables = &tables, .in = &in, .costs = &costs, .len_max = len_max};
    assert_int_equal(an_tiles_init(t, &from), LS_OK);
}

static void assert_same(struct sums a, struct sums b)
{
    assert_memory_equal(&a, &b, sizeof(a));
}

static void tiles_hold_all_sums(void **state)
{
    struct an_tiles t;
    (void)state;
    tile(&t, SIZE_MAX);
    assert_true(t.len > 1000 && t.len <= SAMPLES);
    assert_same(sums_of_tiles(&t, UINT32_MAX), sums_of_samples(UINT32_MAX));
    for (uint32_t n = 0; n < NODES; n++)
        assert_same(sums_of_tiles(&t, n), sums_of_samples(n));
    assert_int_equal(t.slices, SLICES);
    assert_int_equal(t.lines_folded + t.nodes_folded + t.threads_folded, 0);
    an_tiles_fini(&t);
}

static void tiles_count_the_accesses_of_rows_that_are_sums(void **state)
{
    struct an_tiles t;
    uint64_t all = 0;
    (void)state;
    for (uint32_t i = 0; i < SAMPLES; i++) {
        count[i] = i % 3 == 0 ? 2 + i % 50 : UINT32_MAX;
        all += i % 3 == 0 ? count[i] : 1;
    }
    in.samples.count = count;
    tile(&t, SIZE_MAX);
    const struct sums sums = sums_of_tiles(&t, UINT32_MAX);
    assert_float_equal(sums.samples, (double)all, 0);
    assert_same(sums, sums_of_samples(UINT32_MAX));
    an_tiles_fini(&t);
    in.samples.count = NULL;
}

static void tiles_are_sorted_and_each_is_once(void **state)
{
    struct an_tiles t;
    (void)state;
    tile(&t, SIZE_MAX);
    for (size_t i = 1; i < t.len; i++) {
        const struct an_tile *a = &t.tiles[i - 1], *b = &t.tiles[i];
        const uint64_t first = (uint64_t)a->access << 40 | (uint64_t)a->bin << 32 | a->slice,
                       second = (uint64_t)b->access << 40 | (uint64_t)b->bin << 32 | b->slice;
        assert_true(
            a->node < b->node ||
            (a->node == b->node &&
             (a->line < b->line || (a->line == b->line &&
                                    (a->thread < b->thread || (a->thread == b->thread && first < second))))));
    }
    an_tiles_fini(&t);
}

/* Increasing coarseness: the sums of all stay, and sums of a node go to its parent. */
static void coarse_tiles_lose_nothing(void **state)
{
    struct an_tiles t;
    size_t before = SIZE_MAX;
    (void)state;
    for (size_t max = SAMPLES; max > 100; max /= 4) {
        tile(&t, max);
        assert_true(t.len <= before);
        assert_same(sums_of_tiles(&t, UINT32_MAX), sums_of_samples(UINT32_MAX));
        before = t.len;
        if (max > 100 * 4) an_tiles_fini(&t);
    }
    assert_true(t.lines_folded > 0 && t.nodes_folded > 0 && t.threads_folded > 0);
    assert_true(t.slices < SLICES && t.bins_per_octave < AN_TILE_BINS_PER_OCTAVE);
    for (size_t i = 0; i < t.len; i++) {
        assert_true(t.tiles[i].slice < t.slices);
        assert_true(t.tiles[i].bin == AN_TILE_NO_BIN || t.tiles[i].bin < 13);
        assert_true(t.tiles[i].node < t.node.len);
    }
    an_tiles_fini(&t);
}

/* Tiles are coarsened while samples come. The lines with the largest total cost stay by themselves, even if
 * they cost nothing before the last samples. */
static void lines_that_cost_most_in_all_stay(void **state)
{
    enum { LAST = SAMPLES - SAMPLES / 16, HOT = 8 };
    double want[HOT] = {0}, got[HOT] = {0};
    struct an_tiles t;
    (void)state;
    for (uint32_t i = 0; i < SAMPLES; i++)
        ip[i] = i < LAST ? 1 + HOT + random_below(LINES - HOT) : 1 + i % HOT;
    for (uint32_t i = LAST; i < SAMPLES; i++) {
        cost_ns[i] = 100000;
        want[i % HOT] += (double)cost_ns[i];
    }
    tile(&t, 2000);
    assert_in_range(t.lines_folded, LINES - 1024, LINES - HOT);
    for (size_t i = 0; i < t.len; i++)
        if (t.tiles[i].line < t.line.len && t.line.keys[t.tiles[i].line] < HOT)
            got[t.line.keys[t.tiles[i].line]] += t.tiles[i].time_ns;
    assert_memory_equal(got, want, sizeof(got));
    assert_same(sums_of_tiles(&t, UINT32_MAX), sums_of_samples(UINT32_MAX));
    an_tiles_fini(&t);
    make(state);
}

/* Two fields of a square of 32 x 32 places, and samples in none. */
enum { SIDE = 32 };
static uint32_t field_of[SAMPLES], place_of[SAMPLES], coarser[AN_PLACE_LEVELS][SIDE * SIDE];

static struct an_places square(void)
{
    struct an_places p = {.field_of_sample = field_of, .place_of_sample = place_of, .len = SIDE * SIDE};
    for (uint32_t i = 0; i < SAMPLES; i++) {
        field_of[i] = i % 3;
        place_of[i] = field_of[i] ? 1 + i * 7 % (SIDE * SIDE) : 0;
    }
    for (uint32_t l = 0; l < AN_PLACE_LEVELS; l++) {
        const uint32_t shift = l + 1;
        for (uint32_t i = 0; i < SIDE * SIDE; i++)
            coarser[l][i] = (i / SIDE >> shift << shift) * SIDE + (i % SIDE >> shift << shift);
        p.coarser[l] = coarser[l];
    }
    return p;
}

/* Each place holds the samples inside it, and a larger one holds the samples of the places that it
 * replaces. */
static void places_hold_their_samples(void **state)
{
    static uint32_t want[3][SIDE * SIDE + 1], got[3][SIDE * SIDE + 1];
    const struct an_places places = square();
    (void)state;
    for (size_t max = SAMPLES; max > 100; max /= 2) {
        struct an_tiles t;
        const struct an_tiles_input from = {
            .tables = &tables, .in = &in, .costs = &costs, .places = &places, .len_max = max};
        assert_int_equal(an_tiles_init(&t, &from), LS_OK);
        assert_same(sums_of_tiles(&t, UINT32_MAX), sums_of_samples(UINT32_MAX));
        const uint32_t level = t.place_level;
        memset(want, 0, sizeof(want));
        memset(got, 0, sizeof(got));
        for (uint32_t i = 0; i < SAMPLES; i++)
            want[field_of[i]][place_of[i] && level ? 1 + coarser[level - 1][place_of[i] - 1] : place_of[i]]++;
        for (size_t i = 0; i < t.len; i++)
            got[t.tiles[i].field][t.tiles[i].place] += (uint32_t)t.tiles[i].samples;
        assert_memory_equal(got, want, sizeof(got));
        assert_true(max > 200 || level > 2);
        an_tiles_fini(&t);
    }
}

/* Weights are integers: each burst has its weight where it began, and once more in the data that it accessed,
 * or, without accesses, as no data. */
static void bursts_have_tiles_where_they_began(void **state)
{
    double want[LINES + 2] = {0}, got[LINES + 2] = {0}, no_data_ns = 0, want_no_data_ns = 0;
    (void)state;
    costs.model.weight_max_ns = INFINITY;
    for (uint32_t b = 0; b < BURSTS; b++) {
        bursts[b].weight_ns = bursts[b].data_weight_ns = b % 7 * 100;
        bursts[b].ip = 1 + b % (LINES + 20);
        bursts[b].thread = b % THREADS;
        want[bursts[b].ip <= LINES ? bursts[b].ip - 1 : LINES] += (double)bursts[b].weight_ns;
        if (b % 5) continue;
        bursts[b].samples_len = 0;
        want_no_data_ns += (double)bursts[b].weight_ns;
    }
    for (size_t max = SIZE_MAX; max > 100; max = max == SIZE_MAX ? SAMPLES / 4 : max / 4) {
        struct an_tiles t;
        double all_ns = 0, want_all_ns = 0;
        tile(&t, max);
        memset(got, 0, sizeof(got));
        no_data_ns = 0;
        for (size_t i = 0; i < t.len; i++) {
            const struct an_tile *tile = &t.tiles[i];
            if (tile->access == AN_CLASS_NO_ACCESS) {
                assert_int_equal(tile->node, t.node.len + 1);
                assert_int_equal(tile->samples, 0);
                no_data_ns += tile->time_ns;
            }
            if (tile->access != AN_CLASS_ORIGIN) continue;
            if (max == SIZE_MAX)
                got[tile->line < t.line.len ? t.line.keys[tile->line] : LINES] += tile->time_ns;
            all_ns += tile->time_ns;
        }
        for (uint32_t l = 0; l <= LINES; l++) {
            want_all_ns += want[l];
            if (max == SIZE_MAX) assert_true(got[l] == want[l]);
        }
        assert_true(all_ns == want_all_ns && no_data_ns == want_no_data_ns);
        an_tiles_fini(&t);
    }
    make_tables();
}

/* A call for each burst modulo CALLS, below the call of half its number; the last bursts have no stack. */
enum { CALLS = 50, NO_STACK = 10 };

static struct an_tables tables_with_calls(struct an_call_tree *tree)
{
    static struct an_call rows[CALLS];
    static uint32_t call_of_burst[BURSTS];
    struct an_tables t = tables;
    costs.model.weight_max_ns = INFINITY;
    for (uint32_t c = 0; c < CALLS; c++)
        rows[c] = (struct an_call){.parent = c ? c / 2 : UINT32_MAX, .function = "f", .module = "m"};
    for (uint32_t b = 0; b < BURSTS; b++) {
        call_of_burst[b] = b < BURSTS - NO_STACK ? b % CALLS : UINT32_MAX;
        bursts[b].weight_ns = bursts[b].data_weight_ns = 1000;
    }
    *tree = (struct an_call_tree){.rows = rows, .len = CALLS, .call_of_burst = call_of_burst};
    t.calls = tree;
    return t;
}

/* The sums of a call equal the sums of its bursts, also where coordinates are left out. */
static void stacks_hold_the_sums_of_each_call(void **state)
{
    size_t most = SIZE_MAX; /* one row too few for the level before */
    struct an_call_tree tree;
    const struct an_tables with_calls = tables_with_calls(&tree);
    (void)state;
    for (int level_wanted = AN_STACKS_ALL; level_wanted <= AN_STACKS_NO_THREAD; level_wanted++) {
        const struct an_tiles_input from = {
            .tables = &with_calls, .in = &in, .costs = &costs, .len_max = 5000, .stacks_len_max = most};
        double access_ns[CALLS + 1] = {0}, begin_ns[CALLS + 1] = {0}, stall_ns_of[CALLS + 1] = {0};
        struct an_tiles t;
        assert_int_equal(an_tiles_init(&t, &from), LS_OK);
        assert_int_equal(t.stacks.calls_len, CALLS);
        assert_int_equal(t.stacks.level, level_wanted);
        most = t.stacks.len - 1;
        for (size_t i = 0; i < t.stacks.len; i++) {
            const struct an_stack *s = &t.stacks.rows[i];
            (s->is_origin ? begin_ns : access_ns)[s->call] += s->time_ns;
            if (!s->is_origin) stall_ns_of[s->call] += s->stall_ns;
            if (level_wanted == AN_STACKS_ALL)
                assert_true(s->slice != UINT32_MAX && s->line != UINT32_MAX && s->thread != UINT32_MAX);
        }
        for (uint32_t i = 0; i < SAMPLES; i++) {
            const uint32_t call = burst[i] < BURSTS - NO_STACK ? burst[i] % CALLS : CALLS;
            access_ns[call] -= (double)cost_ns[i];
            stall_ns_of[call] -= (double)stall_ns[i];
        }
        for (uint32_t b = 0; b < BURSTS; b++)
            begin_ns[b < BURSTS - NO_STACK ? b % CALLS : CALLS] -= an_weight_ns(&costs, &bursts[b]);
        for (uint32_t c = 0; c <= CALLS; c++)
            assert_true(access_ns[c] == 0 && stall_ns_of[c] == 0 && begin_ns[c] == 0);
        an_tiles_fini(&t);
    }
    make_tables();
}

/* A profile without a sample. */
static void no_samples_have_no_tiles(void **state)
{
    struct an_tiles t;
    struct an_input none = in;
    const struct an_tiles_input from = {.tables = &tables, .in = &none, .costs = &costs, .len_max = 100};
    (void)state;
    none.samples.len = none.bursts_len = 0;
    assert_int_equal(an_tiles_init(&t, &from), LS_OK);
    assert_int_equal(t.len, 0);
    an_tiles_fini(&t);
}

static void a_latency_is_in_the_bin_that_begins_at_or_below_it(void **state)
{
    (void)state;
    assert_int_equal(an_tile_bin(-3, 4), 0);
    assert_int_equal(an_tile_bin(0, 4), 0);
    assert_int_equal(an_tile_bin(1, 4), 1);
    assert_int_equal(an_tile_bin(8, 4), 13);
    assert_int_equal(an_tile_bin(8, 1), 4);
    assert_int_equal(an_tile_bin(INT32_MAX, 4), 1 + 123);
    for (int32_t cycles = 1; cycles < 5000; cycles++) {
        const uint8_t bin = an_tile_bin(cycles, 4);
        assert_true(pow(2, (bin - 1) / 4.0) <= cycles + 1e-6 && cycles < pow(2, bin / 4.0) - 1e-6);
    }
}

static void a_pick_is_random_without_repetition(void **state)
{
    enum { ROWS = 1000, LEN = 100000 };
    uint64_t rows[ROWS];
    double sum = 0;
    (void)state;
    assert_int_equal(an_pick_rows(rows, ROWS, LEN), ROWS);
    for (int r = 0; r < ROWS; r++) {
        assert_true(rows[r] < LEN && (r == 0 || rows[r - 1] < rows[r]));
        sum += (double)rows[r];
    }
    /* the mean of 1,000 uniform numbers: a standard deviation of 913 */
    assert_true(fabs(sum / ROWS - LEN / 2.0) < 4 * 913);
    assert_int_equal(an_pick_rows(rows, ROWS, 10), 10);
    assert_int_equal(rows[9], 9);
    assert_int_equal(an_pick_rows(rows, ROWS, 0), 0);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tiles_hold_all_sums),
                                       cmocka_unit_test(tiles_count_the_accesses_of_rows_that_are_sums),
                                       cmocka_unit_test(tiles_are_sorted_and_each_is_once),
                                       cmocka_unit_test(coarse_tiles_lose_nothing),
                                       cmocka_unit_test(lines_that_cost_most_in_all_stay),
                                       cmocka_unit_test(places_hold_their_samples),
                                       cmocka_unit_test(bursts_have_tiles_where_they_began),
                                       cmocka_unit_test(stacks_hold_the_sums_of_each_call),
                                       cmocka_unit_test(no_samples_have_no_tiles),
                                       cmocka_unit_test(a_latency_is_in_the_bin_that_begins_at_or_below_it),
                                       cmocka_unit_test(a_pick_is_random_without_repetition)};
    return cmocka_run_group_tests(tests, make, NULL);
}
