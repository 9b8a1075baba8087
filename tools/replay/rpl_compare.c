/* SPDX-License-Identifier: BSD-3-Clause */
/* Print the results of several machines side by side. */
#include "common/ls_json.h"
#include "common/ls_put.h"
#include "common/ls_vector.h"
#include "kernels/kn_result.h"
#include "tools/cli/cli_term.h"
#include "tools/replay/rpl_session.h"

#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COMPARE_LABEL = 46, COMPARE_SCHEMA = 1 };

ls_err rpl_compare_read(const char *files, struct vx_results **machines, size_t *len)
{
    size_t room = *len;
    while (*files) {
        const size_t name = strcspn(files, ",");
        char path[4096];
        LS_TRY(LS_GROW(*machines, room, *len + 1));
        snprintf(path, sizeof(path), "%.*s", (int)name, files);
        LS_TRY(vx_results_read(path, &(*machines)[*len]));
        ++*len;
        files += name + (files[name] == ',');
    }
    return LS_OK;
}

static const char *compare_rate(double rate, char out[CLI_CELL_BYTES])
{
    return isfinite(rate) ? cli_format_grouped(out, (uint64_t)rate) : strcpy(out, "-");
}

/* Is each of them of another machine? */
static bool are_apart(const struct vx_results *machines, size_t len)
{
    for (size_t m = 0; m < len; m++)
        for (size_t k = 0; k < m; k++)
            if (strcmp(machines[k].cpu, machines[m].cpu) == 0 &&
                strcmp(machines[k].host, machines[m].host) == 0)
                return false;
    return true;
}

/* Harmonic mean and STREAM of each machine, and Pearson's R of both (Spatter paper, table 4). */
static void compare_machines(const struct vx_results *machines, size_t len, FILE *out)
{
    double *means = calloc(len, sizeof(double)), *streams = calloc(len, sizeof(double));
    bool is_weighted = false;
    for (size_t m = 0; m < len; m++)
        is_weighted = is_weighted || isfinite(rpl_results_weighted(&machines[m]));
    fprintf(out, "\n%-60s %14s %14s%s\n", "machine", "H-mean MB/s", "STREAM MB/s",
            is_weighted ? "  weighted MB/s" : "");
    for (size_t m = 0; means && streams && m < len; m++) {
        char mean[CLI_CELL_BYTES], stream[CLI_CELL_BYTES], weighted[CLI_CELL_BYTES], label[160],
            numbered[200];
        rpl_machine_label(machines, len, m, label, sizeof(label));
        snprintf(numbered, sizeof(numbered), "%zu: %s", m + 1, label);
        means[m] = rpl_results_hmean(&machines[m]);
        streams[m] = machines[m].stream_mb_per_s;
        fprintf(out, "%-60s %14s %14s", numbered, compare_rate(means[m], mean),
                compare_rate(streams[m], stream));
        if (is_weighted) fprintf(out, " %14s", compare_rate(rpl_results_weighted(&machines[m]), weighted));
        fputc('\n', out);
    }
    if (is_weighted) fputs("weighted: by the bytes that the program moved by each pattern\n", out);
    if (means && streams && len > 2) {
        const double r = kn_pearson_r(means, streams, len);
        if (isfinite(r))
            fprintf(out, "R of harmonic mean and STREAM over %zu %s: %.2f\n", len,
                    are_apart(machines, len) ? "machines" : "runs", r);
    }
    free(means);
    free(streams);
}

/* The configurations of the first machine, with the rates of all. */
static void compare_rows(const struct vx_results *machines, size_t len, FILE *out)
{
    fprintf(out, "\n%-*s", COMPARE_LABEL, "configuration");
    for (size_t m = 0; m < len; m++)
        fprintf(out, " %4zu: MB/s ", m + 1);
    fputs(len == 2 ? "   2 / 1\n" : "\n", out);
    size_t interrupted = 0;
    for (size_t i = 0; i < machines[0].len; i++) {
        char label[160], rate[CLI_CELL_BYTES];
        rpl_row_label(&machines[0].rows[i], label, sizeof(label));
        fprintf(out, "%-*.*s", COMPARE_LABEL, COMPARE_LABEL, label);
        const struct vx_result *last = NULL;
        for (size_t m = 0; m < len; m++) {
            last = rpl_result_like(&machines[m], &machines[0], i);
            const bool is_interrupted = last && last->interrupted;
            fprintf(out, " %10s%s", compare_rate(last ? last->mb_per_s : NAN, rate),
                    is_interrupted ? "*" : " ");
            interrupted += is_interrupted;
        }
        if (len == 2 && last)
            fprintf(out, " %7.2f\n", last->mb_per_s / machines[0].rows[i].mb_per_s);
        else
            fputc('\n', out);
    }
    if (interrupted)
        fprintf(
            out,
            "* %zu rate%s: runs were interrupted by other programs, the rate may be too low; measure again when "
            "the machine is idle\n",
            interrupted, interrupted == 1 ? "" : "s");
}

/* The columns of result files: header and cells as CSV, members as JSON. */
#define HEAD(type, member) "," #member
#define CELL_TEXT(member) ls_put_csv(out, r->member)
#define CELL_U64(member) fprintf(out, "%" PRIu64, r->member)
#define CELL_F64(member) isfinite(r->member) ? fprintf(out, "%.9g", r->member) : 0
#define CELL(type, member) fputc(',', out), CELL_##type(member);
#define JSON_TEXT(member) ls_json_text(&j, #member, r->member)
#define JSON_U64(member) ls_json_u64(&j, #member, r->member)
#define JSON_F64(member) ls_json_double(&j, #member, r->member)
#define JSON(type, member) JSON_##type(member);

static void compare_csv(const struct vx_results *machines, size_t len, FILE *out)
{
    fputs("machine" VX_RESULT_COLUMNS(HEAD) "\n", out);
    for (size_t m = 0; m < len; m++) {
        char label[160];
        rpl_machine_label(machines, len, m, label, sizeof(label));
        for (const struct vx_result *r = machines[m].rows; r < machines[m].rows + machines[m].len; r++) {
            ls_put_csv(out, label);
            VX_RESULT_COLUMNS(CELL)
            fputc('\n', out);
        }
    }
}

static void compare_json(const struct vx_results *machines, size_t len, FILE *out)
{
    struct ls_json j = {.out = out, .indent = LS_JSON_INDENT};
    ls_json_open(&j, NULL, '{');
    ls_json_u64(&j, "schema", COMPARE_SCHEMA);
    ls_json_text(&j, "version", PACKAGE_VERSION);
    ls_json_open(&j, "machines", '[');
    for (size_t m = 0; m < len; m++) {
        char label[160];
        rpl_machine_label(machines, len, m, label, sizeof(label));
        ls_json_open(&j, NULL, '{');
        ls_json_text(&j, "machine", label);
        ls_json_text(&j, "host", machines[m].host);
        ls_json_text(&j, "cpu", machines[m].cpu);
        ls_json_text(&j, "topology", machines[m].topology);
        ls_json_double(&j, "stream_triad_mb_per_s", machines[m].stream_mb_per_s);
        ls_json_double(&j, "mb_per_s_hmean", rpl_results_hmean(&machines[m]));
        ls_json_double(&j, "mb_per_s_weighted", rpl_results_weighted(&machines[m]));
        ls_json_open(&j, "results", '[');
        for (const struct vx_result *r = machines[m].rows; r < machines[m].rows + machines[m].len; r++) {
            ls_json_open(&j, NULL, '{');
            VX_RESULT_COLUMNS(JSON)
            ls_json_close(&j, '}');
        }
        ls_json_close(&j, ']');
        ls_json_close(&j, '}');
    }
    ls_json_close(&j, ']');
    ls_json_close(&j, '}');
    fputc('\n', out);
}

void rpl_compare_print(const struct vx_results *machines, size_t len, const char *format, FILE *out)
{
    if (format && strcmp(format, "csv") == 0)
        compare_csv(machines, len, out);
    else if (format && strcmp(format, "json") == 0)
        compare_json(machines, len, out);
    else {
        compare_machines(machines, len, out);
        compare_rows(machines, len, out);
    }
}
