/* SPDX-License-Identifier: BSD-3-Clause */
/* The engine hw: loads and stores that the processor samples (PEBS, IBS, SPE, POWER's marked events), or an
 * event that the user names. */
#include "runtime/perf_events/rt_perf.h"
#include "runtime/core/rt_setting.h"

#include "common/ls_access.h"
#include "perf/pe_advice.h"
#include "perf/pe_sample.h"
#include "perf/pe_open_plan.h"
#include "perf/pe_settings.h"
#include "runtime/core/rt_text_sigsafe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Cost of one sample in the kernel, with one interrupt each; SPE delivers thousands per interrupt.
 * Assumptions, not measured on hardware. */
enum { SAMPLE_COST_NS = 2000, SPE_SAMPLE_COST_NS = 50, HW_EVENTS_BYTES = 384 };

static struct {
    struct pe_settings settings;
    struct pe_plan plan;
    struct rt_perf_engine engine;
    char events[HW_EVENTS_BYTES]; /* description of a sample, in words */
    enum ls_latency latency;
    unsigned weak;
} hw;

/* --- from a sample to a record --- */

static uint32_t hw_decode(const struct pe_encoding *e, struct pe_sample *s)
{
    uint32_t size_bytes = 0;
    if (e->decode == PE_DECODE_NONE || e->decode == PE_DECODE_SPE) return 0; /* nothing, or done */
    if (e->decode == PE_DECODE_IBS && s->raw && pe_ibs_decode(s, &size_bytes)) return size_bytes;
    if (s->has & PERF_SAMPLE_DATA_SRC) pe_data_src_decode(s->data_src, hw.latency, s);
    pe_weight_decode(hw.latency, s);
    return 0;
}

/* Set the operation of samples from an event of loads only, or of stores only. */
static void hw_complete_op(const struct pe_encoding *e, struct pe_sample *s)
{
    if (s->op != LS_NOT_REPORTED || e->decode == PE_DECODE_IBS || e->loads == e->stores) return;
    s->op = e->loads ? PE_OP_LOAD : PE_OP_STORE;
}

/* Filter samples that the PMU could not leave out. */
static bool hw_is_wanted(const struct pe_encoding *e, const struct pe_sample *s)
{
    const unsigned mode = s->misc & PERF_RECORD_MISC_CPUMODE_MASK;
    if (s->addr == 0) return false;
    if (e->reader_drops_kernel && mode != PERF_RECORD_MISC_USER) return false;
    if (e->decode == PE_DECODE_IBS && s->op == LS_NOT_REPORTED) return false;
    if (s->op == PE_OP_STORE) return e->stores;
    if (s->op != LS_NOT_REPORTED && !e->loads) return false;
    return s->op != PE_OP_LOAD || s->latency_cycles >= e->reader_min_cycles;
}

static bool hw_sample(const struct pe_channel *channel, const struct pe_sample *raw, struct spool_sample *out,
                      unsigned *out_flags)
{
    struct pe_sample s = *raw;
    const struct pe_open_event *opened = rt_perf_event_of(channel, raw);
    if (!opened) return false;
    const struct pe_encoding *e = &hw.plan.encodings[opened->tag];
    const uint32_t size_bytes = hw_decode(e, &s);
    hw_complete_op(e, &s);
    if (!hw_is_wanted(e, &s)) return false;
    out->kind = SPOOL_SAMPLE_ACCESS;
    out->addr = s.addr;
    out->size_bytes = (uint16_t)size_bytes;
    out->source = s.source;
    out->snoop = s.snoop;
    out->tlb = s.tlb;
    out->latency_kind = s.latency_kind;
    out->latency_cycles = s.latency_cycles;
    *out_flags &= ~SPOOL_ACCESS_OP_MASK;
    *out_flags |= (s.op == LS_NOT_REPORTED ? SPOOL_OP_NOT_REPORTED : s.op) | spool_flags_of_locked(s.locked);
    /* a precise event that is not exact stopped one instruction further */
    if (e->attrs[e->sampler].precise_ip && !(s.misc & PERF_RECORD_MISC_EXACT_IP))
        *out_flags |= SPOOL_SAMPLE_IP_AFTER;
    return true;
}

/* --- opening --- */

static void hw_describe(void)
{
    struct rt_text text = rt_text_in(hw.events, sizeof(hw.events));
    rt_text_add(&text, hw.plan.method);
    for (unsigned i = 0; i < hw.plan.encodings_len; i++) {
        rt_text_add(&text, i ? ", " : ": ");
        rt_text_add(&text, hw.plan.encodings[i].event);
    }
}

static bool hw_specify(char *why, size_t why_len)
{
    struct rt_text text = rt_text_in(why, why_len);
    const char *bad = pe_settings_read(&hw.settings, rt_setting);
    hw.settings.request.callchain = false; /* stacks are the common part's */
    if (bad || pe_encode_loads(&hw.settings.request, &hw.plan) != LS_OK) {
        rt_text_add(&text, bad ? bad : ls_last_error());
        if (bad) rt_text_add(&text, " cannot be read");
        return false;
    }
    struct perf_event_attr base = rt_perf_attr(0, 0, 0);
    /* the chain shows where a system call was made: without the kernel there is nothing to show */
    if (strcmp(rt_state.config.callstack, "off") == 0 || strcmp(rt_state.config.callstack, "auto") == 0)
        base.sample_type &= ~(uint64_t)PERF_SAMPLE_CALLCHAIN;
    hw.engine.gears_len =
        pe_open_plan(&hw.plan, &base, RT_PERF_GEARS_MAX, &hw.engine.spec, hw.engine.periods);
    hw.engine.is_dutied = hw.engine.spec.aux_bytes != 0;
    if (hw.engine.gears_len == 0) rt_text_add(&text, "more events are needed than fit");
    return hw.engine.gears_len != 0;
}

/* Return the error to report: events forbidden with the kernel are retried without it, which IBS before Linux
 * 6.14 refuses for another reason; the first reason is the user's. */
static int hw_true_error(int error, const struct pe_encoding *e, const struct mach_privilege *m)
{
    const bool may_see_kernel = m->perf_event_paranoid <= 1 || m->cap_perfmon || m->cap_sys_admin;
    return error == EINVAL && e->reader_drops_kernel && !may_see_kernel ? EACCES : error;
}

static void hw_why(char *why, size_t why_len)
{
    const struct pe_encoding *e = &hw.plan.encodings[0];
    struct mach_privilege machine;
    mach_privilege_read("", getenv, &machine);
    const struct pe_facts known = {.pmu = e->pmu,
                                   .attr = &e->attrs[e->sampler],
                                   .cpu_wide = e->cpu_wide_only,
                                   .ibs_filters = !e->reader_drops_kernel};
    hw.engine.refusal.error = hw_true_error(hw.engine.refusal.error, e, &machine);
    rt_perf_why(&hw.engine, known, why, why_len);
}

static bool hw_probe(char *why, size_t why_len)
{
    if (!hw_specify(why, why_len)) return false;
    hw_describe();
    hw.latency = pe_latency_kind_of(hw.plan.vendor);
    hw.engine.sample_cost_ns = hw.engine.spec.aux_bytes ? SPE_SAMPLE_COST_NS : SAMPLE_COST_NS;
    hw.engine.latency_kind = hw.latency;
    hw.engine.sample = hw_sample;
    const int error = rt_perf_probe(&hw.engine, &hw.weak);
    if (error) hw_why(why, why_len);
    return error == 0;
}

static int hw_process_start(struct rt_engine_facts *facts)
{
    static char text[HW_EVENTS_BYTES + 48];
    struct rt_text trigger = rt_text_in(facts->trigger, sizeof(facts->trigger));
    struct rt_text why = {facts->why, sizeof(facts->why), strlen(facts->why)};
    rt_text_add(&trigger, hw.plan.method);
    rt_text_add(&why, hw.plan.notes); /* differences from the requested settings */
    rt_perf_cost_text(hw.events, hw.engine.sample_cost_ns, "assumed", text, sizeof(text));
    hw.engine.events = text;
    return rt_perf_process_start(&hw.engine, hw.weak);
}

const struct rt_sampler rt_sampler_hw = {
    .name = "hw",
    .probe = hw_probe,
    .process_start = hw_process_start,
    .thread_open = rt_perf_thread_open,
    .thread_close = rt_perf_thread_close,
    .start = rt_perf_start,
    .stop = rt_perf_stop,
    .drain = rt_perf_drain,
    .flush = rt_perf_flush,
    .before_fork = rt_perf_before_fork,
    .after_fork_parent = rt_perf_after_fork_parent,
    .after_fork_child = rt_perf_after_fork_child,
    .seal = rt_perf_seal,
};
