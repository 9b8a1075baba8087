/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/traffic/traffic.h"
#include "viz-export/charts/vx_chart.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Series in the order in which they are drawn: each expectation is drawn over its modelled line. */
enum { PLOT_MODEL_READ, PLOT_EXPECTED_READ, PLOT_MODEL_WRITTEN, PLOT_EXPECTED_WRITTEN, PLOT_SERIES };

/* The first source of counters with which the sweep was measured; its bands are drawn, too. */
enum { PLOT_READ, PLOT_WRITTEN, PLOT_MOVED, PLOT_MEASURED };
enum { PLOT_LOW, PLOT_MEAN, PLOT_HIGH, PLOT_BAND };

/* The numbers of a chart: of each point of its kernel. */
struct plot_columns {
    double *size, *y[PLOT_SERIES], *most; /* most: the end of the expected interval of reads */
    double *measured[PLOT_MEASURED][PLOT_BAND];
};

struct plot_chart {
    char title[128];
    struct vx_series series[PLOT_SERIES + PLOT_MEASURED];
    char labels[PLOT_MEASURED][64];
};

static void plot_measured(const struct traffic_point *p, struct plot_columns *c, size_t i)
{
    static const struct trf_band none = {.low = NAN, .mean = NAN, .high = NAN};
    const struct trf_measured *m = p->measured_len ? p->measured : NULL;
    const struct trf_band *bands[PLOT_MEASURED] = {[PLOT_READ] = m ? &m->read : &none,
                                                   [PLOT_WRITTEN] = m ? &m->written : &none,
                                                   [PLOT_MOVED] = m ? &m->moved : &none};
    for (int k = 0; k < PLOT_MEASURED; k++) {
        if (!(bands[k]->mean > 0)) bands[k] = &none; /* no place on a logarithmic axis */
        c->measured[k][PLOT_LOW][i] = bands[k]->low;
        c->measured[k][PLOT_MEAN][i] = bands[k]->mean;
        c->measured[k][PLOT_HIGH][i] = bands[k]->high;
    }
}

/* The columns of all points, in one allocation that begins at size. */
static ls_err plot_columns_init(const struct traffic_sweep *w, struct plot_columns *c)
{
    const size_t len = w->points.len;
    double *all = calloc((PLOT_SERIES + 2 + PLOT_MEASURED * PLOT_BAND) * len + 1, sizeof(*all));
    if (!all) return ls_nomem("a chart");
    c->size = all;
    c->most = all + len;
    for (int s = 0; s < PLOT_SERIES; s++)
        c->y[s] = all + (size_t)(s + 2) * len;
    for (int k = 0; k < PLOT_MEASURED * PLOT_BAND; k++)
        c->measured[k / PLOT_BAND][k % PLOT_BAND] = all + (size_t)(PLOT_SERIES + 2 + k) * len;
    for (size_t i = 0; i < len; i++) {
        const struct traffic_point *p = &w->points.rows[i];
        c->size[i] = (double)p->size.n;
        c->most[i] = p->expected.read_bytes_most;
        c->y[PLOT_EXPECTED_READ][i] = p->expected.read_bytes;
        c->y[PLOT_MODEL_READ][i] = traffic_model_read(p);
        c->y[PLOT_EXPECTED_WRITTEN][i] = p->expected.written_bytes;
        c->y[PLOT_MODEL_WRITTEN][i] = traffic_model_written(p);
        plot_measured(p, c, i);
    }
    return LS_OK;
}

/* The chart of the points [begin, end). */
static struct vx_chart plot_chart_of(const struct traffic_sweep *w, const struct plot_columns *c,
                                     size_t begin, size_t end, struct plot_chart *data)
{
    static const char *const labels[PLOT_SERIES] = {"read, by the model", "read, expected",
                                                    "written, by the model", "written, expected"};
    const struct trf_kernel *k = w->points.rows[begin].kernel;
    snprintf(data->title, sizeof(data->title), "%s: %s", k->name, k->title);
    for (int s = 0; s < PLOT_SERIES; s++)
        data->series[s] = (struct vx_series){.label = labels[s],
                                             .x = c->size + begin,
                                             .y = c->y[s] + begin,
                                             .len = end - begin,
                                             .is_dashed = s % 2 == 1};
    size_t len = PLOT_SERIES;
    for (int m = 0; m < PLOT_MEASURED; m++) {
        static const char *const what[] = {"read", "written", "read and written"};
        if (!w->points.rows[begin].measured_len || isnan(c->measured[m][PLOT_MEAN][begin])) continue;
        snprintf(data->labels[m], sizeof(data->labels[m]), "%s, by %s", what[m],
                 w->points.rows[begin].measured->source->name);
        data->series[len++] = (struct vx_series){.label = data->labels[m],
                                                 .x = c->size + begin,
                                                 .y = c->measured[m][PLOT_MEAN] + begin,
                                                 .low = c->measured[m][PLOT_LOW] + begin,
                                                 .high = c->measured[m][PLOT_HIGH] + begin,
                                                 .len = end - begin};
    }
    data->series[PLOT_EXPECTED_READ].low = c->y[PLOT_EXPECTED_READ] + begin;
    data->series[PLOT_EXPECTED_READ].high = c->most + begin;
    return (struct vx_chart){.kind = VX_LINES,
                             .title = data->title,
                             .note = k->nest,
                             .x_label = "size N",
                             .y_label = "bytes",
                             .y_scale = VX_LOG10,
                             .series = data->series,
                             .series_len = len};
}

static ls_err plot_write(const struct traffic_sweep *w, const struct plot_columns *c, struct plot_chart *data,
                         struct vx_chart *charts, const char *path)
{
    char caches[96], subtitle[192];
    struct vx_page page = {
        .title = "Memory traffic, expected and counted", .subtitle = subtitle, .charts = charts};
    trf_geometry_text(&w->geometry, caches, sizeof(caches));
    snprintf(subtitle, sizeof(subtitle),
             "model of caches of %s; shaded: between both bounds of the formula%s", caches,
             w->measure ? ", or the band of the runs" : "");
    for (size_t begin = 0, end; begin < w->points.len; begin = end) {
        for (end = begin + 1; end < w->points.len; end++)
            if (w->points.rows[end].kernel != w->points.rows[begin].kernel) break;
        charts[page.charts_len] = plot_chart_of(w, c, begin, end, &data[page.charts_len]);
        page.charts_len++;
    }
    return vx_page_write(&page, path);
}

ls_err traffic_plot(const struct traffic_sweep *w, const char *path)
{
    struct plot_columns columns = {NULL};
    struct plot_chart *data = calloc(w->points.len + 1, sizeof(*data));
    struct vx_chart *charts = calloc(w->points.len + 1, sizeof(*charts));
    ls_err err = data && charts ? plot_columns_init(w, &columns) : ls_nomem("charts");
    if (err == LS_OK) err = plot_write(w, &columns, data, charts, path);
    free(columns.size);
    free(data);
    free(charts);
    return err;
}
