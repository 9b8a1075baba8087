/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/core/rt_alloc_limit_sigsafe.h"

enum {
    RT_LIMIT_PART = 2,   /* divisor: part of the budget for hooks; the rest is for sampling */
    RT_LIMIT_RECENT = 8, /* looks */
};
static const double RT_LIMIT_USUAL_SHARE = 0.03 / RT_LIMIT_PART;
/* Records always get this share of the budget, whatever the look at each call costs. */
static const double RT_LIMIT_FLOOR = 0.1;
/* Unspent budget is saved, because programs allocate in bursts: the initial balance, and the time whose
 * income is the highest balance. */
static const double RT_LIMIT_FIRST_NS = 5e6, RT_LIMIT_SAVED_SHARE_OF_NS = 4e9;
static const double RT_LIMIT_RATIO_MOST = 64;
static const double RT_LIMIT_LOOKED_PAID_NS = 1e9; /* the cost of looks is paid for within about this time */

void rt_alloc_limit_init(struct rt_alloc_limit *l, double overhead_share, uint64_t min_bytes)
{
    *l = (struct rt_alloc_limit){.share = overhead_share / RT_LIMIT_PART,
                                 .time_ns.saved = RT_LIMIT_FIRST_NS,
                                 .bytes.saved = RT_LIMIT_FIRST_BYTES,
                                 .min_bytes = min_bytes,
                                 .always_bytes = min_bytes,
                                 .period_bytes = min_bytes};
}

static double rt_limit_more(uint64_t now, uint64_t before)
{
    return now > before ? (double)(now - before) : 0;
}

static double rt_limit_least(double a, double b)
{
    return a < b ? a : b;
}

static double rt_limit_most(double a, double b)
{
    return a > b ? a : b;
}

static void rt_account_take(struct rt_alloc_account *a, double earned, double spent, double saved_most)
{
    const double ratio = rt_limit_least(spent / rt_limit_most(earned, 1), RT_LIMIT_RATIO_MOST);
    a->saved = rt_limit_least(a->saved + earned - spent, saved_most);
    a->recent += (ratio - a->recent) / RT_LIMIT_RECENT;
}

/* Return how often to double the limit: 0 unless the account is overdrawn and spending is hardly below
 * income. */
static int rt_account_doublings(const struct rt_alloc_account *a)
{
    if (a->saved >= 0 || a->recent < 0.75) return 0;
    return 1 + (a->recent > 4) + (a->recent > 16);
}

static bool rt_account_allows_twice(const struct rt_alloc_account *a, double first)
{
    return a->saved > first / 2 && a->recent < 0.5;
}

static uint64_t rt_limit_lesser(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t rt_limit_greater(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Make the smoothed costs follow a changed limit at once: scale them as if the new limit had always
 * applied. */
static void rt_limit_scale_recent(struct rt_alloc_limit *l, double factor)
{
    l->time_ns.recent *= factor;
    l->bytes.recent *= factor;
}

static void rt_limit_raise(struct rt_alloc_limit *l, int doublings, bool large_ones_cost_most)
{
    const uint64_t large = rt_limit_greater(RT_LIMIT_LARGE_BYTES, l->min_bytes);
    const uint64_t highest = rt_limit_greater(RT_LIMIT_HIGHEST_BYTES, l->min_bytes);
    rt_limit_scale_recent(l, 1.0 / (1 << doublings));
    if (large_ones_cost_most || l->always_bytes < large)
        l->always_bytes =
            rt_limit_lesser(l->always_bytes << doublings, large_ones_cost_most ? highest : large);
    if (!large_ones_cost_most) l->period_bytes = rt_limit_lesser(l->period_bytes << doublings, highest);
    l->period_bytes = rt_limit_greater(l->period_bytes, l->always_bytes);
}

static void rt_limit_lower(struct rt_alloc_limit *l)
{
    const uint64_t large = rt_limit_greater(RT_LIMIT_LARGE_BYTES, l->min_bytes);
    rt_limit_scale_recent(l, 2);
    if (l->always_bytes > large)
        l->always_bytes /= 2;
    else
        l->period_bytes = rt_limit_greater(l->period_bytes / 2, l->min_bytes);
    l->always_bytes = rt_limit_lesser(l->always_bytes, l->period_bytes);
}

/* Add to the cost of looking and tagging, and return the part of it that is paid for in worked_ns. The estimate grows in steps
 * that are longer than the time between two looks: they are paid for little by little. */
static double rt_looked_pay(struct rt_alloc_limit *l, double more_ns, double worked_ns)
{
    const double owed_ns = rt_limit_least(l->looked_owed_ns + more_ns, l->share * RT_LIMIT_SAVED_SHARE_OF_NS);
    const double part = rt_limit_least(worked_ns / RT_LIMIT_LOOKED_PAID_NS, 1);
    const double paid_ns = rt_limit_least(owed_ns * part, (1 - RT_LIMIT_FLOOR) * l->share * worked_ns);
    l->looked_owed_ns = owed_ns - paid_ns;
    return paid_ns;
}

void rt_alloc_limit_look(struct rt_alloc_limit *l, const struct rt_alloc_costs *now)
{
    const struct rt_alloc_costs before = l->before;
    const double wall_ns = rt_limit_more(now->wall_ns, before.wall_ns);
    /* a share of wall time, but not more than the process's CPU time: while the program waits, for others or
     * for a processor, it does no work to compare a cost with */
    const double worked_ns = rt_limit_least(wall_ns, rt_limit_more(now->cpu_ns, before.cpu_ns));
    const double records_ns =
        l->share * worked_ns - rt_looked_pay(l, rt_limit_more(now->looked_ns, before.looked_ns), worked_ns);
    const double bytes = RT_LIMIT_BYTES_PER_S * 1e-9 * wall_ns * l->share / RT_LIMIT_USUAL_SHARE;
    l->before = *now;
    rt_account_take(&l->time_ns, records_ns, rt_limit_more(now->hooks_ns, before.hooks_ns),
                    l->share * RT_LIMIT_SAVED_SHARE_OF_NS + RT_LIMIT_FIRST_NS);
    rt_account_take(&l->bytes, bytes, rt_limit_more(now->hook_bytes, before.hook_bytes),
                    RT_LIMIT_FIRST_BYTES);
    const int by_time = rt_account_doublings(&l->time_ns), by_bytes = rt_account_doublings(&l->bytes);
    if (by_time || by_bytes)
        rt_limit_raise(l, by_time > by_bytes ? by_time : by_bytes,
                       2 * (now->large_allocs - before.large_allocs) > now->allocs - before.allocs);
    else if (rt_account_allows_twice(&l->time_ns, RT_LIMIT_FIRST_NS) &&
             rt_account_allows_twice(&l->bytes, RT_LIMIT_FIRST_BYTES))
        rt_limit_lower(l);
}

uint64_t rt_timed_hook_cost_ns(const struct rt_timed_hook *h, uint32_t every)
{
    const uint64_t all_ns = h->end_ns > h->begin_ns ? h->end_ns - h->begin_ns : 0;
    const uint64_t other_ns = h->burst_end_ns - h->burst_begin_ns + h->clock_ns;
    return all_ns > other_ns ? (all_ns - other_ns) * every : 0;
}

uint64_t rt_quick_calls_ns(uint64_t usual_ns, uint64_t passed_ns)
{
    const double trusted_by_half_ns = 4e7; /* some triggers of a program of seconds */
    const double usual = (double)usual_ns, passed = (double)passed_ns,
                 longer = usual > passed ? usual : passed;
    return (uint64_t)(usual + (passed - usual) * longer / (longer + trusted_by_half_ns));
}

uint32_t rt_sampled_mean(uint32_t mean, double passed_ns, double every_ns)
{
    enum { MEAN_MAX = 1 << 20 };
    if (mean == 0) return 1;
    if (passed_ns < every_ns / 2 && mean < MEAN_MAX) return 2 * mean;
    return passed_ns > 2 * every_ns && mean > 1 ? mean / 2 : mean;
}
