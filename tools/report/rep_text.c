/* SPDX-License-Identifier: BSD-3-Clause */
/* The report as text, to be read from the top: what waits most, the table, how far to trust it. */
#include "tools/report/rep_print.h"
#include "tools/cli/cli_term.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REP_EVENTS_BRIEF = 2, REP_ROWS_MIN = 4 };
/* Lines besides the rows and the other texts: heads, columns that are not shown, the next command, the prompt. */
enum { REP_OTHER_LINES = 6, REP_LOW_LINES = 40 };
#define REP_STALL_SMALL 0.05 /* below this share of the time, the program computes */

bool rep_is_low(void)
{
    const int height = cli_term_height();
    return height > 0 && height < REP_LOW_LINES;
}

/* ---- the program ---- */

static void rep_put_cut(const char *text, int width, FILE *out)
{
    if (cli_text_width(text) > width)
        cli_print_cut(text, width, out);
    else
        fputs(text, out);
}

static void rep_program_lines(const struct rep_view *v, FILE *out)
{
    const struct prof_run *r = v->run;
    char time[CLI_CELL_BYTES], rest[CLI_CELL_BYTES + 64] = "";
    size_t len = 0;
    if (rep_known(r->duration_ns))
        len = (size_t)snprintf(rest, sizeof(rest), ", %s", cli_format_time(time, (double)r->duration_ns));
    if (rep_known(r->exit_signal))
        snprintf(rest + len, sizeof(rest) - len, ", killed by signal %d", (int)r->exit_signal);
    else if (rep_known(r->exit_code))
        snprintf(rest + len, sizeof(rest) - len, ", exit status %d", (int)r->exit_code);
    rep_key(out, "program");
    rep_put_cut(*r->command ? r->command : "not known",
                cli_term_width() - REP_KEY_WIDTH - cli_text_width(rest), out);
    fprintf(out, "%s\n", rest);
    if (r->cpu_ns == UINT64_MAX) return;
    rep_key(out, "CPU time");
    rep_print_cpu_parts(r, out);
    fputc('\n', out);
    rep_print_devices(v, out);
}

void rep_print_program(const struct rep_view *v, FILE *out)
{
    rep_print_lines(v, rep_program_lines, out);
}

/* ---- the conclusion ---- */

static void rep_stall_line(const struct rep_view *v, FILE *out)
{
    const struct an_costs *c = &v->costs;
    char time[CLI_CELL_BYTES], all[CLI_CELL_BYTES], percent[CLI_CELL_BYTES];
    if (c->loads.loads == 0 && !an_has_stall(c)) return;
    if (*v->run->events_sampled && c->loads.timed == 0) return; /* as of page faults */
    rep_key(out, "stall");
    if (!an_has_stall(c))
        fprintf(out, "not estimated: too few loads were timed (%s %%)\n",
                cli_format_percent(percent, (double)c->loads.timed / (double)c->loads.loads));
    else if (c->weight_ns > 0)
        fprintf(out, "the program waits for memory for %s %s %% of the time (%s of %s)\n",
                an_has_pace(c) ? "about" : "at most",
                cli_format_percent(percent, c->stall_total_ns / c->weight_ns),
                cli_format_time(time, c->stall_total_ns), cli_format_time(all, c->weight_ns));
    else
        fputs("not estimated: no burst represents time\n", out);
}

/* Where no remedy is known: the costliest data, or that memory is not the problem. */
static void rep_no_advice(const struct rep_view *v, FILE *out)
{
    const uint32_t top = rep_top_stall(v);
    char text[AN_LABEL_BYTES + 128], share[CLI_CELL_BYTES];
    if (!rep_is_by_node(v) || v->root || v->options.where_len || !an_has_stall(&v->costs) ||
        an_bootstrap_bursts(v->bootstrap, AN_STALL) < AN_BURSTS_MIN)
        return;
    if (v->costs.stall_total_ns < REP_STALL_SMALL * v->costs.weight_ns) {
        cli_print_folded("  It computes more than it waits: report --by function shows where.", 2,
                         cli_term_width(), out);
        return;
    }
    if (top == AN_NO_GROUP) return;
    const struct an_interval part = an_bootstrap_share_self(v->bootstrap, v->table, top, AN_STALL);
    snprintf(text, sizeof(text), "  %s: %s %% of the stall, more than other data", rep_label(v, top),
             rep_format_share(&part, share));
    cli_print_folded(text, 4, cli_term_width(), out);
}

static void rep_empty_lines(const struct rep_view *v, FILE *out)
{
    rep_key(out, "empty");
    if (v->in.samples.len || v->costs.bursts)
        fputs("no sample passes --node and --where\n", out);
    else if (strcmp(v->run->engine, "null") == 0)
        fputs("the engine null takes no samples\n", out);
    else
        fprintf(out,
                "nothing was sampled: the program used too little CPU time, or sampling does not work here; "
                "loadstone doctor reports what works%s%s\n",
                *v->run->why ? "; " : "", v->run->why);
}

bool rep_is_empty(const struct rep_view *v)
{
    for (uint32_t g = 0; g < v->groups.groups_len; g++)
        if (rep_is_seen(an_table_total(v->table, g))) return false;
    return true;
}

bool rep_has_time(const struct rep_view *v)
{
    return !rep_is_empty(v) && !(*v->run->events_sampled && v->costs.weight_ns <= 0);
}

/* Print the innermost label of each dimension. */
static void rep_put_labels(const struct rep_view *v, uint32_t group, FILE *out)
{
    const uint32_t depth = v->groups.groups[group].depth;
    for (uint32_t d = 0; d <= depth; d++) {
        uint32_t g = group;
        while (v->groups.groups[g].depth > d)
            g = v->groups.groups[g].parent;
        fprintf(out, "%s%s", d ? ", " : "", rep_label(v, g));
    }
}

/* Print the group with most samples: of samples that represent no time, such as page faults. */
static void rep_most_lines(const struct rep_view *v, FILE *out)
{
    const bool are_faults = strcmp(v->run->engine, "faults") == 0;
    char n[CLI_CELL_BYTES], percent[CLI_CELL_BYTES];
    uint32_t top = 0;
    uint64_t samples = 0;
    for (uint32_t g = 0; g < v->groups.groups_len; g++) {
        samples += an_table_self(v->table, g)->samples;
        if (an_table_self(v->table, g)->samples > an_table_self(v->table, top)->samples) top = g;
    }
    if (samples == 0) return;
    const double part = (double)an_table_self(v->table, top)->samples / (double)samples;
    rep_key(out, are_faults ? "faults" : "samples");
    rep_put_labels(v, top, out);
    fprintf(out, ": %s %% of the %s %s\n", cli_format_percent(percent, part), cli_format_grouped(n, samples),
            are_faults ? "page faults" : "samples");
}

ls_err rep_print_conclusion(const struct rep_view *v, FILE *out)
{
    size_t advice = 0;
    if (rep_is_empty(v)) {
        rep_print_lines(v, rep_empty_lines, out);
        return LS_OK;
    }
    if (!rep_has_time(v)) {
        rep_print_lines(v, rep_most_lines, out);
        return LS_OK;
    }
    rep_print_lines(v, rep_stall_line, out);
    LS_TRY(rep_print_advice(v, out, &advice));
    if (!advice) rep_no_advice(v, out);
    rep_print_spinning(v, out);
    return rep_print_kernel_advice(v, out);
}

static ls_err rep_head(const struct rep_view *v, FILE *out)
{
    rep_print_program(v, out);
    return rep_print_conclusion(v, out);
}

/* ---- trust ---- */

/* Print how far shares are known, and what would make it better. */
static void rep_put_better(const struct rep_view *v, FILE *out)
{
    const size_t bursts = an_bootstrap_bursts(v->bootstrap, AN_TIME);
    if (bursts < AN_BURSTS_MIN || bursts >= AN_BURSTS_GOOD || v->in.is_of_job) return;
    const double factor = (double)AN_BURSTS_GOOD / (double)bursts, asked = v->run->overhead_asked * factor;
    const char *sign = cli_term_utf8() ? "±" : "+-";
    /* 1.96 standard deviations of a binomial share of 50 %, in points */
    fprintf(out, "; shares are known to %s%.0f points, to %s3 with ", sign, 98 / sqrt((double)bursts), sign);
    if (asked <= 0.5) /* not where it is not known */
        fprintf(out, "record --overhead %.0f%%", ceil(asked * 100));
    else
        fprintf(out, "a run %.0f times as long", ceil(factor));
}

static void rep_put_base(const struct rep_view *v, FILE *out)
{
    const struct prof_run *r = v->run;
    const struct prof_cost_loads *l = &v->costs.loads;
    char n[CLI_CELL_BYTES], percent[CLI_CELL_BYTES];
    if (*r->events_sampled) {
        fprintf(out, "; %s samples of: %s", cli_format_grouped(n, v->costs.accesses), r->events_sampled);
        return;
    }
    fprintf(out, "; %s burst%s", cli_format_grouped(n, v->costs.bursts), v->costs.bursts == 1 ? "" : "s");
    if (r->represented_ns != UINT64_MAX && r->user_ns != UINT64_MAX && r->user_ns > 0)
        fprintf(out, " for %.0f %% of the user time", (double)r->represented_ns / (double)r->user_ns * 100);
    else
        fprintf(out, " for %s of user time", cli_format_time(n, v->costs.weight_ns));
    if (l->loads)
        fprintf(out, "; %s %% of the loads timed",
                cli_format_percent(percent, (double)l->timed / (double)l->loads));
}

static void rep_trust_lines(const struct rep_view *v, FILE *out)
{
    char few[256];
    rep_key(out, "trust");
    fprintf(out, "engine %s", *v->run->engine ? v->run->engine : "not known");
    rep_put_base(v, out);
    rep_print_overhead(v->run, out);
    rep_print_lost(v->run, out);
    rep_put_better(v, out);
    fputc('\n', out);
    rep_print_unrepresented(v->run, out);
    if (rep_has_time(v) && rep_explain_too_few(v, few, sizeof(few))) {
        rep_key_warning(out);
        fprintf(out, "%s\n", few);
    }
    rep_print_events(v, rep_is_low() ? 1 : REP_EVENTS_BRIEF, out);
}

void rep_print_trust(const struct rep_view *v, FILE *out)
{
    rep_print_lines(v, rep_trust_lines, out);
}

/* ---- all of it ---- */

static ls_err rep_tail(const struct rep_view *v, FILE *out)
{
    if (!rep_is_low()) LS_TRY(rep_print_kernel(v, out));
    fputc('\n', out);
    if (rep_is_low())
        LS_TRY(rep_print_kernel(v, out));
    else if (!rep_is_empty(v))
        rep_print_lines(v, rep_print_traffic, out);
    rep_print_trust(v, out);
    return LS_OK;
}

/* The text that print writes; free(*out), also after a failure. */
static ls_err rep_to_memory(const struct rep_view *v, ls_err (*print)(const struct rep_view *v, FILE *out),
                            char **out)
{
    size_t len = 0;
    FILE *memory = open_memstream(out, &len);
    if (!memory) return ls_nomem("the report");
    const ls_err err = print(v, memory);
    return fclose(memory) == 0 || err != LS_OK ? err : ls_nomem("the report");
}

static uint64_t rep_lines(const char *text)
{
    uint64_t n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

static ls_err rep_print_between(struct rep_view *v, bool as_tree, uint64_t lines, FILE *out)
{
    struct rep_row *rows = NULL;
    size_t len = 0;
    const uint64_t height = (uint64_t)cli_term_height();
    if (height && !v->options.all_rows)
        v->options.rows_max = height > lines + REP_ROWS_MIN ? height - lines : REP_ROWS_MIN;
    LS_TRY(rep_rows(v, &rows, &len));
    fputc('\n', out);
    (as_tree ? rep_tree_print : rep_print_table)(v, rows, len, out);
    free(rows);
    return LS_OK;
}

ls_err rep_print_text(struct rep_view *v, bool as_tree, FILE *out)
{
    char *head = NULL, *tail = NULL;
    ls_err err = rep_to_memory(v, rep_head, &head);
    if (err == LS_OK) err = rep_to_memory(v, rep_tail, &tail);
    if (err == LS_OK) fputs(head, out);
    if (err == LS_OK && !rep_is_empty(v))
        err = rep_print_between(v, as_tree, rep_lines(head) + rep_lines(tail) + REP_OTHER_LINES, out);
    if (err == LS_OK) fputs(tail, out);
    free(head);
    free(tail);
    return err;
}
