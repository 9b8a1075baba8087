/* SPDX-License-Identifier: BSD-3-Clause */
/* What the engines on perf_event write beside samples: what is sampled, what was lost, what it cost. Each
 * thing is told once.
 *
 * Thread: one at a time for one object, depth > 0.  Signal: not safe. */
#ifndef RT_PERF_TELL_H
#define RT_PERF_TELL_H

#include "perf/pe_record.h"
#include "runtime/perf_events/rt_perf.h"

/* Zeroed: nothing is told. */
struct rt_perf_told {
    struct pe_counts counts;
    uint64_t cost_ns;
    bool has_sampling;
    bool is_late; /* samples are not in the order of time */
};

/* What the samples of e are; without the kernel's part where weak says so. */
void rt_perf_tell_sampling(struct rt_perf_told *t, struct spool_writer *w, uint64_t time_ns,
                           const struct rt_perf_engine *e, unsigned weak);
/* Losses and damages since the last time, as events. */
void rt_perf_tell_counts(struct rt_perf_told *t, const struct pe_counts *now);
/* What sampling took in all, up to time_ns. */
void rt_perf_tell_cost(struct rt_perf_told *t, struct spool_writer *w, uint64_t time_ns, uint64_t all_ns);

#endif
