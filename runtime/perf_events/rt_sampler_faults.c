/* SPDX-License-Identifier: BSD-3-Clause */
/* The engine faults: page faults, so which thread touched which page first. */
#include "runtime/perf_events/rt_perf.h"
#include "runtime/perf_events/rt_perf_cost.h"
#include "runtime/perf_events/rt_perf_numa.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { TAG_MINOR, TAG_MAJOR };
/* What one sample costs where it cannot be measured: of the right order. */
enum { SAMPLE_COST_NS = 800, FAULTS_TEXT_BYTES = 128 };

static struct rt_perf_engine faults = {
    /* primes: programs fault in strides. None longer: what a thread has counted when it ends is lost, half a
     * period for each CPU that it ran on. */
    .periods = {1, 7, 61},
    .gears_len = 3,
    .sample_cost_ns = SAMPLE_COST_NS,
};
static char faults_text[FAULTS_TEXT_BYTES]; /* what a sample is, in words */
static unsigned faults_weak;

static struct perf_event_attr faults_attr(uint64_t config, uint64_t period_events)
{
    struct perf_event_attr a = rt_perf_attr(PERF_TYPE_SOFTWARE, config, period_events);
    /* with it in the records the kernel takes every software event, whatever the period (perf_swevent_event) */
    a.sample_type &= ~(uint64_t)PERF_SAMPLE_PERIOD;
    return a;
}

/* Events of handled faults: the size of the page is known then, and which kind it was. */
static void faults_specify(struct pe_open_spec *spec)
{
    *spec = (struct pe_open_spec){.events_len = 0};
    for (unsigned gear = 0; gear < faults.gears_len; gear++)
        spec->events[spec->events_len++] =
            (struct pe_open_event){.attr = faults_attr(PERF_COUNT_SW_PAGE_FAULTS_MIN, faults.periods[gear]),
                                   .leader = -1,
                                   .gear = (uint8_t)gear,
                                   .tag = TAG_MINOR};
    spec->events[spec->events_len++] =
        (struct pe_open_event){.attr = faults_attr(PERF_COUNT_SW_PAGE_FAULTS_MAJ, 1),
                               .leader = -1,
                               .gear = PE_GEAR_ANY,
                               .tag = TAG_MAJOR};
}

static bool faults_sample(const struct pe_lane *lane, const struct pe_sample *s, struct spool_sample *out,
                          unsigned *out_flags)
{
    (void)out_flags;
    const struct pe_open_event *e = rt_perf_event_of(lane, s);
    const bool is_major = e && e->attr.config == PERF_COUNT_SW_PAGE_FAULTS_MAJ;
    out->numa = rt_perf_numa_of(s->addr);
    out->kind = is_major ? SPOOL_SAMPLE_FAULT_MAJOR : SPOOL_SAMPLE_FAULT_MINOR;
    return true;
}

static bool faults_probe(char *why, size_t why_len)
{
    faults_specify(&faults.spec);
    faults.sample = faults_sample;
    const int error = rt_perf_probe(&faults, &faults_weak);
    if (error) rt_perf_why(&faults, (struct pe_facts){.pmu = ""}, why, why_len);
    return error == 0;
}

static int faults_process_start(struct rt_engine_facts *facts)
{
    (void)facts;
    const uint32_t measured_ns = rt_perf_cost_of_fault(&faults.spec.events[0].attr);
    if (measured_ns) faults.sample_cost_ns = measured_ns;
    rt_perf_cost_text("page faults, told by the kernel when it has handled them", faults.sample_cost_ns,
                      measured_ns ? "measured" : "assumed", faults_text, sizeof(faults_text));
    faults.events = faults_text;
    rt_perf_numa_begin(getenv(ls_env_rows[LS_ENV_SYSFS].variable));
    return rt_perf_process_start(&faults, faults_weak);
}

const struct rt_sampler rt_sampler_faults = {
    .name = "faults",
    .probe = faults_probe,
    .process_start = faults_process_start,
    .thread_open = rt_perf_thread_open,
    .thread_close = rt_perf_thread_close,
    .start = rt_perf_start,
    .stop = rt_perf_stop,
    .drain = rt_perf_drain,
    .before_fork = rt_perf_before_fork,
    .after_fork_parent = rt_perf_after_fork_parent,
    .after_fork_child = rt_perf_after_fork_child,
    .seal = rt_perf_seal,
};
