/* SPDX-License-Identifier: BSD-3-Clause */
/* Select the allocations to record: all from a given length on, and a sample of the shorter ones. The length
 * is LOADSTONE_ALLOC_MIN; it is raised while a program allocates so much that its records would cost too much
 * CPU time or fill the disk. Pure functions over numbers that rt_budget_sigsafe.c measures.
 *
 * Thread: any, on numbers that no other thread uses.  Signal: safe. */
#ifndef RT_ALLOC_LIMIT_SIGSAFE_H
#define RT_ALLOC_LIMIT_SIGSAFE_H

#include <stdbool.h>
#include <stdint.h>

enum { RT_LIMIT_LOOK_NS = 2000000 }; /* shorter intervals are too noisy: one hook in 64 is timed */
/* Rate at an overhead of 3 %: less than 256 MiB in an hour, including RT_LIMIT_FIRST_BYTES. */
#define RT_LIMIT_BYTES_PER_S 70000.0
#define RT_LIMIT_FIRST_BYTES 4e6
#define RT_LIMIT_LARGE_BYTES (UINT64_C(1) << 20)   /* all are recorded, unless they cause the flood */
#define RT_LIMIT_HIGHEST_BYTES (UINT64_C(1) << 31) /* such blocks cost the kernel more than us */

/* Since the process began. */
struct rt_alloc_costs {
    uint64_t wall_ns;
    uint64_t cpu_ns;     /* CPU time of all threads of the process */
    uint64_t hooks_ns;   /* CPU time of hooks that recorded */
    uint64_t looked_ns;  /* allocator calls that were only looked at, and tags: no limit changes it */
    uint64_t hook_bytes; /* records of allocations */
    uint64_t allocs, large_allocs; /* recorded; the subset recorded for its length */
};

/* Budget that is earned as time passes, and spent by records. */
struct rt_alloc_account {
    double saved;  /* negative: overdrawn */
    double recent; /* spent / earned, smoothed */
};

struct rt_alloc_limit {
    double share;                 /* share of the time worked: half of the overhead asked for */
    struct rt_alloc_costs before; /* at the last look */
    struct rt_alloc_account time_ns, bytes;
    double looked_owed_ns; /* looked_ns that records have not paid for yet */
    uint64_t min_bytes;
    uint64_t always_bytes; /* blocks from here on are recorded */
    uint64_t period_bytes; /* shorter blocks: mean bytes between samples; at least always_bytes */
};

void rt_alloc_limit_init(struct rt_alloc_limit *l, double overhead_share, uint64_t min_bytes);

/* Update the limits from the costs until now. */
void rt_alloc_limit_look(struct rt_alloc_limit *l, const struct rt_alloc_costs *now);

/* CPU time that one timed hook call represents, when one of `every` is timed: from begin to end, without the
 * time of a burst that ran in it (which is accounted separately) and without the cost of reading the
 * clock. */
struct rt_timed_hook {
    uint64_t begin_ns, end_ns;             /* the thread's CPU clock */
    uint64_t burst_begin_ns, burst_end_ns; /* CPU time of the thread's bursts until then */
    uint64_t clock_ns;
};
uint64_t rt_timed_hook_cost_ns(const struct rt_timed_hook *h, uint32_t every);

/* CPU time of calls that are too quick to be timed. usual_ns is their number times the usual time of such a call, passed_ns
 * the sum of the intervals of the triggers that fell into them. The second estimate is right for any program, but only
 * when there were many triggers: its weight grows with it. */
uint64_t rt_quick_calls_ns(uint64_t usual_ns, uint64_t passed_ns);

/* Return the new mean number of events per sample, after a sample that came passed_ns after the previous one,
 * where every_ns are wanted. */
uint32_t rt_sampled_mean(uint32_t mean, double passed_ns, double every_ns);

#endif
