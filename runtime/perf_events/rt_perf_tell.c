/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/perf_events/rt_perf_tell.h"

#include "runtime/core/rt_spool_sigsafe.h"

#include <stddef.h>

void rt_perf_tell_sampling(struct rt_perf_told *t, struct spool_writer *w, uint64_t time_ns,
                           const struct rt_perf_engine *e, unsigned weak)
{
    const struct spool_sampling r = {.time_ns = time_ns, .latency_kind = e->latency_kind};
    if (t->has_sampling) return;
    t->has_sampling = true;
    spool_put_sampling(w, t->is_late ? SPOOL_SAMPLING_LATE : 0, r, e->events);
    if (weak & 1u << PE_WEAK_KERNEL) rt_event_count_sigsafe(SPOOL_EVENT_KERNEL_UNSEEN, 1, 0);
}

/* Counts that become events, and which. */
static const struct {
    size_t offset; /* in pe_counts */
    enum spool_event_kind kind;
} tell_rows[] = {
    {offsetof(struct pe_counts, lost), SPOOL_EVENT_SAMPLES_LOST},
    {offsetof(struct pe_counts, lost_samples), SPOOL_EVENT_HARDWARE_LOST},
    {offsetof(struct pe_counts, throttled), SPOOL_EVENT_THROTTLED},
    {offsetof(struct pe_counts, unthrottled), SPOOL_EVENT_UNTHROTTLED},
    {offsetof(struct pe_counts, broken), SPOOL_EVENT_RECORDS_BROKEN},
    {offsetof(struct pe_counts, aux_truncated), SPOOL_EVENT_AUX_DAMAGED},
    {offsetof(struct pe_counts, aux_partial), SPOOL_EVENT_AUX_DAMAGED},
    {offsetof(struct pe_counts, aux_collided), SPOOL_EVENT_AUX_DAMAGED},
};

static uint64_t count_at(const struct pe_counts *c, size_t offset)
{
    return *(const uint64_t *)(const void *)((const char *)c + offset);
}

void rt_perf_tell_counts(struct rt_perf_told *t, const struct pe_counts *now)
{
    for (size_t i = 0; i < sizeof(tell_rows) / sizeof(tell_rows[0]); i++) {
        const uint64_t is = count_at(now, tell_rows[i].offset),
                       was = count_at(&t->counts, tell_rows[i].offset);
        if (is > was) rt_event_count_sigsafe(tell_rows[i].kind, is - was, 0);
    }
    t->counts = *now;
}

void rt_perf_tell_cost(struct rt_perf_told *t, struct spool_writer *w, uint64_t time_ns, uint64_t all_ns)
{
    if (all_ns == t->cost_ns) return;
    t->cost_ns = all_ns;
    spool_put_cost(
        w, (struct spool_cost){.time_ns = time_ns, .spent_ns = all_ns, .hooks_ns = rt_budget_hooks_ns()});
}
