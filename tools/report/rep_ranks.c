/* SPDX-License-Identifier: BSD-3-Clause */
/* report --by rank of a profile that sums up the ranks of a job: which ranks differ from the others, the machines, and
 * a heat map of ranks and data. */
#include "analyse/an_ranks.h"
#include "common/ls_json.h"
#include "tools/cli/cli_term.h"
#include "tools/report/rep_print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_WIDTH = 20 };
static void print_outlier(const struct an_ranks *r, const struct an_outlier *o, FILE *out)
{
    const struct prof_rank *rank = &r->rows[o->row];
    const double value = o->metric->values[o->row],
                 times = o->metric->median > 0 ? value / o->metric->median : INFINITY;
    char text[1024], is[CLI_CELL_BYTES], usual[CLI_CELL_BYTES], factor[64];
    if (isfinite(times))
        snprintf(factor, sizeof(factor), times >= 1 ? "%.1f times as long" : "only %.2f times as long",
                 times);
    else
        strcpy(factor, "alone");
    const char *const what = o->metric == &r->time   ? "takes CPU time"
                             : o->metric == &r->wait ? "waits in MPI"
                             : r->has_stall          ? "waits"
                                                     : "spends time";
    const bool is_data = o->metric != &r->time && o->metric != &r->wait;
    snprintf(text, sizeof(text), "  rank %u (%s) %s %s%s%s as the median: %s, %s", rank->rank, rank->host,
             what, factor, is_data ? " for " : "", is_data ? o->metric->name : "", cli_format_time(is, value),
             cli_format_time(usual, o->metric->median));
    cli_print_folded(text, 4, cli_term_width(), out);
}

/* --- machines --- */

static void print_machines(const struct an_ranks *r, const struct an_machine *m, size_t len, uint64_t limit,
                           FILE *out)
{
    char time[CLI_CELL_BYTES], most[CLI_CELL_BYTES], stall[CLI_CELL_BYTES], wait[CLI_CELL_BYTES], ranks[32];
    fprintf(out, "\n%-*s %13s %6s  %9s %9s %9s  %s\n", NAME_WIDTH, "machine", "ranks", "number", "time/rank",
            "stall", "MPI waits", "most time");
    for (size_t i = 0; i < len && i < limit; i++) {
        const double n = (double)m[i].len;
        cli_print_cut(m[i].host, NAME_WIDTH, out);
        const bool has_gaps = m[i].last - m[i].first + 1 > m[i].len;
        snprintf(ranks, sizeof(ranks), "%u%s%u", m[i].first, has_gaps ? "..." : "-", m[i].last);
        fprintf(out, " %13s %6zu  %9s %9s %9s  %s (rank %u)\n", ranks, m[i].len,
                cli_format_time(time, m[i].time_ns / n), cli_format_time(stall, m[i].stall_ns / n),
                cli_format_time(wait, m[i].wait_ns / n),
                cli_format_time(most, (double)r->rows[m[i].most].time_ns), r->rows[m[i].most].rank);
    }
    if (len > limit) fprintf(out, "(%zu more, not shown)\n", len - (size_t)limit);
}

/* --- heat map --- */

static size_t column_begin(const struct an_ranks *r, int column, int width)
{
    return r->len * (size_t)column / (size_t)width;
}

/* Mark the columns in which the ranks of a machine begin. */
static void print_machine_row(const struct an_ranks *r, int width, FILE *out)
{
    cli_print_cut("a machine begins", NAME_WIDTH, out);
    fputc(' ', out);
    for (int c = 0; c < width; c++) {
        bool begins = false;
        for (size_t i = column_begin(r, c, width); i < column_begin(r, c + 1, width); i++)
            begins |= i == 0 || strcmp(r->rows[r->order[i]].host, r->rows[r->order[i - 1]].host) != 0;
        fputc(begins ? '|' : ' ', out);
    }
    fputc('\n', out);
}

static void print_heat_row(const struct an_ranks *r, const struct an_rank_metric *m, int width, FILE *out)
{
    static const char *const utf8[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const ascii[] = {" ", ".", ":", "-", "=", "+", "*", "#", "@"};
    const char *const *const signs = cli_term_utf8() ? utf8 : ascii;
    char text[CLI_CELL_BYTES];
    double most = 0;
    for (size_t i = 0; i < r->len; i++)
        most = fmax(most, m->values[i]);
    cli_print_cut(m->name, NAME_WIDTH, out);
    fputc(' ', out);
    for (int c = 0; c < width; c++) {
        double value = 0; /* scaled to the highest rank of the column, so that none disappears */
        for (size_t i = column_begin(r, c, width); i < column_begin(r, c + 1, width); i++)
            value = fmax(value, m->values[r->order[i]]);
        fputs(signs[most > 0 ? (int)ceil(value / most * 8) : 0], out);
    }
    fprintf(out, " %9s\n", cli_format_time(text, most));
}

static void print_heat(const struct an_ranks *r, size_t machines_len, FILE *out)
{
    const int room = cli_term_width() - NAME_WIDTH - 12;
    const int width = r->len < (size_t)room ? (int)r->len : room;
    fprintf(out, "\n%-*s ranks %u to %u%s, of each column the highest%s\n", NAME_WIDTH,
            r->has_stall ? "stall by data" : "time by data", r->rows[0].rank, r->rows[r->len - 1].rank,
            machines_len > 1 ? " by machine" : "", ", and the highest of all");
    if (machines_len > 1 && machines_len < (size_t)width) print_machine_row(r, width, out);
    for (size_t d = 0; d < r->data_len; d++)
        print_heat_row(r, &r->data[d], width, out);
    if (r->wait.sum > 0) print_heat_row(r, &r->wait, width, out);
    print_heat_row(r, &r->time, width, out);
}

/* --- all of it --- */

static void print_summary(const struct an_ranks *r, size_t machines_len, FILE *out)
{
    char n[CLI_CELL_BYTES], of[CLI_CELL_BYTES], text[CLI_CELL_BYTES];
    size_t kept = 0;
    double stall_ns = 0;
    for (size_t i = 0; i < r->len; i++) {
        kept += r->rows[i].kept != PROF_KEPT_SUMMED;
        stall_ns += (double)r->rows[i].stall_ns;
    }
    rep_key(out, "ranks");
    fprintf(out, "%s of %s on %zu machine%s; %zu with samples in the file\n", cli_format_grouped(n, r->len),
            r->rows[0].ranks_len ? cli_format_grouped(of, r->rows[0].ranks_len) : "an unknown number",
            machines_len, machines_len == 1 ? "" : "s", kept);
    rep_key(out, "time");
    fprintf(out, "%s a rank (median)", cli_format_time(text, r->time.median));
    if (r->time.sum > 0) fprintf(out, "; %.1f %% of all waits for memory", 100 * stall_ns / r->time.sum);
    if (r->wait.sum > 0)
        fprintf(out, ", %.1f %% in MPI functions that wait or are collective",
                100 * r->wait.sum / r->time.sum);
    fputc('\n', out);
}

static void ranks_text(const struct an_ranks *r, const struct an_machine *m, size_t machines_len,
                       uint64_t limit, FILE *out)
{
    struct an_outlier outliers[AN_OUTLIERS_MOST];
    const size_t len = an_ranks_outliers(r, outliers);
    print_summary(r, machines_len, out);
    rep_key(out, "outliers");
    fputs(len ? "\n" : "none: no rank is far from the others\n", out);
    for (size_t i = 0; i < len; i++)
        print_outlier(r, &outliers[i], out);
    print_machines(r, m, machines_len, limit, out);
    print_heat(r, machines_len, out);
}

static void json_rank(const struct an_ranks *r, const struct prof_rank *rank, struct ls_json *j)
{
    ls_json_open(j, NULL, '{');
    ls_json_u64(j, "rank", rank->rank);
    ls_json_text(j, "host", rank->host);
    ls_json_bool(j, "has_samples", rank->kept != PROF_KEPT_SUMMED);
    ls_json_u64(j, "time_ns", rank->time_ns);
    ls_json_u64(j, "stall_ns", rank->stall_ns);
    ls_json_u64(j, "mpi_wait_ns", rank->mpi_wait_ns);
    ls_json_u64(j, "mpi_other_ns", rank->mpi_other_ns);
    ls_json_u64(j, "bursts", rank->bursts);
    ls_json_u64(j, "samples", rank->samples);
    ls_json_open(j, r->has_stall ? "stall_by_data_ns" : "time_by_data_ns", '{');
    for (size_t d = 0; d < r->data_len; d++)
        ls_json_number(j, r->data[d].name, r->data[d].values[rank->id]);
    ls_json_close(j, '}');
    ls_json_close(j, '}');
}

static void ranks_json(const struct an_ranks *r, FILE *out)
{
    struct ls_json j = {.out = out, .indent = LS_JSON_INDENT};
    struct an_outlier outliers[AN_OUTLIERS_MOST];
    const size_t len = an_ranks_outliers(r, outliers);
    ls_json_open(&j, NULL, '{');
    ls_json_u64(&j, "schema", REP_JSON_SCHEMA);
    ls_json_open(&j, "outliers", '[');
    for (size_t i = 0; i < len; i++) {
        ls_json_open(&j, NULL, '{');
        ls_json_u64(&j, "rank", r->rows[outliers[i].row].rank);
        ls_json_text(&j, "of", outliers[i].metric->name);
        ls_json_number(&j, "ns", outliers[i].metric->values[outliers[i].row]);
        ls_json_number(&j, "median_ns", outliers[i].metric->median);
        ls_json_close(&j, '}');
    }
    ls_json_close(&j, ']');
    ls_json_open(&j, "ranks", '[');
    for (size_t i = 0; i < r->len; i++)
        json_rank(r, &r->rows[i], &j);
    ls_json_close(&j, ']');
    ls_json_close(&j, '}');
    fputc('\n', out);
}

ls_err rep_ranks(const struct rep_options *o, bool json, FILE *out)
{
    prof_profile *profile = NULL;
    struct an_ranks r = {NULL};
    struct an_machine *machines = NULL;
    size_t machines_len = 0;
    ls_err err = prof_open(o->path, &profile);
    if (err == LS_OK) err = an_ranks_init(&r, profile);
    if (err == LS_OK) err = an_ranks_machines(&r, &machines, &machines_len);
    if (err == LS_OK && json) ranks_json(&r, out);
    if (err == LS_OK && !json) ranks_text(&r, machines, machines_len, o->limit, out);
    free(machines);
    an_ranks_fini(&r);
    prof_close(profile);
    return err;
}

bool rep_ranks_has(const char *path)
{
    prof_profile *p = NULL;
    size_t len = 0;
    if (prof_open(path, &p) == LS_OK) prof_ranks(p, &len);
    prof_close(p);
    return len > 0;
}
