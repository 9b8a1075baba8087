/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the opened events on the machine of a fixture for a list of requests, field by field;
 * test_encodings.sh compares them with values that were checked by hand against the kernel's sources. */
#include "tests/perf/machine_root.h"

#include "perf/pe_encode.h"

#include <linux/version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct named {
    const char *name;
    struct pe_request request;
} requests[] = {
    {"loads", {.loads = true, .user_only = true}},
    {"loads and stores, 30 cycles, with call stacks",
     {.loads = true, .stores = true, .ldlat_cycles = 30, .callchain = true, .user_only = true}},
    {"stores only, the kernel too, every 1000", {.stores = true, .period_events = 1000}},
    {"loads at 4000 Hz above 300 cycles",
     {.loads = true, .user_only = true, .freq_hz = 4000, .ldlat_cycles = 300}},
    {"loads that missed the L3", {.loads = true, .user_only = true, .l3_miss_only = true}},
    {"a threshold that fits nowhere", {.loads = true, .user_only = true, .ldlat_cycles = 100000}},
};

static void show_number(const char *name, unsigned long long value, int hex)
{
    if (value) printf(hex ? " %s=0x%llx" : " %s=%llu", name, value);
}

static void show_sample_type(uint64_t bits)
{
    static const struct {
        uint64_t bit;
        const char *name;
    } names[] = {{PERF_SAMPLE_IP, "ip"},           {PERF_SAMPLE_TID, "tid"},
                 {PERF_SAMPLE_TIME, "time"},       {PERF_SAMPLE_ADDR, "addr"},
                 {PERF_SAMPLE_CALLCHAIN, "chain"}, {PERF_SAMPLE_CPU, "cpu"},
                 {PERF_SAMPLE_PERIOD, "period"},   {PERF_SAMPLE_RAW, "raw"},
                 {PERF_SAMPLE_WEIGHT, "weight"},   {PERF_SAMPLE_DATA_SRC, "source"},
                 {PERF_SAMPLE_IDENTIFIER, "id"},   {PERF_SAMPLE_WEIGHT_STRUCT, "weights"}};
    const char *before = "\n        samples ";
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (!(bits & names[i].bit)) continue;
        printf("%s%s", before, names[i].name);
        bits &= ~names[i].bit;
        before = " ";
    }
    if (bits) printf("%sunknown 0x%llx", before, (unsigned long long)bits);
}

static void show_attr(const struct perf_event_attr *a, bool samples)
{
    printf("    %s type=%u config=0x%llx", samples ? "sample" : "count ", a->type,
           (unsigned long long)a->config);
    show_number("config1", a->config1, 1);
    show_number("config2", a->config2, 1);
    show_number(a->freq ? "freq" : "period", a->sample_period, 0);
    show_number("precise", a->precise_ip, 0);
    show_number("no_user", a->exclude_user, 0);
    show_number("no_kernel", a->exclude_kernel, 0);
    show_number("no_hv", a->exclude_hv, 0);
    show_number("no_kernel_chain", a->exclude_callchain_kernel, 0);
    show_sample_type(a->sample_type);
    printf("\n");
    /* nothing else may be set: the printed fields are removed, the rest must be zero */
    struct perf_event_attr rest = *a, zero;
    memset(&zero, 0, sizeof(zero));
    rest.type = rest.size = 0;
    rest.config = rest.config1 = rest.config2 = rest.sample_period = rest.sample_type = 0;
    rest.freq = rest.precise_ip = rest.exclude_user = rest.exclude_kernel = rest.exclude_hv = 0;
    rest.exclude_callchain_kernel = 0;
    if (memcmp(&rest, &zero, sizeof(rest)) != 0 || a->size != sizeof(*a)) printf("        MORE IS SET\n");
}

static void show_encoding(const struct pe_encoding *e)
{
    static const char *const decodes[] = {"none", "data source", "ibs", "spe"};
    printf("  %s%s%s:%s%s, decode %s%s%s%s\n", e->pmu, *e->cpus ? " on CPUs " : "", e->cpus,
           e->loads ? " loads" : "", e->stores ? " stores" : "", decodes[e->decode],
           e->needs_aux ? ", AUX area" : "", e->reader_drops_kernel ? ", reader drops the kernel" : "",
           e->cpu_wide_only ? ", whole CPUs" : "");
    if (e->reader_min_cycles) printf("    reader drops below %u cycles\n", e->reader_min_cycles);
    printf("    periods %llu to %llu by %llu; %s\n", (unsigned long long)e->period_min,
           (unsigned long long)e->period_max, (unsigned long long)e->period_step, e->event);
    for (unsigned i = 0; i < e->attrs_len; i++)
        show_attr(&e->attrs[i], i == e->sampler);
}

/* The unpacked root has a name of the moment's. */
static void show_text(const char *text, const char *root)
{
    const char *at = strstr(text, root);
    if (at)
        printf("%.*s/sys%s\n", (int)(at - text), text, at + strlen(root));
    else
        printf("%s\n", text);
}

static void show(const struct named *n, const struct machine_root *m)
{
    static struct pe_plan plan;
    struct pe_request r = n->request;
    r.sysfs_root = m->path;
    r.kernel = m->kernel;
    printf("\n%s\n", n->name);
    const ls_err err = pe_encode_loads(&r, &plan);
    if (err != LS_OK) {
        printf("  %s: ", ls_err_name(err));
        show_text(ls_last_error(), m->path);
        return;
    }
    printf("  %s, %s\n", plan.vendor, plan.method);
    if (*plan.notes) printf("  note: %s\n", plan.notes);
    for (unsigned i = 0; i < plan.encodings_len; i++)
        show_encoding(&plan.encodings[i]);
}

/* show_encodings FIXTURE [EVENT...] */
int main(int argc, char **argv)
{
    struct machine_root m;
    if (argc < 2 || machine_root_init(&m, argv[1]) != 0) return 2;
    for (size_t i = 0; argc == 2 && i < sizeof(requests) / sizeof(requests[0]); i++)
        show(&requests[i], &m);
    for (int i = 2; i < argc; i++) {
        const struct named event = {argv[i], {.event = argv[i], .user_only = true}};
        show(&event, &m);
    }
    machine_root_fini(&m);
    return 0;
}
