/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/perf_events/rt_perf_pace.h"

#include "common/ls_random.h"

enum { WINDOW_NS = 10000000 };
/* Unspent budget is saved, because programs fault and allocate in bursts: the initial balance, and the time
 * whose income is the highest balance. */
#define FIRST_SAVED_NS 1e7
#define SAVED_SHARE_OF_NS 4e9

long rt_perf_pace_nap_ns(size_t fullest_permille)
{
    enum { NAP_NS = 1000000 };
    if (fullest_permille >= 500) return 0;
    return fullest_permille >= 250 ? NAP_NS / 8 : NAP_NS;
}

void rt_perf_pace_begin(struct rt_perf_pace *p, uint64_t now_ns)
{
    p->gear = 0;
    p->window_ns = now_ns;
    p->window_spent_ns = 0;
    p->saved_ns = FIRST_SAVED_NS;
}

/* Overdrawn: return the first gear in which the cost of this window would be within the share. */
static unsigned slower(const struct rt_perf_pace *p, double spent_ns, double earned_ns)
{
    unsigned gear = p->gear;
    const double now = (double)p->periods[p->gear];
    while (gear + 1 < p->gears_len && spent_ns * now / (double)p->periods[gear] > earned_ns)
        gear++;
    return gear;
}

/* Go one gear down if savings are back, or if that would still be within the share. */
static unsigned faster(const struct rt_perf_pace *p, double spent_ns, double earned_ns)
{
    if (p->gear == 0) return 0;
    const double factor = (double)p->periods[p->gear] / (double)p->periods[p->gear - 1];
    return spent_ns * factor < earned_ns || p->saved_ns > FIRST_SAVED_NS ? p->gear - 1 : p->gear;
}

bool rt_perf_pace_look(struct rt_perf_pace *p, uint64_t now_ns, uint64_t spent_ns)
{
    const unsigned before = p->gear;
    if (now_ns < p->window_ns + WINDOW_NS || p->share >= 1) return false;
    const double earned_ns = p->share * (double)(now_ns - p->window_ns);
    const double window_spent_ns = (double)(spent_ns - p->window_spent_ns);
    const double most_ns = p->share * SAVED_SHARE_OF_NS + FIRST_SAVED_NS;
    p->saved_ns += earned_ns - window_spent_ns;
    if (p->saved_ns > most_ns) p->saved_ns = most_ns;
    if (p->saved_ns < 0)
        p->gear = slower(p, window_spent_ns, earned_ns);
    else if (p->saved_ns > FIRST_SAVED_NS / 2)
        p->gear = faster(p, window_spent_ns, earned_ns);
    p->window_ns = now_ns;
    p->window_spent_ns = spent_ns;
    return p->gear != before;
}

bool rt_perf_duty_is_on(const uint64_t *periods, unsigned gear, uint64_t now_ns)
{
    const uint64_t part = periods[0] ? periods[gear] / periods[0] : 1;
    return part < 2 || ls_random_mix(now_ns / RT_PERF_DUTY_SLOT_NS + LS_RANDOM_STEP) % part == 0;
}
