/* SPDX-License-Identifier: BSD-3-Clause */
/* Curves over the number of ranks: rate with the fitted roof, efficiency, and the rates of single ranks. */
#include "tools/study/std_scale.h"
#include "tools/cli/cli_message.h"
#include "viz-export/charts/vx_chart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PLOT_FIT_STEPS = 33, PLOT_LABEL_BYTES = STD_SERIES_BYTES + 32, PLOT_CHARTS = 3 };

/* Numbers of all points, by curve: first the points in the fit, then the others, whose ranks share processors. */
enum plot_list {
    PLOT_RANKS,
    PLOT_RATE,
    PLOT_RATE_LOW,
    PLOT_RATE_HIGH,
    PLOT_EFFICIENCY,
    PLOT_RANK,
    PLOT_RANK_LOW,
    PLOT_RANK_HIGH,
    PLOT_LISTS
};

/* Series of a chart for each curve: its points in the fit, its other points, the fit. */
enum { PLOT_OWN, PLOT_SHARED, PLOT_FIT, PLOT_KINDS };

struct plot {
    const struct std_scale *scale;
    size_t points_len;
    double *lists;                    /* [PLOT_LISTS * points_len] */
    double *fits;                     /* [2 * PLOT_FIT_STEPS] of each curve: ranks, rates */
    size_t *begin, *shared, *end;     /* positions in the lists, by curve */
    char (*labels)[PLOT_LABEL_BYTES]; /* [PLOT_KINDS] of each curve */
    struct vx_series *series[PLOT_CHARTS];
};

static double *list_of(const struct plot *p, enum plot_list list)
{
    return p->lists + (size_t)list * p->points_len;
}

static ls_err plot_init(struct plot *p, const struct std_scale *s)
{
    const size_t curves = s->curves.len;
    *p = (struct plot){.scale = s};
    for (size_t c = 0; c < curves; c++)
        p->points_len += s->curves.rows[c].points.len;
    p->lists = calloc(PLOT_LISTS * p->points_len + 1, sizeof(double));
    p->fits = calloc(2 * PLOT_FIT_STEPS * curves + 1, sizeof(double));
    p->begin = calloc(3 * curves + 1, sizeof(*p->begin));
    p->labels = calloc(PLOT_KINDS * curves + 1, sizeof(*p->labels));
    bool failed = !p->lists || !p->fits || !p->begin || !p->labels;
    for (int i = 0; i < PLOT_CHARTS; i++) {
        p->series[i] = calloc(PLOT_KINDS * curves + 1, sizeof(**p->series));
        failed = failed || !p->series[i];
    }
    if (failed) return ls_nomem("a picture of %zu points", p->points_len);
    p->shared = p->begin + curves;
    p->end = p->shared + curves;
    return LS_OK;
}

static void plot_fini(struct plot *p)
{
    free(p->lists);
    free(p->fits);
    free(p->begin);
    free(p->labels);
    for (int i = 0; i < PLOT_CHARTS; i++)
        free(p->series[i]);
}

static void fill_point(const struct plot *p, size_t at, const struct std_scale_point *point)
{
    const struct vx_result *r = &point->file->results.rows[point->row];
    const double values[PLOT_LISTS] = {[PLOT_RANKS] = point->ranks,
                                       [PLOT_RATE] = point->rate,
                                       [PLOT_RATE_LOW] = (double)r->bytes / r->seconds_quartile3 / 1e6,
                                       [PLOT_RATE_HIGH] = (double)r->bytes / r->seconds_quartile1 / 1e6,
                                       [PLOT_EFFICIENCY] = point->efficiency * 100,
                                       [PLOT_RANK] = point->rank_median,
                                       [PLOT_RANK_LOW] = point->rank_least,
                                       [PLOT_RANK_HIGH] = point->rank_most};
    for (int list = 0; list < PLOT_LISTS; list++)
        list_of(p, (enum plot_list)list)[at] = values[list];
}

static void fill_points(struct plot *p)
{
    size_t at = 0;
    for (size_t c = 0; c < p->scale->curves.len; c++) {
        const struct std_curve *curve = &p->scale->curves.rows[c];
        p->begin[c] = at;
        for (int shared = 0; shared < 2; shared++) {
            if (shared) p->shared[c] = at;
            for (size_t i = 0; i < curve->points.len; i++)
                if (curve->points.rows[i].shares_processors == (shared == 1))
                    fill_point(p, at++, &curve->points.rows[i]);
        }
        p->end[c] = at;
    }
}

/* Rates of the fit between the least and the largest number of ranks; with several nodes, at the points only. */
static size_t fill_fit(const struct plot *p, size_t c)
{
    const struct std_curve *curve = &p->scale->curves.rows[c];
    const size_t own = p->shared[c] - p->begin[c];
    double *ranks = p->fits + 2 * PLOT_FIT_STEPS * c, *rates = ranks + PLOT_FIT_STEPS;
    if (own < 2) return 0;
    const double least = list_of(p, PLOT_RANKS)[p->begin[c]], most = list_of(p, PLOT_RANKS)[p->shared[c] - 1];
    size_t len = 0;
    for (size_t i = 0; curve->nodes_most > 1 && i < curve->points.len && len < PLOT_FIT_STEPS; i++) {
        const struct std_scale_point *point = &curve->points.rows[i];
        if (point->shares_processors) continue;
        ranks[len] = point->ranks;
        rates[len++] = point->nodes * std_fit_at(&curve->fit, (double)point->ranks / point->nodes);
    }
    const double step = log(most / least) / (PLOT_FIT_STEPS - 1), knee = curve->fit.roof / curve->fit.one;
    for (; curve->nodes_most == 1 && len < PLOT_FIT_STEPS; len++) {
        ranks[len] = least * exp(step * (double)len);
        if (fabs(log(ranks[len] / knee)) <= step / 2) ranks[len] = fmin(fmax(knee, least), most);
        rates[len] = std_fit_at(&curve->fit, ranks[len]);
    }
    return len;
}

static struct vx_series points_of(const struct plot *p, size_t c, bool shared, const enum plot_list lists[3])
{
    const size_t begin = shared ? p->shared[c] : p->begin[c], end = shared ? p->end[c] : p->shared[c];
    return (struct vx_series){.x = list_of(p, PLOT_RANKS) + begin,
                              .y = list_of(p, lists[0]) + begin,
                              .low = lists[1] ? list_of(p, lists[1]) + begin : NULL,
                              .high = lists[2] ? list_of(p, lists[2]) + begin : NULL,
                              .len = end - begin};
}

/* Curves first, so that each has the colour of its number; then their twins. */
static size_t add_series(struct plot *p, int chart, const enum plot_list lists[3], bool with_fit)
{
    static const char *const words[] = {"", ", shared processors", ", fit"};
    struct vx_series *out = p->series[chart];
    const size_t curves = p->scale->curves.len;
    size_t len = 0;
    for (int kind = 0; kind < PLOT_KINDS; kind++)
        for (size_t c = 0; c < curves; c++) {
            char *label = p->labels[(size_t)kind * curves + c];
            snprintf(label, PLOT_LABEL_BYTES, "%s%s", p->scale->curves.rows[c].label, words[kind]);
            struct vx_series s = {.len = 0};
            if (kind != PLOT_FIT)
                s = points_of(p, c, kind == PLOT_SHARED, lists);
            else if (with_fit)
                s = (struct vx_series){.x = p->fits + 2 * PLOT_FIT_STEPS * c,
                                       .y = p->fits + 2 * PLOT_FIT_STEPS * c + PLOT_FIT_STEPS,
                                       .len = fill_fit(p, c),
                                       .is_dashed = true};
            if (kind != PLOT_OWN && !s.len) continue;
            s.label = label;
            s.twin = kind == PLOT_OWN ? 0 : c + 1;
            out[len++] = s;
        }
    return len;
}

static ls_err draw(struct plot *p, const char *picture)
{
    static const enum plot_list lists[PLOT_CHARTS][3] = {{PLOT_RATE, PLOT_RATE_LOW, PLOT_RATE_HIGH},
                                                         {PLOT_EFFICIENCY, PLOT_RANKS, PLOT_RANKS},
                                                         {PLOT_RANK, PLOT_RANK_LOW, PLOT_RANK_HIGH}};
    static const struct vx_reference whole = {100, "100 %"};
    static const struct {
        const char *title, *note, *y_label;
    } texts[PLOT_CHARTS] = {
        {"Rate of all ranks",
         "point: published bytes by the shortest run; stroke: quartiles of the runs; "
         "dashed: min(ranks x rate of one, roof)",
         "MB/s"},
        {"Efficiency", "speedup by the number of ranks, both to the least number of ranks", "%"},
        {"Rate of a rank", "point: the median rank; stroke: the slowest and the fastest one", "MB/s"}};
    const struct std_study *study = p->scale->options->study;
    const struct vx_results *first = &p->scale->files.rows[0].results;
    struct vx_chart charts[PLOT_CHARTS];
    char title[160], subtitle[400];
    const char *facts[] = {first->topology, p->scale->command ? p->scale->command : first->command,
                           study->source};
    for (int i = 0; i < PLOT_CHARTS; i++)
        charts[i] = (struct vx_chart){.kind = VX_LINES,
                                      .title = texts[i].title,
                                      .note = texts[i].note,
                                      .x_label = "ranks",
                                      .y_label = texts[i].y_label,
                                      .x_scale = VX_LOG2,
                                      .series = p->series[i],
                                      .series_len = add_series(p, i, lists[i], i == 0),
                                      .references = i == 1 ? &whole : NULL,
                                      .references_len = i == 1};
    snprintf(title, sizeof(title), "Study %s: rates over the number of ranks", study->name);
    snprintf(subtitle, sizeof(subtitle), "%s on %s; loadstone %s",
             *first->cpu ? first->cpu : "unknown processor", first->host, first->version);
    const struct vx_page page = {.title = title,
                                 .subtitle = subtitle,
                                 .facts = facts,
                                 .facts_len = sizeof(facts) / sizeof(facts[0]),
                                 .charts = charts,
                                 .charts_len = PLOT_CHARTS};
    return vx_page_write(&page, picture);
}

/* ---- kept ---- */

/* The points as results with their ranks. Their texts belong to the files. */
static ls_err keep(const struct std_scale *s, const char *output)
{
    const struct vx_results *first = &s->files.rows[0].results;
    LS_VECTOR(struct vx_result) rows = {0};
    LS_VECTOR(struct vx_rank) ranks = {0};
    ls_err err = LS_OK;
    for (size_t c = 0; err == LS_OK && c < s->curves.len; c++)
        for (size_t i = 0; err == LS_OK && i < s->curves.rows[c].points.len; i++) {
            const struct std_scale_point *p = &s->curves.rows[c].points.rows[i];
            const struct vx_results *r = &p->file->results;
            struct vx_result row = r->rows[p->row];
            row.x = p->ranks;
            for (size_t k = 0; err == LS_OK && k < r->ranks_len; k++) {
                if (r->ranks[k].result != p->row) continue;
                err = LS_VECTOR_ADD(&ranks, r->ranks[k]);
                if (err == LS_OK) ranks.rows[ranks.len - 1].result = rows.len;
            }
            if (err == LS_OK) err = LS_VECTOR_ADD(&rows, row);
        }
    struct vx_results kept = *first;
    kept.study = (char *)s->options->study->name;
    kept.command = s->command ? s->command : first->command;
    kept.rows = rows.rows;
    kept.len = rows.len;
    kept.ranks = ranks.rows;
    kept.ranks_len = ranks.len;
    if (err == LS_OK) err = vx_results_write(&kept, output);
    free(rows.rows);
    free(ranks.rows);
    if (err == LS_OK) cli_note("%zu points: %s", kept.len, output);
    return err;
}

ls_err std_scale_publish(const struct std_scale *s, const char *picture, const char *output)
{
    struct plot p = {NULL};
    ls_err err = output ? keep(s, output) : LS_OK;
    if (err != LS_OK || !picture) return err;
    err = plot_init(&p, s);
    if (err == LS_OK) {
        fill_points(&p);
        err = draw(&p, picture);
    }
    plot_fini(&p);
    if (err == LS_OK) cli_note("drawn: %s", picture);
    return err;
}
