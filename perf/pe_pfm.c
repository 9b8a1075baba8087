/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "perf/pe_pfm.h"

#ifdef HAVE_PFM
#include "perf/pe_event.h"

#include <perfmon/pfmlib_perf_event.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Names of memory events by processor, newest first; libpfm4 accepts the names of the processor it sees (or
 * of LIBPFM_FORCE_PMU). SPR's STORE_SAMPLE is left out: libpfm4 encodes 0x3cd, the kernel uses 0x2cd. */
static const char *const pe_pfm_loads[] = {"MEM_TRANS_RETIRED:LOAD_LATENCY",
                                           "MEM_TRANS_RETIRED:LATENCY_ABOVE_THRESHOLD",
                                           "MEM_INST_RETIRED:LATENCY_ABOVE_THRESHOLD"};
static const char *const pe_pfm_stores[] = {"MEM_TRANS_RETIRED:PRECISE_STORE", "MEM_INST_RETIRED:ALL_STORES",
                                            "MEM_UOPS_RETIRED:ALL_STORES"};

bool pe_pfm_is_there(void)
{
    return true;
}

static bool pe_pfm_is_named(const pfm_pmu_info_t *pmu, const char *name, size_t len)
{
    return strlen(pmu->name) == len && strncasecmp(pmu->name, name, len) == 0;
}

/* LS_ERR_NOT_FOUND when name, as spr::MEM_TRANS_RETIRED:LOAD_LATENCY, is of a PMU that is not here. */
static ls_err pe_pfm_check_pmu(const char *name)
{
    const char *end = strstr(name, "::");
    char here[160] = "", known[96] = "";
    size_t used = 0;
    int i;
    if (!end) return LS_OK;
    const size_t len = (size_t)(end - name);
    pfm_for_all_pmus(i)
    {
        pfm_pmu_info_t pmu = {.size = sizeof(pmu)};
        if (pfm_get_pmu_info(i, &pmu) != PFM_SUCCESS) continue;
        const bool is_named = pe_pfm_is_named(&pmu, name, len);
        if (is_named && pmu.is_present) return LS_OK;
        if (is_named) snprintf(known, sizeof(known), " (%s)", pmu.desc);
        if (pmu.is_present && pmu.type == PFM_PMU_TYPE_CORE && used < sizeof(here))
            used += (size_t)snprintf(here + used, sizeof(here) - used, "%s%s", used ? ", " : "", pmu.name);
    }
    if (!*here)
        return ls_fail(LS_ERR_NOT_FOUND,
                       "%.*s%s is not a PMU of this machine, of whose cores libpfm4 knows none: write "
                       "PMU/TERMS/ or a raw code (r1cd)",
                       (int)len, name, known);
    return ls_fail(LS_ERR_NOT_FOUND,
                   "%.*s%s is not a PMU of this machine, whose cores have %s: name an event of theirs, with "
                   "or without the PMU (showevtinfo lists them)",
                   (int)len, name, known, here);
}

ls_err pe_pfm_attr(const char *name, struct perf_event_attr *out)
{
    pfm_perf_encode_arg_t arg;
    const int started = pfm_initialize();
    if (started != PFM_SUCCESS) return ls_fail(LS_ERR_IO, "libpfm4 cannot start: %s", pfm_strerror(started));
    memset(out, 0, sizeof(*out));
    memset(&arg, 0, sizeof(arg));
    arg.size = sizeof(arg);
    arg.attr = out;
    out->size = sizeof(*out);
    const int err = pfm_get_os_event_encoding(name, PFM_PLM3, PFM_OS_PERF_EVENT_EXT, &arg);
    if (err == PFM_SUCCESS) return LS_OK;
    LS_TRY(pe_pfm_check_pmu(name));
    return ls_fail(LS_ERR_NOT_FOUND,
                   "libpfm4 does not know '%s' on this processor (%s); perf list and showevtinfo list names",
                   name, pfm_strerror(err));
}

static void pe_pmu_of_type(uint32_t type, char out[PE_PMU_BYTES])
{
    struct pe_sysfs s;
    strcpy(out, "raw");
    if (type == PERF_TYPE_RAW || pe_sysfs_list(NULL, &s) != LS_OK) return;
    for (unsigned i = 0; i < s.pmus_len; i++) {
        uint32_t seen;
        if (pe_sysfs_type(&s, s.pmus[i], &seen) == LS_OK && seen == type) strcpy(out, s.pmus[i]);
    }
}

ls_err pe_pfm_event(const char *name, unsigned precise, char out[PE_EVENT_BYTES])
{
    struct perf_event_attr attr;
    char pmu[PE_PMU_BYTES];
    LS_TRY(pe_pfm_attr(name, &attr));
    if (attr.precise_ip == 0) attr.precise_ip = precise & 3;
    pe_pmu_of_type(attr.type, pmu);
    pe_event_print(pmu, &attr, out);
    return LS_OK;
}

const char *pe_pfm_memory_name(bool stores)
{
    const char *const *names = stores ? pe_pfm_stores : pe_pfm_loads;
    const size_t len = stores ? sizeof(pe_pfm_stores) / sizeof(pe_pfm_stores[0])
                              : sizeof(pe_pfm_loads) / sizeof(pe_pfm_loads[0]);
    for (size_t i = 0; i < len; i++) {
        struct perf_event_attr attr;
        if (pe_pfm_attr(names[i], &attr) == LS_OK) return names[i];
    }
    return NULL;
}

#else

bool pe_pfm_is_there(void)
{
    return false;
}

static ls_err pe_pfm_missing(const char *name)
{
    return ls_fail(
        LS_ERR_UNSUPPORTED,
        "'%s' is not an event that sysfs names, and this build has no libpfm4 to look it up: install "
        "libpfm4-dev and build again, or write PMU/TERMS/ or a raw code (r1cd)",
        name);
}

ls_err pe_pfm_event(const char *name, unsigned precise, char out[PE_EVENT_BYTES])
{
    (void)precise;
    (void)out;
    return pe_pfm_missing(name);
}

ls_err pe_pfm_attr(const char *name, struct perf_event_attr *out)
{
    (void)out;
    return pe_pfm_missing(name);
}

const char *pe_pfm_memory_name(bool stores)
{
    (void)stores;
    return NULL;
}

#endif
