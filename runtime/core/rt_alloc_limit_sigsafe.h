/* SPDX-License-Identifier: BSD-3-Clause */
/* Which allocations are recorded: from a length on all, and a sample of the shorter ones. The length is
 * LOADSTONE_ALLOC_MIN, and more while a program allocates so much that its records would cost too much CPU
 * time or fill the disk. Pure functions over numbers that rt_budget_sigsafe.c measures.
 *
 * Thread: any, on numbers of its own.  Signal: safe. */
#ifndef RT_ALLOC_LIMIT_SIGSAFE_H
#define RT_ALLOC_LIMIT_SIGSAFE_H

#include <stdbool.h>
#include <stdint.h>

enum { RT_LIMIT_LOOK_NS = 2000000 }; /* shorter stretches say little: one hook in 64 is timed */
/* Bytes are so many in an hour at an overhead of 3 %, with RT_LIMIT_FIRST_BYTES less than 256 MiB. */
#define RT_LIMIT_BYTES_PER_S 70000.0
#define RT_LIMIT_FIRST_BYTES 4e6
#define RT_LIMIT_LARGE_BYTES (UINT64_C(1) << 20) /* all are recorded, unless they are the flood themselves */
#define RT_LIMIT_HIGHEST_BYTES (UINT64_C(1) << 31) /* such blocks cost the kernel more than us */

/* Since the process began. */
struct rt_alloc_costs {
    uint64_t wall_ns;
    uint64_t cpu_ns;     /* of all threads of the process */
    uint64_t hooks_ns;   /* CPU time of hooks that recorded */
    uint64_t looked_ns;  /* CPU time of allocator calls that were only looked at: no limit changes it */
    uint64_t hook_bytes; /* records of allocations */
    uint64_t allocs, large_allocs; /* recorded; those that were recorded for their length */
};

/* What is earned as time passes, and spent by records. */
struct rt_alloc_account {
    double saved;  /* negative: overdrawn */
    double recent; /* spent / earned, smoothed */
};

struct rt_alloc_limit {
    double share;                 /* of the time worked: half of the overhead asked for */
    struct rt_alloc_costs before; /* at the last look */
    struct rt_alloc_account time_ns, bytes;
    uint64_t min_bytes;
    uint64_t always_bytes; /* blocks from here on are recorded */
    uint64_t period_bytes; /* of shorter ones, the one that contains a byte drawn from so many; not less than
                              always_bytes */
};

void rt_alloc_limit_init(struct rt_alloc_limit *l, double overhead_share, uint64_t min_bytes);

/* Take the costs until now, and move the limits. */
void rt_alloc_limit_look(struct rt_alloc_limit *l, const struct rt_alloc_costs *now);

/* What one timed hook call stands for, when one of `every` is timed: its CPU time from begin to end, without
 * that of a burst that ran in it (which has its own account) and that of reading the clock. */
struct rt_timed_hook {
    uint64_t begin_ns, end_ns;             /* the thread's CPU clock */
    uint64_t burst_begin_ns, burst_end_ns; /* CPU time of the thread's bursts until then */
    uint64_t clock_ns;
};
uint64_t rt_timed_hook_cost_ns(const struct rt_timed_hook *h, uint32_t every);

/* Of events of which one in mean is sampled: the mean after a sample that came passed_ns after the last one,
 * where every_ns are wanted. */
uint32_t rt_sampled_mean(uint32_t mean, double passed_ns, double every_ns);

#endif
