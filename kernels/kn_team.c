/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "kernels/kn_team.h"

#include "common/ls_clock.h"
#include "common/ls_compat.h"

#include <limits.h>
#include <sched.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef HAVE_OPENMP
#include <omp.h>
#endif

enum { LINE_BYTES = 64, SPINS_A_LOOK = 32, PLACED_MAX = CPU_SETSIZE };
/* Longer than threads of one run differ on free processors, shorter than the kernel's slices. Where the clock runs, threads
 * wait longer before they sleep: runs of microseconds need all threads on their processors at once, and threads that wake
 * each other in turn never are. */
static const uint64_t spin_ns = 20000, spin_timed_ns = 1000000;

/* A number that changes, and the threads that sleep until it does. */
struct signal {
    atomic_uint number, sleepers;
} __attribute__((aligned(LINE_BYTES)));

/* The present team.
 *   state     members   between
 *   none      0         kn_team_engage
 *   waiting   > 0       calls: members but the first wait for `call`
 *   working   > 0       kn_team_call: all call part, which meets at `meeting`, and meet at `end` */
static struct {
    unsigned members;
    kn_team_part *part; /* NULL: the team ends */
    void *arg;
    int cpus[PLACED_MAX]; /* each member's when they last met */
    struct signal call;
    struct meeting {
        struct signal release;
        atomic_uint arrived;
    } meeting, end;
} team;

/* ---- waiting ---- */

static void sleep_until_changed(struct signal *s, unsigned old)
{
    atomic_fetch_add(&s->sleepers, 1);
    while (atomic_load(&s->number) == old)
        syscall(SYS_futex, &s->number, FUTEX_WAIT_PRIVATE, old, NULL, NULL, 0);
    atomic_fetch_sub(&s->sleepers, 1);
}

static void wait_until_changed(struct signal *s, unsigned old, uint64_t longest_ns)
{
    const uint64_t begin_ns = ls_clock_mono_ns();
    do {
        for (int n = 0; n < SPINS_A_LOOK; n++) {
            if (atomic_load_explicit(&s->number, memory_order_acquire) != old) return;
            ls_relax();
        }
    } while (ls_clock_mono_ns() - begin_ns < longest_ns);
    sleep_until_changed(s, old);
}

/* A thread that counts itself as a sleeper after this look finds the new number before it sleeps. */
static void change(struct signal *s)
{
    atomic_fetch_add(&s->number, 1);
    if (atomic_load(&s->sleepers)) syscall(SYS_futex, &s->number, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

static void meet(struct meeting *m, uint64_t longest_ns, uint64_t *out_ns)
{
    /* read before the arrival: after the last one, the team may end */
    const unsigned turn = atomic_load(&m->release.number), members = team.members;
    if (atomic_fetch_add(&m->arrived, 1) + 1 < members) {
        wait_until_changed(&m->release, turn, longest_ns);
        return;
    }
    atomic_store(&m->arrived, 0);
    if (out_ns) *out_ns = ls_clock_mono_ns();
    change(&m->release);
}

void kn_team_wait(void)
{
    meet(&team.meeting, spin_ns, NULL);
}

void kn_team_wait_timed(uint64_t *out_ns)
{
    meet(&team.meeting, spin_timed_ns, out_ns);
}

/* ---- processors ---- */

/* Is an earlier member on the processor of this one? */
static bool is_crowded(unsigned member)
{
    for (unsigned m = 0; m < member; m++)
        if (team.cpus[m] == team.cpus[member]) return true;
    return false;
}

/* Move this member to a processor on which no earlier one is, if there is one, and let the system place it from there. */
static void move_away(unsigned member)
{
    cpu_set_t allowed, others;
    if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return;
    others = allowed;
    for (unsigned m = 0; m < member; m++)
        CPU_CLR((size_t)team.cpus[m], &others);
    if (CPU_COUNT(&others) == 0 || sched_setaffinity(0, sizeof(others), &others) != 0) return;
    team.cpus[member] = sched_getcpu();
    sched_setaffinity(0, sizeof(allowed), &allowed);
}

void kn_team_part_ways(unsigned member)
{
    if (member < PLACED_MAX) team.cpus[member] = sched_getcpu();
    kn_team_wait();
    if (member < PLACED_MAX && is_crowded(member)) move_away(member);
}

/* ---- a team ---- */

static void work(unsigned member)
{
    team.part(team.arg, member, team.members);
    meet(&team.end, spin_ns, NULL);
}

#ifdef HAVE_OPENMP
static void serve(unsigned member, unsigned call)
{
    for (;; call++) {
        wait_until_changed(&team.call, call, spin_ns);
        if (!team.part) return;
        work(member);
    }
}

static void begin_call(kn_team_part *part, void *arg)
{
    team.part = part;
    team.arg = arg;
    change(&team.call);
}

void kn_team_engage(unsigned threads, void (*body)(void *arg), void *arg)
{
    if (team.members || threads <= 1) {
        body(arg);
        return;
    }
    const unsigned call = atomic_load(&team.call.number);
#pragma omp parallel num_threads((int)threads)
    {
        const unsigned member = (unsigned)omp_get_thread_num();
        if (member == 0) {
            team.members = (unsigned)omp_get_num_threads();
            body(arg);
            team.members = 0;
            begin_call(NULL, NULL);
        } else {
            serve(member, call);
        }
    }
}
#else
static void begin_call(kn_team_part *part, void *arg)
{
    team.part = part;
    team.arg = arg;
}

void kn_team_engage(unsigned threads, void (*body)(void *arg), void *arg)
{
    (void)threads;
    body(arg);
}
#endif

struct request {
    kn_team_part *part;
    void *arg;
};

static void call_in_team(void *arg)
{
    const struct request *r = arg;
    const bool is_alone = team.members == 0;
    if (is_alone) team.members = 1;
    begin_call(r->part, r->arg);
    work(0);
    if (is_alone) team.members = 0;
}

void kn_team_call(unsigned threads, kn_team_part *part, void *arg)
{
    struct request r = {part, arg};
    kn_team_engage(threads, call_in_team, &r);
}
