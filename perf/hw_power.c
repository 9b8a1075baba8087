/* SPDX-License-Identifier: BSD-3-Clause */
/* IBM POWER8 and later: marked loads and stores. The address comes from SDAR, the source from SIER, the
 * weight from the threshold counter.
 *
 * Sources: arch/powerpc/perf/power9-events-list.h (MEM_LOADS 0x34340401e0, MEM_STORES 0x343c0401e0),
 * power10-events-list.h (0x35340401e0, 0x353c0401e0), power8-events-list.h (MEM_ACCESS 0x10401e0: loads and
 * stores together), isa207-common.c of Linux. Only POWER PMUs have the field pmcxsel. */
#include "perf/pe_vendor.h"

#include <string.h>

static bool power_owns(const struct pe_sysfs *s, const char *pmu)
{
    return strcmp(pmu, "cpu") == 0 && pe_sysfs_has(s, pmu, "format/pmcxsel");
}

static ls_err power_one(const struct pe_machine *machine, const char *pmu, const char *event,
                        const struct pe_request *r, struct pe_plan *plan)
{
    struct pe_encoding *e;
    LS_TRY(pe_plan_add(machine, pmu, plan, &e));
    LS_TRY(pe_encoding_event(machine, event, e));
    e->loads = strcmp(event, "mem-stores") != 0;
    e->stores = strcmp(event, "mem-loads") != 0;
    return pe_finish(&pe_vendor_power, machine, r, e, plan);
}

static ls_err power_encode(const struct pe_machine *machine, const char *pmu, const struct pe_request *r,
                           struct pe_plan *plan)
{
    if (pe_sysfs_has(&machine->sysfs, pmu, "events/mem-loads")) {
        if (r->loads) LS_TRY(power_one(machine, pmu, "mem-loads", r, plan));
        if (r->stores) LS_TRY(power_one(machine, pmu, "mem-stores", r, plan));
        return LS_OK;
    }
    if (pe_sysfs_has(&machine->sysfs, pmu, "events/mem_access")) {
        pe_plan_note(plan, "POWER8 samples loads and stores by one event.");
        return power_one(machine, pmu, "mem_access", r, plan);
    }
    return ls_fail(
        LS_ERR_UNSUPPORTED,
        "PMU cpu has neither mem-loads nor mem_access: this processor or kernel marks no loads; needs POWER8 "
        "and a kernel that knows the processor");
}

static ls_err power_fit(const struct pe_machine *machine, const struct pe_request *r, struct pe_encoding *e,
                        struct pe_plan *plan)
{
    struct perf_event_attr *a = &e->attrs[e->sampler];
    a->precise_ip = 0; /* marked events are exact */
    a->sample_type |= PERF_SAMPLE_DATA_SRC | pe_sample_weight(machine->kernel);
    e->decode = PE_DECODE_DATA_SRC;
    if (!e->loads && !e->stores) e->loads = e->stores = true; /* an event that the user named */
    if (r->ldlat_cycles && e->loads) {
        e->reader_min_cycles = r->ldlat_cycles;
        pe_plan_note(plan, "POWER cannot filter by latency: loads below %u cycles are dropped when read.",
                     r->ldlat_cycles);
    }
    return LS_OK;
}

const struct pe_vendor pe_vendor_power = {
    .name = "power",
    .method = "marked events",
    .period_events = 100003,
    .period_min = 1,
    .period_max = 0x7fffffff,
    .period_step = 1,
    .takes_freq = true,
    .owns = power_owns,
    .encode = power_encode,
    .fit = power_fit,
};
