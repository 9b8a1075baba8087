/* SPDX-License-Identifier: BSD-3-Clause */
/* CPU time of each share of a run: it excludes the time that a thread waits for a processor, so that choices
 * are repeatable on a shared machine. Reported rates use wall time.
 *
 * Thread: begin and end by the thread that runs the share, the others one at a time. */
#ifndef KN_SHARE_TIME_H
#define KN_SHARE_TIME_H

#include "common/ls_clock.h"

#include <stdlib.h>

enum { KN_SHARE_TIME_BYTES = 64 };

/* Aligned to a separate cache line. */
struct kn_share_time {
    uint64_t cpu_ns;
} __attribute__((aligned(KN_SHARE_TIME_BYTES)));

/* Allocate times for a number of shares; NULL without memory. The functions below accept NULL and then store
 * nothing.  Owns: free() it. */
static inline struct kn_share_time *kn_share_times(unsigned shares)
{
    struct kn_share_time *t = aligned_alloc(KN_SHARE_TIME_BYTES, shares * sizeof(*t));
    for (unsigned s = 0; t && s < shares; s++)
        t[s].cpu_ns = 0;
    return t;
}

static inline void kn_share_begin(struct kn_share_time *t, unsigned share)
{
    if (t) t[share].cpu_ns = ls_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
}

static inline void kn_share_end(struct kn_share_time *t, unsigned share)
{
    if (t) t[share].cpu_ns = ls_clock_read_ns(CLOCK_THREAD_CPUTIME_ID) - t[share].cpu_ns;
}

/* Seconds of the slowest share, or wall_seconds without stored times. */
static inline double kn_share_slowest(const struct kn_share_time *t, unsigned shares, double wall_seconds)
{
    uint64_t slowest = 0;
    for (unsigned s = 0; t && s < shares; s++)
        if (t[s].cpu_ns > slowest) slowest = t[s].cpu_ns;
    return slowest ? (double)slowest / (double)LS_NS_PER_S : wall_seconds;
}

#endif
