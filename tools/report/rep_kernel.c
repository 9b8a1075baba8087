/* SPDX-License-Identifier: BSD-3-Clause */
/* Print kernel time by cause, below the table, and the remedies. */
#include "analyse/an_kernel.h"
#include "run_h5/prof_tables.h"
#include "tools/cli/cli_term.h"
#include "tools/report/rep_print.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { REP_KERNEL_ROWS = 8, REP_KERNEL_LABEL = 64, REP_KERNEL_COLUMNS = 42, REP_CHURN_MAX = 3 };
/* glibc refuses a larger M_MMAP_THRESHOLD (HEAP_MAX_SIZE / 2 in malloc/arena.c, on 64 bit). */
#define REP_MMAP_THRESHOLD_MAX (UINT64_C(32) << 20)
#define REP_CHURN_PART 0.02   /* least share of the CPU time to save */
enum { REP_TRIM_TIMES = 16 }; /* trim threshold in blocks: free blocks that may stay at the top of the heap */

static ls_err rep_kernel_init(const struct rep_view *v, enum an_kernel_by by, struct an_kernel *out)
{
    struct an_kernel_input in = {.tables = &v->tables, .by = by, .below = v->root};
    in.rows = prof_kernels(v->profile, &in.len);
    return an_kernel_init(out, &in);
}

static const char *rep_kernel_cause(const struct an_kernel_row *r)
{
    return r->cause < PROF_KERNEL_CAUSE_COUNT ? prof_cause_names[r->cause] : "unknown cause";
}

/* "" where it is not known. */
static const char *rep_kernel_key(const struct rep_view *v, const char *dimension, uint32_t key,
                                  char out[AN_LABEL_BYTES])
{
    const struct an_dimension *d = an_dimension_named(dimension, strlen(dimension));
    return key == AN_NO_KEY ? "" : an_dimension_path(d, &v->tables, key, out);
}

static double rep_cpu_ns(const struct rep_view *v)
{
    return v->run->cpu_ns == UINT64_MAX || v->run->cpu_ns == 0 ? NAN : (double)v->run->cpu_ns;
}

/* --- as text --- */

static void rep_kernel_label(const struct rep_view *v, const struct an_kernel_row *r, enum an_kernel_by by,
                             char out[2 * AN_LABEL_BYTES])
{
    char where[AN_LABEL_BYTES];
    const char *data = r->node == AN_NO_KEY ? "" : v->tables.nodes[r->node].label;
    const char *code = rep_kernel_key(v, by == AN_KERNEL_BY_FUNCTION ? "function" : "line", r->line, where);
    const char *first = (by == AN_KERNEL_BY_DATA && *data) || !*code ? data : code,
               *second = first == code ? data : "";
    snprintf(out, 2 * AN_LABEL_BYTES, "%s%s%s%s%s", rep_kernel_cause(r), *first ? ": " : "", first,
             *second ? ", " : "", second);
}

static void rep_kernel_share(const struct rep_view *v, const struct an_kernel_row *r,
                             char out[CLI_CELL_BYTES])
{
    const double cpu_ns = rep_cpu_ns(v);
    if (isnan(cpu_ns))
        strcpy(out, "-");
    else
        snprintf(out, CLI_CELL_BYTES, cli_term_utf8() ? "%.1f ±%.1f" : "%.1f +-%.1f",
                 r->time_ns / cpu_ns * 100, r->error_ns / cpu_ns * 100);
}

/* Half of the 95 % interval of the number of calls. Calls and their time are estimated from the same sampled calls, and
 * lengths that differ only add to the error of the time, so that this is an upper bound. */
static double rep_calls_error(const struct an_kernel_row *r)
{
    return r->time_ns > 0 ? (double)r->calls * r->error_ns / r->time_ns : 0;
}

static void rep_kernel_calls(const struct an_kernel_row *r, char out[2 * CLI_CELL_BYTES])
{
    char calls[CLI_CELL_BYTES], error[CLI_CELL_BYTES];
    snprintf(out, 2 * CLI_CELL_BYTES, "%s", r->calls ? cli_format_count(calls, (double)r->calls) : "-");
    if (r->calls == 0 || !(rep_calls_error(r) >= 0.5)) return;
    snprintf(out, 2 * CLI_CELL_BYTES, cli_term_utf8() ? "%s ±%s" : "%s +-%s", calls,
             cli_format_count(error, rep_calls_error(r)));
}

static void rep_put_kernel(const struct rep_view *v, const struct an_kernel *k, enum an_kernel_by by,
                           FILE *out)
{
    const int width = cli_term_width() - REP_KERNEL_COLUMNS,
              label = width < REP_KERNEL_LABEL ? width : REP_KERNEL_LABEL;
    const double least_ns = isnan(rep_cpu_ns(v)) ? 0 : v->options.min_share * rep_cpu_ns(v);
    double all_ns = 0;
    for (size_t i = 0; i < k->len; i++)
        all_ns += k->rows[i].time_ns;
    if (all_ns < least_ns) return; /* the sum is in the account of the CPU time */
    fprintf(out, "\n%s%-*s  %11s  %9s  %15s%s\n", cli_colour_begin(STDOUT_FILENO, CLI_BOLD), label,
            "kernel time", "CPU %", "time", "calls", cli_colour_end(STDOUT_FILENO));
    double rest_ns = 0;
    size_t shown = 0, rest = 0;
    for (size_t i = 0; i < k->len; i++) {
        const struct an_kernel_row *r = &k->rows[i];
        char text[2 * AN_LABEL_BYTES], share[CLI_CELL_BYTES], time[CLI_CELL_BYTES], calls[2 * CLI_CELL_BYTES];
        if (shown >= REP_KERNEL_ROWS || (shown > 0 && r->time_ns < least_ns)) {
            rest_ns += r->time_ns;
            rest++;
            continue;
        }
        shown++;
        rep_kernel_label(v, r, by, text);
        rep_kernel_share(v, r, share);
        rep_kernel_calls(r, calls);
        cli_print_cut(text, label, out);
        fprintf(out, "  %*s%s  %9s  %*s%s\n", 11 - cli_text_width(share), "", share,
                cli_format_time(time, r->time_ns), 15 - cli_text_width(calls), "", calls);
    }
    char time[CLI_CELL_BYTES];
    if (rest) fprintf(out, "(%zu more: %s)\n", rest, cli_format_time(time, rest_ns));
}

/* Find blocks whose CPU time in the kernel is worth saving, at most `most`; return their number. */
static size_t rep_churn(const struct rep_view *v, const struct an_kernel *k, struct an_churn *out,
                        size_t most)
{
    size_t len = an_kernel_churn(k, &v->tables, rep_cpu_ns(v), out, most);
    while (len > 0 && out[len - 1].time_ns < REP_CHURN_PART * rep_cpu_ns(v))
        len--;
    return len;
}

/* Print one line where the terminal has few. */
static void rep_put_kernel_brief(const struct rep_view *v, const struct an_kernel *k, enum an_kernel_by by,
                                 FILE *out)
{
    const struct an_kernel_row *r = &k->rows[0];
    char label[2 * AN_LABEL_BYTES], text[2 * AN_LABEL_BYTES + 128], share[CLI_CELL_BYTES], rest[64] = "";
    struct an_churn churn;
    if (by == AN_KERNEL_BY_DATA && rep_churn(v, k, &churn, 1)) return; /* the conclusion has it */
    if (!isnan(rep_cpu_ns(v)) && r->time_ns < v->options.min_share * rep_cpu_ns(v)) return;
    rep_kernel_label(v, r, by, label);
    rep_kernel_share(v, r, share);
    if (k->len > 1) snprintf(rest, sizeof(rest), " (%zu more)", k->len - 1);
    snprintf(text, sizeof(text), "%-*s%s: %s %% of the CPU time%s", REP_KEY_WIDTH, "kernel", label, share,
             rest);
    cli_print_folded(text, REP_KEY_WIDTH, cli_term_width(), out);
}

ls_err rep_print_kernel(const struct rep_view *v, FILE *out)
{
    const enum an_base base = v->by.dimensions[0]->base;
    if ((base != AN_BASE_NODE && base != AN_BASE_LINE) || v->options.where_len > 0) return LS_OK;
    const enum an_kernel_by by = base == AN_BASE_NODE                                 ? AN_KERNEL_BY_DATA
                                 : strcmp(v->by.dimensions[0]->name, "function") == 0 ? AN_KERNEL_BY_FUNCTION
                                                                                      : AN_KERNEL_BY_LINE;
    struct an_kernel k;
    const ls_err err = rep_kernel_init(v, by, &k);
    if (err == LS_OK && k.len > 0) (rep_is_low() ? rep_put_kernel_brief : rep_put_kernel)(v, &k, by, out);
    an_kernel_fini(&k);
    return err;
}

/* --- advice --- */

static uint64_t rep_blocks_of(const struct rep_view *v, uint32_t node)
{
    size_t len;
    uint64_t blocks = 0;
    const struct prof_site *sites = prof_sites(v->profile, &len);
    for (size_t i = 0; i < len; i++)
        if (sites[i].node == node && sites[i].blocks != UINT64_MAX) blocks += sites[i].blocks;
    return blocks;
}

/* Suggest a setting of malloc under which the block is not unmapped; "" if there is none. */
static const char *rep_malloc_setting(uint64_t block_bytes, char out[AN_LABEL_BYTES])
{
    uint64_t threshold = UINT64_C(1) << 20;
    while (threshold <= block_bytes && threshold < REP_MMAP_THRESHOLD_MAX)
        threshold *= 2;
    out[0] = '\0';
    if (threshold <= block_bytes) return out;
    snprintf(out, AN_LABEL_BYTES,
             ", or let malloc keep it (M_MMAP_THRESHOLD and M_TRIM_THRESHOLD; with glibc "
             "GLIBC_TUNABLES=glibc.malloc.mmap_threshold=%llu:glibc.malloc.trim_threshold=%llu)",
             (unsigned long long)threshold, (unsigned long long)threshold * REP_TRIM_TIMES);
    return out;
}

static void rep_put_churn(const struct rep_view *v, const struct an_churn *c, FILE *out)
{
    char text[4 * AN_LABEL_BYTES], setting[AN_LABEL_BYTES], time[CLI_CELL_BYTES], error[CLI_CELL_BYTES],
        blocks[CLI_CELL_BYTES], bytes[CLI_CELL_BYTES];
    const uint64_t allocated = rep_blocks_of(v, c->node);
    const uint64_t block_bytes = c->bytes / c->unmaps;
    const char *label = v->tables.nodes[c->node].label;
    const double part = c->time_ns / rep_cpu_ns(v);
    cli_format_count(blocks, (double)(allocated ? allocated : c->unmaps));
    cli_format_bytes(bytes, (double)block_bytes);
    if (rep_is_low()) {
        snprintf(
            text, sizeof(text),
            "%-*s%s: mapping, page faults and unmapping of %s blocks of %s take %.1f %% of the CPU time; "
            "reuse the block",
            REP_KEY_WIDTH, "kernel", label, blocks, bytes, part * 100);
        cli_print_folded(text, REP_KEY_WIDTH, cli_term_width(), out);
        return;
    }
    snprintf(
        text, sizeof(text),
        "  %s: %s %s%s of CPU time (%.1f %%) for mapping, page faults and unmapping of %s blocks of %s that "
        "are allocated and freed again and again; reuse the block%s; huge pages (glibc.malloc.hugetlb=1) "
        "make the page faults fewer",
        label, cli_format_time(time, c->time_ns), cli_term_utf8() ? "±" : "+-",
        cli_format_time(error, c->error_ns), part * 100, blocks, bytes,
        rep_malloc_setting(block_bytes, setting));
    cli_print_folded(text, 4, cli_term_width(), out);
}

ls_err rep_print_kernel_advice(const struct rep_view *v, FILE *out)
{
    struct an_kernel k;
    struct an_churn churn[REP_CHURN_MAX];
    if (isnan(rep_cpu_ns(v)) || v->options.where_len > 0) return LS_OK;
    const ls_err err = rep_kernel_init(v, AN_KERNEL_BY_DATA, &k);
    const size_t len = err == LS_OK ? rep_churn(v, &k, churn, rep_is_low() ? 1 : REP_CHURN_MAX) : 0;
    for (size_t i = 0; i < len; i++) {
        if (i == 0 && !rep_is_low()) {
            rep_key(out, "kernel");
            fputs("CPU time that can be saved:\n", out);
        }
        rep_put_churn(v, &churn[i], out);
    }
    an_kernel_fini(&k);
    return err;
}

/* --- as JSON --- */

ls_err rep_json_kernel(const struct rep_view *v, struct ls_json *j)
{
    struct an_kernel k;
    const ls_err err = rep_kernel_init(v, AN_KERNEL_BY_LINE, &k);
    ls_json_open(j, "kernel", '[');
    for (size_t i = 0; err == LS_OK && i < k.len; i++) {
        const struct an_kernel_row *r = &k.rows[i];
        char text[AN_LABEL_BYTES];
        ls_json_open(j, NULL, '{');
        ls_json_text(j, "cause", rep_kernel_cause(r));
        ls_json_text(j, "data", rep_kernel_key(v, "node", r->node, text));
        ls_json_text(j, "function", rep_kernel_key(v, "function", r->line, text));
        ls_json_text(j, "line", rep_kernel_key(v, "line", r->line, text));
        ls_json_u64(j, "calls", r->calls);
        ls_json_double(j, "calls_error", rep_calls_error(r));
        ls_json_u64(j, "bytes", r->bytes);
        ls_json_double(j, "time_ns", r->time_ns);
        ls_json_double(j, "error_ns", r->error_ns);
        ls_json_double(j, "cpu_share", r->time_ns / rep_cpu_ns(v));
        ls_json_close(j, '}');
    }
    ls_json_close(j, ']');
    an_kernel_fini(&k);
    return err;
}
