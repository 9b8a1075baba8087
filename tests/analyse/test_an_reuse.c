/* SPDX-License-Identifier: BSD-3-Clause */
/* Traffic by data: bursts of made-up programs whose misses are known. The last-level cache has 32 MiB. */
#include "analyse/an_traffic.h"
#include "tests/analyse/an_fixture.h"
#include "tests/unit.h"
#include "tests/xorshift.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum {
    NODES = 4,
    LISTED = 64,
    TIMED = 40,
    LINE_BYTES = 64,
    LOADS_OF_LINE = 8,
    INSTRUCTIONS_OF_LOAD = 4,
    MIB_LINES = (1 << 20) / LINE_BYTES
};

/* A loop that loads each element of 8 bytes of a node once, or as many at random; or stores to them. */
struct loop {
    uint64_t ip, lines;
    uint32_t node;
    bool is_random, is_store;
    uint64_t band_loads; /* its loads are at random in so many around the position; 0: a sweep */
    unsigned every;      /* only each such load, the others go to a line of node 3; 0: all */
    uint64_t rows,
        cols; /* it loads a matrix by columns, the others of its loads go through node 3; 0: no matrix */
};

static uint64_t base_of(uint32_t node)
{
    return (uint64_t)(node + 1) << 36;
}

static uint64_t instructions_of(const struct loop *l)
{
    return l->lines * LOADS_OF_LINE * INSTRUCTIONS_OF_LOAD;
}

/* The address of a load, counted from the loop's begin, and whether it goes to node 3. */
static uint64_t address_of(const struct loop *l, uint64_t load, bool *out_is_other)
{
    static uint64_t random = XORSHIFT_SEED;
    const uint64_t loads = l->lines * LOADS_OF_LINE;
    *out_is_other = l->every && load % l->every;
    if (l->rows) {
        const uint64_t element = load % loads / (l->every ? l->every : 1);
        return *out_is_other ? 8 * element : 8 * (element % l->rows * l->cols + element / l->rows);
    }
    if (*out_is_other) return 0;
    if (l->is_random) load = xorshift(&random);
    if (l->band_loads) load += xorshift(&random) % l->band_loads;
    return load % loads * 8;
}

/* A translated burst that begins at instruction `at` of the loop. The clock has one cycle an instruction. */
static void loop_burst(struct an_fixture *f, const struct loop *l, uint64_t at, uint64_t time_ns,
                       uint64_t weight_ns)
{
    const uint64_t begin = at / INSTRUCTIONS_OF_LOAD;
    fix_burst(f, weight_ns, INSTRUCTIONS_OF_LOAD * 64 * (TIMED + 1));
    struct prof_burst *b = &f->bursts[f->bursts_len - 1];
    b->time_ns = time_ns;
    b->probe_loads = 64;
    b->pace_instructions = 1000;
    b->pace_cycles = 1000;
    for (unsigned i = 0; i < LISTED + TIMED; i++) {
        const uint64_t load = i < LISTED ? i : 64 * (uint64_t)(i - LISTED + 1);
        const uint32_t position = (uint32_t)load * INSTRUCTIONS_OF_LOAD;
        bool is_other;
        const uint64_t address = address_of(l, begin + load, &is_other);
        const uint32_t node = is_other ? 3 : l->node;
        if (l->is_store && i < LISTED)
            fix_store(f, node, position);
        else
            fix_load(f, node, position, i < LISTED ? FIX_NOT_MEASURED : 5);
        f->addr[f->samples_len - 1] = base_of(node) + address;
        f->ip[f->samples_len - 1] = l->ip + is_other;
    }
}

/* Bursts at random times of a program that runs the loops in turn. */
static void run_loops(struct an_fixture *f, const struct loop *loops, size_t len, unsigned rounds,
                      unsigned bursts)
{
    uint64_t round = 0, random = XORSHIFT_SEED;
    for (size_t i = 0; i < len; i++)
        round += instructions_of(&loops[i]);
    for (unsigned b = 0; b < bursts; b++) {
        const uint64_t time = xorshift(&random) % (rounds * round);
        uint64_t at = time % round;
        size_t i = 0;
        for (; at >= instructions_of(&loops[i]); i++)
            at -= instructions_of(&loops[i]);
        loop_burst(f, &loops[i], at, time, rounds * round / bursts);
    }
}

/* Lines from and to memory, by node. */
static void moved_lines(struct an_fixture *f, double out[NODES])
{
    struct an_costs c;
    assert_int_equal(an_costs_init(&c, fix_input(f)), LS_OK);
    assert_non_null(c.moved_bytes);
    for (size_t i = 0; i < NODES; i++)
        out[i] = 0;
    for (size_t i = 0; i < f->samples_len; i++)
        if (f->node[i] < NODES) out[f->node[i]] += (double)c.moved_bytes[i] / LINE_BYTES;
    an_costs_fini(&c);
}

/* The lines that bursts in a run of the loops move, by node. */
static void lines_of(const struct loop *loops, size_t len, unsigned rounds, unsigned bursts,
                     double out[NODES])
{
    struct an_fixture *f = fix_new(5, 4);
    run_loops(f, loops, len, rounds, bursts);
    moved_lines(f, out);
    fix_free(f);
}

static void assert_near(double value, double expected, double part)
{
    if (fabs(value - expected) > part * expected) print_error("%g instead of %g\n", value, expected);
    assert_true(fabs(value - expected) <= part * expected);
}

enum { ROUNDS = 37, BURSTS = 1600 };

/* Only the first of the sweeps misses. */
static void an_sweep_that_fits_moves_its_lines_once(void **state)
{
    (void)state;
    const struct loop loops[] = {{.ip = 0x100, .lines = 16 * MIB_LINES, .node = 0}};
    double lines[NODES];
    lines_of(loops, 1, ROUNDS, BURSTS, lines);
    assert_near(lines[0], 16 * MIB_LINES, 0.1);
}

/* Where the program has 8 of the cache's 32 MiB, 16 MiB come from memory in each sweep. */
static void an_sweep_that_exceeds_the_share_of_the_cache_misses(void **state)
{
    (void)state;
    const struct loop loops[] = {{.ip = 0x100, .lines = 16 * MIB_LINES, .node = 0}};
    struct an_fixture *f = fix_new(5, 4);
    double lines[NODES];
    f->in.calibration.last_level_bytes = 8 << 20;
    run_loops(f, loops, 1, ROUNDS, BURSTS);
    moved_lines(f, lines);
    assert_near(lines[0], (double)ROUNDS * 16 * MIB_LINES, 0.1);
    fix_free(f);
}

static void an_data_swept_once_moves_its_lines(void **state)
{
    (void)state;
    const struct loop loops[] = {{.ip = 0x100, .lines = 16 * MIB_LINES, .node = 0},
                                 {.ip = 0x200, .lines = 128 * MIB_LINES, .node = 1, .is_store = true}};
    double lines[NODES];
    lines_of(loops, 2, 1, BURSTS, lines);
    assert_near(lines[0], 16 * MIB_LINES, 0.1);
    assert_near(lines[1], 2 * 128 * MIB_LINES, 0.1);
}

/* An array of 16 MiB fits, but 128 MiB of another loop evict it. */
static void an_lines_that_other_loops_evict_come_again(void **state)
{
    (void)state;
    const struct loop loops[] = {{.ip = 0x100, .lines = 16 * MIB_LINES, .node = 0},
                                 {.ip = 0x200, .lines = 128 * MIB_LINES, .node = 1}};
    double lines[NODES];
    lines_of(loops, 2, ROUNDS, BURSTS, lines);
    assert_near(lines[0], (double)ROUNDS * 16 * MIB_LINES, 0.1);
    assert_near(lines[1], (double)ROUNDS * 128 * MIB_LINES, 0.1);
}

/* The second loop finds the lines that the first one has just touched. */
static void an_lines_of_the_loop_before_are_cached(void **state)
{
    (void)state;
    const struct loop loops[] = {{.ip = 0x100, .lines = 16 * MIB_LINES, .node = 0},
                                 {.ip = 0x180, .lines = 16 * MIB_LINES, .node = 0},
                                 {.ip = 0x200, .lines = 128 * MIB_LINES, .node = 1}};
    double lines[NODES];
    lines_of(loops, 3, ROUNDS, BURSTS, lines);
    assert_near(lines[0], (double)ROUNDS * 16 * MIB_LINES, 0.1);
}

/* Two loops that store to the same lines one after the other: they are read once and written back once. */
static void an_lines_are_written_back_once(void **state)
{
    (void)state;
    const struct loop loops[] = {{.ip = 0x100, .lines = 16 * MIB_LINES, .node = 0, .is_store = true},
                                 {.ip = 0x180, .lines = 16 * MIB_LINES, .node = 0, .is_store = true},
                                 {.ip = 0x200, .lines = 128 * MIB_LINES, .node = 1}};
    double lines[NODES];
    lines_of(loops, 3, ROUNDS, BURSTS, lines);
    assert_near(lines[0], 2.0 * ROUNDS * 16 * MIB_LINES, 0.1);
}

/* The cache holds half of the lines, so that half of the loads miss. Each of 8 loads comes to another line. */
static void an_random_loads_miss_by_the_part_that_is_not_cached(void **state)
{
    (void)state;
    const struct loop loops[] = {{.ip = 0x100, .lines = 64 * MIB_LINES, .node = 0, .is_random = true}};
    double lines[NODES];
    lines_of(loops, 1, ROUNDS, BURSTS, lines);
    assert_near(lines[0], 0.5 * ROUNDS * 64 * MIB_LINES * LOADS_OF_LINE, 0.15);
}

/* Two or three of a burst's loads go to random lines: their distance is small by chance. */
static void an_few_random_loads_are_no_band(void **state)
{
    (void)state;
    const struct loop loops[] = {
        {.ip = 0x100, .lines = 64 * MIB_LINES, .node = 0, .is_random = true, .every = 53}};
    double lines[NODES];
    lines_of(loops, 1, 53 * ROUNDS, BURSTS, lines);
    assert_near(lines[0], 0.5 * ROUNDS * 64 * MIB_LINES * LOADS_OF_LINE, 0.15);
    assert_near(lines[3], 1, 0.1);
}

/* A loop that goes slowly through an array, as over the cells of a grid with their neighbours: it touches each line many
 * times, but misses once. Bursts come 20 times a sweep. */
static void an_slow_band_misses_once_a_sweep(void **state)
{
    (void)state;
    const struct loop loops[] = {
        {.ip = 0x100, .lines = 64 * MIB_LINES, .node = 0, .band_loads = MIB_LINES * LOADS_OF_LINE}};
    double lines[NODES];
    lines_of(loops, 1, ROUNDS, 20 * ROUNDS, lines);
    assert_near(lines[0], (double)ROUNDS * 64 * MIB_LINES, 0.15);
}

/* Bursts come three times a sweep, half of them in another loop that runs between two sweeps. */
static void an_band_of_few_bursts_misses_once_a_sweep(void **state)
{
    (void)state;
    const struct loop loops[] = {
        {.ip = 0x100, .lines = 64 * MIB_LINES, .node = 0, .band_loads = MIB_LINES * LOADS_OF_LINE},
        {.ip = 0x200, .lines = 64 * MIB_LINES, .node = 1}};
    double lines[NODES];
    lines_of(loops, 2, 3 * ROUNDS, 2 * 3 * 3 * ROUNDS, lines);
    assert_near(lines[0], 3.0 * ROUNDS * 64 * MIB_LINES, 0.15);
}

/* Eight columns share their lines, which stay in the cache from one column to the next: 64 MiB move in a sweep. The loop is alone,
 * or walks through as many bytes meanwhile. */
static void an_columns_that_fit_miss_once_a_sweep(void **state)
{
    (void)state;
    const struct loop alone = {.ip = 0x100, .lines = 64 * MIB_LINES, .node = 0, .rows = 4096, .cols = 2048};
    struct loop beside = alone;
    beside.lines = 128 * MIB_LINES;
    beside.every = 2;
    double lines[NODES];
    lines_of(&alone, 1, ROUNDS, BURSTS, lines);
    assert_near(lines[0], (double)ROUNDS * 64 * MIB_LINES, 0.1);
    lines_of(&beside, 1, ROUNDS, BURSTS, lines);
    assert_near(lines[0], (double)ROUNDS * 64 * MIB_LINES, 0.1);
    assert_near(lines[3], (double)ROUNDS * 64 * MIB_LINES, 0.1);
}

/* A burst goes through a dozen columns of 200 rows, and there are ten bursts in a sweep. */
static void an_short_columns_are_no_random_loads(void **state)
{
    (void)state;
    const struct loop loop = {
        .ip = 0x100, .lines = 200 * 40000 / LOADS_OF_LINE, .node = 0, .rows = 200, .cols = 40000};
    double lines[NODES];
    lines_of(&loop, 1, ROUNDS, 10 * ROUNDS, lines);
    assert_near(lines[0], (double)ROUNDS * (double)loop.lines, 0.1);
}

/* The lines of a column fill the cache twice, so that each load misses. */
static void an_columns_that_exceed_the_cache_always_miss(void **state)
{
    (void)state;
    const struct loop loop = {.ip = 0x100, .lines = 64 * MIB_LINES, .node = 0, .rows = 1 << 20, .cols = 8};
    double lines[NODES];
    lines_of(&loop, 1, ROUNDS, BURSTS, lines);
    assert_near(lines[0], (double)ROUNDS * 64 * MIB_LINES * LOADS_OF_LINE, 0.1);
}

/* One member of an array of structures: each sweep misses one line in four. */
static void an_member_of_structures_misses_once_a_sweep(void **state)
{
    (void)state;
    const struct loop loop = {
        .ip = 0x100, .lines = 64 * MIB_LINES / LOADS_OF_LINE, .node = 0, .rows = 64 * MIB_LINES, .cols = 32};
    double lines[NODES];
    lines_of(&loop, 1, ROUNDS, BURSTS, lines);
    assert_near(lines[0], (double)ROUNDS * 64 * MIB_LINES, 0.1);
}

/* Bursts without a known node represent no lines, nor do bursts where none has a pace. */
static void an_bursts_without_pace_or_node_move_nothing(void **state)
{
    (void)state;
    const struct loop l = {.ip = 0x100, .lines = 128 * MIB_LINES, .node = UINT32_MAX};
    struct an_fixture *f = fix_new(5, 4);
    double lines[NODES];
    run_loops(f, &l, 1, 1, 10);
    moved_lines(f, lines);
    const struct loop known = {.ip = 0x100, .lines = 128 * MIB_LINES, .node = 0};
    run_loops(f, &known, 1, 1, 10);
    for (size_t i = 10; i < f->bursts_len; i++)
        f->bursts[i].pace_instructions = 0;
    moved_lines(f, lines);
    assert_near(lines[0], 0, 0);
    fix_free(f);
}

/* Bursts without a pace, such as those in code that is new to the translator, go as fast as the others of their loop. */
static void an_bursts_without_pace_go_as_fast_as_their_loop(void **state)
{
    (void)state;
    const struct loop loops[] = {{.ip = 0x100, .lines = 64 * MIB_LINES, .node = 0},
                                 {.ip = 0x200, .lines = 64 * MIB_LINES, .node = 2}};
    struct an_fixture *f = fix_new(5, 4);
    double lines[NODES];
    run_loops(f, loops, 2, ROUNDS, BURSTS);
    for (size_t i = 0; i < f->bursts_len; i++) {
        if (f->ip[f->bursts[i].first_sample] == loops[1].ip) /* twice as fast, in half of the time */
            f->bursts[i].data_weight_ns = f->bursts[i].weight_ns /= 2, f->bursts[i].pace_cycles /= 2;
        if (i % 3) f->bursts[i].pace_instructions = 0;
    }
    moved_lines(f, lines);
    assert_near(lines[0], (double)ROUNDS * 64 * MIB_LINES, 0.15);
    assert_near(lines[2], (double)ROUNDS * 64 * MIB_LINES, 0.15);
    fix_free(f);
}

/* A loop without any pace stores to a new line with each instruction, and takes the time in which memory delivers the lines. */
static void an_rare_loop_without_pace_waits_for_its_lines(void **state)
{
    enum { RARE_BURSTS = 200, LINE_CYCLES = 10 };
    (void)state;
    const struct loop loops[] = {{.ip = 0x100, .lines = MIB_LINES, .node = 1}};
    const uint64_t rare_lines = 64 * MIB_LINES, ns = 128 * ROUNDS * instructions_of(&loops[0]);
    struct an_fixture *f = fix_new(5, 4);
    double lines[NODES];
    uint64_t random = XORSHIFT_SEED;
    run_loops(f, loops, 1, 128 * ROUNDS, BURSTS);
    for (unsigned b = 0; b < RARE_BURSTS; b++) {
        const uint64_t begin = xorshift(&random) % (rare_lines - LISTED);
        fix_burst(f, ROUNDS * rare_lines * LINE_CYCLES / RARE_BURSTS, LISTED);
        f->bursts[f->bursts_len - 1].time_ns = ns / RARE_BURSTS * b;
        f->bursts[f->bursts_len - 1].probe_loads = 64;
        for (unsigned i = 0; i < LISTED; i++) {
            fix_store(f, 0, i);
            f->addr[f->samples_len - 1] = base_of(0) + (begin + i) * LINE_BYTES;
            f->ip[f->samples_len - 1] = 0x200;
        }
    }
    moved_lines(f, lines);
    assert_near(lines[0], 2.0 * ROUNDS * (double)rare_lines, 0.15);
    fix_free(f);
}

/* Each element takes so many loads, at other instructions, that the listed ones of a burst are in a small part of the loop. */
static void an_large_loop_is_one_loop(void **state)
{
    enum { LOADS = 512, OF_NODE = 8, STACK_LINES = 16 };
    (void)state;
    struct an_fixture *f = fix_new(5, 4);
    const uint64_t elements = 64 * MIB_LINES, loads = ROUNDS * elements * LOADS;
    uint64_t random = XORSHIFT_SEED;
    double lines[NODES];
    for (unsigned b = 0; b < BURSTS; b++) {
        uint64_t load = xorshift(&random) % loads, first = load;
        fix_burst(f, loads * INSTRUCTIONS_OF_LOAD / BURSTS, INSTRUCTIONS_OF_LOAD * 64 * (TIMED + 1));
        f->bursts[f->bursts_len - 1].time_ns = load * INSTRUCTIONS_OF_LOAD;
        f->bursts[f->bursts_len - 1].probe_loads = 64;
        f->bursts[f->bursts_len - 1].pace_instructions = f->bursts[f->bursts_len - 1].pace_cycles = 1000;
        for (unsigned i = 0; i < LISTED + TIMED; i++) {
            const uint64_t element = load / LOADS % elements, at = load % LOADS;
            const bool is_of_node = at >= LOADS - OF_NODE;
            fix_load(f, is_of_node ? 0 : 3, (uint32_t)(load - first) * INSTRUCTIONS_OF_LOAD,
                     i < LISTED ? FIX_NOT_MEASURED : 5);
            f->addr[f->samples_len - 1] = is_of_node ? base_of(0) + element * LINE_BYTES + at % OF_NODE * 8
                                                     : base_of(3) + at % STACK_LINES * LINE_BYTES;
            f->ip[f->samples_len - 1] = 0x1000 + at * 16;
            load += i < LISTED ? 1 : 32 + xorshift(&random) % 64;
        }
    }
    moved_lines(f, lines);
    assert_near(lines[0], (double)ROUNDS * elements, 0.15);
    fix_free(f);
}

/* The blocks of one site take turns in one place, which fits the cache although all blocks together would not. */
static void an_blocks_of_one_site_share_their_lines(void **state)
{
    (void)state;
    const struct prof_node nodes[] = {
        {.kind = PROF_NODE_SITE}, {.id = 1, .kind = PROF_NODE_BLOCK}, {.id = 2, .kind = PROF_NODE_BLOCK}};
    const struct loop loops[] = {{.ip = 0x100, .lines = 24 * MIB_LINES, .node = 0}};
    struct an_fixture *f = fix_new(5, 4);
    double lines[NODES];
    f->in.nodes = nodes;
    f->in.nodes_len = sizeof(nodes) / sizeof(nodes[0]);
    run_loops(f, loops, 1, ROUNDS, BURSTS);
    for (size_t i = 0; i < f->bursts_len; i++)
        for (size_t k = 0; k < f->bursts[i].samples_len; k++)
            f->node[f->bursts[i].first_sample + k] = i % 3;
    moved_lines(f, lines);
    assert_near(lines[0] + lines[1] + lines[2], 24 * MIB_LINES, 0.1);
    fix_free(f);
}

/* The traffic of the groups 0 to groups_len - 1, by node. */
static struct an_traffic traffic_of(struct an_fixture *f, uint32_t groups_len)
{
    struct an_costs c;
    struct an_traffic t;
    an_bootstrap *b;
    const struct an_input *in = fix_input(f);
    assert_int_equal(an_costs_init(&c, in), LS_OK);
    assert_int_equal(an_bootstrap_new(in, &c, 1, &b), LS_OK);
    assert_int_equal(an_traffic_init(&t, in, &c, b, f->node, groups_len), LS_OK);
    an_bootstrap_free(b);
    an_costs_fini(&c);
    return t;
}

/* Stores move each line twice. */
static void an_traffic_ranks_data_by_its_bytes(void **state)
{
    (void)state;
    const struct loop loops[] = {{.ip = 0x100, .lines = 64 * MIB_LINES, .node = 0},
                                 {.ip = 0x200, .lines = 64 * MIB_LINES, .node = 2, .is_store = true}};
    const double bytes = 3.0 * ROUNDS * 64 * MIB_LINES * LINE_BYTES;
    struct an_fixture *f = fix_new(5, 4);
    run_loops(f, loops, 2, ROUNDS, BURSTS);
    const struct an_traffic t = traffic_of(f, 3);
    assert_near(t.bytes, bytes, 0.05);
    assert_true(t.low < t.bytes && t.bytes < t.high && t.high < 1.5 * t.bytes);
    assert_int_equal(t.rows_len, 2);
    assert_int_equal(t.rows[0].group, 2);
    assert_int_equal(t.rows[1].group, 0);
    assert_near(t.rows[0].part.share, 2.0 / 3, 0.03);
    assert_true(t.rows[1].part.low < 1.0 / 3 && t.rows[1].part.high > 1.0 / 3);
    fix_free(f);
}

/* A share that rests on a few bursts is not known. */
static void an_traffic_of_few_bursts_is_not_known(void **state)
{
    (void)state;
    const struct loop big = {.ip = 0x100, .lines = 64 * MIB_LINES, .node = 0};
    const struct loop rare = {.ip = 0x200, .lines = 64 * MIB_LINES, .node = 1};
    struct an_fixture *f = fix_new(5, 4);
    run_loops(f, &big, 1, ROUNDS, 10 * AN_TRAFFIC_BURSTS_MIN);
    run_loops(f, &rare, 1, ROUNDS, AN_TRAFFIC_BURSTS_MIN - 1);
    const struct an_traffic t = traffic_of(f, 2);
    assert_int_equal(t.rows_len, 2);
    for (size_t i = 0; i < t.rows_len; i++) {
        const bool is_rare = t.rows[i].group == 1;
        assert_int_equal(t.rows[i].bursts, is_rare ? AN_TRAFFIC_BURSTS_MIN - 1 : 10 * AN_TRAFFIC_BURSTS_MIN);
        assert_true(isnan(t.rows[i].part.share) == is_rare && isnan(t.rows[i].part.low) == is_rare);
    }
    fix_free(f);
}

/* Data that fits the cache is rough unless it is swept once; larger data is not. */
static void an_traffic_of_small_data_is_rough(void **state)
{
    (void)state;
    const struct loop loops[] = {{.ip = 0x100, .lines = 16 * MIB_LINES, .node = 0},
                                 {.ip = 0x200, .lines = 128 * MIB_LINES, .node = 1}};
    for (unsigned rounds = 1; rounds <= ROUNDS; rounds += ROUNDS - 1) {
        struct an_fixture *f = fix_new(5, 4);
        run_loops(f, loops, 2, rounds, BURSTS);
        const struct an_traffic t = traffic_of(f, 2);
        assert_int_equal(t.rows_len, 2);
        assert_int_equal(t.rows[0].group, 1);
        assert_false(t.rows[0].is_rough);
        assert_int_equal(t.rows[1].is_rough, rounds > 1);
        fix_free(f);
    }
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_sweep_that_fits_moves_its_lines_once),
        cmocka_unit_test(an_sweep_that_exceeds_the_share_of_the_cache_misses),
        cmocka_unit_test(an_data_swept_once_moves_its_lines),
        cmocka_unit_test(an_lines_that_other_loops_evict_come_again),
        cmocka_unit_test(an_lines_of_the_loop_before_are_cached),
        cmocka_unit_test(an_lines_are_written_back_once),
        cmocka_unit_test(an_random_loads_miss_by_the_part_that_is_not_cached),
        cmocka_unit_test(an_few_random_loads_are_no_band),
        cmocka_unit_test(an_slow_band_misses_once_a_sweep),
        cmocka_unit_test(an_band_of_few_bursts_misses_once_a_sweep),
        cmocka_unit_test(an_columns_that_fit_miss_once_a_sweep),
        cmocka_unit_test(an_short_columns_are_no_random_loads),
        cmocka_unit_test(an_columns_that_exceed_the_cache_always_miss),
        cmocka_unit_test(an_member_of_structures_misses_once_a_sweep),
        cmocka_unit_test(an_bursts_without_pace_or_node_move_nothing),
        cmocka_unit_test(an_bursts_without_pace_go_as_fast_as_their_loop),
        cmocka_unit_test(an_rare_loop_without_pace_waits_for_its_lines),
        cmocka_unit_test(an_large_loop_is_one_loop),
        cmocka_unit_test(an_blocks_of_one_site_share_their_lines),
        cmocka_unit_test(an_traffic_ranks_data_by_its_bytes),
        cmocka_unit_test(an_traffic_of_few_bursts_is_not_known),
        cmocka_unit_test(an_traffic_of_small_data_is_rough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
