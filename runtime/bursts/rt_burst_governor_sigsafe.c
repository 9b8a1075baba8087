/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/bursts/rt_burst_governor_sigsafe.h"

#include "common/ls_random.h"
#include "runtime/core/rt_poisson_sigsafe.h"

enum { MEAN_WEIGHT = 8, OUTLIER_TIMES = 4 };
static const double REPAID_PART = 1.0 / 3; /* of the budget, until the credit is paid back */
static const double SHARE_FLOOR = 0.1;     /* part of the share that bursts always keep */
static const double HOOKS_PART = 0.5;   /* at most this part of the budget is charged for hooks and starts */
static const double HORIZON_NS = 0.2e9; /* the rest of the budget is used within this time */
static const double SHARE_MOST = 0.5;   /* highest share of the time, however much is saved */
static const double INTERVAL_MAX_NS = 10e9;
static const double THINNING_MOST = 1e6;

uint64_t rt_burst_governor_interval_ns(const struct rt_burst_governor *g, uint64_t worked_ns,
                                       struct rt_burst_spent spent, uint64_t cost_ns, double threads_running)
{
    if (g->share >= 1)
        return g->period_min_ns > RT_BURST_SHORTEST_NS ? g->period_min_ns : RT_BURST_SHORTEST_NS;
    const double share_ns = (double)worked_ns * g->share,
                 lent_ns = (double)g->credit_ns - share_ns * REPAID_PART;
    const double earned_ns = share_ns + (lent_ns > 0 ? lent_ns : 0);
    const double most_ns = earned_ns * HOOKS_PART; /* they thin themselves out to this, as far as they can */
    const double hooks_ns = (double)spent.hooks_ns < most_ns ? (double)spent.hooks_ns : most_ns;
    const double left_ns = earned_ns - (double)spent.bursts_ns - hooks_ns;
    double share = g->share + left_ns / HORIZON_NS;
    const double most = g->share > SHARE_MOST ? g->share : SHARE_MOST;
    if (share > most) share = most;
    if (share < g->share * SHARE_FLOOR) share = g->share * SHARE_FLOOR;
    const double threads = threads_running > 1 ? threads_running : 1;
    const double interval_ns = (double)cost_ns * threads / share;
    if (interval_ns < (double)g->period_min_ns) return g->period_min_ns;
    return (uint64_t)(interval_ns < INTERVAL_MAX_NS ? interval_ns : INTERVAL_MAX_NS);
}

double rt_burst_governor_thinning(uint64_t used_bytes, uint64_t limit_bytes)
{
    const double left = limit_bytes > used_bytes ? (double)(limit_bytes - used_bytes) : 1;
    const double half = 0.5 * (double)limit_bytes;
    if (limit_bytes == 0 || left >= half) return 1;
    const double thinning = half / left * (half / left);
    return thinning < THINNING_MOST ? thinning : THINNING_MOST;
}

uint64_t rt_burst_random_next(uint64_t *state)
{
    uint64_t x = *state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return x * UINT64_C(0x2545f4914f6cdd1d);
}

uint64_t rt_burst_random_seed(uint64_t seed, uint64_t thread)
{
    /* neighbouring threads get unrelated states */
    const uint64_t z = ls_random_mix(seed + (thread + 1) * LS_RANDOM_STEP);
    return z ? z : 1;
}

uint64_t rt_burst_governor_draw_ns(uint64_t mean_ns, uint64_t *random)
{
    const double u = (double)((rt_burst_random_next(random) >> 11) + 1) * 0x1p-53; /* (0, 1] */
    const double drawn_ns = rt_negative_log(u) * (double)mean_ns;
    return drawn_ns > RT_BURST_SHORTEST_NS ? (uint64_t)drawn_ns : RT_BURST_SHORTEST_NS;
}

uint64_t rt_burst_governor_mean_ns(uint64_t mean_ns, uint64_t cost_ns)
{
    if (!mean_ns) return cost_ns;
    const uint64_t most_ns = OUTLIER_TIMES * mean_ns;
    return (mean_ns * (MEAN_WEIGHT - 1) + (cost_ns < most_ns ? cost_ns : most_ns)) / MEAN_WEIGHT;
}
