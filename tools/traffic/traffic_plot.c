/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/traffic/traffic.h"
#include "viz-export/charts/vx_chart.h"

#include <stdio.h>
#include <stdlib.h>

/* In the order in which they are drawn: an expectation on the line that it is of. */
enum { PLOT_MODEL_READ, PLOT_EXPECTED_READ, PLOT_MODEL_WRITTEN, PLOT_EXPECTED_WRITTEN, PLOT_SERIES };

/* The numbers of a chart: of each point of its kernel. */
struct plot_columns {
    double *size, *y[PLOT_SERIES], *most; /* most: the end of the expected interval of reads */
};

struct plot_chart {
    char title[128];
    struct vx_series series[PLOT_SERIES];
};

/* The columns of all points, in one allocation that begins at size. */
static ls_err plot_columns_init(const struct traffic_sweep *w, struct plot_columns *c)
{
    const size_t len = w->points.len;
    double *all = calloc((PLOT_SERIES + 2) * len + 1, sizeof(*all));
    if (!all) return ls_nomem("a chart");
    c->size = all;
    c->most = all + len;
    for (int s = 0; s < PLOT_SERIES; s++)
        c->y[s] = all + (size_t)(s + 2) * len;
    for (size_t i = 0; i < len; i++) {
        const struct traffic_point *p = &w->points.rows[i];
        c->size[i] = (double)p->size.n;
        c->most[i] = p->expected.read_bytes_most;
        c->y[PLOT_EXPECTED_READ][i] = p->expected.read_bytes;
        c->y[PLOT_MODEL_READ][i] = traffic_model_read(p);
        c->y[PLOT_EXPECTED_WRITTEN][i] = p->expected.written_bytes;
        c->y[PLOT_MODEL_WRITTEN][i] = traffic_model_written(p);
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
    data->series[PLOT_EXPECTED_READ].low = c->y[PLOT_EXPECTED_READ] + begin;
    data->series[PLOT_EXPECTED_READ].high = c->most + begin;
    return (struct vx_chart){.kind = VX_LINES,
                             .title = data->title,
                             .note = k->nest,
                             .x_label = "size N",
                             .y_label = "bytes",
                             .y_scale = VX_LOG10,
                             .series = data->series,
                             .series_len = PLOT_SERIES};
}

static ls_err plot_write(const struct traffic_sweep *w, const struct plot_columns *c, struct plot_chart *data,
                         struct vx_chart *charts, const char *path)
{
    char caches[96], subtitle[192];
    struct vx_page page = {
        .title = "Memory traffic, expected and counted", .subtitle = subtitle, .charts = charts};
    trf_geometry_text(&w->geometry, caches, sizeof(caches));
    snprintf(subtitle, sizeof(subtitle), "model of caches of %s; shaded: between both bounds of the formula",
             caches);
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
