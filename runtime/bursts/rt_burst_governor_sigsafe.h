/* SPDX-License-Identifier: BSD-3-Clause */
/* Begin and weight of bursts. Pure functions over numbers that the engine measures.
 *
 * Triggers are a Poisson process in CPU time: intervals are exponential, and their mean follows from the
 * budget. Such a process has no memory. A thread that begins, a child, a start or stop of sampling and a
 * changed budget simply draw a new interval, and every instant of the program has the same chance at the same
 * rate. A burst represents 1 / rate, the mean at the moment when its interval was drawn. No trigger is
 * refused to hold the budget, because refusing would hit the places where the cost is: the mean grows
 * instead.
 *
 * A perf trigger that expires in the kernel is lost, and the kernel starts the same interval again instead of
 * a new one. For this reason, user code after long system calls is hit too often, but at most by a few
 * percent (tests/step/test_step_governor).
 *
 * Cost is CPU time, summed over threads. It is set against the time that the program worked: wall time, but
 * not more than its CPU time.
 *
 * Thread: any, on numbers that no other thread uses. */
#ifndef RT_BURST_GOVERNOR_SIGSAFE_H
#define RT_BURST_GOVERNOR_SIGSAFE_H

#include <stdint.h>

struct rt_burst_governor {
    double share;           /* share of the time worked, 0 < share <= 1 */
    uint64_t period_min_ns; /* smallest mean */
    uint64_t start_ns;      /* recording began in this process (CLOCK_MONOTONIC) */
    uint64_t credit_ns;     /* lent at the start of a recording, so that short programs get bursts */
};

/* Cost of recording so far. */
struct rt_burst_spent {
    uint64_t bursts_ns; /* bursts of all threads */
    uint64_t hooks_ns;  /* hooks, and starts of threads and of the process */
};

/* Return the mean of the CPU time of a thread between triggers, when bursts of cost_ns begin in
 * threads_running threads. The budget that is left (or overdrawn) is used up (or saved) within a fraction of
 * a second. Until the credit is paid back, a third of the budget goes into it. Hooks and starts are charged
 * with at most half of the budget, and bursts always have a tenth of the share. */
uint64_t rt_burst_governor_interval_ns(const struct rt_burst_governor *g, uint64_t worked_ns,
                                       struct rt_burst_spent spent, uint64_t cost_ns, double threads_running);

/* Return the factor that lengthens intervals as the spool fills up to its limit (0: no limit). It is 1
 * up to one half. After that it is the square of (half / rest), so that bursts alone never fill the spool. */
double rt_burst_governor_thinning(uint64_t used_bytes, uint64_t limit_bytes);

/* Draw an exponential interval with this mean, but at least RT_BURST_SHORTEST_NS. */
enum { RT_BURST_SHORTEST_NS = 20000 }; /* below this the kernel's timers are late anyway */
uint64_t rt_burst_governor_draw_ns(uint64_t mean_ns, uint64_t *random);

/* xorshift64*: Vigna, "An experimental exploration of Marsaglia's xorshift generators", 2016. The state is
 * never 0. */
uint64_t rt_burst_random_next(uint64_t *state);
/* Return a state for a thread: differs by thread, the same for the same seed. */
uint64_t rt_burst_random_seed(uint64_t seed, uint64_t thread);

/* Exponential mean of burst costs. One outlier must not stretch all of the next intervals: it is cut, while
 * the budget that it used up is known exactly. */
uint64_t rt_burst_governor_mean_ns(uint64_t mean_ns, uint64_t cost_ns);

#endif
