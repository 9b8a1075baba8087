/* SPDX-License-Identifier: BSD-3-Clause */
/* report --by rank of a profile that sums up the ranks of a job: which ranks differ from the others, the machines, and
 * a heat map of ranks and data. */
#include "common/ls_json.h"
#include "run_h5/prof_reader.h"
#include "run_h5/prof_tables.h"
#include "tools/cli/cli_term.h"
#include "tools/report/rep_print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DATA_MOST = 12, OUTLIERS_MOST = 10, NAME_WIDTH = 20 };
static const double outlier_times = 2;    /* as much as the median, or half of it */
static const double outlier_share = 0.02; /* part of a rank's usual time */
/* Distance from the median, in median distances of all ranks. Among thousands of ranks that differ by chance of sampling
 * only, some are at 8. */
static const double outlier_distance = 12;

/* One value of each rank: waiting for data, or one of the columns of /ranks. */
struct metric {
    const char *name;
    uint32_t node;                /* of data */
    double *values;               /* by row of /ranks */
    double sum, median, distance; /* distance: median of the distances from the median */
};

struct ranks {
    prof_profile *profile;
    const struct prof_rank *rows;
    size_t len, nodes_len;
    const struct prof_node *nodes;
    double *by_node; /* sums over all ranks */
    double usual_ns; /* median of the ranks' times */
    bool has_stall;
    size_t data_len;
    struct metric data[DATA_MOST], time, wait;
};

struct outlier {
    uint32_t rank; /* row */
    const struct metric *of;
    double excess_ns;
};

static double value_of(const struct ranks *r, const struct prof_rank_datum *d)
{
    return (double)(r->has_stall ? d->stall_ns : d->time_ns);
}

static ls_err sum_nodes(void *user, const struct prof_rank_datum *rows, uint64_t len)
{
    struct ranks *r = user;
    for (uint64_t i = 0; i < len; i++)
        if (rows[i].node < r->nodes_len) r->by_node[rows[i].node] += value_of(r, &rows[i]);
    return LS_OK;
}

static ls_err fill_data(void *user, const struct prof_rank_datum *rows, uint64_t len)
{
    struct ranks *r = user;
    for (uint64_t i = 0; i < len; i++)
        for (size_t d = 0; d < r->data_len; d++)
            if (r->data[d].node == rows[i].node) r->data[d].values[rows[i].rank] += value_of(r, &rows[i]);
    return LS_OK;
}

static int compare_values(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static ls_err median_of(struct metric *m, size_t len)
{
    double *sorted = malloc((len + 1) * sizeof(*sorted));
    if (!sorted) return ls_nomem("%zu ranks", len);
    m->sum = 0;
    for (size_t i = 0; i < len; i++)
        m->sum += sorted[i] = m->values[i];
    qsort(sorted, len, sizeof(*sorted), compare_values);
    m->median = len ? (sorted[(len - 1) / 2] + sorted[len / 2]) / 2 : 0;
    for (size_t i = 0; i < len; i++)
        sorted[i] = fabs(m->values[i] - m->median);
    qsort(sorted, len, sizeof(*sorted), compare_values);
    m->distance = len ? sorted[(len - 1) / 2] : 0;
    free(sorted);
    return LS_OK;
}

static ls_err metric_init(struct metric *m, const char *name, size_t len)
{
    m->name = name;
    m->values = calloc(len + 1, sizeof(*m->values));
    return m->values ? LS_OK : ls_nomem("%zu ranks", len);
}

/* The data that ranks wait for most; the root holds accesses outside of all data. */
static ls_err choose_data(struct ranks *r)
{
    while (r->data_len < DATA_MOST) {
        uint32_t best = 0;
        for (uint32_t n = 1; n < r->nodes_len; n++)
            if (r->by_node[n] > (best ? r->by_node[best] : 0)) best = n;
        if (best == 0) break;
        struct metric *m = &r->data[r->data_len++];
        LS_TRY(metric_init(m, r->nodes[best].label, r->len));
        m->node = best;
        r->by_node[best] = 0;
    }
    LS_TRY(prof_each_rank_data(r->profile, fill_data, r));
    for (size_t d = 0; d < r->data_len; d++)
        LS_TRY(median_of(&r->data[d], r->len));
    return LS_OK;
}

static ls_err ranks_init(struct ranks *r, const char *path)
{
    LS_TRY(prof_open(path, &r->profile));
    r->rows = prof_ranks(r->profile, &r->len);
    r->nodes = prof_nodes(r->profile, &r->nodes_len);
    LS_TRY(metric_init(&r->time, "CPU time", r->len));
    LS_TRY(metric_init(&r->wait, "MPI", r->len));
    r->by_node = calloc(r->nodes_len + 1, sizeof(*r->by_node));
    if (!r->by_node) return ls_nomem("%zu nodes", r->nodes_len);
    for (size_t i = 0; i < r->len; i++) {
        r->time.values[i] = (double)r->rows[i].time_ns;
        r->wait.values[i] = (double)r->rows[i].mpi_wait_ns;
        r->has_stall |= r->rows[i].stall_ns > 0;
    }
    LS_TRY(median_of(&r->time, r->len));
    LS_TRY(median_of(&r->wait, r->len));
    r->usual_ns = r->time.median;
    LS_TRY(prof_each_rank_data(r->profile, sum_nodes, r));
    return choose_data(r);
}

static void ranks_fini(struct ranks *r)
{
    for (size_t d = 0; d < r->data_len; d++)
        free(r->data[d].values);
    free(r->time.values);
    free(r->wait.values);
    free(r->by_node);
    prof_close(r->profile);
}

/* --- outliers --- */

/* Keep the largest, sorted. */
static size_t outlier_add(struct outlier *to, size_t len, struct outlier o)
{
    size_t at = len;
    while (at > 0 && to[at - 1].excess_ns < o.excess_ns)
        at--;
    if (at == OUTLIERS_MOST) return len;
    if (len < OUTLIERS_MOST) len++;
    memmove(&to[at + 1], &to[at], (len - at - 1) * sizeof(*to));
    to[at] = o;
    return len;
}

static size_t outliers_of(const struct ranks *r, const struct metric *m, bool also_less, struct outlier *to,
                          size_t len)
{
    for (uint32_t i = 0; i < r->len; i++) {
        const double excess_ns = m->values[i] - m->median;
        const bool is_more = m->values[i] >= outlier_times * m->median;
        const bool is_less = also_less && m->values[i] * outlier_times <= m->median;
        if (fabs(excess_ns) < outlier_distance * m->distance) continue;
        if ((is_more || is_less) && fabs(excess_ns) >= outlier_share * r->usual_ns)
            len = outlier_add(to, len, (struct outlier){i, m, fabs(excess_ns)});
    }
    return len;
}

static size_t find_outliers(const struct ranks *r, struct outlier to[OUTLIERS_MOST])
{
    size_t len = 0;
    for (size_t d = 0; d < r->data_len; d++)
        len = outliers_of(r, &r->data[d], false, to, len);
    len = outliers_of(r, &r->time, false, to, len);
    return outliers_of(r, &r->wait, true, to, len);
}

static void print_outlier(const struct ranks *r, const struct outlier *o, FILE *out)
{
    const struct prof_rank *rank = &r->rows[o->rank];
    const double value = o->of->values[o->rank], times = o->of->median > 0 ? value / o->of->median : INFINITY;
    char text[1024], is[CLI_CELL_BYTES], usual[CLI_CELL_BYTES], factor[64];
    if (isfinite(times))
        snprintf(factor, sizeof(factor), times >= 1 ? "%.1f times as long" : "only %.2f times as long",
                 times);
    else
        strcpy(factor, "alone");
    const char *const what = o->of == &r->time   ? "takes CPU time"
                             : o->of == &r->wait ? "waits in MPI"
                             : r->has_stall      ? "waits"
                                                 : "spends time";
    const bool is_data = o->of != &r->time && o->of != &r->wait;
    snprintf(text, sizeof(text), "  rank %u (%s) %s %s%s%s as the median: %s, %s", rank->rank, rank->host,
             what, factor, is_data ? " for " : "", is_data ? o->of->name : "", cli_format_time(is, value),
             cli_format_time(usual, o->of->median));
    cli_print_folded(text, 4, cli_term_width(), out);
}

/* --- machines --- */

struct machine {
    const char *host;
    size_t len;
    uint32_t first, last, most; /* ranks; row of the one that takes most time */
    double time_ns, stall_ns, wait_ns;
};

static int compare_hosts(const void *a, const void *b)
{
    const struct prof_rank *x = *(const struct prof_rank *const *)a, *y = *(const struct prof_rank *const *)b;
    const int c = strcmp(x->host, y->host);
    return c ? c : (x->rank > y->rank) - (x->rank < y->rank);
}

static int compare_machines(const void *a, const void *b)
{
    const struct machine *x = a, *y = b;
    const double s = x->time_ns / (double)x->len, t = y->time_ns / (double)y->len;
    return s != t ? (s < t) - (s > t) : strcmp(x->host, y->host);
}

/* The machines, the one with the longest time per rank first; the caller frees *out. */
static ls_err find_machines(const struct ranks *r, struct machine **out, size_t *out_len)
{
    const struct prof_rank **sorted = calloc(r->len + 1, sizeof(*sorted));
    struct machine *m = calloc(r->len + 1, sizeof(*m));
    *out = m;
    *out_len = 0;
    if (!sorted || !m) {
        free(sorted);
        return ls_nomem("%zu ranks", r->len);
    }
    for (size_t i = 0; i < r->len; i++)
        sorted[i] = &r->rows[i];
    qsort(sorted, r->len, sizeof(*sorted), compare_hosts);
    for (size_t i = 0; i < r->len; i++) {
        const struct prof_rank *rank = sorted[i];
        if (i == 0 || strcmp(rank->host, sorted[i - 1]->host) != 0)
            m[(*out_len)++] = (struct machine){.host = rank->host, .first = rank->rank, .most = rank->id};
        struct machine *at = &m[*out_len - 1];
        at->len++;
        at->last = rank->rank;
        at->time_ns += (double)rank->time_ns;
        at->stall_ns += (double)rank->stall_ns;
        at->wait_ns += (double)rank->mpi_wait_ns;
        if (rank->time_ns > r->rows[at->most].time_ns) at->most = rank->id;
    }
    free(sorted);
    qsort(m, *out_len, sizeof(*m), compare_machines);
    return LS_OK;
}

static void print_machines(const struct ranks *r, const struct machine *m, size_t len, uint64_t limit,
                           FILE *out)
{
    char time[CLI_CELL_BYTES], most[CLI_CELL_BYTES], stall[CLI_CELL_BYTES], wait[CLI_CELL_BYTES], ranks[32];
    fprintf(out, "\n%-*s %13s %6s  %9s %9s %9s  %s\n", NAME_WIDTH, "machine", "ranks", "number", "time/rank",
            "stall", "MPI waits", "most time");
    for (size_t i = 0; i < len && i < limit; i++) {
        const double n = (double)m[i].len;
        cli_print_cut(m[i].host, NAME_WIDTH, out);
        snprintf(ranks, sizeof(ranks), "%u-%u", m[i].first, m[i].last);
        fprintf(out, " %13s %6zu  %9s %9s %9s  %s (rank %u)\n", ranks, m[i].len,
                cli_format_time(time, m[i].time_ns / n), cli_format_time(stall, m[i].stall_ns / n),
                cli_format_time(wait, m[i].wait_ns / n),
                cli_format_time(most, (double)r->rows[m[i].most].time_ns), r->rows[m[i].most].rank);
    }
    if (len > limit) fprintf(out, "(%zu more, not shown)\n", len - (size_t)limit);
}

/* --- heat map --- */

static void print_heat_row(const struct ranks *r, const struct metric *m, int width, FILE *out)
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
        for (size_t i = r->len * (size_t)c / (size_t)width; i < r->len * (size_t)(c + 1) / (size_t)width; i++)
            value = fmax(value, m->values[i]);
        fputs(signs[most > 0 ? (int)ceil(value / most * 8) : 0], out);
    }
    fprintf(out, " %9s\n", cli_format_time(text, most));
}

static void print_heat(const struct ranks *r, FILE *out)
{
    const int room = cli_term_width() - NAME_WIDTH - 12;
    const int width = r->len < (size_t)room ? (int)r->len : room;
    fprintf(out, "\n%-*s ranks %u to %u, of each column the highest%s\n", NAME_WIDTH,
            r->has_stall ? "stall by data" : "time by data", r->rows[0].rank, r->rows[r->len - 1].rank,
            ", and the highest of all");
    for (size_t d = 0; d < r->data_len; d++)
        print_heat_row(r, &r->data[d], width, out);
    if (r->wait.sum > 0) print_heat_row(r, &r->wait, width, out);
    print_heat_row(r, &r->time, width, out);
}

/* --- all of it --- */

static void print_summary(const struct ranks *r, size_t machines_len, FILE *out)
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
    if (r->wait.sum > 0) fprintf(out, ", %.1f %% in MPI for other ranks", 100 * r->wait.sum / r->time.sum);
    fputc('\n', out);
}

static void ranks_text(const struct ranks *r, const struct machine *m, size_t machines_len, uint64_t limit,
                       FILE *out)
{
    struct outlier outliers[OUTLIERS_MOST];
    const size_t len = find_outliers(r, outliers);
    print_summary(r, machines_len, out);
    rep_key(out, "outliers");
    fputs(len ? "\n" : "none: no rank is far from the others\n", out);
    for (size_t i = 0; i < len; i++)
        print_outlier(r, &outliers[i], out);
    print_machines(r, m, machines_len, limit, out);
    print_heat(r, out);
}

static void json_rank(const struct ranks *r, const struct prof_rank *rank, struct ls_json *j)
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

static void ranks_json(const struct ranks *r, FILE *out)
{
    struct ls_json j = {.out = out, .indent = LS_JSON_INDENT};
    struct outlier outliers[OUTLIERS_MOST];
    const size_t len = find_outliers(r, outliers);
    ls_json_open(&j, NULL, '{');
    ls_json_u64(&j, "schema", REP_JSON_SCHEMA);
    ls_json_open(&j, "outliers", '[');
    for (size_t i = 0; i < len; i++) {
        ls_json_open(&j, NULL, '{');
        ls_json_u64(&j, "rank", r->rows[outliers[i].rank].rank);
        ls_json_text(&j, "of", outliers[i].of->name);
        ls_json_number(&j, "ns", outliers[i].of->values[outliers[i].rank]);
        ls_json_number(&j, "median_ns", outliers[i].of->median);
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
    struct ranks r = {NULL};
    struct machine *machines = NULL;
    size_t machines_len = 0;
    ls_err err = ranks_init(&r, o->path);
    if (err == LS_OK) err = find_machines(&r, &machines, &machines_len);
    if (err == LS_OK && json) ranks_json(&r, out);
    if (err == LS_OK && !json) ranks_text(&r, machines, machines_len, o->limit, out);
    free(machines);
    ranks_fini(&r);
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
