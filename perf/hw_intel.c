/* SPDX-License-Identifier: BSD-3-Clause */
/* Intel: PEBS with load latency, and precise stores.
 *
 * Sources: arch/x86/events/intel/core.c of Linux 6.1 to 6.15 (mem_ld_nhm, mem_ld_snb, mem_ld_hsw, mem_ld_grt,
 * mem_ld_adl, mem_st_*, mem_ld_aux; intel_pmu_hw_config refuses a load latency event with
 * PERF_SAMPLE_DATA_SRC without the auxiliary event in front of it with ENODATA), arch/x86/events/core.c
 * (x86_pmu_hw_config: precision above max_precise is EOPNOTSUPP, precision of an event that only counts is
 * EINVAL), names of pmu_name ibid. */
#include "perf/pe_vendor.h"

#include <string.h>

enum { INTEL_LDLAT_MIN = 3, INTEL_PRECISE = 2 };

/* Events by micro-architecture (caps/pmu_name), for kernels whose sysfs has no mem-loads. */
static const struct intel_core {
    const char *pmu_name, *pmu; /* pmu NULL: the only PMU, "cpu" */
    const char *loads, *stores, *aux;
} intel_cores[] = {
    {"nehalem", NULL, "event=0x0b,umask=0x10", NULL, NULL},
    {"westmere", NULL, "event=0x0b,umask=0x10", NULL, NULL},
    {"sandybridge", NULL, "event=0xcd,umask=0x1", "event=0xcd,umask=0x2", NULL},
    {"ivybridge", NULL, "event=0xcd,umask=0x1", "event=0xcd,umask=0x2", NULL},
    {"haswell", NULL, "event=0xcd,umask=0x1", "event=0xd0,umask=0x82", NULL},
    {"broadwell", NULL, "event=0xcd,umask=0x1", "event=0xd0,umask=0x82", NULL},
    {"skylake", NULL, "event=0xcd,umask=0x1", "event=0xd0,umask=0x82", NULL},
    {"icelake", NULL, "event=0xcd,umask=0x1", "event=0xd0,umask=0x82", NULL},
    {"sapphire_rapids", NULL, "event=0xcd,umask=0x1", "event=0xcd,umask=0x2", "event=0x03,umask=0x82"},
    {"granite_rapids", NULL, "event=0xcd,umask=0x1", "event=0xcd,umask=0x2", NULL},
    {"gracemont", NULL, "event=0xd0,umask=0x5", "event=0xd0,umask=0x6", NULL},
    {"crestmont", NULL, "event=0xd0,umask=0x5", "event=0xd0,umask=0x6", NULL},
    {"darkmont", NULL, "event=0xd0,umask=0x5", "event=0xd0,umask=0x6", NULL},
    {"alderlake_hybrid", "cpu_core", "event=0xcd,umask=0x1", "event=0xcd,umask=0x2", "event=0x03,umask=0x82"},
    {"alderlake_hybrid", "cpu_atom", "event=0xd0,umask=0x5", "event=0xd0,umask=0x6", NULL},
    {"meteorlake_hybrid", "cpu_core", "event=0xcd,umask=0x1", "event=0xcd,umask=0x2", NULL},
    {"meteorlake_hybrid", "cpu_atom", "event=0xd0,umask=0x5", "event=0xd0,umask=0x6", NULL},
    {"lunarlake_hybrid", "cpu_core", "event=0xcd,umask=0x1", "event=0xcd,umask=0x2", NULL},
    {"lunarlake_hybrid", "cpu_atom", "event=0xd0,umask=0x5", "event=0xd0,umask=0x6", NULL},
    {"arrowlake_h_hybrid", "cpu_core", "event=0xcd,umask=0x1", "event=0xcd,umask=0x2", NULL},
    {"arrowlake_h_hybrid", "cpu_atom", "event=0xd0,umask=0x5", "event=0xd0,umask=0x6", NULL},
    {"arrowlake_h_hybrid", "cpu_lowpower", "event=0xd0,umask=0x5", "event=0xd0,umask=0x6", NULL},
    {"pantherlake_hybrid", "cpu_core", "event=0xcd,umask=0x1", "event=0xcd,umask=0x2", NULL},
    {"pantherlake_hybrid", "cpu_atom", "event=0xd0,umask=0x5", "event=0xd0,umask=0x6", NULL},
};

static const struct intel_core *intel_core_find(const struct pe_sysfs *s, const char *pmu)
{
    char name[PE_PMU_BYTES];
    if (!pe_sysfs_text(s, pmu, "caps/pmu_name", name, sizeof(name))) return NULL;
    for (size_t i = 0; i < sizeof(intel_cores) / sizeof(intel_cores[0]); i++) {
        const struct intel_core *c = &intel_cores[i];
        if (strcmp(c->pmu_name, name) == 0 && (!c->pmu || strcmp(c->pmu, pmu) == 0)) return c;
    }
    return NULL;
}

/* The field ldlat identifies an Intel core PMU; the kernel has it even if PEBS is hidden (virtual machines). */
static bool intel_owns(const struct pe_sysfs *s, const char *pmu)
{
    return strncmp(pmu, "cpu", 3) == 0 && pe_sysfs_has(s, pmu, "format/ldlat");
}

/* Set *terms to the event of sysfs, else to the one of the table. False when neither has one. */
static bool intel_terms(const struct pe_sysfs *s, const char *pmu, const char *event, const char *from_table,
                        const char **terms)
{
    char file[64] = "events/";
    strcat(file, event);
    *terms = pe_sysfs_has(s, pmu, file) ? event : from_table;
    return *terms != NULL;
}

static ls_err intel_no_pebs(const char *pmu)
{
    return ls_fail(LS_ERR_UNSUPPORTED,
                   "PMU %s takes no precise events (caps/max_precise is 0): PEBS is hidden, as in a virtual "
                   "machine without it; run on the host, or give the machine PEBS (QEMU: -cpu host,pmu=on)",
                   pmu);
}

static ls_err intel_check_pebs(const struct pe_sysfs *s, const char *pmu)
{
    uint64_t max_precise = 0;
    char name[PE_PMU_BYTES];
    if (pe_sysfs_number(s, pmu, "caps/max_precise", &max_precise) && max_precise == 0)
        return intel_no_pebs(pmu);
    if (pe_sysfs_has(s, pmu, "events/mem-loads") || intel_core_find(s, pmu)) return LS_OK;
    if (!pe_sysfs_text(s, pmu, "caps/pmu_name", name, sizeof(name))) strcpy(name, "unknown to the kernel");
    return ls_fail(
        LS_ERR_UNSUPPORTED,
        "PMU %s (%s) has no event mem-loads: the kernel is older than the processor, or sees no PEBS; give "
        "the event with --event, or boot a newer kernel",
        pmu, name);
}

static ls_err intel_loads(const struct pe_machine *machine, const char *pmu, const struct pe_request *r,
                          struct pe_plan *plan)
{
    const struct intel_core *core = intel_core_find(&machine->sysfs, pmu);
    struct pe_encoding *e;
    const char *terms = NULL, *aux = NULL;
    LS_TRY(pe_plan_add(machine, pmu, plan, &e));
    if (!intel_terms(&machine->sysfs, pmu, "mem-loads", core ? core->loads : NULL, &terms))
        return ls_fail(LS_ERR_UNSUPPORTED, "PMU %s has no event for loads", pmu);
    /* the auxiliary event is needed where sysfs names it; the table applies only where sysfs names no
     * event */
    const char *aux_row = strcmp(terms, "mem-loads") != 0 && core ? core->aux : NULL;
    if (intel_terms(&machine->sysfs, pmu, "mem-loads-aux", aux_row, &aux))
        LS_TRY(pe_encoding_event(machine, aux, e));
    LS_TRY(pe_encoding_event(machine, terms, e));
    e->loads = true;
    return pe_finish(&pe_vendor_intel, machine, r, e, plan);
}

static ls_err intel_stores(const struct pe_machine *machine, const char *pmu, const struct pe_request *r,
                           struct pe_plan *plan)
{
    const struct intel_core *core = intel_core_find(&machine->sysfs, pmu);
    struct pe_encoding *e;
    const char *terms = NULL;
    if (!intel_terms(&machine->sysfs, pmu, "mem-stores", core ? core->stores : NULL, &terms)) {
        if (!r->loads)
            return ls_fail(LS_ERR_UNSUPPORTED,
                           "PMU %s samples no stores (processors before Sandy Bridge): "
                           "leave out --stores=only",
                           pmu);
        pe_plan_note(plan, "PMU %s samples loads only, no stores.", pmu);
        return LS_OK;
    }
    LS_TRY(pe_plan_add(machine, pmu, plan, &e));
    LS_TRY(pe_encoding_event(machine, terms, e));
    e->stores = true;
    return pe_finish(&pe_vendor_intel, machine, r, e, plan);
}

static ls_err intel_encode(const struct pe_machine *machine, const char *pmu, const struct pe_request *r,
                           struct pe_plan *plan)
{
    LS_TRY(intel_check_pebs(&machine->sysfs, pmu));
    if (r->loads) LS_TRY(intel_loads(machine, pmu, r, plan));
    if (r->stores) LS_TRY(intel_stores(machine, pmu, r, plan));
    return LS_OK;
}

static bool intel_is(const struct perf_event_attr *a, uint64_t event_and_umask)
{
    return (a->config & 0xffff) == event_and_umask;
}

/* Events whose threshold is in ldlat: load latency of the big cores, of Nehalem, of the small cores. */
static bool intel_has_threshold(const struct perf_event_attr *a)
{
    return intel_is(a, 0x01cd) || intel_is(a, 0x100b) || intel_is(a, 0x05d0);
}

static bool intel_is_store(const struct perf_event_attr *a)
{
    return intel_is(a, 0x02cd) || intel_is(a, 0x82d0) || intel_is(a, 0x06d0);
}

/* Put the auxiliary event in front of a load latency event that the user named alone. */
static ls_err intel_add_aux(const struct pe_machine *machine, struct pe_encoding *e, struct pe_plan *plan)
{
    if (e->attrs_len != 1 || !intel_is(&e->attrs[0], 0x01cd) ||
        !pe_sysfs_has(&machine->sysfs, e->pmu, "events/mem-loads-aux"))
        return LS_OK;
    const struct perf_event_attr loads = e->attrs[0];
    e->attrs_len = 0;
    LS_TRY(pe_encoding_event(machine, "mem-loads-aux", e));
    /* the leader has the exclude bits of its member, and so needs no more privilege */
    e->attrs[0].exclude_user = loads.exclude_user;
    e->attrs[0].exclude_kernel = loads.exclude_kernel;
    e->attrs[0].exclude_hv = loads.exclude_hv;
    e->attrs[e->attrs_len] = loads;
    e->sampler = e->attrs_len++;
    pe_plan_note(plan, "The event mem-loads-aux is put in front: this processor needs it.");
    return LS_OK;
}

static ls_err intel_fit_threshold(const struct pe_machine *machine, const struct pe_request *r,
                                  struct pe_encoding *e, struct pe_plan *plan)
{
    struct pe_field field;
    if (!intel_has_threshold(&e->attrs[e->sampler]) ||
        !pe_event_field(&machine->sysfs, e->pmu, "ldlat", &field)) {
        if (r->ldlat_cycles && e->stores)
            pe_plan_note(plan, "The latency threshold holds for loads: stores have none.");
        return LS_OK;
    }
    if (r->ldlat_cycles == 0 && pe_field_get(&field, &e->attrs[e->sampler]) >= INTEL_LDLAT_MIN) return LS_OK;
    const uint32_t wanted = r->ldlat_cycles < INTEL_LDLAT_MIN ? INTEL_LDLAT_MIN : r->ldlat_cycles;
    if (r->ldlat_cycles && r->ldlat_cycles < wanted)
        pe_plan_note(plan, "The latency threshold is %u cycles, the lowest there is.", wanted);
    return pe_encoding_set(machine, "ldlat", wanted, e);
}

/* Only the sampling event may be precise (x86_pmu_hw_config). */
static ls_err intel_fit_precise(const struct pe_machine *machine, struct pe_encoding *e, struct pe_plan *plan)
{
    uint64_t most = INTEL_PRECISE;
    struct perf_event_attr *a = &e->attrs[e->sampler];
    const bool is_memory = e->loads || e->stores;
    pe_sysfs_number(&machine->sysfs, e->pmu, "caps/max_precise", &most);
    if (is_memory && most == 0) return intel_no_pebs(e->pmu);
    if (is_memory && a->precise_ip == 0) a->precise_ip = INTEL_PRECISE;
    if (a->precise_ip > most) {
        pe_plan_note(plan, "PMU %s is precise up to level %llu.", e->pmu, (unsigned long long)most);
        a->precise_ip = most & 3;
    }
    for (unsigned i = 0; i < e->attrs_len; i++)
        if (i != e->sampler) e->attrs[i].precise_ip = 0;
    return LS_OK;
}

static ls_err intel_fit(const struct pe_machine *machine, const struct pe_request *r, struct pe_encoding *e,
                        struct pe_plan *plan)
{
    e->loads |= intel_has_threshold(&e->attrs[e->sampler]);
    e->stores |= intel_is_store(&e->attrs[e->sampler]);
    const bool is_memory = e->loads || e->stores;
    LS_TRY(intel_add_aux(machine, e, plan));
    LS_TRY(intel_fit_threshold(machine, r, e, plan));
    LS_TRY(intel_fit_precise(machine, e, plan));
    struct perf_event_attr *a = &e->attrs[e->sampler];
    if (a->precise_ip) {
        a->sample_type |= PERF_SAMPLE_DATA_SRC | pe_sample_weight(machine->kernel);
        e->decode = PE_DECODE_DATA_SRC;
    } else {
        pe_plan_note(plan, "The event is not precise, so it has no data addresses; add a p or P.");
    }
    if (!is_memory)
        e->loads = e->stores = true; /* an event that the user named: it may be a load or a store */
    return LS_OK;
}

const struct pe_vendor pe_vendor_intel = {
    .name = "intel",
    .method = "PEBS load latency",
    .period_events = 100003, /* prime, so that loops do not run in step with it */
    .period_min = 32,        /* nhm_limit_period; a shorter one is an interrupt storm anyway */
    .period_max = 0x7fffffff,
    .period_step = 1,
    .takes_freq = true,
    .owns = intel_owns,
    .encode = intel_encode,
    .fit = intel_fit,
};
