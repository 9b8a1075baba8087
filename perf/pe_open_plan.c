/* SPDX-License-Identifier: BSD-3-Clause */
#include "perf/pe_open_plan.h"

enum { AUX_BYTES = 1 << 20, AUX_RING_BYTES = 64 << 10 };

/* Copy the fields of base that all members of a group must agree on. */
static void take_base(const struct pe_encoding *e, const struct perf_event_attr *base,
                      struct perf_event_attr *a)
{
    a->inherit = base->inherit && !e->cpu_wide_only;
    a->inherit_thread = base->inherit_thread && !e->cpu_wide_only;
    a->remove_on_exec = base->remove_on_exec && !e->cpu_wide_only;
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

/* Set up an event with an AUX area: the ring then has only AUX records, each with the thread of its bytes. */
static void take_aux(const struct perf_event_attr *base, struct perf_event_attr *a)
{
    a->sample_id_all = 1;
    a->read_format = base->read_format;
    a->watermark = base->watermark;
    a->aux_watermark = 0; /* half of the area, however small it gets */
}

/* Union of the sample types: records of several events in one ring are read by one layout. */
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
    take_base(e, base, &sampler);
    if (e->needs_aux)
        take_aux(base, &sampler);
    else
        take_sampling(base, joint_sample_type(plan, base), &sampler);
    for (unsigned g = 0; g < gear && !sampler.freq; g++)
        sampler.sample_period *= PE_PLAN_GEAR_FACTOR;
    if (!sampler.freq) sampler.sample_period = pe_period_fit(e, sampler.sample_period);
    if (needs_leader(e)) {
        take_base(e, base, &leader);
        leader_row = (int)out->events_len;
        add_row(out, &leader, -1, gear, plan, encoding);
    }
    add_row(out, &sampler, leader_row, gear, plan, encoding);
}

/* Add the events of a gear. The kernel takes one SPE event a CPU: its slower gears add no events. */
static void add_gear(const struct pe_plan *plan, const struct perf_event_attr *base, unsigned gear,
                     struct pe_open_spec *out, uint64_t *period)
{
    for (unsigned i = 0; i < plan->encodings_len && (gear == 0 || !out->aux_bytes); i++)
        add_encoding(plan, i, base, gear, out);
    *period = out->events[out->events_len - 1].attr.sample_period;
    for (unsigned g = 0; g < gear && out->aux_bytes; g++)
        *period *= PE_PLAN_GEAR_FACTOR;
}

unsigned pe_open_plan(const struct pe_plan *plan, const struct perf_event_attr *base, unsigned gears_max,
                      struct pe_open_spec *out, uint64_t *periods)
{
    const unsigned rows = rows_of_gear(plan);
    const struct pe_encoding *first = &plan->encodings[0];
    out->events_len = 0;
    if (rows == 0 || rows > PE_CHANNEL_EVENTS_MAX) return 0;
    out->cpu_wide = first->cpu_wide_only;
    out->sources = first->sources;
    out->aux_bytes = first->needs_aux ? AUX_BYTES : 0;
    if (first->needs_aux) out->ring_bytes = AUX_RING_BYTES;
    unsigned gears = first->needs_aux || PE_CHANNEL_EVENTS_MAX / rows >= gears_max
                         ? gears_max
                         : PE_CHANNEL_EVENTS_MAX / rows;
    if (first->attrs[first->sampler].freq) gears = 1;
    for (unsigned gear = 0; gear < gears; gear++)
        add_gear(plan, base, gear, out, &periods[gear]);
    return gears;
}
