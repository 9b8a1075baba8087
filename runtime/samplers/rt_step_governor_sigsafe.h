/* SPDX-License-Identifier: BSD-3-Clause */
/* Holding the overhead budget: may a burst begin, and how long until the next trigger. Pure functions over
 * numbers that the engine measures; cost is CPU time summed over threads, set against wall time.
 *
 * Thread: any, on numbers of its own.  Signal: safe. */
#ifndef RT_STEP_GOVERNOR_SIGSAFE_H
#define RT_STEP_GOVERNOR_SIGSAFE_H

#include <stdbool.h>
#include <stdint.h>

struct rt_step_governor {
    double share;           /* of wall time, 0 < share <= 1 */
    uint64_t period_min_ns; /* never trigger more often */
    uint64_t start_ns;      /* sampling began (CLOCK_MONOTONIC) */
    uint64_t credit_ns;     /* granted at the start, so that short programs are seen at all */
};

/* What Loadstone has cost so far. */
struct rt_step_spent {
    uint64_t bursts_ns; /* of all threads, those under way at their expected cost */
    uint64_t hooks_ns;
};

/* Budget not yet used, negative when overdrawn. */
int64_t rt_step_governor_left_ns(const struct rt_step_governor *g, uint64_t now_ns,
                                 struct rt_step_spent spent);

/* May a burst expected to cost cost_ns begin now? */
bool rt_step_governor_allows(const struct rt_step_governor *g, uint64_t now_ns, struct rt_step_spent spent,
                             uint64_t cost_ns);

/* CPU time of a thread until its next trigger, before jitter: with threads_running threads triggering so
 * often, bursts of cost_ns use what the hooks leave of the share. */
uint64_t rt_step_governor_interval_ns(const struct rt_step_governor *g, uint64_t now_ns,
                                      struct rt_step_spent spent, uint64_t cost_ns, double threads_running);

/* interval_ns times a uniform factor in [0.5, 1.5), against aliasing with the program's loops. */
uint64_t rt_step_governor_jitter(uint64_t interval_ns, uint64_t *random);

/* xorshift64*: Vigna, "An experimental exploration of Marsaglia's xorshift generators", 2016. The state is
 * never 0. */
uint64_t rt_step_random_next(uint64_t *state);
/* A state for a thread: differs by thread, the same for the same seed. */
uint64_t rt_step_random_seed(uint64_t seed, uint64_t thread);

/* Exponential mean of burst costs. */
uint64_t rt_step_governor_mean_ns(uint64_t mean_ns, uint64_t cost_ns);

#endif
