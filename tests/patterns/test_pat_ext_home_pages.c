/* SPDX-License-Identifier: BSD-3-Clause */
/* The homes in the pages equal the result of a look-up, with any ranges, also after births and
 * deaths. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/ls_random.h"
#include "patterns/extract/pat_ext_ranges.h"
#include "tests/unit.h"

enum { RANGES = 600, PAGES = 12, HOMES = 3, ASKED = 16 };
#define BASE UINT64_C(0x7f0000000000)

static uint64_t rng_state;

static uint64_t rng(uint64_t below)
{
    return ls_random_below(&rng_state, below);
}

struct world {
    struct pat_range ranges[RANGES];
    bool lives[RANGES];
    struct pat_tables tables;
    struct smr_avl live;
    struct pat_ext_budget budget;
    struct pat_ext_home_pages pages;
};

static void turn(struct world *w, uint32_t i)
{
    const struct pat_range *r = &w->ranges[i];
    struct smr_range other;
    if (w->lives[i]) {
        assert_true(smr_avl_remove(&w->live, r->start, i, NULL));
        w->lives[i] = false;
    } else if (smr_avl_insert(&w->live, (struct smr_range){r->start, r->end, i}, SMR_AVL_INNER, &other) ==
               LS_OK) {
        w->lives[i] = true;
    } else {
        return; /* it would overlap another one partly */
    }
    pat_ext_home_pages_change(&w->pages, &w->budget, r->start, r->end);
}

static uint32_t home_at(const struct world *w, uint64_t addr)
{
    struct smr_range r;
    return smr_avl_last(&w->live, addr, addr, &r) ? w->ranges[r.value].home : PAT_NONE;
}

/* How many addresses are known; none is known wrongly. */
static size_t check(const struct world *w)
{
    size_t known = 0;
    for (uint64_t addr = BASE - 100; addr < BASE + PAGES * 4096 + 100; addr++)
        for (uint32_t home = 0; home < HOMES; home++)
            if (pat_ext_home_pages_know(&w->pages, addr, home)) {
                assert_int_equal(home_at(w, addr), home);
                known++;
            }
    return known;
}

static void ask_all(struct world *w)
{
    for (uint64_t page = 0; page < PAGES; page++)
        for (int i = 0; i < ASKED; i++)
            pat_ext_home_pages_ask(&w->pages, &w->budget, &w->live, &w->tables, BASE + page * 4096 + 8);
}

static void begin(struct world *w)
{
    *w = (struct world){.budget = {.limit_bytes = UINT64_C(1) << 24}};
    w->tables = (struct pat_tables){.ranges = w->ranges, .ranges_len = RANGES};
    smr_avl_init(&w->live);
}

static void end(struct world *w)
{
    smr_avl_fini(&w->live);
    pat_ext_home_pages_fini(&w->pages, &w->budget);
    assert_int_equal(w->budget.used_bytes, 0);
}

static void make_world(struct world *w, uint64_t grain)
{
    begin(w);
    for (uint32_t i = 0; i < RANGES; i++) {
        const uint64_t start = BASE + rng(PAGES * 4096 / grain) * grain;
        const uint64_t most = rng(20) ? 100 : 9000;
        w->ranges[i] =
            (struct pat_range){start, start + (1 + rng(most / grain + 1)) * grain, (uint32_t)rng(HOMES)};
        if (i > 0 && rng(10) == 0) { /* the same address once more */
            w->ranges[i].start = w->ranges[i - 1].start;
            w->ranges[i].end = w->ranges[i - 1].end;
        }
        turn(w, i);
    }
}

static void pat_home_pages_equal_look_ups(void **state)
{
    (void)state;
    static const uint64_t grains[] = {1, 8, 16, 48};
    rng_state = 0;
    for (int round = 0; round < 40; round++) {
        static struct world w;
        make_world(&w, grains[round % 4]);
        assert_int_equal(check(&w), 0); /* nobody asked */
        ask_all(&w);
        assert_true(check(&w) > 500);
        for (int i = 0; i < 5; i++) {
            turn(&w, (uint32_t)rng(RANGES));
            check(&w);
        }
        ask_all(&w);
        check(&w);
        end(&w);
    }
}

/* Adjacent nodes, some of them across the ends of pages. */
static void pat_home_pages_know_all_of_a_pool(void **state)
{
    enum { NODE = 48 };
    (void)state;
    static struct world w;
    begin(&w);
    for (uint32_t i = 0; i < RANGES; i++) {
        w.ranges[i] = (struct pat_range){BASE + i * NODE, BASE + (i + 1) * NODE, 1};
        turn(&w, i);
    }
    ask_all(&w);
    assert_int_equal(check(&w), RANGES * NODE);
    end(&w);
}

/* Nodes inside a block of another home, which has the first bytes of each page. */
static void pat_home_pages_are_those_of_queried_addresses(void **state)
{
    enum { NODE = 48, APART = 64, FIRST = 16 };
    (void)state;
    static struct world w;
    begin(&w);
    for (uint32_t i = 0; i < RANGES; i++) {
        const uint64_t start = BASE + FIRST + (uint64_t)i * APART;
        w.ranges[i] = (struct pat_range){start, start + NODE, 1};
        if (i == 0) w.ranges[i] = (struct pat_range){BASE, BASE + PAGES * 4096, 0};
        turn(&w, i);
    }
    for (uint64_t page = 0; page < PAGES; page++)
        for (int i = 0; i < ASKED; i++)
            pat_ext_home_pages_ask(&w.pages, &w.budget, &w.live, &w.tables,
                                   BASE + page * 4096 + APART + FIRST + 8);
    for (uint32_t i = 1; i < RANGES; i++)
        assert_true(pat_ext_home_pages_know(&w.pages, w.ranges[i].start + NODE - 1, 1));
    check(&w);
    end(&w);
}

static void pat_home_pages_keep_to_their_part_of_the_memory(void **state)
{
    (void)state;
    static struct world w;
    rng_state = 0;
    make_world(&w, 16);
    for (uint64_t page = 0; page < 100000; page++)
        pat_ext_home_pages_ask(&w.pages, &w.budget, &w.live, &w.tables, BASE + page * 4096);
    assert_in_range(w.budget.used_bytes, 1, w.budget.limit_bytes / 16);
    ask_all(&w);
    assert_true(check(&w) > 500); /* the first ones are there */
    pat_ext_home_pages_change(&w.pages, &w.budget, 0, UINT64_MAX);
    assert_int_equal(w.budget.used_bytes, 0);
    smr_avl_fini(&w.live);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pat_home_pages_equal_look_ups),
        cmocka_unit_test(pat_home_pages_know_all_of_a_pool),
        cmocka_unit_test(pat_home_pages_are_those_of_queried_addresses),
        cmocka_unit_test(pat_home_pages_keep_to_their_part_of_the_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
