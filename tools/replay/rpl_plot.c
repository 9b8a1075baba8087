/* SPDX-License-Identifier: BSD-3-Clause */
/* replay --plot: charts of results, also of several machines. */
#include "tools/replay/rpl_session.h"
#include "viz-export/charts/vx_chart.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLOT_NAME_BYTES = 160, PLOT_CHARTS = 4, PLOT_RADAR_MIN = 3, PLOT_RADAR_MAX = 40 };

/* The data of the charts. Rows of different machines belong together if kernel, name, pattern and delta are
 * equal; if such a row appears several times, the nth ones belong together. */
struct plot {
    const struct vx_results *machines;
    size_t len;
    size_t names_len;
    char (*name_texts)[PLOT_NAME_BYTES];
    const char **names;
    double *cells; /* 5 lists of names_len numbers a machine, then 2 of len a name */
    struct vx_series *bars, *ratios, *radar, *points; /* series of points: by name; others: by machine */
    char (*labels)[PLOT_NAME_BYTES];                  /* by machine */
    struct vx_reference *streams;                     /* by machine */
    char ratio_note[2 * PLOT_NAME_BYTES];
};

static bool plot_is_same(const struct vx_result *a, const struct vx_result *b)
{
    return strcmp(a->kernel, b->kernel) == 0 && strcmp(a->name, b->name) == 0 &&
           strcmp(a->pattern, b->pattern) == 0 && strcmp(a->delta, b->delta) == 0;
}

/* Count the rows before i that are the same. */
static size_t plot_turn(const struct vx_results *r, size_t i)
{
    size_t turn = 0;
    for (size_t k = 0; k < i; k++)
        turn += plot_is_same(&r->rows[k], &r->rows[i]);
    return turn;
}

static const struct vx_result *plot_find(const struct vx_results *r, const struct vx_result *like,
                                         size_t turn)
{
    for (size_t i = 0; i < r->len; i++)
        if (plot_is_same(&r->rows[i], like) && turn-- == 0) return &r->rows[i];
    return NULL;
}

const struct vx_result *rpl_result_like(const struct vx_results *r, const struct vx_results *first, size_t i)
{
    return plot_find(r, &first->rows[i], plot_turn(first, i));
}

static void *plot_alloc(size_t n, size_t bytes, bool *failed)
{
    void *p = calloc(n ? n : 1, bytes);
    if (!p) *failed = true;
    return p;
}

static void plot_fini(struct plot *p)
{
    void *const all[] = {p->name_texts, p->names,  p->cells,  p->bars,   p->ratios,
                         p->radar,      p->points, p->labels, p->streams};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        free(all[i]);
}

/* Names are the rows of the first machine, with which the others are compared. */
static ls_err plot_init(struct plot *p, const struct vx_results *machines, size_t len)
{
    bool failed = false;
    const size_t names = machines[0].len;
    *p = (struct plot){.machines = machines, .len = len, .names_len = names};
    p->name_texts = plot_alloc(names, sizeof(*p->name_texts), &failed);
    p->names = plot_alloc(names, sizeof(*p->names), &failed);
    p->cells = plot_alloc(names * len * 7, sizeof(double), &failed);
    p->bars = plot_alloc(len, sizeof(*p->bars), &failed);
    p->ratios = plot_alloc(len, sizeof(*p->ratios), &failed);
    p->radar = plot_alloc(len, sizeof(*p->radar), &failed);
    p->points = plot_alloc(names, sizeof(*p->points), &failed);
    p->labels = plot_alloc(len, sizeof(*p->labels), &failed);
    p->streams = plot_alloc(len, sizeof(*p->streams), &failed);
    return failed ? ls_nomem("a picture of %zu results", names) : LS_OK;
}

static void plot_machine(struct plot *p, size_t m)
{
    const struct vx_results *r = &p->machines[m];
    double *rate = p->cells + p->names_len * 5 * m, *low = rate + p->names_len, *high = low + p->names_len,
           *share = high + p->names_len, *ratio = share + p->names_len;
    for (size_t i = 0; i < p->names_len; i++) {
        const struct vx_result *row = plot_find(r, &p->machines[0].rows[i], plot_turn(&p->machines[0], i));
        rate[i] = row ? row->mb_per_s : NAN;
        low[i] = row ? (double)row->bytes / row->seconds_quartile3 / 1e6 : NAN;
        high[i] = row ? (double)row->bytes / row->seconds_quartile1 / 1e6 : NAN;
        share[i] = rate[i] / r->stream_mb_per_s * 100;
        ratio[i] = rate[i] / p->machines[0].rows[i].mb_per_s;
    }
    rpl_machine_label(p->machines, p->len, m, p->labels[m], sizeof(p->labels[m]));
    p->bars[m] =
        (struct vx_series){.label = p->labels[m], .y = rate, .low = low, .high = high, .len = p->names_len};
    p->ratios[m] = (struct vx_series){.label = p->labels[m], .y = ratio, .len = p->names_len};
    p->radar[m] = (struct vx_series){.label = p->labels[m], .y = share, .len = p->names_len};
    p->streams[m] = (struct vx_reference){r->stream_mb_per_s, "STREAM triad"};
}

/* Plot one pattern on all machines: STREAM's rate against the rate of the pattern. */
static void plot_pattern(struct plot *p, size_t i)
{
    double *x = p->cells + p->names_len * 5 * p->len + i * 2 * p->len, *y = x + p->len;
    for (size_t m = 0; m < p->len; m++) {
        x[m] = p->machines[m].stream_mb_per_s;
        y[m] = p->bars[m].y[i];
    }
    p->points[i] = (struct vx_series){.label = p->names[i], .x = x, .y = y, .len = p->len};
}

static bool plot_has_stream(const struct plot *p)
{
    for (size_t m = 0; m < p->len; m++)
        if (isfinite(p->machines[m].stream_mb_per_s)) return true;
    return false;
}

static size_t plot_charts(const struct plot *p, struct vx_chart *charts)
{
    static const struct vx_reference whole = {100, "100 %"}, same = {1, "the same"};
    size_t n = 0;
    charts[n++] =
        (struct vx_chart){.kind = VX_BARS,
                          .title = "Bandwidth of each configuration",
                          .note = "bar: published bytes by the shortest run; whisker: quartiles of the runs",
                          .x_label = "configuration",
                          .y_label = "MB/s",
                          .series = p->bars,
                          .series_len = p->len,
                          .names = p->names,
                          .names_len = p->names_len,
                          .references = p->streams,
                          .references_len = plot_has_stream(p) && p->len == 1 ? 1 : 0};
    if (p->len > 1)
        charts[n++] = (struct vx_chart){.kind = VX_BARS,
                                        .title = "Ratio of bandwidths",
                                        .note = p->ratio_note,
                                        .x_label = "configuration",
                                        .y_label = "ratio",
                                        .series = p->ratios + 1,
                                        .series_len = p->len - 1,
                                        .names = p->names,
                                        .names_len = p->names_len,
                                        .references = &same,
                                        .references_len = 1};
    if (plot_has_stream(p) && p->names_len >= PLOT_RADAR_MIN && p->names_len <= PLOT_RADAR_MAX)
        charts[n++] =
            (struct vx_chart){.kind = VX_RADAR,
                              .title = "Share of STREAM triad",
                              .note = "beyond the dashed ring of 100 % a pattern lives from the caches",
                              .x_label = "configuration",
                              .y_label = "% of STREAM triad, logarithmic",
                              .y_scale = VX_LOG10,
                              .series = p->radar,
                              .series_len = p->len,
                              .names = p->names,
                              .names_len = p->names_len,
                              .references = &whole,
                              .references_len = 1};
    if (plot_has_stream(p) && p->len > 1)
        charts[n++] = (struct vx_chart){
            .kind = VX_LINES,
            .title = "Bandwidth against bandwidth",
            .note = "a column of points is a machine; slanted lines are equal shares of STREAM",
            .x_label = "STREAM triad, MB/s",
            .y_label = "MB/s",
            .x_scale = VX_LOG10,
            .y_scale = VX_LOG10,
            .diagonals = true,
            .series = p->points,
            .series_len = p->names_len};
    return n;
}

static ls_err plot_write(const struct plot *p, const char *path)
{
    struct vx_chart charts[PLOT_CHARTS];
    char subtitle[400], title[80];
    const struct vx_results *r = &p->machines[0];
    const char *facts[] = {
        r->topology, r->command,
        "Bytes are counted as published: indices times iterations times the size of an element, twice "
        "for gs; the indices themselves count nothing."};
    snprintf(title, sizeof(title), "Gather/scatter replay, %zu configuration%s", p->names_len,
             p->names_len == 1 ? "" : "s");
    snprintf(subtitle, sizeof(subtitle), "%s on %s; loadstone %s", *r->cpu ? r->cpu : "unknown processor",
             r->host, r->version);
    const struct vx_page page = {.title = title,
                                 .subtitle = subtitle,
                                 .facts = facts,
                                 .facts_len = sizeof(facts) / sizeof(facts[0]),
                                 .charts = charts,
                                 .charts_len = plot_charts(p, charts)};
    return vx_page_write(&page, path);
}

ls_err rpl_plot(const struct vx_results *machines, size_t len, const char *path)
{
    struct plot p;
    ls_err err = plot_init(&p, machines, len);
    for (size_t i = 0; err == LS_OK && i < p.names_len; i++) {
        rpl_row_label(&machines[0].rows[i], p.name_texts[i], PLOT_NAME_BYTES);
        p.names[i] = p.name_texts[i];
    }
    for (size_t m = 0; err == LS_OK && m < len; m++)
        plot_machine(&p, m);
    for (size_t i = 0; err == LS_OK && i < p.names_len; i++)
        plot_pattern(&p, i);
    if (err == LS_OK) snprintf(p.ratio_note, sizeof(p.ratio_note), "each to %s", p.labels[0]);
    if (err == LS_OK) err = plot_write(&p, path);
    plot_fini(&p);
    return err;
}
