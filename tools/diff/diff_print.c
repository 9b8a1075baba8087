/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/diff/diff_view.h"
#include "tools/cli/cli_message.h"
#include "tools/cli/cli_term.h"
#include "tools/report/rep_view.h"
#include "common/ls_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- on the terminal ---- */

enum { DIFF_CELL_BYTES = 96, DIFF_LABEL_MIN = 20, DIFF_LABEL_MAX = 60 };

/* --- the head --- */

static void diff_print_run(const struct diff_view *v, int side, const struct rep_view *r, FILE *out)
{
    char bursts[CLI_CELL_BYTES], time[CLI_CELL_BYTES];
    const bool is_alone = v->sides[side].len == 1;
    const size_t len = is_alone ? an_diff_bursts(v->diff, side) : r->costs.bursts;
    fprintf(out, "%s%s%s  %s: %s, %s burst%s", cli_colour_begin(STDOUT_FILENO, CLI_BOLD), side ? "B" : "A",
            cli_colour_end(STDOUT_FILENO), cli_shown(r->options.path),
            *r->run->command ? r->run->command : "command not known", cli_format_grouped(bursts, len),
            len == 1 ? "" : "s");
    if (r->run->duration_ns != UINT64_MAX)
        fprintf(out, ", %s", cli_format_time(time, (double)r->run->duration_ns));
    fputc('\n', out);
}

static void diff_print_total(const char *what, double a, double b, const char *remark, FILE *out)
{
    char ta[CLI_CELL_BYTES], tb[CLI_CELL_BYTES], td[CLI_CELL_BYTES];
    fprintf(out, "%-10s  %s -> %s", what, cli_format_time(ta, a), cli_format_time(tb, b));
    if (isfinite(a) && isfinite(b) && a > 0)
        fprintf(out, ": %s%s (%+.1f %%)", b < a ? "-" : "+", cli_format_time(td, fabs(b - a)),
                (b - a) / a * 100);
    fprintf(out, "%s\n", remark);
}

static double diff_duration_ns(const struct rep_view *r)
{
    return r->run->duration_ns == UINT64_MAX ? NAN : (double)r->run->duration_ns;
}

static double diff_weight_ns(const struct rep_view *r)
{
    return r->costs.weight_ns;
}

static double diff_stall_ns(const struct rep_view *r)
{
    return an_has_stall(&r->costs) ? r->costs.stall_total_ns : NAN;
}

/* 0 for a run whose stall is only an upper bound. */
static double diff_has_pace(const struct rep_view *r)
{
    return an_has_pace(&r->costs);
}

static bool diff_has_several(const struct diff_view *v)
{
    return v->sides[0].len + v->sides[1].len > 2;
}

/* Return how the intervals were made. */
static const char *diff_basis(const struct diff_view *v)
{
    if (!an_diff_has_intervals(v->diff))
        return "Rows of a profile of a job are sums over ranks: their changes have no intervals.";
    if (diff_has_several(v))
        return "Times are means over the runs of a side; the intervals include how these runs vary.";
    return "One run each: the intervals hold the error of sampling, not how runs vary.";
}

static void diff_print_head(const struct diff_view *v, FILE *out)
{
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < v->sides[side].len; i++)
            diff_print_run(v, side, &v->sides[side].runs[i].view, out);
    diff_print_total("wall time", diff_mean(v, 0, diff_duration_ns), diff_mean(v, 1, diff_duration_ns), "",
                     out);
    diff_print_total("CPU time", diff_mean(v, 0, diff_weight_ns), diff_mean(v, 1, diff_weight_ns),
                     ", as sampled", out);
    const bool is_most = diff_mean(v, 0, diff_has_pace) == 0 && diff_mean(v, 1, diff_has_pace) == 0;
    diff_print_total("stall", diff_mean(v, 0, diff_stall_ns), diff_mean(v, 1, diff_stall_ns),
                     is_most ? ", at most" : ", estimated", out);
    fprintf(out, "%s\n\n", diff_basis(v));
}

/* --- the rows --- */

static const char *diff_sign(double x)
{
    return x < 0 ? "-" : "+";
}

/* Write the change and its margin, in parentheses if it is not significant. */
static void diff_cell(const struct an_change *c, const char *change, const char *margin,
                      char out[DIFF_CELL_BYTES])
{
    const char *pm = cli_term_utf8() ? "±" : "+-";
    if (isnan(c->a) && isnan(c->b))
        strcpy(out, "-");
    else if (isnan(c->low))
        snprintf(out, DIFF_CELL_BYTES, "(%s)", change);
    else
        snprintf(out, DIFF_CELL_BYTES, an_change_is_significant(c) ? "%s %s%s" : "(%s %s%s)", change, pm,
                 margin);
}

static void diff_cell_time(const struct an_change *c, char out[DIFF_CELL_BYTES])
{
    char n[CLI_CELL_BYTES], change[CLI_CELL_BYTES + 2], margin[CLI_CELL_BYTES];
    const double d = c->b - c->a;
    snprintf(change, sizeof(change), "%s%s", diff_sign(d), cli_format_time(n, fabs(d)));
    diff_cell(c, change, cli_format_time(margin, an_change_margin(c)), out);
}

static void diff_cell_change(const struct an_difference *d, char out[DIFF_CELL_BYTES])
{
    diff_cell_time(&d->time_ns, out);
}

static void diff_cell_stall(const struct an_difference *d, char out[DIFF_CELL_BYTES])
{
    diff_cell_time(&d->stall_ns, out);
}

static void diff_cell_a(const struct an_difference *d, char out[DIFF_CELL_BYTES])
{
    cli_format_time(out, d->samples[0] || d->time_ns.a > 0 ? d->time_ns.a : NAN);
}

static void diff_cell_b(const struct an_difference *d, char out[DIFF_CELL_BYTES])
{
    cli_format_time(out, d->samples[1] || d->time_ns.b > 0 ? d->time_ns.b : NAN);
}

static void diff_cell_share(const struct an_difference *d, char out[DIFF_CELL_BYTES])
{
    char change[CLI_CELL_BYTES], margin[CLI_CELL_BYTES];
    if (isnan(d->share.a) || isnan(d->share.b)) { /* a run without bursts */
        strcpy(out, "-");
        return;
    }
    snprintf(change, sizeof(change), "%+.1f", (d->share.b - d->share.a) * 100);
    snprintf(margin, sizeof(margin), "%.1f", an_change_margin(&d->share) * 100);
    diff_cell(&d->share, change, margin, out);
}

/* "338 -> 9"; without a latency on one side there is no change. */
static void diff_cell_median(const struct an_difference *d, char out[DIFF_CELL_BYTES])
{
    const struct an_change *c = &d->median_cycles;
    char a[CLI_CELL_BYTES], b[CLI_CELL_BYTES];
    if (isnan(c->a) && isnan(c->b)) {
        strcpy(out, "-");
        return;
    }
    const bool is_significant = isfinite(c->low) && an_change_is_significant(c);
    snprintf(out, DIFF_CELL_BYTES, is_significant ? "%s%s%s" : "(%s%s%s)",
             isnan(c->a) ? "" : cli_format_cycles(a, c->a), cli_term_utf8() ? "→" : "->",
             isnan(c->b) ? "" : cli_format_cycles(b, c->b));
}

static void diff_cell_median_change(const struct an_difference *d, char out[DIFF_CELL_BYTES])
{
    const struct an_change *c = &d->median_cycles;
    char change[CLI_CELL_BYTES], margin[CLI_CELL_BYTES];
    if (isnan(c->a) || isnan(c->b)) {
        strcpy(out, "-");
        return;
    }
    snprintf(change, sizeof(change), "%+.0f", c->b - c->a);
    snprintf(margin, sizeof(margin), "%.0f", an_change_margin(c));
    diff_cell(c, change, margin, out);
}

static void diff_cell_verdict(const struct an_difference *d, char out[DIFF_CELL_BYTES])
{
    strcpy(out, diff_verdict_text(d));
}

/* rank: columns with the highest rank are left out first. */
static const struct diff_column {
    const char *head, *unit;
    void (*cell)(const struct an_difference *d, char out[DIFF_CELL_BYTES]);
    int rank;
} diff_columns[] = {
    {"time", "A", diff_cell_a, 4},
    {"time", "B", diff_cell_b, 4},
    {"change", "of time", diff_cell_change, 0},
    {"stall", "change", diff_cell_stall, 6},
    {"share", "points", diff_cell_share, 3},
    {"median", "cycles", diff_cell_median, 2},
    {"median", "change", diff_cell_median_change, 5},
    {"", "", diff_cell_verdict, 0},
};
enum { DIFF_COLUMNS = sizeof(diff_columns) / sizeof(diff_columns[0]), DIFF_RANK_MAX = 6 };

static int diff_max(int a, int b)
{
    return a > b ? a : b;
}

static int diff_measure(const struct diff_view *v, int widths[DIFF_COLUMNS])
{
    char cell[DIFF_CELL_BYTES];
    int label = DIFF_LABEL_MIN;
    for (int c = 0; c < DIFF_COLUMNS; c++)
        widths[c] = diff_max(cli_text_width(diff_columns[c].head), cli_text_width(diff_columns[c].unit));
    for (size_t i = 0; i < v->rows_len; i++) {
        label = diff_max(label, cli_text_width(v->rows[i].label));
        for (int c = 0; c < DIFF_COLUMNS; c++) {
            diff_columns[c].cell(&v->rows[i].change, cell);
            widths[c] = diff_max(widths[c], cli_text_width(cell));
        }
    }
    return label < DIFF_LABEL_MAX ? label : DIFF_LABEL_MAX;
}

static int diff_total(const int widths[DIFF_COLUMNS])
{
    int n = 0;
    for (int c = 0; c < DIFF_COLUMNS; c++)
        n += widths[c] ? widths[c] + 2 : 0;
    return n;
}

/* Columns that a label must leave before it is shortened. */
static int diff_label_wanted(int label)
{
    return label < 32 ? label : 32;
}

/* Leave columns out by rank until a readable label fits, then shorten the label. Returns its width. */
static int diff_fit(int widths[DIFF_COLUMNS], int label)
{
    const int wanted = diff_label_wanted(label), width = cli_term_width();
    for (int rank = DIFF_RANK_MAX; rank > 0 && diff_total(widths) + wanted > width; rank--)
        for (int c = 0; c < DIFF_COLUMNS; c++)
            if (diff_columns[c].rank == rank) widths[c] = 0;
    const int left = diff_max(width - diff_total(widths), 8);
    return label < left ? label : left;
}

static void diff_print_cell(int column, int width, const char *text, FILE *out)
{
    const int blanks = width - cli_text_width(text);
    if (column == DIFF_COLUMNS - 1)
        fprintf(out, "  %s", text);
    else
        fprintf(out, "  %*s%s", blanks, "", text);
}

static void diff_print_heads(const struct diff_view *v, const int widths[DIFF_COLUMNS], int label, FILE *out)
{
    char titles[AN_LABEL_BYTES];
    fputs(cli_colour_begin(STDOUT_FILENO, CLI_BOLD), out);
    cli_print_cut(rep_titles(&v->sides[0].runs[0].view, titles), label, out);
    for (int c = 0; c + 1 < DIFF_COLUMNS; c++)
        if (widths[c]) diff_print_cell(c, widths[c], diff_columns[c].head, out);
    fprintf(out, "\n%*s", label, "");
    for (int c = 0; c + 1 < DIFF_COLUMNS; c++)
        if (widths[c]) diff_print_cell(c, widths[c], diff_columns[c].unit, out);
    fprintf(out, "%s\n", cli_colour_end(STDOUT_FILENO));
}

/* Name the columns that were left out, and the width that shows all. */
static void diff_print_left_out(const int all[DIFF_COLUMNS], const int widths[DIFF_COLUMNS], int label,
                                FILE *out)
{
    char text[256];
    size_t len = 0;
    for (int c = 0; c < DIFF_COLUMNS && len < sizeof(text); c++)
        if (all[c] && !widths[c])
            len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s %s",
                                    len ? ", " : "(not shown: ", diff_columns[c].head, diff_columns[c].unit);
    if (!len) return;
    if (len < sizeof(text))
        snprintf(text + len, sizeof(text) - len, "; COLUMNS=%d shows all)",
                 diff_total(all) + diff_label_wanted(label));
    cli_print_folded(text, 1, cli_term_width(), out);
}

static enum cli_colour diff_colour(const struct an_difference *d)
{
    static const enum cli_colour colours[] = {
        [DIFF_SAME] = CLI_PLAIN,       [DIFF_MORE] = CLI_RED,   [DIFF_LESS] = CLI_GREEN,
        [DIFF_NEW] = CLI_RED,          [DIFF_GONE] = CLI_GREEN, [DIFF_TOO_FEW] = CLI_PLAIN,
        [DIFF_NO_INTERVAL] = CLI_PLAIN};
    return colours[diff_verdict_of(d)];
}

static void diff_print_row(const struct diff_row *r, const int widths[DIFF_COLUMNS], int label, FILE *out)
{
    char cell[DIFF_CELL_BYTES];
    const enum cli_colour colour = diff_colour(&r->change);
    fputs(colour == CLI_PLAIN ? "" : cli_colour_begin(STDOUT_FILENO, colour), out);
    cli_print_cut(r->label, label, out);
    for (int c = 0; c < DIFF_COLUMNS; c++) {
        if (!widths[c]) continue;
        diff_columns[c].cell(&r->change, cell);
        diff_print_cell(c, widths[c], cell, out);
    }
    fprintf(out, "%s\n", colour == CLI_PLAIN ? "" : cli_colour_end(STDOUT_FILENO));
}

void diff_print_text(const struct diff_view *v, FILE *out)
{
    int all[DIFF_COLUMNS], widths[DIFF_COLUMNS];
    diff_print_head(v, out);
    if (v->rows_len == 0) {
        fputs("\nNothing to compare: no row has CPU time in one of the recordings.\n", out);
        return;
    }
    const int longest = diff_measure(v, all);
    memcpy(widths, all, sizeof(widths));
    const int label = diff_fit(widths, longest);
    diff_print_heads(v, widths, label, out);
    for (size_t i = 0; i < v->rows_len; i++)
        diff_print_row(&v->rows[i], widths, label, out);
    if (v->hidden) fprintf(out, "(%zu more, not shown)\n", v->hidden);
    diff_print_left_out(all, widths, longest, out);
    if (an_diff_has_intervals(v->diff))
        fputs("\nIn parentheses: not significant, the samples cannot tell it from no change (95 %).\n", out);
}

/* ---- as JSON ---- */

static const char *diff_json_method(const struct diff_view *v)
{
    if (!an_diff_has_intervals(v->diff)) return "none: rows are sums over ranks";
    return diff_has_several(v) ? "of b - a, 95 %, bootstrap over the bursts of each run, and Welch's over "
                                 "the means of the runs"
                               : "of b - a, 95 %, bootstrap over the bursts of each run";
}

static void diff_json_side(const struct diff_view *v, int side, struct ls_json *j)
{
    const struct diff_side *s = &v->sides[side];
    const struct rep_view *first = &s->runs[0].view;
    ls_json_open(j, side ? "b" : "a", '{');
    ls_json_text(j, "file", first->options.path);
    ls_json_open(j, "files", '[');
    for (size_t i = 0; i < s->len; i++)
        ls_json_text(j, NULL, s->runs[i].view.options.path);
    ls_json_close(j, ']');
    ls_json_text(j, "command", first->run->command);
    ls_json_text(j, "engine", first->run->engine);
    ls_json_text(j, "cpu", first->run->cpu);
    ls_json_u64(j, "bursts", an_diff_bursts(v->diff, side));
    ls_json_double(j, "duration_ns", diff_mean(v, side, diff_duration_ns));
    ls_json_double(j, "sampled_ns", diff_mean(v, side, diff_weight_ns));
    ls_json_double(j, "stall_ns", diff_mean(v, side, diff_stall_ns));
    ls_json_close(j, '}');
}

static void diff_json_change(struct ls_json *j, const char *key, const struct an_change *c)
{
    ls_json_open(j, key, '{');
    ls_json_double(j, "a", c->a);
    ls_json_double(j, "b", c->b);
    ls_json_double(j, "change", c->b - c->a);
    ls_json_double(j, "low", c->low);
    ls_json_double(j, "high", c->high);
    ls_json_bool(j, "significant", an_change_is_significant(c));
    ls_json_close(j, '}');
}

static void diff_json_row(const struct diff_row *r, struct ls_json *j)
{
    ls_json_open(j, NULL, '{');
    ls_json_text(j, "label", r->label);
    ls_json_text(j, "verdict", diff_verdict_text(&r->change));
    ls_json_u64(j, "samples_a", r->change.samples[0]);
    ls_json_u64(j, "samples_b", r->change.samples[1]);
    ls_json_u64(j, "bursts_a", r->change.bursts[0]);
    ls_json_u64(j, "bursts_b", r->change.bursts[1]);
    diff_json_change(j, "time_ns", &r->change.time_ns);
    diff_json_change(j, "time_share", &r->change.share);
    diff_json_change(j, "stall_ns", &r->change.stall_ns);
    diff_json_change(j, "latency_median_cycles", &r->change.median_cycles);
    ls_json_close(j, '}');
}

void diff_print_json(const struct diff_view *v, FILE *out)
{
    struct ls_json j = {.out = out, .indent = LS_JSON_INDENT};
    char warnings[DIFF_WARNINGS_MAX][DIFF_WARNING_BYTES];
    const size_t warnings_len = diff_warnings(v, warnings);
    ls_json_open(&j, NULL, '{');
    ls_json_u64(&j, "schema", DIFF_JSON_SCHEMA);
    diff_json_side(v, 0, &j);
    diff_json_side(v, 1, &j);
    ls_json_open(&j, "by", '[');
    const struct an_by *by = &v->sides[0].runs[0].view.by;
    for (size_t i = 0; i < by->len; i++)
        ls_json_text(&j, NULL, by->dimensions[i]->name);
    ls_json_close(&j, ']');
    ls_json_text(&j, "intervals", diff_json_method(v));
    ls_json_open(&j, "warnings", '[');
    for (size_t i = 0; i < warnings_len; i++)
        ls_json_text(&j, NULL, warnings[i]);
    ls_json_close(&j, ']');
    ls_json_u64(&j, "rows_left_out", v->hidden);
    ls_json_open(&j, "rows", '[');
    for (size_t i = 0; i < v->rows_len; i++)
        diff_json_row(&v->rows[i], &j);
    ls_json_close(&j, ']');
    ls_json_close(&j, '}');
}
