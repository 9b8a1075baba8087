/* SPDX-License-Identifier: BSD-3-Clause */
/* Members of a team all take part in each call, wait for each other, and sleep while they wait long. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/ls_clock.h"
#include "kernels/kn_team.h"
#include "tests/unit.h"

#include <stdatomic.h>
#include <time.h>

enum { CALLS = 2000, MEMBERS = 3, WAITS = 5, LATE_MS = 200 };

struct crew {
    atomic_uint calls, arrived, too_early;
    unsigned members;
    uint64_t met_ns[WAITS], late_ns;
};

static void count(void *arg, unsigned member, unsigned members)
{
    struct crew *c = arg;
    if (member == 0) c->members = members;
    atomic_fetch_add(&c->calls, 1);
    for (unsigned n = 0; n < WAITS; n++) {
        atomic_fetch_add(&c->arrived, 1);
        kn_team_wait_timed(&c->met_ns[n]);
        if (atomic_load(&c->arrived) < (n + 1) * members) atomic_fetch_add(&c->too_early, 1);
        kn_team_wait();
    }
}

static void call_often(void *arg)
{
    struct crew *c = arg;
    for (unsigned n = 1; n <= CALLS; n++) {
        c->arrived = 0;
        kn_team_call(MEMBERS, count, c);
        assert_int_equal(c->calls, n * c->members);
        assert_int_equal(c->arrived, WAITS * c->members);
        for (unsigned w = 1; w < WAITS; w++)
            assert_true(c->met_ns[w] >= c->met_ns[w - 1]);
    }
}

static void every_member_takes_part_in_every_call(void **state)
{
    (void)state;
    struct crew engaged = {0}, alone = {0};
    kn_team_engage(MEMBERS, call_often, &engaged);
    assert_int_equal(engaged.too_early, 0);
    kn_team_call(MEMBERS, count, &alone); /* a separate team */
    assert_int_equal(alone.calls, alone.members);
    assert_int_equal(alone.too_early, 0);
    kn_team_call(1, count, &alone);
    assert_int_equal(alone.members, 1);
}

static double cpu_seconds(void)
{
    return (double)ls_clock_read_ns(CLOCK_PROCESS_CPUTIME_ID) / (double)LS_NS_PER_S;
}

/* The first member arrives late: it sleeps, which costs no CPU time, and so must the others. */
static void come_late(void *arg, unsigned member, unsigned members)
{
    struct crew *c = arg;
    const struct timespec late = {.tv_nsec = LATE_MS * 1000000L};
    (void)members;
    if (member == 0) {
        nanosleep(&late, NULL);
        c->late_ns = ls_clock_mono_ns();
    }
    kn_team_wait_timed(&c->met_ns[0]);
}

static void call_late(void *arg)
{
    const double begin = cpu_seconds();
    kn_team_call(MEMBERS, come_late, arg);
    assert_true(cpu_seconds() - begin < LATE_MS / 4 * 1e-3);
}

static void a_long_wait_takes_no_processor_and_ends_with_the_last_arrival(void **state)
{
    (void)state;
    struct crew c = {0};
    kn_team_engage(MEMBERS, call_late, &c);
    assert_true(c.met_ns[0] >= c.late_ns);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_member_takes_part_in_every_call),
        cmocka_unit_test(a_long_wait_takes_no_processor_and_ends_with_the_last_arrival),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
