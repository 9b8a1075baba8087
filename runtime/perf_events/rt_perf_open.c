/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens events for engines on perf_event: the base of their attributes, the attributes that this kernel
 * accepts and why it refuses others; the channels of a process, one a CPU or one a thread. */
#include "runtime/core/rt_fds_sigsafe.h"
#include "runtime/core/rt_text_sigsafe.h"
#include "runtime/perf_events/rt_perf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <time.h>

enum {
    THREAD_RING_BYTES = 256 << 10,
    FDS_PART = 4, /* divisor: part of the program's limit of descriptors */
};

static void note_opened(int *slot)
{
    *slot = rt_fds_move_high(*slot);
    rt_fds_guard(slot);
}

static void note_closing(int *slot)
{
    rt_fds_unguard(slot);
}

static struct pe_kernel rt_perf_linux;

const struct pe_kernel *rt_perf_kernel(void)
{
    if (!rt_perf_linux.open) { /* first in the constructor, where no other thread is */
        rt_perf_linux = pe_kernel_linux;
        rt_perf_linux.opened = note_opened;
        rt_perf_linux.closing = note_closing;
    }
    return &rt_perf_linux;
}

struct perf_event_attr rt_perf_attr(uint32_t type, uint64_t config, uint64_t period_events)
{
    struct perf_event_attr a = {
        .size = sizeof(a),
        .type = type,
        .config = config,
        .sample_period = period_events,
        .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                       PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD,
        .read_format = UINT64_C(1) << 4, /* PERF_FORMAT_LOST, Linux 6.0 */
        .inherit = 1,
        .inherit_thread = 1,
        .remove_on_exec = 1,
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC,
        .watermark = 1,
        .exclude_callchain_kernel = 1,
    };
    rt_perf_sample_attr(&a, rt_state.config.callstack);
    return a;
}

void rt_perf_keep_first_gear(struct pe_open_spec *spec)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < spec->events_len; i++) {
        const uint8_t gear = spec->events[i].gear;
        if (gear == 0 || gear == PE_GEAR_ANY) spec->events[kept++] = spec->events[i];
    }
    spec->events_len = kept;
}

void rt_perf_make_by_thread(struct pe_open_spec *spec)
{
    rt_perf_keep_first_gear(spec);
    for (unsigned i = 0; i < spec->events_len; i++)
        spec->events[i].attr.inherit = spec->events[i].attr.inherit_thread = 0;
    spec->ring_bytes = THREAD_RING_BYTES;
}

const struct perf_event_attr *rt_perf_first_sampling(const struct pe_open_spec *spec)
{
    unsigned i = 0;
    while (i + 1 < spec->events_len && !spec->events[i].attr.sample_period)
        i++;
    return &spec->events[i].attr;
}

/* On the first CPU that has it: this thread may be on one that has not. */
static struct pe_refusal fit_where_it_is(struct pe_open_spec *spec, bool by_thread, unsigned *weak)
{
    const int cpus = get_nprocs_conf();
    int cpu = by_thread ? -1 : 0;
    struct pe_refusal refusal = pe_open_fit(spec, rt_perf_kernel(), 0, cpu, weak);
    while (!by_thread && refusal.error == ENODEV && ++cpu < cpus)
        refusal = pe_open_fit(spec, rt_perf_kernel(), 0, cpu, weak);
    return refusal;
}

int rt_perf_probe(struct rt_perf_engine *e, unsigned *weak)
{
    struct pe_open_spec as_opened = e->spec;
    as_opened.ring_bytes = PE_RING_MIN_BYTES;
    if (as_opened.aux_bytes) as_opened.aux_bytes = PE_AUX_MIN_BYTES;
    if (e->by_thread) rt_perf_make_by_thread(&as_opened);
    e->refusal = fit_where_it_is(&as_opened, e->by_thread, weak);
    /* remove the same fields from the other events */
    for (unsigned i = 0; !e->refusal.error && i < e->spec.events_len; i++) {
        struct perf_event_attr *a = &e->spec.events[i].attr;
        const struct perf_event_attr *fit = rt_perf_first_sampling(&as_opened);
        if (a->sample_period) { /* not a leader that only counts */
            a->sample_type = fit->sample_type;
            a->read_format = fit->read_format;
        }
        if (*weak & 1u << PE_WEAK_THREADS_ONLY) a->inherit_thread = a->remove_on_exec = 0;
        if (*weak & 1u << PE_WEAK_KERNEL) a->exclude_kernel = a->exclude_hv = 1;
    }
    return e->refusal.error;
}

void rt_perf_why(const struct rt_perf_engine *e, struct pe_facts known, char *why, size_t why_len)
{
    struct mach_privilege machine;
    struct pe_advice advice = {.cause = ""};
    mach_privilege_read("", getenv, &machine);
    known.machine = &machine;
    known.ring_kib = (e->refusal.call == PE_AT_MMAP_AUX ? PE_AUX_MIN_BYTES : PE_RING_MIN_BYTES) / 1024;
    if (!known.attr) known.attr = &e->spec.events[e->refusal.event].attr;
    pe_advise(e->refusal.error, e->refusal.call, &known, &advice);
    struct rt_text text = rt_text_in(why, why_len);
    rt_text_add(&text, advice.cause);
    if (advice.remedy[0]) rt_text_add(&text, ": ");
    rt_text_add(&text, advice.remedy);
}

void rt_perf_cost_text(const char *text, uint32_t cost_ns, const char *how, char *out, size_t out_len)
{
    char number[32];
    struct rt_text t = rt_text_in(out, out_len);
    snprintf(number, sizeof(number), "%u.%02u", cost_ns / 1000, cost_ns % 1000 / 10);
    rt_text_add(&t, text);
    rt_text_add(&t, "; one costs ");
    rt_text_add(&t, number);
    rt_text_add(&t, " us, ");
    rt_text_add(&t, how);
}

/* --- channels --- */

static unsigned cpus_configured(void)
{
    const int n = get_nprocs_conf();
    return n > 0 ? (unsigned)n : 1;
}

static bool have_room(const struct rt_perf_channels *t, size_t events)
{
    struct rlimit limit;
    for (unsigned i = 0; i < t->len; i++)
        events += t->rows[i].events_len;
    return getrlimit(RLIMIT_NOFILE, &limit) != 0 || events <= limit.rlim_cur / FDS_PART;
}

bool rt_perf_channels_have_room_for_cpus(const struct rt_perf_channels *t, const struct pe_open_spec *spec)
{
    return have_room(t, (size_t)cpus_configured() * spec->events_len);
}

/* On an error, `why` is the refusal of the CPU that refused. */
static int open_each_cpu(struct rt_perf_channels *t, const struct pe_open_spec *spec, struct pe_refusal *why)
{
    const unsigned cpus = cpus_configured();
    for (unsigned cpu = 0; cpu < cpus; cpu++) {
        struct pe_channel *l = &t->rows[t->len];
        const int error = pe_channel_open(l, rt_perf_kernel(), spec, 0, (int)cpu);
        *why = l->refusal;
        if (error && error != ENODEV) return error;
        if (!error) t->len++; /* else it is not online, or has none of the PMUs */
    }
    return t->len ? 0 : ENODEV;
}

int rt_perf_channels_open_cpus(struct rt_perf_channels *t, struct pe_open_spec *spec)
{
    struct pe_refusal why;
    int error;
    if (cpus_configured() > RT_PERF_CHANNELS_MAX || !rt_perf_channels_have_room_for_cpus(t, spec))
        return EMFILE;
    spec->is_exact = true;
    do {
        error = open_each_cpu(t, spec, &why);
        if (error) rt_perf_channels_close_all(t);
    } while (error && pe_refusal_is_of_memory(&why) && pe_sizes_halve(&spec->ring_bytes, &spec->aux_bytes));
    spec->is_exact = false;
    return error;
}

static struct pe_channel *free_row(struct rt_perf_channels *t)
{
    for (unsigned i = 0; i < t->len; i++)
        if (!t->rows[i].events_len) return &t->rows[i];
    return t->len < RT_PERF_CHANNELS_MAX ? &t->rows[t->len++] : NULL;
}

int rt_perf_channels_open_thread(struct rt_perf_channels *t, const struct pe_open_spec *spec, int tid,
                                 struct pe_channel **out)
{
    struct pe_channel *l = have_room(t, spec->events_len) ? free_row(t) : NULL;
    *out = l;
    return l ? pe_channel_open(l, rt_perf_kernel(), spec, tid, -1) : EMFILE;
}

struct pe_channel *rt_perf_channels_of_thread(const struct rt_perf_channels *t, int tid)
{
    for (unsigned i = 0; i < t->len; i++)
        if (t->rows[i].events_len && t->rows[i].tid == tid) return &t->rows[i];
    return NULL;
}

void rt_perf_channels_close_all(struct rt_perf_channels *t)
{
    for (unsigned i = 0; i < t->len; i++)
        if (t->rows[i].events_len) pe_channel_close(&t->rows[i], rt_perf_kernel());
    t->len = 0;
}
