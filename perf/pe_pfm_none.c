/* SPDX-License-Identifier: BSD-3-Clause */
/* Built without libpfm4. */
#include "perf/pe_pfm.h"

#include <stddef.h>

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
