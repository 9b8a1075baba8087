/* SPDX-License-Identifier: BSD-3-Clause */
/* Jobs on several threads: each runs once, with no more weight at a time than allowed, and the first failure
 * is returned. */
#include "patterns/compact/pat_compact_parts.h"
#include "tests/unit.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <cmocka.h>

enum { JOBS = 500, WEIGHT_MAX = 7 };

struct count {
    int runs[JOBS];
    uint64_t weight, most; /* at work */
    size_t failing;        /* this one and all after it */
};

static uint64_t weigh(const void *user, size_t i)
{
    (void)user;
    return i % 100 == 99 ? 2 * WEIGHT_MAX : i % 5;
}

static ls_err run(void *user, size_t i)
{
    struct count *c = user;
    const uint64_t now = __atomic_add_fetch(&c->weight, weigh(c, i), __ATOMIC_SEQ_CST);
    uint64_t most = __atomic_load_n(&c->most, __ATOMIC_SEQ_CST);
    const uint64_t light = i % 100 == 99 ? 0 : now; /* a job that is too heavy runs alone */
    while (most < light &&
           !__atomic_compare_exchange_n(&c->most, &most, light, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        ;
    if (i % 100 == 99 && now != 2 * WEIGHT_MAX) __atomic_store_n(&c->most, now, __ATOMIC_SEQ_CST);
    __atomic_add_fetch(&c->runs[i], 1, __ATOMIC_SEQ_CST);
    __atomic_sub_fetch(&c->weight, weigh(c, i), __ATOMIC_SEQ_CST);
    return i < c->failing ? LS_OK : ls_fail(LS_ERR_RANGE, "job %zu", i);
}

static void pat_parallel_runs_each_job_once_within_the_weight(void **state)
{
    struct count c = {.failing = JOBS};
    const struct pat_jobs jobs = {JOBS, run, weigh, WEIGHT_MAX, &c};
    (void)state;
    assert_int_equal(pat_parallel(&jobs), LS_OK);
    for (size_t i = 0; i < JOBS; i++)
        assert_int_equal(c.runs[i], 1);
    assert_true(c.most <= WEIGHT_MAX);
}

static void pat_parallel_reports_the_failure_of_the_least_job(void **state)
{
    struct count c = {.failing = 123};
    const struct pat_jobs jobs = {JOBS, run, NULL, 0, &c};
    (void)state;
    assert_int_equal(pat_parallel(&jobs), LS_ERR_RANGE);
    assert_string_equal(ls_last_error(), "job 123");
    for (size_t i = 0; i <= 123; i++)
        assert_int_equal(c.runs[i], 1);
}

struct visit {
    pthread_t thread;
    size_t elsewhere;
};

static ls_err visit(void *user, size_t i)
{
    struct visit *v = user;
    (void)i;
    v->elsewhere += !pthread_equal(v->thread, pthread_self());
    return LS_OK;
}

/* Threads take longer to start than light work takes. */
static void pat_parallel_does_light_work_on_this_thread(void **state)
{
    struct visit v = {.thread = pthread_self()};
    const struct pat_jobs jobs = {JOBS, visit, weigh, WEIGHT_MAX, &v, .weight_min = JOBS * WEIGHT_MAX};
    (void)state;
    assert_int_equal(pat_parallel(&jobs), LS_OK);
    assert_int_equal(v.elsewhere, 0);
}

static void pat_parallel_of_nothing_is_done(void **state)
{
    const struct pat_jobs jobs = {0, run, weigh, WEIGHT_MAX, NULL};
    (void)state;
    assert_int_equal(pat_parallel(&jobs), LS_OK);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pat_parallel_runs_each_job_once_within_the_weight),
        cmocka_unit_test(pat_parallel_reports_the_failure_of_the_least_job),
        cmocka_unit_test(pat_parallel_does_light_work_on_this_thread),
        cmocka_unit_test(pat_parallel_of_nothing_is_done),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
