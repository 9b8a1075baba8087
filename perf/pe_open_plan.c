/* SPDX-License-Identifier: BSD-3-Clause */
#include "perf/pe_open_plan.h"

/* What the way of opening brings to every event of a group: the members must agree on it. */
static void take_base(const struct perf_event_attr *base, struct perf_event_attr *a)
{
    a->inherit = base->inherit;
    a->inherit_thread = base->inherit_thread;
    a->remove_on_exec = base->remove_on_exec;
    a->use_clockid = base->use_clockid;
    a->clockid = base->clockid;
}

static void take_sampling(const struct perf_event_attr *base, uint64_t sample_type, struct perf_event_attr *a)
{
    a->sample_type = sample_type;
    a->read_format = base->read_format;
    a->watermark = base->watermark;
    a->sample_max_stack = base->sample_max_stack;
    a->sample_regs_user = base->sample_regs_user;
    a->sample_stack_user = base->sample_stack_user;
    a->exclude_callchain_kernel = a->exclude_kernel && base->exclude_callchain_kernel;
}

/* Records of several events in one ring are read by one layout. */
static uint64_t joint_sample_type(const struct pe_plan *plan, const struct perf_event_attr *base)
{
    uint64_t all = base->sample_type & ~(uint64_t)PERF_SAMPLE_PERIOD; /* the encoding decides */
    for (unsigned i = 0; i < plan->encodings_len; i++)
        all |= plan->encodings[i].attrs[plan->encodings[i].sampler].sample_type;
    return all;
}

static bool needs_leader(const struct pe_encoding *e)
{
    return e->sampler > 0;
}

static unsigned rows_of_gear(const struct pe_plan *plan)
{
    unsigned rows = 0;
    for (unsigned i = 0; i < plan->encodings_len; i++)
        rows += 1 + needs_leader(&plan->encodings[i]);
    return rows;
}

static void add_row(struct pe_open_spec *out, const struct perf_event_attr *attr, int leader, unsigned gear,
                    const struct pe_plan *plan, unsigned encoding)
{
    out->events[out->events_len++] =
        (struct pe_open_event){.attr = *attr,
                               .leader = (int8_t)leader,
                               .gear = (uint8_t)gear,
                               .tag = (uint8_t)encoding,
                               .may_miss = plan->encodings[encoding].cpus[0] != '\0'};
}

static void add_encoding(const struct pe_plan *plan, unsigned encoding, const struct perf_event_attr *base,
                         unsigned gear, struct pe_open_spec *out)
{
    const struct pe_encoding *e = &plan->encodings[encoding];
    struct perf_event_attr sampler = e->attrs[e->sampler], leader = e->attrs[0];
    int leader_row = -1;
    take_base(base, &sampler);
    take_sampling(base, joint_sample_type(plan, base), &sampler);
    for (unsigned g = 0; g < gear && !sampler.freq; g++)
        sampler.sample_period *= PE_PLAN_GEAR_FACTOR;
    if (!sampler.freq) sampler.sample_period = pe_period_fit(e, sampler.sample_period);
    if (needs_leader(e)) {
        take_base(base, &leader);
        leader_row = (int)out->events_len;
        add_row(out, &leader, -1, gear, plan, encoding);
    }
    add_row(out, &sampler, leader_row, gear, plan, encoding);
}

unsigned pe_open_plan(const struct pe_plan *plan, const struct perf_event_attr *base, unsigned gears_max,
                      struct pe_open_spec *out, uint64_t *periods)
{
    const unsigned rows = rows_of_gear(plan);
    out->events_len = 0;
    if (rows == 0 || rows > PE_LANE_EVENTS_MAX) return 0;
    unsigned gears = PE_LANE_EVENTS_MAX / rows < gears_max ? PE_LANE_EVENTS_MAX / rows : gears_max;
    if (plan->encodings[0].attrs[plan->encodings[0].sampler].freq) gears = 1;
    for (unsigned gear = 0; gear < gears; gear++) {
        for (unsigned i = 0; i < plan->encodings_len; i++)
            add_encoding(plan, i, base, gear, out);
        periods[gear] = out->events[out->events_len - 1].attr.sample_period;
    }
    return gears;
}

const char *pe_plan_unreadable(const struct pe_plan *plan)
{
    if (plan->encodings[0].needs_aux)
        return "samples of SPE come through an AUX area, which this release does not read";
    if (plan->encodings[0].cpu_wide_only)
        return "IBS samples whole CPUs before Linux 6.2, here the program's threads are sampled: boot Linux "
               "6.2";
    return NULL;
}
