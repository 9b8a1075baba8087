/* SPDX-License-Identifier: BSD-3-Clause */
/* The estimated waiting time of accesses against the model (doc/patterns.md), computed access by access. */
#include "common/ls_random.h"
#include "patterns/extract/pat_extract.h"
#include "tests/patterns/memory_source.h"
#include "tests/unit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define FAR_AWAY UINT64_C(0x7fff00000000)

static uint64_t rng_state;

static uint64_t rng(uint64_t below)
{
    return ls_random_below(&rng_state, below);
}

static const struct pat_extract_options everything = {
    .top = 1000000, .accesses_min = 1, .keep_trivial = true};

enum { COST_SITES = 6, COST_THREADS = 3, COST_LINES = 6 * 64, COST_STEPS = 60000, COST_PART = 32 };

struct cost_row {
    uint64_t line, parts;
    int64_t step;
};

struct cost_model {
    uint64_t used[COST_THREADS][COST_SITES][COST_LINES]; /* when a thread last turned to a line; 0: never */
    uint64_t now[COST_THREADS];
    struct cost_row rows[COST_THREADS][COST_SITES];
};

static uint64_t cost_cycles(uint64_t now, uint64_t used)
{
    const uint64_t since = now - used;
    return !used || since > 524288 ? 250 : since > 16384 ? 40 : since > 512 ? 10 : 0;
}

static void cost_line(struct cost_model *c, uint32_t thread, uint32_t site, uint64_t line, bool is_store)
{
    struct cost_row *r = &c->rows[thread][site];
    uint64_t *used = &c->used[thread][site][line];
    const int64_t step = (int64_t)(line - r->line);
    const bool is_ahead = step == r->step && step >= -32 && step <= 32;
    const uint64_t parts = cost_cycles(++c->now[thread], *used) * COST_PART;
    r->parts += parts / (is_ahead ? 8 : 1) / (is_store ? 4 : 1);
    r->step = step;
    r->line = line;
    *used = c->now[thread];
}

/* Loads and stores of one and of several lines, at steps and without order, by threads in turn: each line
 * that a thread turns to counts, in the order of the source. */
static void pat_costs_are_those_of_the_model(void **state)
{
    static const uint16_t sizes[COST_SITES] = {8, 8, 4, 16, 64, 200};
    static struct cost_model c;
    struct memory_source m = {0};
    struct pat_sequences s;
    (void)state;
    rng_state = 1;
    memset(&c, 0, sizeof(c));
    for (uint32_t site = 0; site < COST_SITES; site++)
        memory_site(&m, 0x401000 + 4 * site, sizes[site], site % 2 ? PAT_OP_STORE : PAT_OP_LOAD);
    for (uint32_t thread = 0; thread < COST_THREADS; thread++) {
        memory_thread(&m);
        for (uint32_t site = 0; site < COST_SITES; site++)
            c.rows[thread][site].line = UINT64_MAX / 2;
    }
    for (uint64_t i = 0; i < COST_STEPS; i++) {
        const uint32_t thread = (uint32_t)(i / (1 + rng(300)) % COST_THREADS),
                       site = (uint32_t)rng(COST_SITES);
        const uint64_t line = c.rows[thread][site].line;
        const bool goes_on = line < COST_LINES - 16 && rng(3);
        const uint64_t offset = (goes_on ? line * 64 + rng(4) * 64 : rng(COST_LINES * 64 - 256)) / 4 * 4;
        const uint64_t first = offset / 64, last = (offset + sizes[site] - 1) / 64;
        memory_access(&m, site, thread, FAR_AWAY + site * (UINT64_C(1) << 20) + offset);
        for (uint64_t at = first == line ? first + 1 : first; at <= last; at++)
            cost_line(&c, thread, site, at, site % 2);
    }
    memory_extract(&m, &everything, &s);
    assert_int_equal(s.len, COST_SITES * COST_THREADS);
    for (size_t i = 0; i < s.len; i++)
        assert_true(s.rows[i].cost * COST_PART == (double)c.rows[s.rows[i].thread][s.rows[i].site].parts);
    pat_sequences_fini(&s);
    memory_fini(&m);
}

static void pat_stores_wait_a_quarter_and_wide_accesses_for_each_line(void **state)
{
    (void)state;
    enum { LINES = 5000 };
    struct memory_source m = {0};
    struct pat_sequences s;
    const uint32_t sites[] = {memory_site(&m, 0x401000, 8, PAT_OP_LOAD),
                              memory_site(&m, 0x401004, 8, PAT_OP_STORE),
                              memory_site(&m, 0x401008, 16, PAT_OP_LOAD)};
    double cost[3] = {0};
    memory_thread(&m);
    rng_state = 1;
    for (int i = 0; i < LINES; i++) {
        const uint64_t at = rng(900) * 128; /* pages that are few enough to be looked at one by one */
        memory_access(&m, sites[0], 0, FAR_AWAY + at);
        memory_access(&m, sites[1], 0, FAR_AWAY + (1 << 20) + at);
        memory_access(&m, sites[2], 0, FAR_AWAY + (2 << 20) + at + 56);
    }
    memory_extract(&m, &everything, &s);
    assert_int_equal(s.len, 3);
    for (size_t i = 0; i < 3; i++)
        cost[s.rows[i].site] = s.rows[i].cost;
    assert_true(cost[0] > 0);
    assert_true(cost[1] * 4 == cost[0]);
    assert_true(cost[2] > 1.01 * cost[0]);
    assert_true(cost[2] <= 2 * cost[0]);
    pat_sequences_fini(&s);
    memory_fini(&m);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pat_costs_are_those_of_the_model),
        cmocka_unit_test(pat_stores_wait_a_quarter_and_wide_accesses_for_each_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
