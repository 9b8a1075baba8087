/* SPDX-License-Identifier: BSD-3-Clause */
/* loadstone gate: compares the exact memory accesses of a program with a baseline that is kept. */
#include "config.h"

#include "analyse/an_diff.h"
#include "common/ls_outputs.h"
#include "tools/cli/cli_findings.h"
#include "tools/cli/cli_message.h"
#include "tools/cli/cli_output.h"
#include "tools/cli/cli_term.h"
#include "tools/gate/gate.h"
#include "tools/record/rec_spool.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    GATE_UPDATE,
    GATE_TOLERANCE,
    GATE_SMALLEST,
    GATE_CACHE,
    GATE_PHASE,
    GATE_FORMAT,
    GATE_OUTPUT,
    GATE_SPOOL,
    GATE_OPTIONS
};
enum gate_format { GATE_TEXT, GATE_SARIF, GATE_GITHUB };

/* The geometries never change, because baselines contain their names. */
static const struct gate_cache caches[] = {
    {"small", "32K/8,512K/16"}, {"usual", "32K/8,1M/16"}, {"large", "48K/12,2M/16,32M/16"}};
#define GATE_CACHE_NAMES "small|usual|large"

static const struct cli_option gate_options[GATE_OPTIONS] = {
    [GATE_UPDATE] = {"update", 'u', CLI_FLAG, NULL, NULL, "write the figures of this run to BASELINE",
                     "Comparison"},
    [GATE_TOLERANCE] = {"tolerance", 't', CLI_LEAST, "PERCENT", "1%",
                        "a figure got worse if it grew by more than this share of its value in the baseline",
                        "Comparison"},
    [GATE_SMALLEST] = {"min-share", 'm', CLI_LEAST, "PERCENT", "0.1%",
                       "ignore growth below this share of the total in the baseline, or of its lines",
                       "Comparison"},
    [GATE_CACHE] = {"cache", 0, CLI_CHOICE, GATE_CACHE_NAMES, "usual",
                    "geometry of the modelled caches: 32K and 512K; 32K and 1M; 48K, 2M and 32M",
                    "Comparison"},
    [GATE_PHASE] = {"phase", 0, CLI_TEXT, "NAME", NULL, "only accesses in phases of this name", "Comparison"},
    [GATE_FORMAT] = {"format", 'f', CLI_CHOICE, "text|sarif|github", "text",
                     "format of the rows that got worse: text, SARIF 2.1.0, or annotations of GitHub Actions",
                     "Output"},
    [GATE_OUTPUT] = {"output", 'o', CLI_FILE, "FILE", "-",
                     "write these rows to FILE, which is replaced; - is standard output", "Output"},
    [GATE_SPOOL] =
        {"spool", 0, CLI_DIR, "DIR", NULL,
         "keep the trace in DIR while it is read; default: in $XDG_RUNTIME_DIR, $TMPDIR, /tmp or /dev/shm",
         "Output"},
};

/* ---- the trace ---- */

/* Send the program's output to standard error, because standard output is for the comparison. */
static void become_tracer(char **words)
{
    dup2(STDERR_FILENO, STDOUT_FILENO);
    execv("/proc/self/exe", words);
    _exit(CLI_LAUNCHER);
}

static ls_err run_tracer(char **words, const char *program)
{
    int status;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) become_tracer(words);
    if (child < 0) return ls_fail_errno(errno, "cannot start loadstone trace");
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return ls_fail_errno(errno, "cannot wait for loadstone trace");
    if (WIFSIGNALED(status))
        return ls_fail(LS_ERR_IO, "%s was ended by signal %d: nothing is compared", program,
                       WTERMSIG(status));
    if (WEXITSTATUS(status) == 0) return LS_OK;
    return ls_fail(LS_ERR_IO, "%s ended with status %d: nothing is compared", program, WEXITSTATUS(status));
}

static ls_err trace(const struct cli_value *v, const char *path, char **program)
{
    const char *const first[] = {"loadstone", "trace", "-q", "-f", "-o", path};
    enum { FIRST = sizeof(first) / sizeof(first[0]), MORE = 6 };
    size_t len = 0, at = 0;
    while (program[len])
        len++;
    const char **words = calloc(FIRST + MORE + len + 1, sizeof(*words));
    if (!words) return ls_nomem("the command line");
    for (; at < FIRST; at++)
        words[at] = first[at];
    if (v[GATE_PHASE].given) {
        words[at++] = "--phase";
        words[at++] = v[GATE_PHASE].text;
    }
    if (v[GATE_SPOOL].given) {
        words[at++] = "--spool";
        words[at++] = v[GATE_SPOOL].text;
    }
    words[at++] = "--";
    memcpy(words + at, program, len * sizeof(*words));
    const ls_err err = run_tracer((char **)(uintptr_t)words, program[0]);
    free(words);
    return err;
}

static ls_err measure(const struct cli_value *v, char **program, struct gate_rows *out)
{
    struct rec_spool spool;
    char path[PATH_MAX + 16];
    LS_TRY(rec_spool_make(&spool, v[GATE_SPOOL].given ? v[GATE_SPOOL].text : NULL));
    snprintf(path, sizeof(path), "%s/whole.trace", spool.path);
    ls_err err = trace(v, path, program);
    if (err == LS_OK) err = gate_measure(path, &caches[v[GATE_CACHE].number], out);
    unlink(path);
    rec_spool_remove(&spool);
    return err;
}

/* ---- the comparison ---- */

struct worse {
    const struct gate_row *row; /* this run's */
    enum gate_metric metric;
    double before, now; /* used bytes are compared as a mean per line */
};

struct comparison {
    struct gate_rows before, now;
    LS_VECTOR(struct worse) worse;
    double tolerance, smallest;
};

/* Used bytes are compared as bytes per line; fewer are worse. */
static double value_of(const struct gate_row *r, enum gate_metric metric)
{
    if (metric != GATE_BYTES) return (double)r->values[metric];
    return r->values[GATE_LINES] ? (double)r->values[GATE_BYTES] / (double)r->values[GATE_LINES] : 0;
}

static bool is_worse(const struct comparison *c, const struct gate_row *before, const struct gate_row *now,
                     enum gate_metric metric)
{
    const struct gate_row *total = &c->before.list.rows[0];
    const double x = value_of(before, metric), y = value_of(now, metric);
    const double least = fmax(value_of(total, metric), (double)total->values[GATE_LINES]) * c->smallest;
    if (metric == GATE_BYTES)
        return y < x * (1 - c->tolerance) &&
               (double)now->values[GATE_LINES] > c->smallest * (double)total->values[GATE_LINES];
    return y > x * (1 + c->tolerance) && y - x > least;
}

static ls_err compare_rows(struct comparison *c, const struct gate_row *before, const struct gate_row *now)
{
    for (int m = 0; m < GATE_METRICS; m++) {
        if (!is_worse(c, before, now, (enum gate_metric)m)) continue;
        const struct worse w = {now, (enum gate_metric)m, value_of(before, (enum gate_metric)m),
                                value_of(now, (enum gate_metric)m)};
        LS_TRY(LS_VECTOR_ADD(&c->worse, w));
    }
    return LS_OK;
}

/* Rows of one kind, matched as loadstone diff matches them: a line that moved is the same line. */
static ls_err compare_kind(struct comparison *c, enum gate_kind kind)
{
    const struct gate_rows *sides[2] = {&c->before, &c->now};
    LS_VECTOR(struct an_name) names = {0};
    LS_VECTOR(const struct gate_row *) rows = {0};
    uint32_t len = 0, *labels = NULL;
    ls_err err = LS_OK;
    for (uint32_t side = 0; side < 2; side++)
        for (size_t i = 0; err == LS_OK && i < sides[side]->list.len; i++) {
            const struct gate_row *r = &sides[side]->list.rows[i];
            if (r->kind != kind) continue;
            err = LS_VECTOR_ADD(&names, (struct an_name){.text = r->name, .side = side});
            if (err == LS_OK) err = LS_VECTOR_ADD(&rows, r);
        }
    if (err == LS_OK) err = an_match_names(names.rows, names.len, &len, &labels);
    const struct gate_row **before = calloc(len + 1u, sizeof(*before));
    if (err == LS_OK && !before) err = ls_nomem("a comparison");
    for (size_t i = 0; err == LS_OK && i < names.len; i++) {
        if (names.rows[i].side == 0)
            before[names.rows[i].row] = rows.rows[i];
        else if (before[names.rows[i].row]) /* side 0 comes first */
            err = compare_rows(c, before[names.rows[i].row], rows.rows[i]);
    }
    free(before);
    free(labels);
    free(names.rows);
    free(rows.rows);
    return err;
}

/* Return the change as a share of the total in the baseline, or of its lines where that is more. */
static double severity(const struct gate_row *total, const struct worse *w)
{
    const double lines = (double)total->values[GATE_LINES];
    if (w->metric == GATE_BYTES) /* the bytes that are no longer used in each of the row's lines */
        return (w->before - w->now) * (double)w->row->values[GATE_LINES] / (double)total->values[GATE_BYTES];
    return (w->now - w->before) / fmax((double)total->values[w->metric], lines);
}

/* The worst first; of equal ones the total, then data, functions and lines. */
static int compare_severity(const void *left, const void *right, void *baseline_total)
{
    const struct worse *a = left, *b = right;
    const double x = severity(baseline_total, a), y = severity(baseline_total, b);
    if (x != y) return x < y ? 1 : -1;
    if (a->row->kind != b->row->kind) return a->row->kind < b->row->kind ? -1 : 1;
    if (a->metric != b->metric) return a->metric < b->metric ? -1 : 1;
    return strcmp(a->row->name, b->row->name);
}

/* Rows without a counterpart are compared only as part of the total. */
static ls_err compare(struct comparison *c)
{
    for (int k = 0; k < GATE_KINDS; k++)
        LS_TRY(compare_kind(c, (enum gate_kind)k));
    if (c->worse.len > 1)
        qsort_r(c->worse.rows, c->worse.len, sizeof(*c->worse.rows), compare_severity,
                &c->before.list.rows[0]);
    return LS_OK;
}

/* ---- its output ---- */

enum { SENTENCE_BYTES = 512 };

static const char *sentence(const struct worse *w, char out[SENTENCE_BYTES])
{
    char a[CLI_CELL_BYTES], b[CLI_CELL_BYTES];
    const char *what = w->metric == GATE_BYTES ? "bytes used per line" : gate_metric_name(w->metric);
    if (w->metric == GATE_BYTES) {
        snprintf(a, sizeof(a), "%.1f", w->before);
        snprintf(b, sizeof(b), "%.1f", w->now);
    } else {
        cli_format_grouped(a, (uint64_t)w->before);
        cli_format_grouped(b, (uint64_t)w->now);
    }
    const int len = snprintf(out, SENTENCE_BYTES, "%s %.300s: %s %s -> %s", gate_kind_name(w->row->kind),
                             w->row->name, what, a, b);
    if (w->before > 0 && len > 0 && len < SENTENCE_BYTES)
        snprintf(out + len, (size_t)(SENTENCE_BYTES - len), " (%+.1f %%)",
                 (w->now - w->before) / w->before * 100);
    return out;
}

static ls_err print_findings(const struct comparison *c, enum gate_format format, FILE *out)
{
    struct cli_finding *rows = calloc(c->worse.len + 1, sizeof(*rows));
    char(*texts)[SENTENCE_BYTES] = calloc(c->worse.len + 1, sizeof(*texts));
    for (size_t i = 0; rows && texts && i < c->worse.len; i++) {
        const struct worse *w = &c->worse.rows[i];
        rows[i] = (struct cli_finding){.rule = "memory-accesses",
                                       .message = sentence(w, texts[i]),
                                       .file = w->row->file,
                                       .line = w->row->line};
    }
    if (rows && texts)
        (format == GATE_SARIF ? cli_findings_sarif : cli_findings_github)(rows, c->worse.len, out);
    const bool is_lacking = !rows || !texts;
    free(rows);
    free(texts);
    return is_lacking ? ls_nomem("%zu findings", c->worse.len) : LS_OK;
}

static void print_text(const struct comparison *c, FILE *out)
{
    const struct gate_row *before = &c->before.list.rows[0], *now = &c->now.list.rows[0];
    char a[CLI_CELL_BYTES], b[CLI_CELL_BYTES], text[SENTENCE_BYTES];
    for (int m = 0; m < GATE_METRICS; m++)
        fprintf(out, "%-14s %18s -> %s\n", gate_metric_name((enum gate_metric)m),
                cli_format_grouped(a, before->values[m]), cli_format_grouped(b, now->values[m]));
    if (c->worse.len) fputs("\nworse:\n", out);
    for (size_t i = 0; i < c->worse.len; i++) {
        const struct gate_row *r = c->worse.rows[i].row;
        fprintf(out, "  %s", sentence(&c->worse.rows[i], text));
        if (r->file && r->kind != GATE_LINE) fprintf(out, ", most at %s:%u", r->file, r->line);
        fputc('\n', out);
    }
}

static ls_err print(const struct comparison *c, const struct cli_value *v)
{
    const enum gate_format format = (enum gate_format)v[GATE_FORMAT].number;
    ls_outputs *files = NULL;
    FILE *out = NULL;
    LS_TRY(ls_outputs_new(true, &files));
    ls_err err = ls_outputs_open(files, v[GATE_OUTPUT].text, &out);
    if (err == LS_OK && format == GATE_TEXT) print_text(c, out);
    if (err == LS_OK && format != GATE_TEXT) err = print_findings(c, format, out);
    if (err == LS_OK) err = ls_outputs_commit(files);
    ls_outputs_free(files);
    return err;
}

static ls_err write_baseline(const char *path, const struct cli_value *v, char **program,
                             const struct gate_rows *rows)
{
    ls_outputs *files = NULL;
    FILE *out = NULL;
    LS_TRY(ls_outputs_new(true, &files));
    ls_err err = ls_outputs_open(files, path, &out);
    if (err == LS_OK) {
        gate_baseline_write(&caches[v[GATE_CACHE].number], program, rows, out);
        err = ls_outputs_commit(files);
    }
    ls_outputs_free(files);
    return err;
}

/* ---- the command ---- */

static ls_err update(const char *path, const struct cli_value *v, char **program)
{
    struct gate_rows rows = {{0}};
    LS_TRY(cli_output_check_named(path, true));
    ls_err err = measure(v, program, &rows);
    if (err == LS_OK) err = write_baseline(path, v, program, &rows);
    if (err == LS_OK) cli_note("baseline: %s, %zu rows", path, rows.list.len);
    gate_rows_fini(&rows);
    return err;
}

/* Read the baseline before the program is run, which takes long. */
static ls_err check(const char *path, const struct cli_value *v, char **program, struct comparison *c)
{
    LS_TRY(gate_baseline_read(path, &caches[v[GATE_CACHE].number], &c->before));
    if (c->before.list.rows[0].kind != GATE_TOTAL)
        return ls_fail(LS_ERR_FORMAT, "%s has no total; make it again with --update", path);
    LS_TRY(cli_output_check(v[GATE_OUTPUT].text, true));
    LS_TRY(measure(v, program, &c->now));
    LS_TRY(compare(c));
    return print(c, v);
}

static int gate_run(const struct cli_command *command, const struct cli_value *v, char **operands)
{
    (void)command;
    struct comparison c = {.tolerance = v[GATE_TOLERANCE].share, .smallest = v[GATE_SMALLEST].share};
    char *const path = operands[0], **program = operands + 1;
    const ls_err err = v[GATE_UPDATE].given ? update(path, v, program) : check(path, v, program, &c);
    int status = err == LS_OK ? CLI_OK : cli_fail(err);
    if (err == LS_OK && c.worse.len > 0) {
        cli_error("%zu figure%s got worse than in %s; if that is intended, make it again with --update",
                  c.worse.len, c.worse.len == 1 ? "" : "s", path);
        status = CLI_REGRESSION;
    }
    free(c.worse.rows);
    gate_rows_fini(&c.before);
    gate_rows_fini(&c.now);
    return status;
}

const struct cli_command cli_cmd_gate = {
    .name = "gate",
    .summary = "fail when the memory accesses of a program got worse than in a stored baseline",
    .operands = "BASELINE -- PROGRAM [ARGUMENT...]",
    .description =
        "Runs PROGRAM under loadstone trace and compares its accesses with BASELINE, a text file for the "
        "repository that --update writes: accesses, different cache lines, bytes used of each line, and the "
        "misses of modelled caches, in total, for each piece of data, function and source line. If one of them "
        "got worse, the command prints it and ends with status 4.\n\n"
        "The figures are exact and do not depend on the machine, its load, the addresses or the environment: "
        "the caches have a fixed geometry, one of three, each thread has separate caches, and the code of the "
        "C library and of the distribution's other libraries counts only on data of the program. They change "
        "with the compiler and its options. A program whose threads wait for each other by spinning, or that "
        "uses time or random numbers, has other figures in each run.\n\n"
        "Lines of the source are matched as in loadstone diff. A new row has no limit; the "
        "total has. Standard output of PROGRAM goes to standard error.",
    .examples =
        "loadstone gate --update spmv.gate -- ./spmv small.mtx    write the baseline\n"
        "loadstone gate spmv.gate -- ./spmv small.mtx             compare with it\n"
        "loadstone gate --format sarif -o gate.sarif spmv.gate -- ./spmv small.mtx  for a code host\n",
    .exit_status =
        "0 nothing got worse; 1 failure, also of PROGRAM; 2 wrong usage; 3 bad input; 4 a figure got worse.",
    .options = gate_options,
    .options_len = GATE_OPTIONS,
    .operands_min = 2,
    .operands_max = (size_t)-1,
    .run = gate_run,
};
