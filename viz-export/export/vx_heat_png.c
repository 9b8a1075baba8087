/* SPDX-License-Identifier: BSD-3-Clause */
/* PNG: heat maps, or the time series (vx_series_png.c). Of heat maps a panel for each field and metric, each step of a series, each of some layers of a 3-D
 * grid. */
#include "config.h"

#include "viz-export/export/vx_export.h"

#ifdef HAVE_CAIRO
#include "ndm/ndm_mix.h"
#include "viz-export/charts/vx_format.h"
#include "viz-export/export/vx_heat.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Cairo's images end at 32767 pixels. */
enum { VX_HEAT_SCALE = 2, VX_HEAT_PIXELS_MAX = 32767, VX_LAYERS_SHOWN = 9, VX_HEAT_TITLE = 62 };
static const double VX_BEYOND_SCALE = 0.01;

struct vx_sheet {
    const struct vx_source *s;
    struct vx_array **steps; /* arrays of each step */
    size_t *lens;
    size_t steps_len;
    struct vx_panel *panels;
    size_t panels_len;
    unsigned columns;
};

static ls_err vx_sheet_arrays(struct vx_sheet *sheet)
{
    const uint32_t steps = sheet->s->selection->steps_len;
    sheet->steps_len = steps ? steps : 1;
    sheet->steps = calloc(sheet->steps_len, sizeof(*sheet->steps));
    sheet->lens = calloc(sheet->steps_len, sizeof(*sheet->lens));
    if (!sheet->steps || !sheet->lens) return ls_nomem("%" PRIu32 " steps", steps);
    for (size_t i = 0; i < sheet->steps_len; i++)
        LS_TRY(vx_arrays_of(sheet->s->selection, steps ? (uint32_t)i : VX_WHOLE_RUN, &sheet->steps[i],
                            &sheet->lens[i]));
    return LS_OK;
}

static void vx_sheet_fini(struct vx_sheet *sheet)
{
    for (size_t i = 0; sheet->steps && i < sheet->steps_len; i++)
        vx_arrays_free(sheet->steps[i], sheet->lens[i]);
    free(sheet->steps);
    free(sheet->lens);
    for (size_t i = 0; i < sheet->panels_len; i++)
        vx_squares_fini(&sheet->panels[i].squares);
    free(sheet->panels);
}

static bool vx_is_share(enum ndm_metric m)
{
    return m >= NDM_LEVEL_L1 && m <= NDM_LEVEL_MEMORY;
}

/* Find the smallest and largest drawn value; counts and sums begin above 0. One in 100 means may be below and
 * above, because a single load that an interrupt delayed would stretch the scale. */
static bool vx_panel_range(const struct vx_panel *p, bool positive, double *low, double *high)
{
    const bool grid = p->geometry->kind == NDM_GRID;
    const double *values = grid ? p->squares.values : p->array->values;
    const uint64_t len = grid ? p->squares.across * p->squares.up : p->array->len;
    if (ndm_metric(p->array->metric)->mixing == NDM_MEAN && positive &&
        vx_middle_range(values, len, VX_BEYOND_SCALE, low, high))
        return true;
    return vx_value_range(values, len, positive, low, high);
}

/* One scale for all panels of a metric, so that they compare; shares go from 0 to 1. */
static void vx_sheet_scale(struct vx_sheet *sheet, enum ndm_metric m)
{
    double low = 0, high = 0;
    bool found = false;
    for (int positive = 1; positive >= 0 && !found; positive--)
        for (size_t i = 0; i < sheet->panels_len; i++) {
            double from, to;
            if (sheet->panels[i].array->metric != m ||
                !vx_panel_range(&sheet->panels[i], positive, &from, &to))
                continue;
            low = found ? fmin(low, from) : from;
            high = found ? fmax(high, to) : to;
            found = true;
        }
    for (size_t i = 0; i < sheet->panels_len; i++) {
        struct vx_panel *p = &sheet->panels[i];
        if (p->array->metric != m) continue;
        p->has_values = found;
        p->zero_is_nothing = ndm_metric(m)->mixing == NDM_ADDS;
        p->scale = vx_is_share(m) ? vx_colour_scale(0, 1, false) : vx_colour_scale(low, high, true);
    }
}

static const char *vx_field_label(const struct vx_array *a)
{
    return a->field->node == UINT32_MAX ? "all data" : a->field->label;
}

static double vx_layer_place(const struct ndm_geometry *g, uint64_t layer)
{
    double at[NDM_AXES_MAX];
    ndm_geometry_position(g, NDM_CELLS, layer * g->extents[0] * g->extents[1], at);
    return at[2];
}

static void vx_panel_title(struct vx_panel *p, const struct vx_sheet *sheet, size_t step)
{
    const struct ndm_geometry *g = p->geometry;
    const struct ndm_metric_row *m = ndm_metric(p->array->metric);
    const bool wide = sheet->columns == 1; /* else words are too long, and the name contains the unit */
    int at = snprintf(p->title, sizeof(p->title), "%s: %s%s%s", vx_field_label(p->array),
                      wide ? m->words : m->name, wide && *m->unit ? " / " : "", wide ? m->unit : "");
    if (g->kind == NDM_GRID && g->dims == 3 && at < (int)sizeof(p->title))
        at += snprintf(p->title + at, sizeof(p->title) - (size_t)at, ", %s = %.4g", g->axes[2],
                       vx_layer_place(g, p->layer));
    if (p->squares.side > 1 && at < (int)sizeof(p->title))
        at +=
            snprintf(p->title + at, sizeof(p->title) - (size_t)at, ", %s of %" PRIu64 " cells",
                     ndm_mix_words(p->array->metric), p->squares.side * (g->dims > 1 ? p->squares.side : 1));
    if (sheet->s->selection->steps_len && at < (int)sizeof(p->title))
        snprintf(p->title + at, sizeof(p->title) - (size_t)at, ", %s",
                 vx_step_label(sheet->s->selection, (uint32_t)step));
}

/* Spread the layers over the grid: the middles of equal parts. */
static ls_err vx_sheet_panels(struct vx_sheet *sheet)
{
    const struct ndm_geometry *g = sheet->s->selection->geometry;
    const uint64_t layers = g->kind == NDM_GRID && g->dims == 3 ? g->extents[2] : 1;
    const uint64_t shown = layers < VX_LAYERS_SHOWN ? layers : VX_LAYERS_SHOWN;
    size_t room = 0;
    for (size_t i = 0; i < sheet->steps_len; i++)
        room += sheet->lens[i] * shown;
    sheet->panels = calloc(room + 1, sizeof(*sheet->panels));
    if (!sheet->panels) return ls_nomem("%zu pictures", room);
    sheet->columns = room > 8 ? 3 : room > 1 ? 2 : 1;
    for (size_t i = 0; i < sheet->steps_len; i++)
        for (size_t k = 0; k < sheet->lens[i]; k++)
            for (uint64_t l = 0; l < shown; l++) {
                struct vx_panel *p = &sheet->panels[sheet->panels_len++];
                p->geometry = g;
                p->array = &sheet->steps[i][k];
                p->layer = (2 * l + 1) * layers / (2 * shown);
                if (g->kind == NDM_GRID) LS_TRY(vx_squares_init(&p->squares, p->array, g, p->layer));
                vx_panel_title(p, sheet, i);
            }
    for (int m = 0; m < NDM_METRICS_LEN; m++)
        vx_sheet_scale(sheet, (enum ndm_metric)m);
    return LS_OK;
}

static double vx_column_width(const struct vx_sheet *sheet)
{
    return (VX_PAGE_WIDTH - 2.0 * VX_MARGIN) / sheet->columns;
}

static double vx_row_height(const struct vx_sheet *sheet)
{
    return sheet->panels_len ? vx_panel_height(&sheet->panels[0], vx_column_width(sheet)) + VX_MARGIN : 0;
}

static double vx_sheet_height(const struct vx_sheet *sheet)
{
    const size_t rows = (sheet->panels_len + sheet->columns - 1) / sheet->columns;
    return VX_HEAT_TITLE + (double)rows * vx_row_height(sheet);
}

/* Describe the measurement: command, engine, overhead, processor. */
static void vx_sheet_note(const struct prof_run *run, char *out, size_t room)
{
    char overhead[48] = "";
    if (isfinite(run->overhead_achieved))
        snprintf(overhead, sizeof(overhead), ", overhead %.1f %%", 100 * run->overhead_achieved);
    snprintf(out, room, "%s   |   engine %s%s%s%s", vx_command_words(run->command), run->engine, overhead,
             *run->cpu ? ", " : "", run->cpu);
}

static ls_err vx_sheet_draw(cairo_t *c, const void *user)
{
    const struct vx_sheet *sheet = user;
    const struct prof_run *run = sheet->s->run;
    char note[512];
    vx_use_ink(c, VX_INK_TEXT);
    vx_text_cut(c, VX_MARGIN, 30, 19, VX_LEFT, VX_PAGE_WIDTH - 2 * VX_MARGIN,
                sheet->s->selection->geometry->label);
    if (run) {
        vx_sheet_note(run, note, sizeof(note));
        vx_use_ink(c, VX_INK_MUTED);
        vx_text_cut(c, VX_MARGIN, 48, VX_FONT_TEXT, VX_LEFT, VX_PAGE_WIDTH - 2 * VX_MARGIN, note);
    }
    for (size_t i = 0; i < sheet->panels_len; i++) {
        const double width = vx_column_width(sheet), height = vx_row_height(sheet);
        const struct vx_box box = {VX_MARGIN + width * (double)(i % sheet->columns),
                                   VX_HEAT_TITLE + height * (double)(i / sheet->columns), width, height};
        LS_TRY(vx_panel_draw(c, box, &sheet->panels[i]));
    }
    return LS_OK;
}

static ls_err vx_sheet_write(const struct vx_sheet *sheet, FILE *out, const char *path)
{
    const double height = vx_sheet_height(sheet);
    if (height * VX_HEAT_SCALE > VX_HEAT_PIXELS_MAX)
        return ls_fail(LS_ERR_RANGE,
                       "%s: %zu pictures do not fit one image: choose with --field and --metric", path,
                       sheet->panels_len);
    return vx_picture_write(height, vx_sheet_draw, sheet, path, out);
}

static ls_err vx_png_export(const struct vx_source *s, const struct vx_request *r, ls_outputs *files)
{
    struct vx_sheet sheet = {.s = s};
    FILE *out;
    LS_TRY(ls_outputs_open(files, r->path, &out));
    if (vx_is_series(r)) return vx_series_png(s, r->path, out);
    ls_err err = vx_sheet_arrays(&sheet);
    if (err == LS_OK) err = vx_sheet_panels(&sheet);
    if (err == LS_OK) err = vx_sheet_write(&sheet, out, r->path);
    vx_sheet_fini(&sheet);
    return err;
}

const struct vx_exporter vx_exporter_png = {.name = "png",
                                            .ends = ".png",
                                            .words = "heat maps of fields, or the time series, as a picture",
                                            .needs = VX_NEEDS_FIELDS,
                                            .metrics = "latency_mean_cycles",
                                            .one_file = true,
                                            .has_steps = true,
                                            .write = vx_png_export};

#else
/* Without cairo there are no pictures. */
static ls_err vx_png_export(const struct vx_source *s, const struct vx_request *r, ls_outputs *files)
{
    (void)s;
    (void)files;
    return ls_fail(LS_ERR_UNSUPPORTED,
                   "%s: built without cairo; install libcairo2-dev, configure and make again", r->path);
}

const struct vx_exporter vx_exporter_png = {
    .name = "png",
    .ends = ".png",
    .words = "heat maps of fields, or the time series, as a picture (not in this build)",
    .needs = VX_NEEDS_FIELDS,
    .metrics = "latency_mean_cycles",
    .one_file = true,
    .has_steps = true,
    .write = vx_png_export};
#endif
