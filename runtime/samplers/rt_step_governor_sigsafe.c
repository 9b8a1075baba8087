/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/samplers/rt_step_governor_sigsafe.h"

#include "common/ls_random.h"

enum { MEAN_WEIGHT = 8 };
/* Of the share, bursts may count on at least so much for their rhythm; the bucket still refuses what the
 * hooks used up. */
static const double SHARE_FLOOR = 0.1;
static const double INTERVAL_MAX_NS = 10e9;

int64_t rt_step_governor_left_ns(const struct rt_step_governor *g, uint64_t now_ns,
                                 struct rt_step_spent spent)
{
    const double wall_ns = now_ns > g->start_ns ? (double)(now_ns - g->start_ns) : 0;
    const double earned_ns = wall_ns * g->share + (double)g->credit_ns;
    return (int64_t)(earned_ns - (double)spent.bursts_ns - (double)spent.hooks_ns);
}

bool rt_step_governor_allows(const struct rt_step_governor *g, uint64_t now_ns, struct rt_step_spent spent,
                             uint64_t cost_ns)
{
    return g->share >= 1 || rt_step_governor_left_ns(g, now_ns, spent) >= (int64_t)cost_ns;
}

uint64_t rt_step_governor_interval_ns(const struct rt_step_governor *g, uint64_t now_ns,
                                      struct rt_step_spent spent, uint64_t cost_ns, double threads_running)
{
    const double wall_ns = now_ns > g->start_ns ? (double)(now_ns - g->start_ns) : 0;
    double share = g->share;
    if (wall_ns > 0) share -= (double)spent.hooks_ns / wall_ns;
    if (share < g->share * SHARE_FLOOR) share = g->share * SHARE_FLOOR;
    const double threads = threads_running > 1 ? threads_running : 1;
    const double interval_ns = g->share >= 1 ? 0 : (double)cost_ns * threads / share;
    if (interval_ns < (double)g->period_min_ns) return g->period_min_ns;
    return (uint64_t)(interval_ns < INTERVAL_MAX_NS ? interval_ns : INTERVAL_MAX_NS);
}

uint64_t rt_step_random_next(uint64_t *state)
{
    uint64_t x = *state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return x * UINT64_C(0x2545f4914f6cdd1d);
}

uint64_t rt_step_random_seed(uint64_t seed, uint64_t thread)
{
    /* neighbouring threads get unrelated states */
    const uint64_t z = ls_random_mix(seed + (thread + 1) * LS_RANDOM_STEP);
    return z ? z : 1;
}

uint64_t rt_step_governor_jitter(uint64_t interval_ns, uint64_t *random)
{
    const double uniform = (double)(rt_step_random_next(random) >> 11) * 0x1p-53;
    return (uint64_t)((double)interval_ns * (0.5 + uniform));
}

uint64_t rt_step_governor_mean_ns(uint64_t mean_ns, uint64_t cost_ns)
{
    return mean_ns ? (mean_ns * (MEAN_WEIGHT - 1) + cost_ns) / MEAN_WEIGHT : cost_ns;
}
