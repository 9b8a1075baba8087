/* SPDX-License-Identifier: BSD-3-Clause */
/* The limit of length from which allocations are recorded, by the cost of their records: numbers in, limit
 * out. */
#include "runtime/core/rt_alloc_limit_sigsafe.h"
#include "tests/unit.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { MIN_BYTES = 4096, HOOK_NS = 400, RECORD_BYTES = 80 };
static const double SHARE = 0.03, LOOK_S = 0.002;

/* A program that allocates blocks of len_bytes at this rate, and its recorder. */
struct flood {
    struct rt_alloc_limit limit;
    struct rt_alloc_costs costs;
    double bytes_each;
    double hooks_ns, record_bytes;
};

static struct flood flood_new(void)
{
    struct flood f = {.bytes_each = RECORD_BYTES};
    rt_alloc_limit_init(&f.limit, SHARE, MIN_BYTES);
    return f;
}

/* One update later, in which the program worked for this part of the time. */
static void flood_go_on(struct flood *f, double rate, double len_bytes, double worked)
{
    const double most = LOOK_S * 1e9 / HOOK_NS; /* this takes the whole time */
    const bool is_long = len_bytes >= (double)f->limit.always_bytes;
    const double wanted = rate * LOOK_S * (is_long ? 1 : -expm1(-len_bytes / (double)f->limit.period_bytes));
    const double recorded = wanted < most ? wanted : most;
    f->hooks_ns += recorded * HOOK_NS;
    f->record_bytes += recorded * f->bytes_each;
    f->costs.wall_ns += (uint64_t)(LOOK_S * 1e9);
    f->costs.cpu_ns += (uint64_t)(LOOK_S * 1e9 * worked);
    f->costs.hooks_ns = (uint64_t)f->hooks_ns;
    f->costs.hook_bytes = (uint64_t)f->record_bytes;
    f->costs.allocs += (uint64_t)recorded;
    f->costs.large_allocs += is_long ? (uint64_t)recorded : 0;
    rt_alloc_limit_look(&f->limit, &f->costs);
    assert_true(f->limit.period_bytes >= f->limit.always_bytes && f->limit.always_bytes >= MIN_BYTES);
    assert_true(f->limit.period_bytes <= RT_LIMIT_HIGHEST_BYTES);
}

static double spent_share(const struct flood *f)
{
    return f->hooks_ns / (double)f->costs.cpu_ns;
}

static void few_allocations_are_all_recorded(void **state)
{
    struct flood f = flood_new();
    (void)state;
    for (int i = 0; i < 30000; i++) {
        flood_go_on(&f, 500, 100000, 1);
        assert_true(f.limit.period_bytes == MIN_BYTES);
    }
}

/* Rates from 10^5 to 10^8 blocks a second, with all lengths whose total fits the bandwidth of memory. */
static void steady_flood_stays_within_the_share(void **state)
{
    (void)state;
    for (double rate = 1e5; rate <= 1e8; rate *= 10) {
        for (double len_bytes = 16; len_bytes * rate < 1e12; len_bytes *= 8) {
            struct flood f = flood_new();
            for (int i = 0; i < 30000; i++)
                flood_go_on(&f, rate, len_bytes, 1);
            assert_true(spent_share(&f) < SHARE / 2 * 1.05 + 0.001);
            assert_true(f.record_bytes < RT_LIMIT_FIRST_BYTES + 61 * RT_LIMIT_BYTES_PER_S);
        }
    }
}

/* The share is used: a flood of allocations does not stop recording. */
static void steady_flood_is_still_recorded(void **state)
{
    struct flood f = flood_new();
    (void)state;
    for (int i = 0; i < 30000; i++)
        flood_go_on(&f, 1e7, 64, 1);
    const double before = f.record_bytes;
    for (int i = 0; i < 30000; i++)
        flood_go_on(&f, 1e7, 64, 1);
    assert_true(f.record_bytes - before > 60 * RT_LIMIT_BYTES_PER_S / 2);
}

static void hour_of_records_stays_under_256_mib(void **state)
{
    struct flood f = flood_new();
    (void)state;
    for (int i = 0; i < 3600 / 0.002; i++)
        flood_go_on(&f, i / 5000 % 2 ? 3e7 : 2e5, i / 20000 % 2 ? 40 : 10000, 1);
    assert_true(f.record_bytes < 256.0 * 1024 * 1024);
    assert_true(f.record_bytes > 100.0 * 1024 * 1024);
}

/* Work and allocations alternate: only unspent budget is available for the next series of allocations. */
static void short_floods_use_the_saved_budget(void **state)
{
    struct flood f = flood_new();
    double recorded = 0, all = 0;
    (void)state;
    for (int i = 0; i < 300000; i++) {
        const bool allocates = i % 1000 < 10; /* 20 ms of 2 s */
        const double before = f.record_bytes;
        flood_go_on(&f, allocates ? 5e4 : 0, 5000, 1);
        recorded += (f.record_bytes - before) / RECORD_BYTES;
        all += allocates ? 5e4 * LOOK_S : 0;
    }
    assert_true(recorded > 0.99 * all); /* 1000 blocks every 2 s */
    assert_true(spent_share(&f) < SHARE / 2);
}

static void after_a_flood_all_blocks_are_recorded_again(void **state)
{
    struct flood f = flood_new();
    (void)state;
    for (int i = 0; i < 5000; i++)
        flood_go_on(&f, 3e7, 64, 1);
    assert_true(f.limit.period_bytes > 8 * MIN_BYTES);
    for (int i = 0; i < 60000; i++) /* bytes are saved again in half a minute */
        flood_go_on(&f, 10, 64, 1);
    assert_true(f.limit.period_bytes == MIN_BYTES);
}

/* Wall time passes while the program does not work: its budget neither grows nor shrinks. */
static void waiting_changes_nothing(void **state)
{
    struct flood f = flood_new();
    (void)state;
    for (int i = 0; i < 2000; i++)
        flood_go_on(&f, 1e7, 64, 1);
    const uint64_t before = f.limit.period_bytes;
    for (int i = 0; i < 100; i++)
        flood_go_on(&f, 0, 64, 0);
    assert_true(f.limit.period_bytes >= before / 2);
}

/* The cost of examining each call leaves a tenth of the share to records. */
static void cost_of_examined_calls_does_not_end_recording(void **state)
{
    struct flood f = flood_new();
    (void)state;
    f.bytes_each = 0;
    for (int i = 0; i < 100000; i++) {
        f.costs.looked_ns += (uint64_t)(LOOK_S * 1e9 * 0.2);
        flood_go_on(&f, 1e8, 16, 1);
    }
    assert_true(spent_share(&f) < SHARE / 2 * 0.15);
    assert_true(spent_share(&f) > SHARE / 2 * 0.05);
}

/* Tags cost 1 % in all, but the estimate of their cost grows in steps: by a whole interval between two triggers. Records get
 * the rest of their share, on average as at each look. */
static void records_leave_room_for_tags(void **state)
{
    enum { LOOKS = 100000, STEP_LOOKS = 100 };
    struct flood f = flood_new();
    (void)state;
    f.bytes_each = 0;
    for (int i = 0; i < LOOKS; i++) {
        if (i % STEP_LOOKS == 0) f.costs.looked_ns += (uint64_t)(LOOK_S * 1e9 * 0.01 * STEP_LOOKS);
        flood_go_on(&f, 1e7, 64, 1);
    }
    assert_true(spent_share(&f) < (SHARE / 2 - 0.01) * 1.05 + 0.001);
    assert_true(spent_share(&f) > (SHARE / 2 - 0.01) * 0.4);
}

/* After a time of costly tags, records get their share again. */
static void costly_tags_are_forgotten(void **state)
{
    struct flood f = flood_new();
    (void)state;
    f.bytes_each = 0;
    for (int i = 0; i < 30000; i++) {
        f.costs.looked_ns += (uint64_t)(LOOK_S * 1e9 * 0.5);
        flood_go_on(&f, 1e7, 64, 1);
    }
    const double before_ns = f.hooks_ns;
    for (int i = 0; i < 30000; i++)
        flood_go_on(&f, 1e7, 64, 1);
    assert_true(f.hooks_ns - before_ns > 30000 * LOOK_S * 1e9 * SHARE / 2 * 0.4);
}

/* A flood of small blocks takes nothing from the arrays that the program works on. */
static void large_blocks_are_recorded_in_a_flood_of_small_ones(void **state)
{
    struct flood f = flood_new();
    (void)state;
    for (int i = 0; i < 30000; i++) {
        flood_go_on(&f, 1e8, 4000, 1);
        assert_true(f.limit.always_bytes <= RT_LIMIT_LARGE_BYTES);
    }
    assert_true(f.limit.period_bytes > 100 * RT_LIMIT_LARGE_BYTES);
}

static void clocks_that_jump_back_do_no_harm(void **state)
{
    struct rt_alloc_limit l;
    const struct rt_alloc_costs late = {.wall_ns = UINT64_C(5000000000),
                                        .cpu_ns = UINT64_C(5000000000),
                                        .hooks_ns = 1000,
                                        .hook_bytes = 1000},
                                none = {.wall_ns = 10};
    (void)state;
    rt_alloc_limit_init(&l, SHARE, MIN_BYTES);
    rt_alloc_limit_look(&l, &late);
    rt_alloc_limit_look(&l, &none);
    assert_int_equal(l.always_bytes, MIN_BYTES);
    assert_true(isfinite(l.time_ns.saved) && isfinite(l.bytes.saved) && isfinite(l.time_ns.recent));
    rt_alloc_limit_look(&l, &none);
    assert_int_equal(l.always_bytes, MIN_BYTES);
}

static void timed_hook_represents_others(void **state)
{
    const struct rt_timed_hook usual = {.begin_ns = 1000, .end_ns = 1500, .clock_ns = 100};
    (void)state;
    assert_int_equal(rt_timed_hook_cost_ns(&usual, 64), 400 * 64);
}

/* The thread's CPU clock stops while another thread runs, so wall time has no meaning here. */
static void burst_in_a_hook_is_not_the_hooks(void **state)
{
    const struct rt_timed_hook burst = {.begin_ns = 1000,
                                        .end_ns = 3001500,
                                        .burst_begin_ns = 7,
                                        .burst_end_ns = 3000007,
                                        .clock_ns = 100},
                               shorter_than_the_clock = {.begin_ns = 1000, .end_ns = 1090, .clock_ns = 100},
                               backwards = {.begin_ns = 1000, .end_ns = 900, .clock_ns = 100};
    (void)state;
    assert_int_equal(rt_timed_hook_cost_ns(&burst, 64), 400 * 64);
    assert_int_equal(rt_timed_hook_cost_ns(&shorter_than_the_clock, 64), 0);
    assert_int_equal(rt_timed_hook_cost_ns(&backwards, 64), 0);
}

/* 10^6 events a second give one sample per millisecond, with intervals that vary as in a random sample. */
static void sampled_events_come_as_often_as_wanted(void **state)
{
    static const double factors[] = {0.1, 2.3, 0.7, 1.2, 0.3, 0.5, 1.9, 1};
    uint32_t mean = rt_sampled_mean(0, 0, 1e6);
    int samples = 0;
    (void)state;
    assert_int_equal(mean, 1);
    for (double ns = 0; ns < 1e9; samples++) {
        const double passed_ns = 1e3 * mean * factors[samples % 8];
        mean = rt_sampled_mean(mean, passed_ns, 1e6);
        ns += passed_ns;
    }
    assert_true(samples > 500 && samples < 2500);
    for (int i = 0; i < 100; i++)
        mean = rt_sampled_mean(mean, 1e9, 1e6);
    assert_int_equal(mean, 1);
    for (int i = 0; i < 100; i++)
        mean = rt_sampled_mean(mean, 0, 1e6);
    assert_int_equal(mean, 1 << 20);
}

/* A few triggers change the estimate little, many decide. Without calls that are counted, it is theirs as well. */
static void quick_calls_are_estimated_by_number_and_triggers(void **state)
{
    (void)state;
    const uint64_t ms = 1000000;
    assert_in_range(rt_quick_calls_ns(17 * ms, 0), 11 * ms, 13 * ms);
    assert_in_range(rt_quick_calls_ns(17 * ms, 57 * ms), 38 * ms, 42 * ms);
    assert_in_range(rt_quick_calls_ns(1000 * ms, 2000 * ms), 1950 * ms, 2000 * ms);
    assert_in_range(rt_quick_calls_ns(1000 * ms, 400 * ms), 400 * ms, 450 * ms);
    assert_in_range(rt_quick_calls_ns(0, 4000 * ms), 3900 * ms, 4000 * ms);
    assert_int_equal(rt_quick_calls_ns(0, 0), 0);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_allocations_are_all_recorded),
        cmocka_unit_test(steady_flood_stays_within_the_share),
        cmocka_unit_test(steady_flood_is_still_recorded),
        cmocka_unit_test(hour_of_records_stays_under_256_mib),
        cmocka_unit_test(short_floods_use_the_saved_budget),
        cmocka_unit_test(after_a_flood_all_blocks_are_recorded_again),
        cmocka_unit_test(waiting_changes_nothing),
        cmocka_unit_test(cost_of_examined_calls_does_not_end_recording),
        cmocka_unit_test(records_leave_room_for_tags),
        cmocka_unit_test(costly_tags_are_forgotten),
        cmocka_unit_test(large_blocks_are_recorded_in_a_flood_of_small_ones),
        cmocka_unit_test(clocks_that_jump_back_do_no_harm),
        cmocka_unit_test(timed_hook_represents_others),
        cmocka_unit_test(burst_in_a_hook_is_not_the_hooks),
        cmocka_unit_test(sampled_events_come_as_often_as_wanted),
        cmocka_unit_test(quick_calls_are_estimated_by_number_and_triggers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
