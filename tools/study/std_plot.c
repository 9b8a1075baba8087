/* SPDX-License-Identifier: BSD-3-Clause */
/* study --plot: the curves of a study. */
#include "tools/study/std_print.h"
#include "machine/mach_topology.h"
#include "tools/replay/rpl_kernel.h"
#include "tools/cli/cli_message.h"
#include "tools/cli/cli_output.h"
#include "tools/replay/rpl_session.h"
#include "viz-export/charts/vx_chart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STD_LOGARITHMIC_FROM = 8 }; /* ratio of the largest and the smallest rate */

ls_err std_plot_check(const char *picture, const char *output, bool force)
{
    if (output) LS_TRY(cli_output_check_profile(output, force));
    if (!picture) return LS_OK;
    LS_TRY(vx_page_check(picture));
    return cli_output_check(picture, force);
}

/* Data that the charts refer to: the points by series, ascending in x. */
struct std_curves {
    const struct std_point **points; /* [len], sorted */
    struct vx_series *series;
    double *cells; /* x, rate, low, high: a list of len each */
    size_t len, series_len;
};

static const struct std_report *std_sorted; /* qsort has no argument for user data */

static size_t std_first(const struct std_report *r, const char *series)
{
    size_t i = 0;
    while (strcmp(r->points[i].series, series) != 0)
        i++;
    return i;
}

/* Series in the order in which they were first measured. */
static int std_order(const void *a, const void *b)
{
    const struct std_point *p = *(const struct std_point *const *)a, *q = *(const struct std_point *const *)b;
    const size_t i = std_first(std_sorted, p->series), k = std_first(std_sorted, q->series);
    if (i != k) return i < k ? -1 : 1;
    return (p->x > q->x) - (p->x < q->x);
}

static ls_err std_curves_init(struct std_curves *c, const struct std_report *r)
{
    const size_t room = r->len ? r->len : 1;
    *c = (struct std_curves){.len = r->len,
                             .points = calloc(room, sizeof(*c->points)),
                             .series = calloc(room, sizeof(*c->series)),
                             .cells = calloc(4 * room, sizeof(*c->cells))};
    if (!c->points || !c->series || !c->cells) return ls_nomem("a picture of %zu points", r->len);
    for (size_t i = 0; i < r->len; i++)
        c->points[i] = &r->points[i];
    std_sorted = r;
    qsort(c->points, c->len, sizeof(*c->points), std_order);
    return LS_OK;
}

static void std_curves_fill(struct std_curves *c)
{
    double *x = c->cells, *rate = x + c->len, *low = rate + c->len, *high = low + c->len;
    for (size_t i = 0; i < c->len; i++) {
        const struct kn_result *k = &c->points[i]->result;
        x[i] = c->points[i]->x;
        rate[i] = k->mb_per_s;
        low[i] = (double)k->bytes / k->seconds.quartile3 / 1e6;
        high[i] = (double)k->bytes / k->seconds.quartile1 / 1e6;
        if (i == 0 || strcmp(c->points[i]->series, c->points[i - 1]->series) != 0)
            c->series[c->series_len++] = (struct vx_series){
                .label = c->points[i]->series, .x = x + i, .y = rate + i, .low = low + i, .high = high + i};
        c->series[c->series_len - 1].len++;
    }
}

static void std_curves_fini(struct std_curves *c)
{
    free(c->points);
    free(c->series);
    free(c->cells);
}

/* Return the label of the axis with its unit. */
static const char *std_axis(const char *axis)
{
    static const struct {
        const char *axis, *label;
    } rows[] = {{"stride", "stride, elements"},
                {"elements", "length of an array, elements"},
                {"indices", "length of the pattern, indices"}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (strcmp(rows[i].axis, axis) == 0) return rows[i].label;
    return axis;
}

static enum vx_scale std_scale(const struct std_curves *c)
{
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < c->len; i++) {
        least = fmin(least, c->points[i]->result.mb_per_s);
        most = fmax(most, c->points[i]->result.mb_per_s);
    }
    return most > STD_LOGARITHMIC_FROM * least ? VX_LOG10 : VX_LINEAR;
}

static ls_err std_draw(const struct std_report *r, const struct std_curves *c, const struct vx_results *kept,
                       const char *picture)
{
    char title[120], subtitle[400];
    const char *facts[] = {kept->topology, kept->command, r->study->source};
    snprintf(title, sizeof(title), "Study %s", r->study->name);
    snprintf(subtitle, sizeof(subtitle), "%s on %s; loadstone %s",
             *kept->cpu ? kept->cpu : "unknown processor", kept->host, kept->version);
    const struct vx_chart chart = {
        .kind = VX_LINES,
        .title = r->study->words,
        .note = "point: published bytes by the shortest run; stroke: quartiles of the runs",
        .x_label = std_axis(r->study->axis),
        .y_label = "MB/s",
        .x_scale = VX_LOG2,
        .y_scale = std_scale(c),
        .series = c->series,
        .series_len = c->series_len};
    const struct vx_page page = {.title = title,
                                 .subtitle = subtitle,
                                 .facts = facts,
                                 .facts_len = sizeof(facts) / sizeof(facts[0]),
                                 .charts = &chart,
                                 .charts_len = 1};
    return vx_page_write(&page, picture);
}

static ls_err std_rows(const struct std_report *r, struct vx_results *out)
{
    struct mach_machine machine;
    if (rpl_machine_of(r->run, &machine) != LS_OK) memset(&machine, 0, sizeof(machine));
    LS_TRY(rpl_results_head(&machine, r->study->name, out));
    out->rows = calloc(r->len + 1, sizeof(*out->rows));
    if (!out->rows) return ls_nomem("%zu points", r->len);
    for (size_t i = 0; i < r->len; i++) {
        out->len = i + 1;
        out->rows[i].x = r->points[i].x;
        LS_TRY(rpl_row_of_result(&r->points[i].result, r->points[i].series, &out->rows[i]));
    }
    return LS_OK;
}

ls_err std_plot_publish(const struct std_report *r, const char *picture, const char *output)
{
    struct std_curves curves = {0};
    struct vx_results kept = {0};
    ls_err err = std_rows(r, &kept);
    if (err == LS_OK && output) err = vx_results_write(&kept, output);
    if (err == LS_OK && picture) err = std_curves_init(&curves, r);
    if (err == LS_OK && picture) {
        std_curves_fill(&curves);
        err = std_draw(r, &curves, &kept, picture);
    }
    std_curves_fini(&curves);
    vx_results_fini(&kept);
    if (err == LS_OK && output) cli_note("%zu points: %s", r->len, output);
    if (err == LS_OK && picture) cli_note("drawn: %s", picture);
    return err;
}
