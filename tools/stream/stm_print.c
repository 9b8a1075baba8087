/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/stream/stm_print.h"

#include "machine/mach_topology.h"
#include "common/ls_json.h"
#include "tools/replay/knr_counts.h"
#include "tools/replay/knr_json.h"

#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char rule[] = "-------------------------------------------------------------\n";

static double rate(const struct stm_report *r, const struct kn_result *k)
{
    const uint64_t bytes = r->by_code ? k->bytes_with_indices : k->bytes;
    return (double)bytes / k->seconds.min / 1e6;
}

static int label_width(const struct stm_report *r)
{
    size_t width = strlen("Function") + 4;
    for (size_t i = 0; i < r->len; i++)
        if (strlen(r->results[i].kernel->title) + 2 > width) width = strlen(r->results[i].kernel->title) + 2;
    return (int)width;
}

static void print_head(const struct stm_report *r, FILE *out)
{
    const struct kn_result *first = &r->results[0];
    struct mach_machine m;
    fprintf(out, "%sLoadstone %s stream: STREAM's kernels and rules, RaiderSTREAM's indices\n%s", rule,
            PACKAGE_VERSION, rule);
    if (mach_describe(&m) == LS_OK) fprintf(out, "Machine: %s, %s\n", m.cpu, m.summary);
    fprintf(out, "This system uses %u bytes per array element.\n", first->element_bytes);
    fprintf(out, "Array size = %" PRIu64 " (elements); run rule: %" PRIu64 " or more%s\n", r->need.elements,
            r->need.rule_elements, r->need.elements < r->need.rule_elements ? ", NOT KEPT" : "");
    fprintf(out, "Total memory required = %.1f MiB, of it %.1f MiB in huge pages.\n",
            (double)first->memory_bytes / (1 << 20), (double)first->huge_bytes / (1 << 20));
    fprintf(out, "Number of Threads = %u, backend %s, pinned: %s\n", first->threads, first->backend,
            kn_pin_name(first->pin));
    fprintf(out, "Rates count %s.\n",
            r->by_code ? "elements and indices (RaiderSTREAM's program)"
                       : "elements (STREAM; RaiderSTREAM's paper)");
}

static const char *kernel_title(void *user, size_t i)
{
    const struct stm_report *r = user;
    return r->results[i].kernel->title;
}

static void print_table(const struct stm_report *r, FILE *out)
{
    const int width = label_width(r);
    bool valid = true;
    double worst = 0;
    print_head(r, out);
    fprintf(out, "%s%-*sBest Rate MB/s  Avg time     Min time     Max time\n", rule, width, "Function");
    for (size_t i = 0; i < r->len; i++) {
        const struct kn_result *k = &r->results[i];
        char label[64];
        snprintf(label, sizeof(label), "%s:", k->kernel->title);
        fprintf(out, "%-*s%12.1f  %11.6f  %11.6f  %11.6f\n", width, label, rate(r, k), k->seconds.mean,
                k->seconds.min, k->seconds.max);
        valid = valid && k->valid;
        worst = fmax(worst, k->worst_error);
    }
    fputs(rule, out);
    for (size_t i = 0; i < r->len; i++) {
        const struct kn_result *k = &r->results[i];
        char label[64];
        snprintf(label, sizeof(label), "%s:", k->kernel->title);
        fprintf(out, "%-*s%s", width, label, k->variant);
        if (k->kernel->family == KN_FAMILY_CHASE)
            fprintf(out, "; %.1f ns a load", k->seconds.min * 1e9 * k->threads * 8 / (double)k->bytes);
        fprintf(out, "; %u warm-ups%s\n", k->warmups, k->steady ? "" : ", not steady");
    }
    fputs(rule, out);
    knr_counts_print(r->results, r->len, kernel_title, (void *)r, out);
    fputs(rule, out);
    if (valid)
        fprintf(out, "Solution Validates: largest relative error %.1e on all arrays\n", worst);
    else
        fprintf(out, "Solution Does Not Validate\n");
    fputs(rule, out);
}

static void print_csv(const struct stm_report *r, FILE *out)
{
    knr_csv_header(out);
    for (size_t i = 0; i < r->len; i++)
        knr_csv_row(&r->results[i], r->results[i].kernel->name, out);
}

static void print_json(const struct stm_report *r, FILE *out)
{
    struct ls_json j = {.out = out, .indent = LS_JSON_INDENT};
    ls_json_open(&j, NULL, '{');
    ls_json_u64(&j, "schema", STM_JSON_SCHEMA);
    ls_json_text(&j, "command", "stream");
    ls_json_text(&j, "version", PACKAGE_VERSION);
    knr_json_machine(&j, "machine");
    ls_json_u64(&j, "elements", r->need.elements);
    ls_json_u64(&j, "rule_elements", r->need.rule_elements);
    ls_json_bool(&j, "keeps_run_rule", r->need.elements >= r->need.rule_elements);
    ls_json_open(&j, "results", '[');
    for (size_t i = 0; i < r->len; i++)
        knr_json_result(&j, &r->results[i], r->results[i].kernel->name);
    ls_json_close(&j, ']');
    ls_json_close(&j, '}');
}

void stm_print(const struct stm_report *r, enum stm_format format, FILE *out)
{
    static void (*const printers[])(const struct stm_report *, FILE *) = {print_table, print_csv, print_json};
    printers[format](r, out);
}

void stm_print_kernels(FILE *out)
{
    fprintf(out, "%-16s %-11s %-36s %7s %7s %6s\n", "kernel", "group", "operation", "paper", "code", "FLOPs");
    for (unsigned i = 0; i < kn_kernels_len; i++) {
        const struct kn_kernel *k = &kn_kernels[i];
        if (k->family == KN_FAMILY_REPLAY) continue;
        fprintf(out, "%-16s %-11s %-36s %7" PRIu64 " %7" PRIu64 " %6u\n", k->name, kn_group_name(k->group),
                k->operation, kn_count_bytes(&k->paper, 8, 8), kn_count_bytes(&k->code, 8, 8),
                k->paper.flops);
    }
    fprintf(out, "paper, code: bytes an iteration of 8-byte elements and "
                 "indices, as RaiderSTREAM's paper and program count\n");
}
