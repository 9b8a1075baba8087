/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "tests/analyse/an_fixture.h"
#include "tests/unit.h"

/* Window from position 600; 400 instructions at width 4 are 100 cycles; penalties 105 - 5 and 205 - 5 are
 * 300. stall = 4000 * 300 / 400 = 3000, split 1 : 2; issue 25 cycles an access (4 of them) = 250 ns. */
static void an_burst_splits_weight_into_stall_and_issue(void **state)
{
    (void)state;
    struct an_fixture *f = fix_new(5, 4);
    fix_burst(f, 4000, 1000);
    fix_load(f, 0, 3, FIX_NOT_MEASURED); /* run-ahead window: no part */
    fix_load(f, 0, 600, 105);
    fix_load(f, 1, 700, 205);
    fix_load(f, 1, 701, 4); /* below L1: no negative penalty */
    fix_store(f, 2, 800);
    struct an_costs c;
    assert_int_equal(an_costs_init(&c, fix_input(f)), LS_OK);
    assert_int_equal(c.model.window_begin, 600);
    const float stall[] = {0, 1000, 2000, 0, 0}, time[] = {0, 1250, 2250, 250, 250};
    for (int i = 0; i < 5; i++) {
        assert_float_equal(c.stall_ns[i], stall[i], 0.01);
        assert_float_equal(c.time_ns[i], time[i], 0.01);
    }
    assert_float_equal(c.stall_total_ns, 3000, 0.01);
    assert_float_equal(c.attributed_ns, 4000, 0.01);
    an_costs_fini(&c);
    fix_free(f);
}

static void an_burst_without_measured_loads_splits_evenly(void **state)
{
    (void)state;
    struct an_fixture *f = fix_new(5, 4);
    fix_burst(f, 100, 50);
    fix_load(f, 0, 1, FIX_NOT_MEASURED);
    fix_store(f, 1, 2);
    fix_burst(f, 70, 10); /* no accesses: belongs to no data */
    struct an_costs c;
    assert_int_equal(an_costs_init(&c, fix_input(f)), LS_OK);
    assert_float_equal(c.time_ns[0], 50, 1e-4);
    assert_float_equal(c.time_ns[1], 50, 1e-4);
    assert_float_equal(c.stall_total_ns, 0, 0);
    assert_float_equal(c.weight_ns, 170, 1e-9);
    assert_float_equal(c.attributed_ns, 100, 1e-9);
    assert_int_equal(c.attributed_bursts, 1);
    assert_int_equal(c.measured_bursts, 0);
    an_costs_fini(&c);
    fix_free(f);
}

/* A translated burst of 1,000 instructions at `cycles` a thousand of them; 64 accesses, one in 4 instructions
 * and 8 bytes after the other, and `timed` loads of L1 after them. */
static void translated_list(struct an_fixture *f, uint64_t addr, uint8_t op, uint64_t cycles, unsigned listed,
                            unsigned timed)
{
    fix_burst(f, 1000, 1000);
    struct prof_burst *b = &f->bursts[f->bursts_len - 1];
    b->time_ns = f->bursts_len * 1000;
    b->probe_loads = 64;
    b->pace_instructions = 1000;
    b->pace_cycles = cycles;
    for (unsigned i = 0; i < listed + timed; i++) {
        const bool is_timed = i >= listed;
        const uint64_t at = is_timed ? listed + 64 * (i - listed + 1) : i;
        if (op && !is_timed)
            fix_store(f, 0, 4 * i);
        else
            fix_load(f, 0, is_timed ? 4 * (listed - 1) + (i - listed + 1) : 4 * i,
                     is_timed ? 5 : FIX_NOT_MEASURED);
        f->addr[f->samples_len - 1] = addr + 8 * at;
        f->ip[f->samples_len - 1] = is_timed && op ? 2 : 1;
    }
}

static void translated_burst(struct an_fixture *f, uint64_t addr, uint8_t op, uint64_t cycles, unsigned timed)
{
    translated_list(f, addr, op, cycles, 64, timed);
}

static double stall_share(struct an_fixture *f)
{
    struct an_costs c;
    assert_int_equal(an_costs_init(&c, fix_input(f)), LS_OK);
    double sum = 0;
    for (size_t i = 0; i < f->samples_len; i++)
        sum += (double)c.stall_ns[i];
    assert_float_equal(sum, c.stall_total_ns, 1);
    const double share = c.stall_total_ns / c.weight_ns;
    an_costs_fini(&c);
    return share;
}

/* A sweep that takes 32 bursts, through 62 MiB: five bursts to both sides see only 20 MiB, which L3 holds. */
static void an_slow_sweep_waits_for_memory(void **state)
{
    (void)state;
    struct an_fixture *f = fix_new(5, 4);
    for (uint64_t i = 0; i < 96; i++)
        translated_burst(f, (1 << 20) + i % 32 * (2 << 20), 0, 2000, 10);
    const double lines = 1000.0 / 252 * 7;
    assert_float_equal(stall_share(f), lines * 20 / 2000, 0.01);
    fix_free(f);
}

/* A sweep through 400 MiB: 7 new lines in the 253 instructions of the list, 27.7 in a thousand, at 11 - 1
 * cycles. One thread runs: memory for both CPUs, 40 cycles a line, is 20 for one, which is more. */
static void an_sweep_through_memory_waits_for_its_lines(void **state)
{
    (void)state;
    struct an_fixture *f = fix_new(5, 4);
    for (uint64_t i = 0; i < 40; i++)
        translated_burst(f, (i + 1) * (10 << 20), 0, 2000, 10);
    const double lines = 1000.0 / 253 * 7;
    assert_float_equal(stall_share(f), lines * 20 / 2000, 0.01);
    fix_free(f);
}

/* 300 accesses in 1,197 instructions have 37 new lines. Bursts are longer than that here. */
static void an_sweep_has_the_same_stall_with_a_longer_list(void **state)
{
    (void)state;
    struct an_fixture *f = fix_new(5, 4);
    for (uint64_t i = 0; i < 40; i++) {
        translated_list(f, (i + 1) * (10 << 20), 0, 2000, 300, 10);
        f->bursts[i].instructions = 2000;
    }
    assert_float_equal(stall_share(f), 1000.0 / 1197 * 37 * 20 / 2000, 0.01);
    fix_free(f);
}

/* A chain of additions takes 1,800 of the 2,000 cycles also in L1, so that 200 of the sweep's wait is left. */
static void an_time_of_a_loop_in_l1_is_no_stall(void **state)
{
    (void)state;
    struct an_fixture *f = fix_new(5, 4);
    for (uint64_t i = 0; i < 40; i++) {
        translated_burst(f, (i + 1) * (10 << 20), 0, 2000, 10);
        f->bursts[i].pace_least_cycles = 1800;
    }
    assert_float_equal(stall_share(f), 200.0 / 2000, 0.01);
    fix_free(f);
}

/* The time of the sweep beyond 1,200 cycles is waiting, whatever its lines usually take; in data that stays in L1 there
 * is nothing to wait for. */
static void an_loop_with_known_times_waits_for_all_else(void **state)
{
    (void)state;
    for (uint64_t stride = 10 << 20, i = 0; i < 2; i++, stride = 0) {
        struct an_fixture *f = fix_new(5, 4);
        for (uint64_t k = 0; k < 40; k++) {
            translated_burst(f, (1 << 20) + k * stride, 0, 2000, 10);
            f->bursts[k].pace_least_cycles = 1200;
            f->bursts[k].pace_rest_waits = 1;
        }
        assert_float_equal(stall_share(f), stride ? 800.0 / 2000 : 0, 0.001);
        fix_free(f);
    }
}

/* 250 of 300 cycles issue instructions: the sweep waits for 50 at most. */
static void an_sweep_waits_no_longer_than_the_pace_allows(void **state)
{
    (void)state;
    struct an_fixture *f = fix_new(5, 4);
    for (uint64_t i = 0; i < 40; i++)
        translated_burst(f, (i + 1) * (10 << 20), 0, 300, 10);
    assert_float_equal(stall_share(f), 50.0 / 300, 0.001);
    fix_free(f);
}

/* The loop comes back to the range of all bursts around: 20 KiB are in L1. */
static void an_sweep_in_a_cache_does_not_wait_for_memory(void **state)
{
    (void)state;
    struct an_fixture *f = fix_new(5, 4);
    for (uint64_t i = 0; i < 40; i++)
        translated_burst(f, (1 << 20) + i % 4 * 4096, 0, 2000, 10);
    assert_float_equal(stall_share(f), 0, 0);
    fix_free(f);
    f = fix_new(5, 4);
    for (uint64_t i = 0; i < 40; i++)
        translated_burst(f, (1 << 20) + i % 4 * 65536, 0, 2000, 10); /* 196 KiB: L2, 2 - 1 cycles a line */
    assert_float_equal(stall_share(f), 1000.0 / 253 * 7 / 2000, 0.001);
    fix_free(f);
}

/* Lines that become dirty move twice. No load is timed: there is an estimate all the same. */
static void an_sweep_of_stores_waits_for_twice_the_lines(void **state)
{
    (void)state;
    struct an_fixture *f = fix_new(5, 4);
    for (uint64_t i = 0; i < 40; i++)
        translated_burst(f, (i + 1) * (10 << 20), 1, 4000, 0);
    assert_float_equal(stall_share(f), 1000.0 / 253 * 14 * 20 / 4000, 0.01);
    fix_free(f);
}

/* 5 of 10 timed loads read 26 cycles more, as one step of a coarse counter, and 5 read `less`. 320 loads at
 * 26 cycles are 8,320 of the 149,400 cycles that the 747 instructions from the first timed load on take. */
static double share_of_coarse_readings(int32_t less, bool l1_is_l2)
{
    struct an_fixture *f = fix_new(5, 4);
    f->in.calibration.l1_is_l2 = l1_is_l2;
    for (uint64_t i = 0; i < 40; i++)
        translated_burst(f, 1 << 20, 0, 200000, 10);
    for (size_t i = 0, k = 0; i < f->samples_len; i++) {
        if (!f->latency_valid[i]) continue;
        const bool is_far = k++ % 2;
        f->latency_cycles[i] = is_far ? 31 : less;
        f->level[i] = is_far && !l1_is_l2 ? PROF_LEVEL_L2 : PROF_LEVEL_L1;
    }
    const double share = stall_share(f);
    fix_free(f);
    return share;
}

static void an_latencies_of_l2_count_by_their_mean(void **state)
{
    (void)state;
    for (int l1_is_l2 = 0; l1_is_l2 < 2; l1_is_l2++) {
        assert_float_equal(share_of_coarse_readings(5, l1_is_l2), 8320.0 / 149400, 0.001);
        assert_float_equal(share_of_coarse_readings(-5, l1_is_l2), 8320.0 / 149400 * 16 / 26, 0.001);
        assert_float_equal(share_of_coarse_readings(-21, l1_is_l2), 0, 0); /* on average they are of L1 */
    }
}

/* Single accesses at random are a footprint of their lines alone: their latency speaks for them. */
static void an_random_accesses_are_no_sweep(void **state)
{
    (void)state;
    struct an_fixture *f = fix_new(5, 4);
    uint64_t x = 1;
    for (uint64_t i = 0; i < 40; i++)
        translated_burst(f, 1 << 20, 0, 2000, 10);
    for (size_t i = 0; i < f->samples_len; i++) {
        x = x * UINT64_C(6364136223846793005) + 1442695040888963407u;
        f->addr[i] = (x >> 33) % (UINT64_C(1) << 30) + (1 << 20);
    }
    assert_float_equal(stall_share(f), 0, 0);
    fix_free(f);
}

static void an_burst_beyond_the_samples_is_a_format_error(void **state)
{
    (void)state;
    struct an_fixture *f = fix_new(5, 4);
    fix_burst(f, 100, 50);
    fix_store(f, 0, 0);
    f->bursts[0].samples_len = 2;
    struct an_costs c;
    assert_int_equal(an_costs_init(&c, fix_input(f)), LS_ERR_FORMAT);
    an_costs_fini(&c);
    f->bursts[0].first_sample = UINT64_MAX;
    assert_int_equal(an_costs_init(&c, fix_input(f)), LS_ERR_FORMAT);
    an_costs_fini(&c);
    fix_free(f);
}

static void an_missing_calibration_gives_defaults(void **state)
{
    (void)state;
    struct prof_run run = {.issue_width = NAN};
    run.level_latency_cycles[PROF_LEVEL_L1] = NAN;
    run.level_latency_cycles[PROF_LEVEL_DRAM] = NAN;
    struct an_input in;
    an_input_init(&in, &run, NULL, 0);
    assert_float_equal(in.calibration.l1_cycles, PROF_COST_L1_CYCLES, 0);
    assert_float_equal(in.calibration.issue_width, PROF_COST_ISSUE_WIDTH, 0);
    assert_float_equal(in.calibration.latency_max_cycles, PROF_COST_LATENCY_TIMES * PROF_COST_DRAM_CYCLES, 0);
}

/* Bursts of loads of one level and latency; the share of the CPU time that stalls. */
static double stall_of_level(uint8_t level, uint32_t latency_cycles, uint32_t loads)
{
    struct an_fixture *f = fix_new(5, 4);
    struct an_costs c;
    for (int b = 0; b < 100; b++) {
        fix_burst(f, 1000000, 1000);
        for (uint32_t i = 0; i < loads; i++) {
            fix_load(f, 0, 600 + i, latency_cycles);
            f->level[f->samples_len - 1] = level;
        }
    }
    assert_int_equal(an_costs_init(&c, fix_input(f)), LS_OK);
    const double share = c.stall_total_ns / c.weight_ns;
    an_costs_fini(&c);
    fix_free(f);
    return share;
}

/* A 4 KiB array, a 128 KiB array that is walked in order, and an array in memory. */
static void an_loads_that_l1_or_l2_serve_do_not_stall(void **state)
{
    (void)state;
    assert_true(stall_of_level(PROF_LEVEL_L1, 9, 200) < 0.05);
    assert_true(stall_of_level(PROF_LEVEL_L2, 20, 200) < 0.1);
    assert_true(stall_of_level(UINT8_MAX, 20, 200) < 0.1);
    assert_true(stall_of_level(PROF_LEVEL_L3, 60, 200) > 0.9);
    assert_true(stall_of_level(UINT8_MAX, 400, 200) > 0.9);
}

/* Share of the CPU time that stalls when 100 bursts of 200 loads each go over `lines` lines, from where the
 * last burst ended, and `far` of each 200 loads are beyond L2. */
static double stall_of_lines(const char *engine, uint64_t lines, uint32_t far, uint8_t level)
{
    struct an_fixture *f = fix_new(5, 4);
    struct an_costs c;
    uint64_t load = 0;
    f->in.calibration.is_stepped = strcmp(engine, "step") == 0;
    for (int b = 0; b < 100; b++) {
        fix_burst(f, 1000000, 1000);
        for (uint32_t i = 0; i < 200; i++) {
            fix_load(f, 0, 600 + i, i < far ? 400 : 5);
            f->level[f->samples_len - 1] = i < far ? level : PROF_LEVEL_L1;
            f->addr[f->samples_len - 1] = UINT64_C(0x7f0000000000) + load++ % lines * 64;
        }
    }
    assert_int_equal(an_costs_init(&c, fix_input(f)), LS_OK);
    const double share = c.stall_total_ns / c.weight_ns;
    an_costs_fini(&c);
    fix_free(f);
    return share;
}

/* Stepping evicts lines of a small array: the few loads that miss for that reason do not stall. An array that
 * does not fit in L2, a stream, and an array that others evict natively miss by themselves, and the hardware
 * engine evicts nothing. */
static void an_misses_that_stepping_makes_do_not_stall(void **state)
{
    (void)state;
    assert_true(stall_of_lines("step", 64, 5, PROF_LEVEL_L3) < 0.05);
    assert_true(stall_of_lines("step", 64, 1, PROF_LEVEL_DRAM) < 0.05);
    assert_true(stall_of_lines("step", 2048, 5, PROF_LEVEL_L3) < 0.1);
    assert_true(stall_of_lines("step", 64, 7, PROF_LEVEL_L3) > 0.5);
    assert_true(stall_of_lines("step", 64, 3, PROF_LEVEL_DRAM) > 0.5);
    assert_true(stall_of_lines("step", 8192, 5, PROF_LEVEL_L3) > 0.5);
    assert_true(stall_of_lines("step", 20000, 5, PROF_LEVEL_L3) > 0.5);
    assert_true(stall_of_lines("hw", 64, 5, PROF_LEVEL_L3) > 0.5);
}

/* One load of 10^9 cycles among the L1 hits of 100 bursts: in a burst whose weight is a hundredth it is the
 * whole stall, but not more than a load from memory. */
static void an_interrupted_load_counts_as_one_from_memory(void **state)
{
    (void)state;
    struct an_fixture *f = fix_new(5, 4);
    struct an_costs c;
    for (int b = 0; b < 100; b++) {
        fix_burst(f, 1000000, 1600);
        for (uint32_t i = 0; i < 100; i++)
            fix_load(f, b == 50 && i == 50, 600 + i, b == 50 && i == 50 ? 1000000000 : 6);
    }
    assert_int_equal(an_costs_init(&c, fix_input(f)), LS_OK);
    assert_float_equal(c.stall_total_ns, 1e6 * 495 / (495 + 250), 1);
    assert_true(c.stall_total_ns < 0.01 * c.weight_ns);
    an_costs_fini(&c);
    fix_free(f);
}

static void an_absurd_weight_counts_as_the_median(void **state)
{
    (void)state;
    static const uint64_t absurd[] = {UINT64_MAX - 1, UINT64_C(1) << 62, 1000000000000000, 30000000000};
    for (size_t i = 0; i < sizeof(absurd) / sizeof(absurd[0]); i++) {
        struct an_fixture *f = fix_new(5, 4);
        struct an_costs c;
        for (int b = 0; b < 60; b++) {
            fix_burst(f, b == 7 ? absurd[i] : 10000000, 1000);
            fix_load(f, b == 7, 600, 300);
        }
        assert_int_equal(an_costs_init(&c, fix_input(f)), LS_OK);
        assert_float_equal(c.weight_ns, 600e6, 1);
        assert_float_equal(c.time_ns[7], 10e6, 1);
        assert_int_equal(c.clipped, 1);
        an_costs_fini(&c);
        fix_free(f);
    }
}

/* When the budget is short the rate falls, and few bursts represent most of the time. */
static void an_weights_of_a_low_rate_stay(void **state)
{
    (void)state;
    struct an_fixture *f = fix_new(5, 4);
    struct an_costs c;
    for (int b = 0; b < 1010; b++)
        fix_burst(f, b < 1000 ? 1000000 : 100000000, 1000);
    assert_int_equal(an_costs_init(&c, fix_input(f)), LS_OK);
    assert_float_equal(c.weight_ns, 2e9, 1);
    assert_int_equal(c.clipped, 0);
    an_costs_fini(&c);
    fix_free(f);
}

static void an_few_timed_loads_give_no_stall(void **state)
{
    (void)state;
    for (uint32_t timed = 4; timed <= 5; timed++) {
        struct an_fixture *f = fix_new(5, 4);
        struct an_costs c;
        fix_burst(f, 1000, 1000);
        for (uint32_t i = 0; i < 100; i++)
            fix_load(f, 0, 600 + i, i < timed ? 500 : FIX_NOT_MEASURED);
        assert_int_equal(an_costs_init(&c, fix_input(f)), LS_OK);
        assert_int_equal(an_has_stall(&c), timed == 5);
        assert_int_equal(c.loads.loads, 100);
        assert_int_equal(c.loads.timed, timed);
        assert_true(timed == 5 ? c.stall_total_ns > 0
                               : c.stall_total_ns == 0 && c.time_ns[0] == c.time_ns[99]);
        an_costs_fini(&c);
        fix_free(f);
    }
}

/* Latencies of L1 loads as a counter in steps of 300 cycles shows them: 0 or 300. */
static void an_coarse_counter_gives_no_negative_time(void **state)
{
    (void)state;
    struct an_fixture *f = fix_new(5, 4);
    struct an_costs c;
    f->in.calibration.step_cycles = 300;
    for (int b = 0; b < 60; b++) {
        fix_burst(f, 1000, 4000);
        for (uint32_t i = 0; i < 120; i++)
            fix_load(f, 0, 600 + i, b > 0 && (i + (uint32_t)b) % 60 == 0 ? 300 : 0); /* none in the first */
    }
    assert_int_equal(an_costs_init(&c, fix_input(f)), LS_OK);
    assert_true(c.stall_total_ns >= 0 && c.stall_total_ns < 0.05 * c.weight_ns);
    for (size_t i = 0; i < f->samples_len; i++)
        assert_true(c.stall_ns[i] >= 0 && c.time_ns[i] >= c.stall_ns[i]);
    an_costs_fini(&c);
    fix_free(f);
}

/* In a profile of a job */
static void an_rows_that_are_sums_count_all_their_accesses(void **state)
{
    (void)state;
    struct an_fixture *f = fix_new(5, 4);
    struct an_costs c;
    fix_sum_loads(f, 0, 40, 100, 1000);
    fix_sum_loads(f, 0, 59, FIX_NOT_MEASURED, 1000);
    fix_sum_bursts(f, 7, 3000);
    fix_burst(f, 1000, 1000);
    fix_load(f, 0, 600, FIX_NOT_MEASURED); /* of a rank that keeps its samples */
    assert_int_equal(an_costs_init(&c, fix_input(f)), LS_OK);
    assert_int_equal(c.accesses, 100);
    assert_int_equal(c.loads.timed, 40);
    assert_int_equal(c.loads.loads, 100);
    assert_int_equal(c.bursts, 8);
    an_costs_fini(&c);
    fix_free(f);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_burst_splits_weight_into_stall_and_issue),
        cmocka_unit_test(an_burst_without_measured_loads_splits_evenly),
        cmocka_unit_test(an_sweep_through_memory_waits_for_its_lines),
        cmocka_unit_test(an_sweep_has_the_same_stall_with_a_longer_list),
        cmocka_unit_test(an_time_of_a_loop_in_l1_is_no_stall),
        cmocka_unit_test(an_loop_with_known_times_waits_for_all_else),
        cmocka_unit_test(an_sweep_waits_no_longer_than_the_pace_allows),
        cmocka_unit_test(an_sweep_in_a_cache_does_not_wait_for_memory),
        cmocka_unit_test(an_sweep_of_stores_waits_for_twice_the_lines),
        cmocka_unit_test(an_random_accesses_are_no_sweep),
        cmocka_unit_test(an_slow_sweep_waits_for_memory),
        cmocka_unit_test(an_latencies_of_l2_count_by_their_mean),
        cmocka_unit_test(an_burst_beyond_the_samples_is_a_format_error),
        cmocka_unit_test(an_missing_calibration_gives_defaults),
        cmocka_unit_test(an_loads_that_l1_or_l2_serve_do_not_stall),
        cmocka_unit_test(an_misses_that_stepping_makes_do_not_stall),
        cmocka_unit_test(an_interrupted_load_counts_as_one_from_memory),
        cmocka_unit_test(an_absurd_weight_counts_as_the_median),
        cmocka_unit_test(an_weights_of_a_low_rate_stay),
        cmocka_unit_test(an_few_timed_loads_give_no_stall),
        cmocka_unit_test(an_coarse_counter_gives_no_negative_time),
        cmocka_unit_test(an_rows_that_are_sums_count_all_their_accesses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
