/* SPDX-License-Identifier: BSD-3-Clause */
/* AMD: instruction based sampling of micro-operations (IBS op), Zen 1 to Zen 5.
 *
 * Sources: arch/x86/events/amd/ibs.c of Linux. perf_ibs_init: exclude_user, exclude_kernel and exclude_hv are
 * EINVAL unless config2 bit 0 (swfilt, Linux 6.14) is set, exclude_idle, exclude_host and exclude_guest
 * always; two IBS events in a group are EINVAL; until 6.14 a period that is no multiple of 16 is EINVAL, from
 * 6.15 one below 0x90 (min_period of perf_ibs_op). Load latency filter of Zen 5: config1[11:0], 128 to 2048
 * in steps of 128, only with L3 misses. A context per task came with 6.2 (task_ctx_nr = perf_hw_context),
 * data source, weight and address with 6.1. PPR for AMD Family 19h Model 01h, IBS_OP_CTL. */
#include "perf/pe_vendor.h"

#include <string.h>

enum {
    IBS_PERIOD_MIN = 0x90,
    IBS_PERIOD_STEP = 16,
    IBS_LDLAT_MIN = 128,
    IBS_LDLAT_MAX = 2048,
    IBS_LDLAT_STEP = 128
};

static bool amd_owns(const struct pe_sysfs *s, const char *pmu)
{
    (void)s;
    return strcmp(pmu, "ibs_op") == 0;
}

static ls_err amd_encode(const struct pe_machine *machine, const char *pmu, const struct pe_request *r,
                         struct pe_plan *plan)
{
    struct pe_encoding *e;
    LS_TRY(pe_plan_add(machine, pmu, plan, &e));
    LS_TRY(pe_encoding_event(machine, "", e));
    /* count micro-operations, so that each is equally likely; a count of cycles favours operations that
     * stall */
    if (pe_sysfs_has(&machine->sysfs, pmu, "format/cnt_ctl"))
        LS_TRY(pe_encoding_set(machine, "cnt_ctl", 1, e));
    else
        pe_plan_note(plan,
                     "This processor samples by cycles, not by operations: waiting ones are more likely.");
    e->loads = r->loads;
    e->stores = r->stores;
    return pe_finish(&pe_vendor_amd, machine, r, e, plan);
}

/* Leave out the kernel: by the kernel's filter, else in the reader. */
static ls_err amd_fit_privilege(const struct pe_machine *machine, struct pe_encoding *e, struct pe_plan *plan)
{
    struct perf_event_attr *a = &e->attrs[e->sampler];
    const bool filters = a->exclude_user || a->exclude_kernel || a->exclude_hv;
    if (a->exclude_idle || a->exclude_host || a->exclude_guest)
        return ls_fail(LS_ERR_ARG, "IBS takes none of the modifiers I, G and H (exclude_idle, exclude_host, "
                                   "exclude_guest): leave them out");
    if (!filters) return LS_OK;
    if (pe_sysfs_has(&machine->sysfs, e->pmu, "format/swfilt"))
        return pe_encoding_set(machine, "swfilt", 1, e);
    if (a->exclude_user)
        return ls_fail(LS_ERR_ARG, "this kernel cannot leave user code out of IBS samples "
                                   "(Linux 6.14 can): leave out the modifiers k and h");
    e->reader_drops_kernel = true;
    a->exclude_kernel = a->exclude_hv = a->exclude_callchain_kernel = 0;
    pe_plan_note(plan,
                 "This kernel cannot leave itself out of IBS samples (Linux 6.14 can): they are dropped when "
                 "read, and perf_event_paranoid must be 1 or lower, or the process have CAP_PERFMON.");
    return LS_OK;
}

/* The hardware's filter supports only loads that missed the L3; if stores are sampled, the reader filters. */
static ls_err amd_fit_threshold(const struct pe_machine *machine, const struct pe_request *r,
                                struct pe_encoding *e, struct pe_plan *plan)
{
    if (r->ldlat_cycles == 0) return LS_OK;
    e->reader_min_cycles = r->ldlat_cycles;
    if (!pe_sysfs_has(&machine->sysfs, e->pmu, "format/ldlat")) {
        pe_plan_note(plan,
                     "This processor or kernel cannot filter by latency (Zen 5 and Linux 6.15 can): loads "
                     "below %u cycles are dropped when read.",
                     r->ldlat_cycles);
        return LS_OK;
    }
    if (e->stores) {
        pe_plan_note(
            plan, "The latency filter of IBS would drop stores: loads below %u cycles are dropped when read.",
            r->ldlat_cycles);
        return LS_OK;
    }
    if (r->ldlat_cycles > IBS_LDLAT_MAX)
        return ls_fail(LS_ERR_RANGE, "--ldlat %u does not fit: IBS takes %d to %d cycles", r->ldlat_cycles,
                       IBS_LDLAT_MIN, IBS_LDLAT_MAX);
    uint32_t cycles = r->ldlat_cycles / IBS_LDLAT_STEP * IBS_LDLAT_STEP;
    if (cycles < IBS_LDLAT_MIN) cycles = IBS_LDLAT_MIN;
    if (cycles >= r->ldlat_cycles) e->reader_min_cycles = 0;
    pe_plan_note(
        plan,
        "The latency filter of IBS works in steps of %d cycles, here %u, and on loads that missed the L3.",
        IBS_LDLAT_STEP, cycles);
    /* the first kernels with the filter required both */
    LS_TRY(pe_encoding_set(machine, "l3missonly", 1, e));
    return pe_encoding_set(machine, "ldlat", cycles, e);
}

static ls_err amd_check_group(const struct pe_encoding *e)
{
    if (e->attrs_len == 1) return LS_OK;
    return ls_fail(LS_ERR_ARG, "IBS takes one event, not a group of %u: name ibs_op alone", e->attrs_len);
}

static ls_err amd_fit(const struct pe_machine *machine, const struct pe_request *r, struct pe_encoding *e,
                      struct pe_plan *plan)
{
    LS_TRY(amd_check_group(e));
    struct perf_event_attr *a = &e->attrs[e->sampler];
    if (!e->loads && !e->stores) e->loads = e->stores = true; /* an event that the user named */
    LS_TRY(amd_fit_privilege(machine, e, plan));
    LS_TRY(amd_fit_threshold(machine, r, e, plan));
    a->precise_ip = 0; /* an IBS event is precise by itself */
    a->sample_type |= PERF_SAMPLE_DATA_SRC | pe_sample_weight(machine->kernel);
    e->decode = PE_DECODE_IBS;
    e->cpu_wide_only = machine->kernel < KERNEL_VERSION(6, 2, 0);
    if (e->cpu_wide_only)
        pe_plan_note(
            plan,
            "Before Linux 6.2 IBS samples whole CPUs only: perf_event_paranoid must be 0 or lower, or the "
            "process have CAP_PERFMON.");
    if (r->ibs_registers || machine->kernel < KERNEL_VERSION(6, 1, 0)) a->sample_type |= PERF_SAMPLE_RAW;
    return LS_OK;
}

/* --- events of the cores ---
 *
 * With precise_ip set, the kernel forwards two core events to IBS and refuses the others with EOPNOTSUPP
 * (core_pmu_ibs_config, forward_event_to_ibs). Without IBS no core event records data addresses. */
static const struct amd_core_event {
    uint64_t config;
    bool counts_operations;
} amd_core_events[] = {{0x76, false}, {0xc1, true}};

static bool amd_core_owns(const struct pe_sysfs *s, const char *pmu)
{
    return strcmp(pmu, "cpu") == 0 && pe_sysfs_has(s, "ibs_op", "type");
}

/* Replace the core event by its IBS equivalent; pe_encoding_set and amd_fit add the rest of the request. */
static ls_err amd_core_to_ibs(const struct pe_machine *machine, const struct amd_core_event *core,
                              struct pe_encoding *e)
{
    const struct perf_event_attr was = e->attrs[0];
    strcpy(e->pmu, "ibs_op");
    pe_sysfs_cpus(&machine->sysfs, e->pmu, e->cpus);
    e->attrs_len = 0;
    LS_TRY(pe_encoding_event(machine, "", e));
    const struct perf_event_attr ibs = e->attrs[0];
    e->attrs[0] = was;
    e->attrs[0].type = ibs.type;
    e->attrs[0].config = ibs.config;
    return core->counts_operations ? pe_encoding_set(machine, "cnt_ctl", 1, e) : LS_OK;
}

static ls_err amd_core_fit(const struct pe_machine *machine, const struct pe_request *r,
                           struct pe_encoding *e, struct pe_plan *plan)
{
    const struct perf_event_attr *a = &e->attrs[e->sampler];
    const struct amd_core_event *core = NULL;
    LS_TRY(amd_check_group(e));
    for (size_t i = 0; i < sizeof(amd_core_events) / sizeof(amd_core_events[0]); i++)
        if (amd_core_events[i].config == a->config) core = &amd_core_events[i];
    if (!core)
        return ls_fail(LS_ERR_ARG,
                       "event config=0x%llx of AMD's cores has no data addresses: IBS has, for operations "
                       "(ibs_op/cnt_ctl=1/) and cycles (ibs_op//); leave out --event for the first",
                       (unsigned long long)a->config);
    LS_TRY(amd_core_to_ibs(machine, core, e));
    pe_plan_note(plan, "AMD's cores leave this event to IBS: %s is taken.",
                 core->counts_operations ? "ibs_op/cnt_ctl=1/" : "ibs_op//");
    return amd_fit(machine, r, e, plan);
}

const struct pe_vendor pe_vendor_amd_core = {
    .name = "amd",
    .method = "IBS op",
    .period_events = 0x40000,
    .period_min = IBS_PERIOD_MIN,
    .period_max = 0x7fffff0,
    .period_step = IBS_PERIOD_STEP,
    .takes_freq = true,
    .owns = amd_core_owns,
    .fit = amd_core_fit,
};

const struct pe_vendor pe_vendor_amd = {
    .name = "amd",
    .method = "IBS op",
    .period_events = 0x40000,
    .period_min = IBS_PERIOD_MIN,
    .period_max = 0x7fffff0, /* 27 bits without the low four; the kernel counts longer periods in pieces */
    .period_step = IBS_PERIOD_STEP,
    .takes_freq = true,
    .owns = amd_owns,
    .encode = amd_encode,
    .fit = amd_fit,
};
