/* SPDX-License-Identifier: BSD-3-Clause */
/* The timed part of a run contains only the run: it reads no other clock, and gaps that other programs cause
 * are marked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/kn_backend.h"
#include "kernels/kn_kernel.h"
#include "kernels/replay/kn_replay.h"
#include "kernels/replay/kn_session.h"
#include "kernels/replay/kn_trial.h"
#include "kernels/stream/kn_stream.h"
#include "kernels/together/kn_together.h"
#include "tests/kernels/busy.h"
#include "tests/unit.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* This program's clock: wall time advances by a second whenever CPU time is read while it is armed, and CPU
 * time does not advance for lost_ns. */
static atomic_bool armed;
static _Atomic uint64_t penalty_ns;
static _Atomic int64_t lost_ns;

int clock_gettime(clockid_t clock, struct timespec *out)
{
    const int status = (int)syscall(SYS_clock_gettime, clock, out);
    if (clock == CLOCK_THREAD_CPUTIME_ID && armed) penalty_ns += 1000000000;
    if (clock != CLOCK_MONOTONIC) return status;
    const uint64_t ns = (uint64_t)out->tv_nsec + penalty_ns + (uint64_t)lost_ns;
    out->tv_sec += (time_t)(ns / 1000000000);
    out->tv_nsec = (long)(ns % 1000000000);
    return status;
}

static void make(struct pat_config *c, size_t len, uint64_t count, enum pat_operation operation)
{
    assert_int_equal(pat_config_init(c), LS_OK);
    c->pattern = (struct pat_indices){calloc(len, sizeof(int64_t)), len};
    assert_non_null(c->pattern.data);
    for (size_t j = 0; j < len; j++)
        c->pattern.data[j] = (int64_t)j;
    c->count = count;
    c->operation = operation;
}

/* Every timed run is far below the second that a reading of the CPU clock would add. */
static void check_runs(const struct kn_result *r)
{
    assert_true(r->valid);
    for (size_t i = 0; i < r->seconds.len; i++)
        if (r->run_seconds[i] * r->repeats >= 1) fail_msg("another clock was read in the timed part");
}

static void the_timed_part_reads_no_other_clock(void **state)
{
    (void)state;
    struct pat_config c;
    struct kn_result r;
    for (unsigned threads = 1; threads <= 2; threads++) {
        const struct kn_options o = {.threads = threads, .pin = KN_PIN_NONE, .runs = 3};
        const struct kn_stream_options s = {.run = o, .elements = 4096};
        const struct kn_kernel *triad = kn_kernel_find("triad");
        armed = true;
        make(&c, 8, 1, PAT_OPERATION_COPY);
        const ls_err err = kn_replay_run(&c, &o, &r);
        if (err == LS_ERR_UNSUPPORTED && threads > 1) { /* one processor */
            armed = false;
            pat_config_fini(&c);
            break;
        }
        assert_int_equal(err, LS_OK);
        check_runs(&r);
        kn_result_fini(&r);
        pat_config_fini(&c);
        make(&c, 8, 100, PAT_OPERATION_REDUCE);
        assert_int_equal(kn_together_run(&c, 1, &o, &r), LS_OK);
        check_runs(&r);
        kn_result_fini(&r);
        pat_config_fini(&c);
        assert_int_equal(kn_stream_run(&triad, 1, &s, &r), LS_OK);
        check_runs(&r);
        kn_result_fini(&r);
        armed = false;
    }
}

static void short_runs_are_repeated_between_two_readings(void **state)
{
    (void)state;
    struct pat_config c;
    struct kn_result r;
    const struct kn_options o = {.threads = 1, .backend = "serial"};
    make(&c, 8, 1, PAT_OPERATION_COPY);
    assert_int_equal(kn_replay_run(&c, &o, &r), LS_OK);
    assert_true(r.repeats > 16);
    assert_string_equal(r.advice, "");
    kn_result_fini(&r);
    c.count = 1 << 20;
    assert_int_equal(kn_replay_run(&c, &o, &r), LS_OK);
    assert_int_equal(r.repeats, 1);
    kn_result_fini(&r);
    pat_config_fini(&c);
}

/* Runs whose times fall by a factor from run to run, until they reach the least one. */
struct paced {
    double seconds, factor, least;
};

static struct kn_span time_paced(void *arg, struct kn_turn turn)
{
    struct paced *p = arg;
    const struct kn_span span = {.seconds = p->seconds, .cpu_seconds = p->seconds};
    (void)turn;
    p->seconds = p->seconds * p->factor > p->least ? p->seconds * p->factor : p->least;
    return span;
}

static struct kn_result measured_runs(unsigned runs, double seconds, double factor, double least,
                                      struct kn_options o)
{
    struct paced p = {seconds, factor, least};
    struct kn_result r = {.bytes = 8};
    assert_int_equal(kn_measure(time_paced, &p, &o, runs, &r), LS_OK);
    kn_result_fini(&r);
    return r;
}

static struct kn_result measured(double seconds, double factor, double least, struct kn_options o)
{
    return measured_runs(3, seconds, factor, least, o);
}

static void runs_between_two_readings_are_as_many_as_needed(void **state)
{
    (void)state;
    const struct kn_options all = {.threads = 1}, times_only = {.times_only = true};
    assert_int_equal(measured(7e-6, 1, 0, all).repeats, 3); /* 20 us */
    assert_int_equal(measured(15e-6, 1, 0, all).repeats, 2);
    assert_int_equal(measured(30e-6, 1, 0, all).repeats, 1);
    assert_int_equal(measured(7e-6, 1, 0, times_only).repeats, 2); /* 10 us */
    assert_int_equal(measured(3e-6, 1, 0, times_only).repeats, 4);
    assert_int_equal(measured(15e-6, 1, 0, times_only).repeats, 2); /* shorter than 20 us */
}

static void warm_ups_of_short_runs_last_until_they_are_steady(void **state)
{
    (void)state;
    const struct kn_options all = {.threads = 1}, times_only = {.times_only = true},
                            few = {.warmups_max = 10};
    assert_int_equal(measured(1e-3, 1, 0, all).warmups, 3);
    assert_int_equal(measured(1e-3, 1, 0, times_only).warmups, 3);
    assert_int_equal(measured_runs(KN_RUNS, 1e-3, 1, 0, times_only).warmups, 1); /* the timed runs warm up */
    assert_int_equal(measured_runs(KN_RUNS, 1e-3, 1, 0, all).warmups, 3);
    assert_int_equal(measured(30e-6, 1, 0, times_only).warmups, 9);
    assert_int_equal(measured(10e-3, 0.9, 0, all).warmups, 10);
    const struct kn_result falling[] = {measured(54e-6, 0.98, 28e-6, all),
                                        measured(54e-6, 0.98, 28e-6, times_only)};
    for (int i = 0; i < 2; i++) { /* the least time comes after 33 runs */
        assert_true(falling[i].steady);
        assert_in_range(falling[i].warmups, 34, 45);
        assert_true(falling[i].seconds.max < 28.1e-6);
    }
    const struct kn_result cut = measured(54e-6, 0.98, 28e-6, few);
    assert_int_equal(cut.warmups, 10);
    assert_false(cut.steady);
}

enum way { ALONE, AT_ONCE, AT_ONCE_BY_CPU_TIME };

/* How are variants of a gather of `count` rows by two threads tried? */
static enum way way_of_tries(uint64_t count)
{
    const struct kn_options o = {.threads = 2, .pin = KN_PIN_NONE};
    const struct kn_backend *backend;
    struct pat_config c;
    struct kn_session s;
    unsigned threads;
    make(&c, 8, count, PAT_OPERATION_COPY);
    assert_int_equal(kn_backend_choose(&o, &backend, &threads), LS_OK);
    assert_int_equal(kn_session_init(&s, &c, &o, backend, threads), LS_OK);
    assert_int_equal(kn_session_fill(&s, NULL), LS_OK);
    struct kn_runner runner = kn_runner_of(&s.arrays, s.candidates[0], false);
    struct kn_share_time *times = kn_share_times(threads);
    runner.times = times;
    kn_runner_shorten(&runner);
    assert_true(!runner.times || (runner.times == times && !runner.is_alone));
    free(times);
    kn_arrays_fini(&s.arrays);
    pat_config_fini(&c);
    return runner.times ? AT_ONCE_BY_CPU_TIME : runner.is_alone ? ALONE : AT_ONCE;
}

/* Other programs may lengthen some tries. */
static bool is_tried(uint64_t count, enum way way)
{
    for (int n = 0; n < 10; n++)
        if (way_of_tries(count) == way) return true;
    return false;
}

/* Threads that run at once slow each other down by the lines that they share, which one alone does not show; and a reading of the CPU
 * clock evicts lines, after which all variants of a short loop take the same time. A share of 20 rows takes less than 5 us everywhere,
 * one of 10,000 rows more, and a window of many rows takes a millisecond. */
static void short_shares_are_tried_at_once_by_the_wall_clock(void **state)
{
    (void)state;
    const struct kn_options two = {.threads = 2};
    const struct kn_backend *backend;
    unsigned threads;
    if (kn_backend_choose(&two, &backend, &threads) != LS_OK || threads < 2) skip(); /* one processor */
    assert_true(is_tried(40, ALONE));
    assert_true(is_tried(20000, AT_ONCE));
    assert_true(is_tried(2000000, AT_ONCE_BY_CPU_TIME));
}

/* A run whose wall time is longer than its CPU time by lose_ns. */
struct losing {
    unsigned runs;   /* so far */
    unsigned losing; /* the first runs, whose wall time is longer */
    int64_t lose_ns;
};

static void lose(void *arg, unsigned share)
{
    struct losing *l = arg;
    (void)share;
    for (volatile unsigned n = 0; n < 100000; n++) {
    }
    if (l->runs++ < l->losing) lost_ns += l->lose_ns;
}

static struct kn_span time_losing(void *arg, struct kn_turn turn)
{
    return kn_backend_time(&kn_backend_serial, 1, turn, lose, arg);
}

/* The first run warms up. */
static void interrupted_runs_are_repeated_and_counted(void **state)
{
    (void)state;
    struct losing few = {0, 4, 1000000000}, all = {0, 1000, 1000000000}, none = {0, 1000, 0};
    const struct kn_options o = {.warmups_max = 1};
    struct kn_result r = {.bytes = 8};
    assert_int_equal(kn_measure(time_losing, &few, &o, 30, &r), LS_OK);
    assert_in_range(r.repeated, 3, 29); /* other programs may interrupt some, too */
    assert_int_equal(r.interrupted, 0);
    assert_true(r.seconds.max < 1);
    kn_result_fini(&r);
    r = (struct kn_result){.bytes = 8};
    assert_int_equal(kn_measure(time_losing, &all, &o, 5, &r), LS_OK);
    assert_int_equal(r.repeated, 5);
    assert_int_equal(r.interrupted, 5);
    kn_result_fini(&r);
    r = (struct kn_result){.bytes = 8};
    assert_int_equal(kn_measure(time_losing, &none, &o, 5, &r), LS_OK);
    assert_true(r.seconds.len == 5 && r.cpu_seconds_min > 0 && r.cpu_seconds_min < 1);
    kn_result_fini(&r);
}

/* A thread that waits for others sleeps, which is no loss. When it is woken, it may wait for its processor. */
static void a_thread_that_waits_for_its_processor_has_lost_it(void **state)
{
    (void)state;
    const struct kn_usage used[] = {
        {.wall_ns = 1000, .cpu_ns = 700},                                                          /* 300 */
        {.wall_ns = 1000, .cpu_ns = 1010},                                                         /* 0 */
        {.wall_ns = 1000, .cpu_ns = 100, .waits = 1},                                              /* 0 */
        {.wall_ns = 1000, .cpu_ns = 100, .waits = 1, .queued_ns = 500},                            /* 500 */
        {.wall_ns = 1000, .cpu_ns = 100, .waits = 2, .preemptions = 1, .queued_ns = 50},           /* 50 */
        {.wall_ns = 1000, .cpu_ns = 100, .waits = 1, .queued_ns = 500, .late_ns = 400},            /* 100 */
        {.wall_ns = 1000, .cpu_ns = 100, .waits = 1, .queued_ns = 500, .late_ns = 510},            /* 0 */
        {.wall_ns = 1000, .cpu_ns = 100, .waits = 1, .queued_ns = KN_QUEUED_UNKNOWN},              /* 0 */
        {.wall_ns = 9, .cpu_ns = 1, .waits = 1, .preemptions = 1, .queued_ns = KN_QUEUED_UNKNOWN}, /* 8 */
    };
    static const uint64_t lost_by[] = {300, 0, 0, 500, 50, 100, 0, 0, 8};
    for (size_t i = 0; i < sizeof(used) / sizeof(used[0]); i++)
        assert_int_equal(kn_usage_lost_ns(&used[i]), lost_by[i]);
}

/* Runs of 100 us. Some take longer, and no thread notices it. */
struct uneven {
    unsigned runs, slow_from, slow_len;
    double slow_seconds;
};

static struct kn_span time_uneven(void *arg, struct kn_turn turn)
{
    struct uneven *u = arg;
    const bool is_slow = u->runs >= u->slow_from && u->runs - u->slow_from < u->slow_len;
    const double seconds = is_slow ? u->slow_seconds : 100e-6;
    (void)turn;
    u->runs++;
    return (struct kn_span){.seconds = seconds, .cpu_seconds = seconds};
}

static struct kn_result measured_uneven(struct uneven u, bool times_only)
{
    const struct kn_options o = {.warmups_max = 1, .times_only = times_only};
    struct kn_result r = {.bytes = 8};
    assert_int_equal(kn_measure(time_uneven, &u, &o, 5, &r), LS_OK);
    kn_result_fini(&r);
    return r;
}

/* Where only the least time counts, short runs are timed by the wall clock alone, and three without interruption are enough. */
static void far_longer_short_runs_are_interrupted(void **state)
{
    (void)state;
    const struct kn_result few = measured_uneven((struct uneven){0, 3, 2, 400e-6}, true),
                           many = measured_uneven((struct uneven){0, 3, 20, 400e-6}, true),
                           late = measured_uneven((struct uneven){0, 4, 20, 400e-6}, true),
                           less = measured_uneven((struct uneven){0, 2, 20, 200e-6}, true),
                           noticed = measured_uneven((struct uneven){0, 3, 20, 400e-6}, false);
    assert_true(few.repeated == 2 && few.interrupted == 0 && few.seconds.max < 200e-6);
    assert_true(many.repeated == 3 && many.interrupted == 3); /* a few repetitions */
    assert_true(late.repeated == 0 && late.interrupted == 0);
    assert_true(less.repeated == 0 && less.interrupted == 0);
    assert_true(noticed.repeated == 0 && noticed.interrupted == 0);
}

/* A thread that is bound beside another program could not evade it. */
static void threads_are_bound_only_where_no_other_program_runs(void **state)
{
    (void)state;
    const struct kn_options o = {.threads = 0};
    const struct kn_backend *backend;
    kn_pins *pins;
    unsigned threads;
    assert_int_equal(kn_backend_choose(&o, &backend, &threads), LS_OK);
    if (backend->threads_max() < 2) skip(); /* one processor */
    const pid_t busy = busy_begin();
    for (int n = 0; n < 100 && !kn_is_crowded(1); n++) {
        usleep(10000);
        lost_ns += 2000000000; /* the answer of up to a second ago counts otherwise */
    }
    assert_true(kn_is_crowded(1));
    assert_int_equal(kn_pin(backend, backend->threads_max(), KN_PIN_AUTO, &pins), LS_OK);
    assert_null(pins);
    assert_int_equal(kn_pin(backend, backend->threads_max(), KN_PIN_CLOSE, &pins), LS_OK);
    assert_int_equal(kn_pinned(pins), KN_PIN_CLOSE);
    kn_unpin(pins);
    busy_end(busy);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_timed_part_reads_no_other_clock),
        cmocka_unit_test(short_runs_are_repeated_between_two_readings),
        cmocka_unit_test(runs_between_two_readings_are_as_many_as_needed),
        cmocka_unit_test(warm_ups_of_short_runs_last_until_they_are_steady),
        cmocka_unit_test(short_shares_are_tried_at_once_by_the_wall_clock),
        cmocka_unit_test(interrupted_runs_are_repeated_and_counted),
        cmocka_unit_test(a_thread_that_waits_for_its_processor_has_lost_it),
        cmocka_unit_test(threads_are_bound_only_where_no_other_program_runs),
        cmocka_unit_test(far_longer_short_runs_are_interrupted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
