/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as an event that a user writes (first line, on a machine with a PMU that has fields and events)
 * and as a field that a kernel describes (the rest). */
#include "perf/pe_encode.h"
#include "perf/pe_event.h"
#include "tests/fuzz/fuzz.h"
#include "tests/perf/machine_root.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char fuzz_corpus[] = "tests/fuzz/corpus-event/*";

static struct machine_root machine;

static void remove_machine(void)
{
    machine_root_fini(&machine);
}

static void make_machine(void)
{
    const char *source = getenv("top_srcdir");
    char fixture[4096];
    snprintf(fixture, sizeof(fixture), "%s/tests/perf/machines/sapphirerapids.sysfs", source ? source : ".");
    if (machine_root_init(&machine, fixture) != 0) abort();
    atexit(remove_machine);
}

static void fuzz_event(const char *text)
{
    static struct pe_plan plan;
    const struct pe_request r = {
        .event = text, .user_only = true, .sysfs_root = machine.path, .kernel = 0x060100};
    if (pe_encode_loads(&r, &plan) != LS_OK) return;
    for (unsigned i = 0; i < plan.encodings_len; i++) {
        const struct pe_encoding *e = &plan.encodings[i];
        if (e->attrs_len == 0 || e->attrs_len > PE_GROUP_MAX || e->sampler >= e->attrs_len) abort();
        if (!e->attrs[e->sampler].freq && e->attrs[e->sampler].sample_period < e->period_min) abort();
    }
}

static void fuzz_field(const char *text)
{
    struct pe_field f;
    struct perf_event_attr attr = {.config = 0};
    if (pe_field_parse(text, &f) != LS_OK) return;
    if (pe_field_set(&f, "x", pe_field_max(&f), &attr) == LS_ERR_RANGE) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len_bytes)
{
    if (!machine.path[0]) make_machine();
    char *text = malloc(len_bytes + 1);
    if (!text) abort();
    memcpy(text, data, len_bytes);
    text[len_bytes] = '\0';
    char *rest = strchr(text, '\n');
    if (rest) *rest++ = '\0';
    fuzz_event(text);
    if (rest) fuzz_field(rest);
    free(text);
    return 0;
}
