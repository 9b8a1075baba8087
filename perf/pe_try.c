/* SPDX-License-Identifier: BSD-3-Clause */
#include "perf/pe_try.h"

#include "perf/pe_open.h"
#include "perf/pe_open_plan.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { PE_THIS_THREAD = 0, PE_EVERY_CPU = -1, PE_TRY_RING_BYTES = 256 << 10, PE_CPUS_MAX = 4096 };

/* A trial in progress: the kernel and the machine, the events, and the result so far. */
struct pe_trial {
    const struct pe_kernel *kernel;
    const struct mach_privilege *machine;
    const struct pe_try_work *work;
    const struct pe_plan *plan; /* NULL: single events, of the PMU */
    const char *pmu;
    struct pe_open_spec spec;
    struct pe_tried *out;
};

/* --- results and advice --- */

static void pe_explain(const struct pe_trial *t, int cpu, const struct pe_refusal *r)
{
    const struct perf_event_attr *attr = &t->spec.events[r->event].attr;
    const struct pe_encoding *e = t->plan ? &t->plan->encodings[t->spec.events[r->event].tag] : NULL;
    const struct pe_facts facts = {
        .machine = t->machine,
        .pmu = e ? e->pmu : t->pmu,
        .attr = attr,
        .cpu_wide = t->spec.cpu_wide,
        .per_thread = cpu == PE_EVERY_CPU,
        .ibs_filters = e && !e->reader_drops_kernel,
        .ring_kib = (r->call == PE_AT_MMAP_AUX ? t->out->aux_bytes : t->out->ring_bytes) >> 10};
    pe_advise(r->error, r->call, &facts, &t->out->advice);
}

/* Events refused with the kernel are tried again without it, and IBS before Linux 6.14 then refuses them with
 * EINVAL: report the first refusal, EACCES, to the user. */
static void pe_take_refusal(struct pe_trial *t, int cpu, struct pe_refusal r)
{
    struct pe_tried *out = t->out;
    if (r.error == EINVAL && out->weak & 1u << PE_WEAK_KERNEL) {
        r.error = EACCES;
        t->spec.events[r.event].attr.exclude_kernel = 0;
    }
    out->opens = false;
    out->error = r.error;
    out->call = r.call;
    out->encoding = t->spec.events[r.event].tag;
    out->attr = r.event;
    pe_explain(t, cpu, &r);
}

static void pe_note_sizes(struct pe_trial *t, const struct pe_channel *l)
{
    struct pe_tried *out = t->out;
    const struct pe_refusal memory = {.error = EPERM, .call = PE_AT_MMAP, .event = l->ring_row};
    out->ring_bytes = t->spec.ring_bytes;
    out->aux_bytes = t->spec.aux_bytes;
    if (l->ring_bytes < t->spec.ring_bytes || l->aux_bytes < t->spec.aux_bytes) {
        out->is_halved = true;
        pe_explain(t, l->cpu, &memory);
    }
    out->ring_bytes = l->ring_bytes;
    out->aux_bytes = l->aux_bytes;
}

/* --- a channel: open, on, work, off, read --- */

/* Switch all events on or off. Returns 0 or an errno; *row is the event that refused. */
static int pe_switch(const struct pe_trial *t, const struct pe_channel *l, unsigned long request,
                     unsigned *row)
{
    for (*row = 0; *row < l->events_len; ++*row) {
        if (t->spec.events[*row].leader >= 0 || l->fds[*row] < 0) continue;
        const long error = t->kernel->control(l->fds[*row], request, PERF_IOC_FLAG_GROUP);
        if (error < 0) return (int)-error;
    }
    return 0;
}

static void pe_count_sample(void *user, const struct pe_channel *channel, const struct pe_sample *s)
{
    (void)channel;
    (void)s;
    ++*(uint64_t *)user;
}

/* Count the samples in the ring. False when its records cannot be read. */
static bool pe_read_channel(struct pe_trial *t, struct pe_channel *l)
{
    uint8_t bounce[PE_RECORD_MAX_BYTES];
    struct pe_drain d = {.layout = pe_layout_of(&t->spec.events[l->ring_row].attr),
                         .bounce = bounce,
                         .ticks = pe_ticks_now(),
                         .sample = pe_count_sample,
                         .user = &t->out->samples};
    pe_drain_channels(&d, l, 1, UINT64_MAX);
    return d.counts.broken == 0;
}

static void pe_use_channel(struct pe_trial *t, struct pe_channel *l)
{
    struct pe_refusal r = {.call = PE_AT_ENABLE};
    r.error = pe_switch(t, l, PERF_EVENT_IOC_ENABLE, &r.event);
    if (!r.error) {
        if (t->work && t->work->run) t->work->run(t->work->user);
        r.error = pe_switch(t, l, PERF_EVENT_IOC_DISABLE, &r.event);
    }
    if (r.error) {
        pe_take_refusal(t, l->cpu, r);
    } else if (!pe_read_channel(t, l)) {
        t->out->opens = false;
        t->out->error = EIO;
        snprintf(t->out->advice.cause, sizeof(t->out->advice.cause),
                 "the kernel's records in the ring cannot be read");
    }
}

static void pe_try_channel(struct pe_trial *t, int cpu)
{
    struct pe_channel l;
    pe_channel_open(&l, t->kernel, &t->spec, PE_THIS_THREAD, cpu);
    if (l.refusal.error) {
        t->out->ring_bytes = l.ring_bytes;
        t->out->aux_bytes = l.aux_bytes;
        pe_take_refusal(t, cpu, l.refusal);
    } else {
        pe_note_sizes(t, &l);
        pe_use_channel(t, &l);
    }
    pe_channel_close(&l, t->kernel);
}

/* --- plans --- */

/* First CPU of the encoding: the PMU of a hybrid processor needs one of its CPUs. */
static int pe_first_cpu(const struct pe_encoding *e)
{
    if (!e->cpus[0]) return e->cpu_wide_only ? 0 : PE_EVERY_CPU;
    int cpu = 0;
    while (cpu < PE_CPUS_MAX && !pe_encoding_has_cpu(e, (unsigned)cpu))
        cpu++;
    return cpu;
}

static bool pe_was_tried(const struct pe_plan *plan, unsigned encodings_len, int cpu)
{
    for (unsigned i = 0; i < encodings_len; i++)
        if (pe_first_cpu(&plan->encodings[i]) == cpu) return true;
    return false;
}

void pe_try_plan(const struct pe_plan *plan, const struct mach_privilege *machine,
                 const struct pe_try_work *work, struct pe_tried *out)
{
    const struct perf_event_attr base = {.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME};
    struct pe_trial t = {
        .kernel = &pe_kernel_linux, .machine = machine, .work = work, .plan = plan, .out = out};
    uint64_t period;
    unsigned weak;
    memset(out, 0, sizeof(*out));
    out->opens = true;
    t.spec.ring_bytes = PE_TRY_RING_BYTES;
    pe_open_plan(plan, &base, 1, &t.spec, &period);
    for (unsigned i = 0; out->opens && i < plan->encodings_len; i++) {
        const int cpu = pe_first_cpu(&plan->encodings[i]);
        if (pe_was_tried(plan, i, cpu)) continue;
        const struct pe_refusal r = pe_open_fit(&t.spec, t.kernel, PE_THIS_THREAD, cpu, &weak);
        out->weak |= weak;
        if (r.error && r.call == PE_AT_OPEN)
            pe_take_refusal(&t, cpu, r);
        else
            pe_try_channel(&t, cpu);
    }
}

void pe_try_attrs(const struct perf_event_attr *attrs, unsigned attrs_len, const char *pmu,
                  const struct mach_privilege *machine, const struct pe_try_work *work, struct pe_tried *out)
{
    struct pe_trial t = {
        .kernel = &pe_kernel_linux, .machine = machine, .work = work, .pmu = pmu, .out = out};
    memset(out, 0, sizeof(*out));
    out->opens = true;
    t.spec.ring_bytes = PE_TRY_RING_BYTES;
    t.spec.events_len = attrs_len < PE_CHANNEL_EVENTS_MAX ? attrs_len : PE_CHANNEL_EVENTS_MAX;
    for (unsigned i = 0; i < t.spec.events_len; i++)
        t.spec.events[i] = (struct pe_open_event){.attr = attrs[i], .leader = -1, .gear = PE_GEAR_ANY};
    pe_try_channel(&t, PE_EVERY_CPU);
}
