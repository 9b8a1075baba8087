/* SPDX-License-Identifier: BSD-3-Clause */
#include "perf/pe_encode.h"

#include "common/ls_file.h"
#include "machine/mach_privilege.h"
#include "perf/pe_vendor.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* All vendors, NULL at the end. */
static const struct pe_vendor *const pe_vendors[] = {&pe_vendor_intel, &pe_vendor_amd,   &pe_vendor_amd_core,
                                                     &pe_vendor_arm,   &pe_vendor_power, NULL};

/* --- for the vendors ------------------------------------------------------------------------------------ */

uint64_t pe_sample_weight(uint32_t kernel)
{
    return kernel >= KERNEL_VERSION(5, 12, 0) ? PERF_SAMPLE_WEIGHT_STRUCT : PERF_SAMPLE_WEIGHT;
}

ls_err pe_plan_add(const struct pe_machine *machine, const char *pmu, struct pe_plan *plan,
                   struct pe_encoding **out)
{
    if (plan->encodings_len == PE_ENCODINGS_MAX)
        return ls_fail(LS_ERR_UNSUPPORTED, "more than %d kinds of events are needed on this machine",
                       PE_ENCODINGS_MAX);
    struct pe_encoding *e = &plan->encodings[plan->encodings_len++];
    memset(e, 0, sizeof(*e));
    snprintf(e->pmu, sizeof(e->pmu), "%s", pmu);
    pe_sysfs_cpus(&machine->sysfs, pmu, e->cpus);
    *out = e;
    return LS_OK;
}

void pe_plan_note(struct pe_plan *plan, const char *format, ...)
{
    char note[PE_NOTES_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(note, sizeof(note), format, args);
    va_end(args);
    const size_t used = strlen(plan->notes);
    if (strstr(plan->notes, note) || used + strlen(note) + 2 > sizeof(plan->notes)) return;
    sprintf(plan->notes + used, "%s%s", used ? " " : "", note); /* fits, see above */
}

ls_err pe_encoding_event(const struct pe_machine *machine, const char *terms, struct pe_encoding *e)
{
    struct pe_event event;
    if (e->attrs_len == PE_GROUP_MAX)
        return ls_fail(LS_ERR_ARG, "a group has more than %d events", PE_GROUP_MAX);
    memset(&event, 0, sizeof(event));
    event.attr.size = sizeof(event.attr);
    strcpy(event.pmu, e->pmu);
    LS_TRY(pe_sysfs_type(&machine->sysfs, e->pmu, &event.attr.type));
    LS_TRY(pe_event_terms(&machine->sysfs, terms, &event));
    e->attrs[e->attrs_len] = event.attr;
    e->sampler = e->attrs_len++;
    return LS_OK;
}

ls_err pe_encoding_set(const struct pe_machine *machine, const char *field, uint64_t value,
                       struct pe_encoding *e)
{
    struct pe_event event;
    memset(&event, 0, sizeof(event));
    strcpy(event.pmu, e->pmu);
    event.attr = e->attrs[e->sampler];
    LS_TRY(pe_event_set(&machine->sysfs, field, value, &event));
    e->attrs[e->sampler] = event.attr;
    return LS_OK;
}

/* --- the common rules ----------------------------------------------------------------------------------- */

static ls_err pe_finish_rate(const struct pe_vendor *v, const struct pe_request *r, struct pe_encoding *e,
                             struct pe_plan *plan)
{
    struct perf_event_attr *a = &e->attrs[e->sampler];
    const bool by_freq = r->freq_hz || (!r->period_events && a->freq);
    if (by_freq && !v->takes_freq)
        return ls_fail(LS_ERR_ARG,
                       "%s samples by a period, not by a frequency: give --period instead of --freq",
                       v->method);
    if (by_freq) {
        a->freq = 1;
        if (r->freq_hz) a->sample_freq = r->freq_hz;
        return LS_OK;
    }
    const uint64_t asked = r->period_events ? r->period_events : a->sample_period;
    a->freq = 0;
    a->sample_period = pe_period_fit(e, asked ? asked : v->period_events);
    if (asked && a->sample_period != asked)
        pe_plan_note(plan, "The period is %llu, the nearest that %s takes.",
                     (unsigned long long)a->sample_period, v->method);
    return LS_OK;
}

static void pe_finish_privilege(const struct pe_request *r, struct pe_encoding *e)
{
    for (unsigned i = 0; r->user_only && i < e->attrs_len; i++) {
        struct perf_event_attr *a = &e->attrs[i];
        if (!a->exclude_user) a->exclude_kernel = a->exclude_hv = 1;
    }
}

static void pe_finish_samples(const struct pe_request *r, struct pe_encoding *e)
{
    struct perf_event_attr *a = &e->attrs[e->sampler];
    a->sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                     PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;
    /* with it the kernel takes every software event, whatever the period (perf_swevent_event) */
    if (a->type == PERF_TYPE_SOFTWARE) a->sample_type &= ~(uint64_t)PERF_SAMPLE_PERIOD;
    if (!r->callchain) return;
    a->sample_type |= PERF_SAMPLE_CALLCHAIN;
    a->exclude_callchain_kernel = a->exclude_kernel;
}

static ls_err pe_finish_l3(const struct pe_machine *machine, const struct pe_request *r,
                           struct pe_encoding *e)
{
    if (!r->l3_miss_only) return LS_OK;
    if (!pe_sysfs_has(&machine->sysfs, e->pmu, "format/l3missonly"))
        return ls_fail(LS_ERR_UNSUPPORTED,
                       "PMU %s cannot sample L3 misses only: AMD's Zen 4 with Linux 6.0 can; leave the "
                       "option out, or ask for a latency (--ldlat)",
                       e->pmu);
    return pe_encoding_set(machine, "l3missonly", 1, e);
}

/* Make the other members of the group count only. */
static void pe_finish_counters(struct pe_encoding *e)
{
    for (unsigned i = 0; i < e->attrs_len; i++) {
        if (i == e->sampler) continue;
        e->attrs[i].freq = 0;
        e->attrs[i].sample_period = 0;
        e->attrs[i].sample_type = 0;
    }
}

static void pe_finish_text(struct pe_encoding *e)
{
    size_t used = 0;
    for (unsigned i = 0; i < e->attrs_len; i++) {
        char one[PE_EVENT_BYTES];
        pe_event_print(e->pmu, &e->attrs[i], one);
        const int n = snprintf(e->event + used, sizeof(e->event) - used, "%s%s%s",
                               i                  ? ","
                               : e->attrs_len > 1 ? "{"
                                                  : "",
                               one, e->attrs_len > 1 && i + 1 == e->attrs_len ? "}" : "");
        if (n < 0 || (size_t)n >= sizeof(e->event) - used)
            return; /* may be truncated: the text is only printed */
        used += (size_t)n;
    }
}

ls_err pe_finish(const struct pe_vendor *v, const struct pe_machine *machine, const struct pe_request *r,
                 struct pe_encoding *e, struct pe_plan *plan)
{
    e->period_min = v->period_min;
    e->period_max = v->period_max;
    e->period_step = v->period_step;
    uint64_t least = 0;
    if (pe_sysfs_number(&machine->sysfs, e->pmu, "caps/min_interval", &least) && least > e->period_min)
        e->period_min = least; /* SPE */
    LS_TRY(pe_finish_rate(v, r, e, plan));
    LS_TRY(pe_finish_l3(machine, r, e));
    pe_finish_privilege(r, e);
    pe_finish_samples(r, e);
    if (v->fit) LS_TRY(v->fit(machine, r, e, plan));
    pe_finish_counters(e);
    pe_finish_text(e);
    return LS_OK;
}

/* --- events that the user names
 * ------------------------------------------------------------------------------ */

static ls_err user_fit(const struct pe_machine *machine, const struct pe_request *r, struct pe_encoding *e,
                       struct pe_plan *plan)
{
    (void)machine;
    struct perf_event_attr *a = &e->attrs[e->sampler];
    if (a->precise_ip) {
        a->sample_type |= PERF_SAMPLE_DATA_SRC | pe_sample_weight(machine->kernel);
        e->decode = PE_DECODE_DATA_SRC;
    } else {
        pe_plan_note(plan, "The event is not precise: most PMUs then give no data addresses; add a p or P.");
    }
    if (r->ldlat_cycles) pe_plan_note(plan, "--ldlat has no effect on an event of PMU %s.", e->pmu);
    e->loads = e->stores = true;
    return LS_OK;
}

/* Rules for a PMU of an unknown vendor: only the user's text describes the event. */
static const struct pe_vendor pe_vendor_user = {
    .name = "user",
    .method = "user event",
    .period_events = 100003,
    .period_min = 1,
    .period_max = INT64_MAX,
    .period_step = 1,
    .takes_freq = true,
    .fit = user_fit,
};

static const struct pe_vendor *pe_vendor_of(const struct pe_sysfs *s, const char *pmu)
{
    for (size_t i = 0; pe_vendors[i]; i++)
        if (pe_vendors[i]->owns(s, pmu)) return pe_vendors[i];
    return &pe_vendor_user;
}

static ls_err pe_check_group(const struct pe_event_group *g)
{
    for (unsigned i = 1; i < g->len; i++)
        if (strcmp(g->events[i].pmu, g->events[0].pmu) != 0)
            return ls_fail(LS_ERR_ARG, "a group is of one PMU: %s and %s cannot be counted together",
                           g->events[0].pmu, g->events[i].pmu);
    return LS_OK;
}

/* P requests the highest available level. */
static unsigned pe_precise_most(const struct pe_sysfs *s, const char *pmu)
{
    uint64_t most = 2;
    pe_sysfs_number(s, pmu, "caps/max_precise", &most);
    return most > 3 ? 3 : (unsigned)most;
}

static void pe_take_events(const struct pe_sysfs *s, const struct pe_event_group *g, struct pe_encoding *e)
{
    for (unsigned i = 0; i < g->len; i++) {
        e->attrs[i] = g->events[i].attr;
        if (g->events[i].precise_max) e->attrs[i].precise_ip = pe_precise_most(s, e->pmu);
    }
    e->attrs_len = g->len;
    /* the auxiliary event goes in front of the one that samples (Intel); in other groups the first one
     * samples */
    e->sampler = g->len > 1 && strcmp(g->events[0].name, "mem-loads-aux") == 0;
    e->loads = strcmp(g->events[e->sampler].name, "mem-loads") == 0;
    e->stores = strcmp(g->events[e->sampler].name, "mem-stores") == 0;
}

static ls_err pe_encode_group(const struct pe_machine *machine, const struct pe_request *r,
                              const struct pe_event_group *g, struct pe_plan *plan)
{
    const char *pmu = g->events[0].pmu;
    /* a raw code without a PMU belongs to the first core PMU, which the kernel uses for PERF_TYPE_RAW */
    const char *owner = strcmp(pmu, "raw") != 0                        ? pmu
                        : pe_sysfs_has(&machine->sysfs, "cpu", "type") ? "cpu"
                                                                       : "cpu_core";
    const struct pe_vendor *v = pe_vendor_of(&machine->sysfs, owner);
    struct pe_encoding *e;
    LS_TRY(pe_check_group(g));
    LS_TRY(pe_plan_add(machine, owner, plan, &e));
    pe_take_events(&machine->sysfs, g, e);
    plan->vendor = v->name;
    plan->method = v->method;
    struct pe_request wanted = *r;
    if (g->events[e->sampler].privileges_given) wanted.user_only = false; /* u, k or h was given */
    return pe_finish(v, machine, &wanted, e, plan);
}

/* A bare name selects that event on every PMU that has it. */
static ls_err pe_encode_bare(const struct pe_machine *machine, const struct pe_request *r, const char *name,
                             struct pe_plan *plan)
{
    char file[PE_EVENT_BYTES + 8], events[160] = "";
    for (unsigned i = 0; i < machine->sysfs.pmus_len; i++) {
        const char *pmu = machine->sysfs.pmus[i];
        struct pe_event_group group;
        snprintf(file, sizeof(file), "events/%s", name);
        if (!pe_sysfs_has(&machine->sysfs, pmu, file)) continue;
        LS_TRY(pe_event_parse(&machine->sysfs, r->event, pmu, &group));
        LS_TRY(pe_encode_group(machine, r, &group, plan));
    }
    if (plan->encodings_len) return LS_OK;
    if (machine->sysfs.pmus_len)
        pe_sysfs_names(&machine->sysfs, machine->sysfs.pmus[0], "events", events, sizeof(events));
    return ls_fail(LS_ERR_ARG,
                   "no PMU has an event '%s'%s%s; write PMU/TERMS/, a raw code (r1cd) or a name of libpfm4",
                   name, *events ? "; there are " : "", events);
}

static ls_err pe_encode_user(const struct pe_machine *machine, const struct pe_request *r,
                             struct pe_plan *plan)
{
    char bare[PE_EVENT_BYTES];
    struct pe_event_group group;
    if (strlen(r->event) >= PE_EVENT_BYTES)
        return ls_fail(LS_ERR_ARG, "the event is longer than %d characters", PE_EVENT_BYTES - 1);
    if (pe_event_take_bare(r->event, bare, sizeof(bare))) return pe_encode_bare(machine, r, bare, plan);
    LS_TRY(pe_event_parse(&machine->sysfs, r->event, NULL, &group));
    return pe_encode_group(machine, r, &group, plan);
}

/* --- our events ----------------------------------------------------------------------------------------- */

static ls_err pe_none_here(const struct pe_sysfs *s)
{
    char pmus[160];
    pe_sysfs_pmus(s, pmus, sizeof(pmus));
    if (!*pmus)
        return ls_fail(LS_ERR_UNSUPPORTED,
                       "no hardware PMU visible in %s/bus/event_source/devices (virtual machine?)", s->root);
    return ls_fail(LS_ERR_UNSUPPORTED,
                   "no PMU here samples loads (seen: %s): neither PEBS (cpu with ldlat), IBS (ibs_op), "
                   "SPE (arm_spe_0) nor POWER's mem-loads is visible; in a virtual machine, run on the host",
                   pmus);
}

static ls_err pe_encode_ours(const struct pe_machine *machine, const struct pe_request *r,
                             struct pe_plan *plan)
{
    for (size_t v = 0; pe_vendors[v] && plan->encodings_len == 0; v++) {
        plan->vendor = pe_vendors[v]->name;
        plan->method = pe_vendors[v]->method;
        for (unsigned i = 0; i < machine->sysfs.pmus_len; i++)
            if (pe_vendors[v]->encode && pe_vendors[v]->owns(&machine->sysfs, machine->sysfs.pmus[i]))
                LS_TRY(pe_vendors[v]->encode(machine, machine->sysfs.pmus[i], r, plan));
    }
    return plan->encodings_len ? LS_OK : pe_none_here(&machine->sysfs);
}

ls_err pe_encode_loads(const struct pe_request *r, struct pe_plan *out)
{
    struct pe_machine machine;
    memset(out, 0, sizeof(*out));
    if (r->period_events && r->freq_hz)
        return ls_fail(LS_ERR_ARG,
                       "a period and a frequency exclude each other: leave out --period or --freq");
    const bool has_event = r->event && *r->event;
    if (!has_event && !r->loads && !r->stores)
        return ls_fail(LS_ERR_ARG, "neither loads nor stores are to be sampled");
    LS_TRY(pe_sysfs_list(r->sysfs_root, &machine.sysfs));
    machine.kernel = r->kernel ? r->kernel : mach_kernel_version();
    return has_event ? pe_encode_user(&machine, r, out) : pe_encode_ours(&machine, r, out);
}

/* --- periods and CPUs ----------------------------------------------------------------------------------- */

uint64_t pe_period_fit(const struct pe_encoding *e, uint64_t period_events)
{
    uint64_t p = period_events > e->period_max ? e->period_max : period_events;
    const uint64_t step = e->period_step ? e->period_step : 1;
    p -= p % step;
    if (p >= e->period_min) return p;
    return (e->period_min + step - 1) / step * step;
}

bool pe_encoding_has_cpu(const struct pe_encoding *e, unsigned cpu)
{
    if (!e->cpus[0]) return true;
    unsigned first, last;
    for (const char *at = e->cpus; ls_cpus_next(&at, &first, &last);)
        if (cpu >= first && cpu <= last) return true;
    return false;
}
