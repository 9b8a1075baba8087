/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "tools/diff/diff_view.h"
#include "analyse/an_diff.h"
#include "common/ls_vector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- groups matched by name ---- */

/* A group of a run. */
struct diff_group {
    const struct diff_run *run;
    uint32_t number;
};

/* The names of the groups of all runs, with their groups. */
struct diff_names {
    struct an_name *rows;
    struct diff_group *groups; /* beside rows */
    size_t len, rows_room, groups_room;
};

static ls_err diff_no_memory(size_t len)
{
    return ls_nomem("matching %zu names", len);
}

static ls_err diff_name_add(struct diff_names *names, const char *text, uint32_t side,
                            struct diff_group group)
{
    LS_TRY(LS_GROW(names->rows, names->rows_room, names->len + 1));
    LS_TRY(LS_GROW(names->groups, names->groups_room, names->len + 1));
    char *copy = strdup(text);
    if (!copy) return diff_no_memory(names->len);
    names->groups[names->len] = group;
    names->rows[names->len++] = (struct an_name){.text = copy, .side = side};
    return LS_OK;
}

static void diff_names_fini(struct diff_names *names)
{
    for (size_t i = 0; i < names->len; i++)
        free((char *)(uintptr_t)names->rows[i].text);
    free(names->rows);
    free(names->groups);
}

/* Collect the innermost groups that have own samples or time. */
static ls_err diff_collect_names(const struct diff_run *r, uint32_t side, struct diff_names *names)
{
    const struct rep_view *v = &r->view;
    for (uint32_t g = 0; g < v->groups.groups_len; g++) {
        char text[AN_IDENTITY_BYTES];
        if (!rep_is_seen(an_table_self(v->table, g))) continue;
        an_identity_of_group(&v->groups, &v->tables, g, text);
        LS_TRY(diff_name_add(names, text, side, (struct diff_group){r, g}));
    }
    return LS_OK;
}

static ls_err diff_copy_labels(struct diff_view *v, const struct diff_names *names, const uint32_t *labels,
                               uint32_t len)
{
    v->labels = calloc(len + 1u, sizeof(*v->labels));
    if (!v->labels) return diff_no_memory(len);
    for (; v->labels_len < len; v->labels_len++) {
        v->labels[v->labels_len] = strdup(names->rows[labels[v->labels_len]].text);
        if (!v->labels[v->labels_len]) return diff_no_memory(len);
    }
    return LS_OK;
}

static ls_err diff_map_rows(struct diff_run *r, const struct diff_names *names)
{
    const struct rep_view *s = &r->view;
    uint32_t *row_of_group = calloc(s->groups.groups_len + 1u, sizeof(*row_of_group));
    r->row_of_sample = malloc((s->in.samples.len + 1) * sizeof(uint32_t));
    r->row_of_burst = malloc((s->in.bursts_len + 1) * sizeof(uint32_t));
    if (!row_of_group || !r->row_of_sample || !r->row_of_burst) {
        free(row_of_group);
        return diff_no_memory(s->in.samples.len);
    }
    for (size_t i = 0; i < names->len; i++)
        if (names->groups[i].run == r) row_of_group[names->groups[i].number] = names->rows[i].row;
    for (uint64_t i = 0; i < s->in.samples.len; i++) {
        const uint32_t g = s->groups.group_of_sample[i];
        r->row_of_sample[i] = g == UINT32_MAX ? UINT32_MAX : row_of_group[g];
    }
    for (size_t i = 0; i < s->in.bursts_len; i++) {
        const uint32_t g = s->groups.group_of_burst[i];
        r->row_of_burst[i] = g == UINT32_MAX ? UINT32_MAX : row_of_group[g];
    }
    free(row_of_group);
    return LS_OK;
}

static ls_err diff_match_names(struct diff_view *v, struct diff_names *names)
{
    uint32_t len = 0, *labels = NULL;
    for (uint32_t side = 0; side < 2; side++)
        for (size_t i = 0; i < v->sides[side].len; i++)
            LS_TRY(diff_collect_names(&v->sides[side].runs[i], side, names));
    LS_TRY(an_match_names(names->rows, names->len, &len, &labels));
    const ls_err err = diff_copy_labels(v, names, labels, len);
    free(labels);
    LS_TRY(err);
    for (uint32_t side = 0; side < 2; side++)
        for (size_t i = 0; i < v->sides[side].len; i++)
            LS_TRY(diff_map_rows(&v->sides[side].runs[i], names));
    return LS_OK;
}

static ls_err diff_match(struct diff_view *v)
{
    struct diff_names names = {0};
    const ls_err err = diff_match_names(v, &names);
    diff_names_fini(&names);
    return err;
}

static double diff_sort_value(const struct diff_row *r, enum diff_sort sort)
{
    const struct an_change *t = &r->change.time_ns;
    return sort == DIFF_SORT_TIME ? fmax(t->a, t->b) : fabs(t->b - t->a);
}

static int diff_compare_rows(const void *a, const void *b, void *user)
{
    const struct diff_row *x = a, *y = b;
    const enum diff_sort sort = *(const enum diff_sort *)user;
    if (sort == DIFF_SORT_LABEL) return strcmp(x->label, y->label);
    const double p = diff_sort_value(x, sort), q = diff_sort_value(y, sort);
    return p != q ? (p < q) - (p > q) : strcmp(x->label, y->label);
}

static bool diff_is_shown(const struct diff_view *v, const struct an_difference *d)
{
    return d->share.a >= v->options.min_share || d->share.b >= v->options.min_share;
}

static ls_err diff_make_rows(struct diff_view *v)
{
    v->rows = calloc(v->labels_len + 1u, sizeof(*v->rows));
    if (!v->rows) return diff_no_memory(v->labels_len);
    for (uint32_t i = 0; i < v->labels_len; i++) {
        const struct diff_row row = {v->labels[i], an_diff_row(v->diff, i)};
        if (diff_is_shown(v, &row.change))
            v->rows[v->rows_len++] = row;
        else
            v->hidden++;
    }
    qsort_r(v->rows, v->rows_len, sizeof(*v->rows), diff_compare_rows, &v->options.sort);
    if (v->rows_len > v->options.limit) {
        v->hidden += v->rows_len - v->options.limit;
        v->rows_len = v->options.limit;
    }
    for (size_t i = 0; i < v->rows_len; i++)
        LS_TRY(an_diff_median(v->diff, &v->rows[i].change));
    return LS_OK;
}

static ls_err diff_compare(struct diff_view *v, struct an_diff_run *runs)
{
    struct an_diff_side sides[2];
    for (int side = 0; side < 2; side++) {
        const struct diff_side *s = &v->sides[side];
        sides[side] = (struct an_diff_side){runs, s->len};
        for (size_t i = 0; i < s->len; i++) {
            const struct diff_run *r = &s->runs[i];
            *runs++ = (struct an_diff_run){&r->view.in, &r->view.costs, r->row_of_sample, r->row_of_burst,
                                           r->view.groups.by_origin};
        }
    }
    return an_diff_new(sides, v->labels_len, &v->diff);
}

static ls_err diff_compute(struct diff_view *v)
{
    LS_TRY(diff_match(v));
    struct an_diff_run *runs = calloc(v->sides[0].len + v->sides[1].len, sizeof(*runs));
    if (!runs) return diff_no_memory(v->sides[0].len);
    const ls_err err = diff_compare(v, runs);
    free(runs);
    LS_TRY(err);
    return diff_make_rows(v);
}

static ls_err diff_open_side(const struct diff_options *options, int side, struct diff_side *s)
{
    s->runs = calloc(options->paths_len[side], sizeof(*s->runs));
    if (!s->runs) return ls_nomem("%zu profiles", options->paths_len[side]);
    for (size_t i = 0; i < options->paths_len[side]; i++) {
        const struct rep_options o = {.path = options->paths[side][i],
                                      .by = options->by,
                                      .where = options->where,
                                      .where_len = options->where_len,
                                      .where_may_miss = true,
                                      .columns = options->with_lines ? PROF_MASK(ip) | PROF_MASK(thread) : 0};
        s->len++; /* files are closed also after a failure */
        LS_TRY(rep_view_init(&s->runs[i].view, &o));
    }
    return LS_OK;
}

ls_err diff_view_init(struct diff_view *v, const struct diff_options *options)
{
    memset(v, 0, sizeof(*v));
    v->options = *options;
    for (int side = 0; side < 2; side++)
        LS_TRY(diff_open_side(options, side, &v->sides[side]));
    return diff_compute(v);
}

void diff_view_fini(struct diff_view *v)
{
    free(v->rows);
    an_diff_free(v->diff);
    for (uint32_t i = 0; i < v->labels_len; i++)
        free(v->labels[i]);
    free(v->labels);
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < v->sides[side].len; i++) {
            free(v->sides[side].runs[i].row_of_sample);
            free(v->sides[side].runs[i].row_of_burst);
            rep_view_fini(&v->sides[side].runs[i].view);
        }
        free(v->sides[side].runs);
    }
}

enum diff_verdict diff_verdict_of(const struct an_difference *d)
{
    if (!d->has_interval) return DIFF_NO_INTERVAL;
    if (isnan(d->time_ns.low)) return DIFF_TOO_FEW;
    if (!an_change_is_significant(&d->time_ns)) return DIFF_SAME;
    if (d->bursts[0] == 0) return DIFF_NEW;
    if (d->bursts[1] == 0) return DIFF_GONE;
    return d->time_ns.low > 0 ? DIFF_MORE : DIFF_LESS;
}

const char *diff_verdict_text(const struct an_difference *d)
{
    static const char *const texts[] = {
        [DIFF_SAME] = "not significant",
        [DIFF_MORE] = "more",
        [DIFF_LESS] = "less",
        [DIFF_NEW] = "new",
        [DIFF_GONE] = "gone",
        [DIFF_TOO_FEW] = "too few bursts",
        [DIFF_NO_INTERVAL] = "no interval",
    };
    return texts[diff_verdict_of(d)];
}

double diff_mean(const struct diff_view *v, int side, double value(const struct rep_view *run))
{
    double sum = 0;
    for (size_t i = 0; i < v->sides[side].len; i++)
        sum += value(&v->sides[side].runs[i].view);
    return sum / (double)v->sides[side].len;
}

static double diff_weight_ns(const struct rep_view *run)
{
    return run->costs.weight_ns;
}

/* Count the row's samples by line, at their rows of the table. */
static void diff_count_lines(const struct diff_run *r, uint32_t row, uint64_t *counts)
{
    const struct an_tables *t = &r->view.tables;
    const struct prof_samples *samples = &r->view.in.samples;
    for (uint64_t i = 0; i < samples->len; i++) {
        if (r->row_of_sample[i] != row) continue;
        const uint32_t line = an_tables_line(t, an_tables_process(t, samples->thread[i]), samples->ip[i]);
        if (line < t->lines_len && *t->lines[line].file) counts[line]++;
    }
}

/* Instructions of one source line are counted together. */
static const struct prof_line *diff_most_counted(const struct an_tables *t, const uint64_t *counts)
{
    const struct prof_line *best = NULL;
    uint64_t most = 0;
    for (size_t i = 0; i < t->lines_len; i++) {
        uint64_t sum = 0;
        for (size_t k = 0; counts[i] && k < t->lines_len; k++)
            if (t->lines[k].line == t->lines[i].line && strcmp(t->lines[k].file, t->lines[i].file) == 0)
                sum += counts[k];
        if (sum <= most) continue;
        most = sum;
        best = &t->lines[i];
    }
    return best;
}

ls_err diff_line_of(const struct diff_view *v, uint32_t row, const struct prof_line **out)
{
    *out = NULL;
    for (size_t i = 0; !*out && i < v->sides[1].len; i++) {
        const struct diff_run *r = &v->sides[1].runs[i];
        uint64_t *counts = calloc(r->view.tables.lines_len + 1, sizeof(*counts));
        if (!counts) return diff_no_memory(r->view.tables.lines_len);
        diff_count_lines(r, row, counts);
        *out = diff_most_counted(&r->view.tables, counts);
        free(counts);
    }
    return LS_OK;
}

ls_err diff_regressions(const struct diff_view *v, double share, struct diff_row **out, size_t *out_len)
{
    const double limit_ns = share * diff_mean(v, 0, diff_weight_ns);
    const enum diff_sort sort = DIFF_SORT_CHANGE;
    struct diff_row *rows = NULL;
    size_t len = 0;
    if (!an_diff_has_intervals(v->diff))
        return ls_fail(LS_ERR_USAGE, "--fail-on-regression needs intervals, and a profile of a job has none: "
                                     "compare profiles of ranks, or of loadstone merge without --sum");
    rows = calloc(v->labels_len + 1u, sizeof(*rows));
    if (!rows) return diff_no_memory(v->labels_len);
    for (uint32_t i = 0; i < v->labels_len; i++) {
        const struct diff_row row = {v->labels[i], an_diff_row(v->diff, i)};
        const struct an_change *time = &row.change.time_ns;
        if (time->low > 0 && time->b - time->a > limit_ns) rows[len++] = row;
    }
    qsort_r(rows, len, sizeof(*rows), diff_compare_rows, (void *)(uintptr_t)&sort);
    *out = rows;
    *out_len = len;
    return LS_OK;
}

/* ---- differences between the ways in which runs were recorded ---- */

/* Warnings about runs that were recorded in different ways, so that some of their numbers cannot be compared. */

#define DIFF_CALIBRATION_RATIO 1.2 /* if thresholds differ more, equal latencies give different levels */

typedef bool diff_check(const struct prof_run *a, const struct prof_run *b, char out[DIFF_WARNING_BYTES]);

static bool diff_check_machine(const struct prof_run *a, const struct prof_run *b,
                               char out[DIFF_WARNING_BYTES])
{
    if (strcmp(a->cpu, b->cpu) != 0)
        snprintf(out, DIFF_WARNING_BYTES,
                 "different processors (%.60s; %.60s): times, latencies and levels do not compare", a->cpu,
                 b->cpu);
    else if (strcmp(a->host, b->host) != 0)
        snprintf(out, DIFF_WARNING_BYTES,
                 "different machines (%.60s; %.60s): times and latencies compare roughly", a->host, b->host);
    else
        return false;
    return true;
}

static bool diff_check_engine(const struct prof_run *a, const struct prof_run *b,
                              char out[DIFF_WARNING_BYTES])
{
    if (strcmp(a->engine, b->engine) == 0) return false;
    snprintf(out, DIFF_WARNING_BYTES,
             "different engines (%.30s; %.30s): latencies and stall times do not compare, shares of time do",
             a->engine, b->engine);
    return true;
}

static bool diff_check_version(const struct prof_run *a, const struct prof_run *b,
                               char out[DIFF_WARNING_BYTES])
{
    if (strcmp(a->version, b->version) == 0) return false;
    snprintf(out, DIFF_WARNING_BYTES,
             "recorded by different versions of Loadstone (%.30s; %.30s): latencies may not compare",
             a->version, b->version);
    return true;
}

static bool diff_check_calibration(const struct prof_run *run_a, const struct prof_run *run_b,
                                   char out[DIFF_WARNING_BYTES])
{
    const double *a = run_a->level_limit_cycles, *b = run_b->level_limit_cycles;
    for (int l = 0; l + 1 < PROF_LEVEL_COUNT; l++) {
        if (!isfinite(a[l]) || !isfinite(b[l])) continue;
        if (fmax(a[l], b[l]) <= DIFF_CALIBRATION_RATIO * fmin(a[l], b[l])) continue;
        snprintf(
            out, DIFF_WARNING_BYTES,
            "calibrated differently (a level ends at %.0f cycles in A, at %.0f in B): levels do not compare",
            a[l], b[l]);
        return true;
    }
    return false;
}

static bool diff_check_sums(const struct diff_view *v, char out[DIFF_WARNING_BYTES])
{
    if (an_diff_has_intervals(v->diff)) return false;
    snprintf(out, DIFF_WARNING_BYTES,
             "rows of a profile of a job are sums over ranks: changes have no intervals, so it is not known "
             "which are significant; compare profiles of ranks, or of loadstone merge without --sum");
    return true;
}

static bool diff_check_bursts(const struct diff_view *v, char out[DIFF_WARNING_BYTES])
{
    for (int side = 0; side < 2; side++) {
        const size_t bursts = an_diff_bursts(v->diff, side);
        if (bursts >= AN_BURSTS_MIN) continue;
        snprintf(out, DIFF_WARNING_BYTES,
                 "%s has too few bursts (%zu of at least %d): no change can be distinguished from chance; "
                 "record a longer run, or record with --overhead 10%%",
                 side ? "B" : "A", bursts, AN_BURSTS_MIN);
        return true;
    }
    return false;
}

/* Check every run against the first one of A, and the first that differs is reported. */
static bool diff_check_runs(const struct diff_view *v, diff_check *check, char out[DIFF_WARNING_BYTES])
{
    const struct prof_run *first = v->sides[0].runs[0].view.run;
    for (int side = 1; side >= 0; side--)
        for (size_t i = 0; i < v->sides[side].len; i++)
            if (check(first, v->sides[side].runs[i].view.run, out)) return true;
    return false;
}

size_t diff_warnings(const struct diff_view *v, char out[DIFF_WARNINGS_MAX][DIFF_WARNING_BYTES])
{
    static diff_check *const checks[] = {diff_check_machine, diff_check_engine, diff_check_version,
                                         diff_check_calibration};
    _Static_assert(sizeof(checks) / sizeof(checks[0]) < DIFF_WARNINGS_MAX, "room for every warning");
    size_t len = 0;
    for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
        len += diff_check_runs(v, checks[i], out[len]);
    if (diff_check_sums(v, out[len])) return len + 1;
    return len + diff_check_bursts(v, out[len]);
}
