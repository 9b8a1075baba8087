/* SPDX-License-Identifier: BSD-3-Clause */
/* libpfm4's names give the same numbers as the kernel's sysfs (LIBPFM_FORCE_PMU stands for the processor). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perf/pe_pfm.h"

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
    if (!pe_pfm_memory_name(false)) return fails(r, "the name of loads", 0);
    return 0;
}

static void names_give_the_kernel_s_numbers(void **state)
{
    (void)state;
    if (!pe_pfm_is_there()) skip();
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const pid_t child = fork();
        int status = 1;
        if (child == 0) _exit(check_row(&rows[i]));
        assert_true(child > 0);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
}

static void unknown_names_say_so(void **state)
{
    (void)state;
    char text[PE_EVENT_BYTES];
    const ls_err err = pe_pfm_event("NO_SUCH_EVENT:AT_ALL", 2, text);
    assert_true(err == LS_ERR_NOT_FOUND || err == LS_ERR_UNSUPPORTED);
    assert_non_null(strstr(ls_last_error(), "NO_SUCH_EVENT"));
}

int main(void)
{
    if (!pe_pfm_is_there()) printf("SKIP in part: built without libpfm4\n");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_give_the_kernel_s_numbers),
        cmocka_unit_test(unknown_names_say_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
