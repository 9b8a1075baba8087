/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/bursts/rt_burst_processor.h"

#include "machine/mach_probe_sigsafe.h"

#include <cpuid.h>
#include <string.h>
#include <sys/auxv.h>

static bool names(const char *list, const char *name)
{
    const size_t len = strlen(name);
    for (const char *at = list; *at; at += strspn(at, ",")) {
        const size_t item_len = strcspn(at, ",");
        if (item_len == len && memcmp(at, name, len) == 0) return true;
        at += item_len;
    }
    return false;
}

bool rt_burst_has_fsgsbase(const char *without)
{
    enum { HWCAP2_FSGSBASE_BIT = 1u << 1 }; /* asm/hwcap2.h */
    return getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE_BIT && !names(without, "fsgsbase");
}

bool rt_burst_has_rdtscp(const char *without)
{
    return mach_probe_has_rdtscp() && !names(without, "rdtscp");
}

bool rt_burst_has_bmi2(const char *without)
{
    unsigned a, b = 0, c = 0, d;
    return __get_cpuid(1, &a, &b, &c, &d) && c & bit_SSE4_2 && __get_cpuid_count(7, 0, &a, &b, &c, &d) &&
           b & bit_BMI2 && !names(without, "bmi2");
}
