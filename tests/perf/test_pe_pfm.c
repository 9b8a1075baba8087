/* SPDX-License-Identifier: BSD-3-Clause */
/* libpfm4's names give the same numbers as the kernel's sysfs (LIBPFM_FORCE_PMU selects the processor). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perf/pe_pfm.h"
#include "tests/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct pfm_row {
    const char *pmu, *name;
    uint64_t config, config1;
} rows[] = {
    {"nhm", "MEM_INST_RETIRED:LATENCY_ABOVE_THRESHOLD", 0x100b, 3},
    {"wsm", "MEM_INST_RETIRED:LATENCY_ABOVE_THRESHOLD", 0x100b, 3},
    {"snb", "MEM_TRANS_RETIRED:LATENCY_ABOVE_THRESHOLD:ldlat=30", 0x1cd, 30},
    {"snb", "MEM_TRANS_RETIRED:PRECISE_STORE", 0x2cd, 0},
    {"ivb", "MEM_TRANS_RETIRED:LATENCY_ABOVE_THRESHOLD", 0x1cd, 3},
    {"hsw", "MEM_TRANS_RETIRED:LOAD_LATENCY:ldlat=100", 0x1cd, 100},
    {"hsw", "MEM_UOPS_RETIRED:ALL_STORES", 0x82d0, 0},
    {"bdw", "MEM_TRANS_RETIRED:LOAD_LATENCY", 0x1cd, 3},
    {"skl", "MEM_TRANS_RETIRED:LOAD_LATENCY:ldlat=30", 0x1cd, 30},
    {"skl", "MEM_INST_RETIRED:ALL_STORES", 0x82d0, 0},
    {"clx", "MEM_TRANS_RETIRED:LOAD_LATENCY", 0x1cd, 3},
    {"icx", "MEM_TRANS_RETIRED:LOAD_LATENCY", 0x1cd, 3},
    {"spr", "MEM_TRANS_RETIRED:LOAD_LATENCY", 0x1cd, 3},
};

/* AMD's cores, against the events of tools/perf/pmu-events/arch/x86/amdzen2, 3 and 4 of Linux. */
static const struct pfm_row amd_rows[] = {
    {"amd64_fam17h_zen1", "RETIRED_UOPS", 0xc1, 0},
    {"amd64_fam17h_zen2", "RETIRED_UOPS", 0xc1, 0},
    {"amd64_fam17h_zen2", "CYCLES_NOT_IN_HALT", 0x76, 0},
    {"amd64_fam17h_zen2", "LS_DISPATCH:LD_DISPATCH", 0x129, 0},
    {"amd64_fam17h_zen2", "LS_DISPATCH:STORE_DISPATCH", 0x229, 0},
    {"amd64_fam17h_zen2", "LS_DISPATCH:LD_ST_DISPATCH", 0x429, 0},
    {"amd64_fam17h_zen2", "DATA_CACHE_REFILLS_FROM_SYSTEM:LS_MABRESP_LCL_DRAM", 0x843, 0},
    {"amd64_fam17h_zen2", "L1_DTLB_MISS:TLB_RELOAD_4K_L2_MISS", 0x1045, 0},
    {"amd64_fam19h_zen3", "RETIRED_OPS", 0xc1, 0},
    {"amd64_fam19h_zen3", "CYCLES_NOT_IN_HALT", 0x76, 0},
    {"amd64_fam19h_zen3", "LS_DISPATCH:LD_DISPATCH", 0x129, 0},
    {"amd64_fam19h_zen3", "DEMAND_DATA_CACHE_FILLS_FROM_SYSTEM:LCL_L2", 0x143, 0},
    {"amd64_fam19h_zen3", "DEMAND_DATA_CACHE_FILLS_FROM_SYSTEM:MEM_IO_LCL", 0x843, 0},
    {"amd64_fam19h_zen3", "DEMAND_DATA_CACHE_FILLS_FROM_SYSTEM:MEM_IO_RMT", 0x4043, 0},
    {"amd64_fam19h_zen3", "ANY_DATA_CACHE_FILLS_FROM_SYSTEM:INT_CACHE", 0x244, 0},
    {"amd64_fam19h_zen3", "MISALIGNED_LOADS:MA64", 0x147, 0},
    {"amd64_fam19h_zen3", "RETIRED_LOCK_INSTRUCTIONS:BUS_LOCK", 0x125, 0},
    {"amd64_fam19h_zen4", "RETIRED_OPS", 0xc1, 0},
    {"amd64_fam19h_zen4", "CYCLES_NOT_IN_HALT", 0x76, 0},
    {"amd64_fam19h_zen4", "LS_DISPATCH:LD_DISPATCH", 0x129, 0},
    {"amd64_fam19h_zen4", "DEMAND_DATA_CACHE_FILLS_FROM_SYSTEM:DRAM_IO_NEAR", 0x843, 0},
    {"amd64_fam19h_zen4", "DEMAND_DATA_CACHE_FILLS_FROM_SYSTEM:DRAM_IO_FAR", 0x4043, 0},
    {"amd64_fam19h_zen4", "ANY_DATA_CACHE_FILLS_FROM_SYSTEM:LOCAL_CCX", 0x244, 0},
    {"amd64_fam19h_zen4", "L1_DTLB_MISS:TLB_RELOAD_1G_L2_HIT", 0x845, 0},
};

static int fails(const struct pfm_row *r, const char *what, uint64_t got)
{
    fprintf(stderr, "%s %s: %s is 0x%llx (%s)\n", r->pmu, r->name, what, (unsigned long long)got,
            ls_last_error());
    return 1;
}

/* libpfm4 reads its environment once a process */
static int check_row(const struct pfm_row *r)
{
    struct perf_event_attr attr;
    char text[PE_EVENT_BYTES], part[64];
    setenv("LIBPFM_FORCE_PMU", r->pmu, 1);
    if (pe_pfm_attr(r->name, &attr) != LS_OK) return fails(r, "the error", 0);
    if (attr.type != PERF_TYPE_RAW) return fails(r, "type", attr.type);
    if (attr.config != r->config) return fails(r, "config", attr.config);
    if (attr.config1 != r->config1) return fails(r, "config1", attr.config1);
    if (pe_pfm_event(r->name, 2, text) != LS_OK) return fails(r, "the error", 0);
    snprintf(part, sizeof(part), "raw/config=0x%llx", (unsigned long long)r->config);
    if (strncmp(text, part, strlen(part)) != 0 || !strstr(text, "/pp")) return fails(r, text, 0);
    /* AMD has no event for loads with addresses: IBS is not among its names */
    const bool has_loads = pe_pfm_memory_name(false) != NULL, is_amd = strncmp(r->pmu, "amd", 3) == 0;
    if (has_loads == is_amd) return fails(r, "the name of loads", has_loads);
    /* the compared fields are removed, the rest must be zero */
    struct perf_event_attr rest = attr, zero;
    memset(&zero, 0, sizeof(zero));
    rest.type = rest.size = 0;
    rest.config = rest.config1 = 0;
    rest.exclude_kernel = rest.exclude_hv = rest.exclude_guest = 0; /* user code only, as requested */
    return memcmp(&rest, &zero, sizeof(rest)) == 0 ? 0 : fails(r, "more is set", 1);
}

static void check_rows(const struct pfm_row *some, size_t len)
{
    if (!pe_pfm_is_there()) skip();
    for (size_t i = 0; i < len; i++) {
        const pid_t child = fork();
        int status = 1;
        if (child == 0) _exit(check_row(&some[i]));
        assert_true(child > 0);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
}

static void names_give_the_kernel_s_numbers(void **state)
{
    (void)state;
    check_rows(rows, sizeof(rows) / sizeof(rows[0]));
}

static void names_of_amd_give_the_kernel_s_numbers(void **state)
{
    (void)state;
    check_rows(amd_rows, sizeof(amd_rows) / sizeof(amd_rows[0]));
}

static void unknown_names_are_reported(void **state)
{
    (void)state;
    char text[PE_EVENT_BYTES];
    const ls_err err = pe_pfm_event("NO_SUCH_EVENT:AT_ALL", 2, text);
    assert_true(err == LS_ERR_NOT_FOUND || err == LS_ERR_UNSUPPORTED);
    assert_non_null(strstr(ls_last_error(), "NO_SUCH_EVENT"));
}

UNIT_GROUP()
{
    if (!pe_pfm_is_there()) printf("SKIP in part: built without libpfm4\n");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_give_the_kernel_s_numbers),
        cmocka_unit_test(names_of_amd_give_the_kernel_s_numbers),
        cmocka_unit_test(unknown_names_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
