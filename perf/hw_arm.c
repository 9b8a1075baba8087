/* SPDX-License-Identifier: BSD-3-Clause */
/* Arm: the Statistical Profiling Extension (SPE), Neoverse N1 and later.
 *
 * Sources: drivers/perf/arm_spe_pmu.c of Linux (fields of config, config1 and config2;
 * arm_spe_pmu_event_init: freq is EINVAL, exclude_idle EOPNOTSUPP, physical addresses without CAP_PERFMON
 * EACCES; arm_spe_event_sanitise_period: the interval is cut to bits 31:8 and raised to caps/min_interval),
 * Arm ARM DDI 0487, PMSIRR_EL1 and PMSFCR_EL1. */
#include "common/ls_file.h"
#include "perf/pe_spe.h"
#include "perf/pe_vendor.h"

#include <string.h>

enum { SPE_PERIOD_STEP = 256 };

static bool arm_owns(const struct pe_sysfs *s, const char *pmu)
{
    (void)s;
    return strncmp(pmu, "arm_spe_", 8) == 0;
}

/* Return the data source numbering of the PMU's first CPU; all CPUs of one PMU are of one kind. */
static enum pe_spe_sources arm_sources(const struct pe_machine *machine, const struct pe_encoding *e)
{
    uint64_t midr;
    unsigned first = 0, last;
    const char *at = e->cpus;
    ls_cpus_next(&at, &first, &last);
    return pe_sysfs_midr(&machine->sysfs, first, &midr) ? pe_spe_sources_of(midr) : PE_SPE_SOURCES_NONE;
}

static ls_err arm_encode(const struct pe_machine *machine, const char *pmu, const struct pe_request *r,
                         struct pe_plan *plan)
{
    const struct {
        const char *field;
        uint64_t value;
    } fields[] = {
        {"ts_enable",
         1},           /* a record's time; physical addresses (pa_enable) stay off: they need a privilege */
        {"jitter", 1}, /* so that loops do not run in step with the interval */
        {"load_filter", r->loads},
        {"store_filter", r->stores},
    };
    struct pe_encoding *e;
    LS_TRY(pe_plan_add(machine, pmu, plan, &e));
    LS_TRY(pe_encoding_event(machine, "", e));
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
        LS_TRY(pe_encoding_set(machine, fields[i].field, fields[i].value, e));
    e->loads = r->loads;
    e->stores = r->stores;
    return pe_finish(&pe_vendor_arm, machine, r, e, plan);
}

static ls_err arm_fit(const struct pe_machine *machine, const struct pe_request *r, struct pe_encoding *e,
                      struct pe_plan *plan)
{
    struct perf_event_attr *a = &e->attrs[e->sampler];
    if (e->attrs_len > 1)
        return ls_fail(LS_ERR_ARG, "SPE takes one event, not a group of %u: name %s alone", e->attrs_len,
                       e->pmu);
    if (a->exclude_idle)
        return ls_fail(LS_ERR_ARG, "SPE does not take the modifier I (exclude_idle): leave it out");
    if (r->ldlat_cycles) LS_TRY(pe_encoding_set(machine, "min_latency", r->ldlat_cycles, e));
    if (r->callchain) pe_plan_note(plan, "SPE records no call stacks.");
    a->precise_ip = 0;
    a->exclude_callchain_kernel = 0;
    /* fields of the side-band records; the samples are in the AUX area */
    a->sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
    e->decode = PE_DECODE_SPE;
    e->needs_aux = true;
    e->sources = arm_sources(machine, e);
    if (!e->loads && !e->stores) e->loads = e->stores = true;
    return LS_OK;
}

const struct pe_vendor pe_vendor_arm = {
    .name = "arm",
    .method = "SPE",
    .period_events = 0x40000,
    .period_min = SPE_PERIOD_STEP,
    .period_max = 0xffffff00,
    .period_step = SPE_PERIOD_STEP,
    .takes_freq = false,
    .owns = arm_owns,
    .encode = arm_encode,
    .fit = arm_fit,
};
