/* SPDX-License-Identifier: BSD-3-Clause */
/* A PNG of the counters of the machine (record --series) over time: a panel for each quantity, above them the
 * phases of the program (the time series of Barry et al., Memory Traffic and Complete Application Profiling
 * with PAPI Multi-Component Measurements, figure 11). */
#include "analyse/an_series.h"
#include "common/ls_series.h"
#include "viz-export/charts/vx_draw.h"
#include "viz-export/charts/vx_format.h"
#include "viz-export/export/vx_export.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHEET_TITLE = 62,
    SHEET_PHASE_HEIGHT = 18,
    SHEET_PANEL_HEIGHT = 158,
    SHEET_AXIS_HEIGHT = 46,
    SHEET_LEFT = 84,
    SHEET_RIGHT = 20,
    SHEET_SLICES_MAX = 800,
    SHEET_DEPTH_MAX = 3,
    SHEET_LINES_MAX = 7, /* lines in a panel: the number of colours */
    SHEET_NAME_BYTES = 160
};

/* A line of a panel: one counter, or the sum of all counters of a source and kind. */
struct series_line {
    char name[SHEET_NAME_BYTES];
    double *values; /* by slice; NAN: missing */
};

struct series_panel {
    char title[SHEET_NAME_BYTES], unit[32];
    struct series_line lines[SHEET_LINES_MAX];
    size_t lines_len, left_out;
    double most;
};

struct series_sheet {
    const struct vx_source *s;
    struct an_series_in in;
    uint32_t slices;
    struct series_panel *panels;
    size_t panels_len;
    unsigned depth; /* levels of nested phases that are drawn */
    struct vx_axis time;
};

/* ---- the data ---- */

static bool series_is_summed(const struct prof_counter *c)
{
    return c->kind != LS_COUNTER_OTHER && c->kind != LS_COUNTER_ENERGY && !c->is_level;
}

static const char *series_title(const struct prof_counter *c)
{
    static const char *const titles[LS_COUNTER_KINDS_LEN] = {
        [LS_COUNTER_READ] = "memory",      [LS_COUNTER_WRITTEN] = "memory", [LS_COUNTER_MOVED] = "memory",
        [LS_COUNTER_RECEIVED] = "network", [LS_COUNTER_SENT] = "network",   [LS_COUNTER_ENERGY] = "power"};
    return c->kind < LS_COUNTER_KINDS_LEN && titles[c->kind] ? titles[c->kind] : "";
}

/* The growth of a counter per second; the growth of energy is power. */
static void series_unit(const struct prof_counter *c, char out[32])
{
    const bool is_power = strcmp(c->unit, "J") == 0 && !c->is_level;
    const char *unit = is_power ? "W" : *c->unit ? c->unit : "1";
    snprintf(out, 32, c->is_level || is_power ? "%.20s" : "%.20s/s", unit);
}

static struct series_panel *series_panel_of(struct series_sheet *sheet, const struct prof_counter *c)
{
    char unit[32];
    series_unit(c, unit);
    for (size_t i = 0; i < sheet->panels_len; i++)
        if (strcmp(sheet->panels[i].title, series_title(c)) == 0 && strcmp(sheet->panels[i].unit, unit) == 0)
            return &sheet->panels[i];
    struct series_panel *p = &sheet->panels[sheet->panels_len++];
    snprintf(p->title, sizeof(p->title), "%s", series_title(c));
    memcpy(p->unit, unit, sizeof(unit));
    return p;
}

/* Find or add the line of a counter; NULL in *out: the panel is full. */
static ls_err series_line_of(struct series_panel *p, const struct prof_counter *c, uint32_t slices,
                             struct series_line **out)
{
    static const char *const words[LS_COUNTER_KINDS_LEN] = {
        [LS_COUNTER_READ] = "read",         [LS_COUNTER_WRITTEN] = "written", [LS_COUNTER_MOVED] = "moved",
        [LS_COUNTER_RECEIVED] = "received", [LS_COUNTER_SENT] = "sent",
    };
    const bool is_summed = series_is_summed(c) && c->kind < LS_COUNTER_KINDS_LEN;
    char name[SHEET_NAME_BYTES];
    snprintf(name, sizeof(name), "%.40s %.100s", c->source, is_summed ? words[c->kind] : c->name);
    for (size_t i = 0; i < p->lines_len && is_summed; i++)
        if (strcmp(p->lines[i].name, name) == 0) {
            *out = &p->lines[i];
            return LS_OK;
        }
    *out = NULL;
    if (p->lines_len == SHEET_LINES_MAX) {
        p->left_out++;
        return LS_OK;
    }
    double *values = calloc(slices + 1, sizeof(*values));
    if (!values) return ls_nomem("series");
    *out = &p->lines[p->lines_len++];
    memcpy((*out)->name, name, sizeof(name));
    (*out)->values = values;
    return LS_OK;
}

static ls_err series_add(struct series_sheet *sheet, uint32_t counter, double *slices)
{
    const struct prof_counter *c = &sheet->in.counters[counter];
    struct series_line *line;
    LS_TRY(series_line_of(series_panel_of(sheet, c), c, sheet->slices, &line));
    if (!line) return LS_OK;
    LS_TRY(an_series_slices(&sheet->in, counter, sheet->slices, slices));
    for (uint32_t i = 0; i < sheet->slices; i++)
        line->values[i] += slices[i]; /* a sum with a missing part is missing */
    return LS_OK;
}

static void series_find_most(struct series_panel *p, uint32_t slices)
{
    for (size_t l = 0; l < p->lines_len; l++)
        for (uint32_t i = 0; i < slices; i++)
            p->most = fmax(p->most, p->lines[l].values[i]); /* fmax prefers a number */
}

static unsigned series_depth_of(const struct an_series_in *in, uint32_t phase)
{
    unsigned depth = 0;
    while (in->phases[phase].parent < in->phases_len && depth < SHEET_DEPTH_MAX) {
        phase = in->phases[phase].parent;
        depth++;
    }
    return depth;
}

static void series_borrow(struct series_sheet *sheet)
{
    const struct vx_source *s = sheet->s;
    struct an_series_in *in = &sheet->in;
    in->phases = s->tables->phases;
    in->phases_len = s->tables->phases_len;
    in->spans = s->spans;
    in->spans_len = s->spans_len;
    in->counters = s->machine;
    in->counters_len = s->machine_len;
    in->readings = s->readings;
    in->readings_len = s->readings_len;
    in->duration_ns = s->run->duration_ns == UINT64_MAX ? 0 : s->run->duration_ns;
    for (size_t i = 0; i < in->readings_len; i++)
        if (in->readings[i].end_ns > in->duration_ns) in->duration_ns = in->readings[i].end_ns;
}

static ls_err series_sheet_init(struct series_sheet *sheet)
{
    struct an_series_in *in = &sheet->in;
    series_borrow(sheet);
    if (in->counters_len == 0)
        return ls_fail(LS_ERR_USAGE, "%s has no series: record with --series", sheet->s->path);
    const uint64_t interval_ns = in->counters[0].interval_ns;
    const uint64_t readings = interval_ns && interval_ns != UINT64_MAX ? in->duration_ns / interval_ns : 0;
    sheet->slices = readings > 1 && readings < SHEET_SLICES_MAX ? (uint32_t)readings : SHEET_SLICES_MAX;
    sheet->panels = calloc(in->counters_len, sizeof(*sheet->panels));
    double *slices = calloc(sheet->slices + 1, sizeof(*slices));
    ls_err err = sheet->panels && slices ? LS_OK : ls_nomem("series");
    for (uint32_t c = 0; c < in->counters_len && err == LS_OK; c++)
        err = series_add(sheet, c, slices);
    free(slices);
    for (size_t i = 0; i < sheet->panels_len; i++)
        series_find_most(&sheet->panels[i], sheet->slices);
    for (size_t i = 0; i < in->spans_len; i++) {
        const unsigned depth =
            in->spans[i].phase < in->phases_len ? series_depth_of(in, in->spans[i].phase) + 1 : 0;
        if (depth <= SHEET_DEPTH_MAX && depth > sheet->depth) sheet->depth = depth;
    }
    sheet->time = (struct vx_axis){.scale = VX_LINEAR,
                                   .high = in->duration_ns ? (double)in->duration_ns * 1e-9 : 1,
                                   .from = VX_MARGIN + SHEET_LEFT,
                                   .to = VX_PAGE_WIDTH - VX_MARGIN - SHEET_RIGHT};
    return err;
}

static void series_sheet_fini(struct series_sheet *sheet)
{
    for (size_t i = 0; i < sheet->panels_len; i++)
        for (size_t l = 0; l < sheet->panels[i].lines_len; l++)
            free(sheet->panels[i].lines[l].values);
    free(sheet->panels);
}

/* ---- the picture ---- */

static double series_sheet_height(const struct series_sheet *sheet)
{
    const unsigned rows = sheet->depth ? sheet->depth + 1 : 0; /* and their names */
    return SHEET_TITLE + rows * SHEET_PHASE_HEIGHT + (double)sheet->panels_len * SHEET_PANEL_HEIGHT +
           SHEET_AXIS_HEIGHT;
}

/* Call draw for each span of the depth; threads of one program go through phases together, so a phase has the
 * spans of one thread. */
static void series_each_span(cairo_t *c, const struct series_sheet *sheet, unsigned depth, double y,
                             double height,
                             void (*draw)(cairo_t *c, struct vx_box box, uint32_t phase, const char *name))
{
    const struct an_series_in *in = &sheet->in;
    for (uint32_t p = 0; p < in->phases_len; p++) {
        uint32_t thread = UINT32_MAX;
        if (series_depth_of(in, p) != depth) continue;
        for (size_t i = 0; i < in->spans_len; i++) {
            const struct prof_phase_span *s = &in->spans[i];
            if (s->phase != p || (thread != UINT32_MAX && s->thread != thread)) continue;
            thread = s->thread;
            const uint64_t end_ns = s->end_ns < in->duration_ns ? s->end_ns : in->duration_ns;
            const double x0 = vx_axis_position(&sheet->time, (double)s->begin_ns * 1e-9);
            const double x1 = vx_axis_position(&sheet->time, (double)end_ns * 1e-9);
            draw(c, (struct vx_box){x0, y, x1 - x0, height}, p, in->phases[p].name);
        }
    }
}

static void series_draw_shade(cairo_t *c, struct vx_box box, uint32_t phase, const char *name)
{
    (void)name;
    cairo_save(c);
    cairo_rectangle(c, box.x, box.y, box.width, box.height);
    cairo_clip(c);
    cairo_set_source_rgb(c, 1, 1, 1); /* an inner phase covers the outer one */
    cairo_paint(c);
    vx_use_series(c, phase);
    cairo_paint_with_alpha(c, 0.13);
    cairo_restore(c);
}

static void series_draw_phase(cairo_t *c, struct vx_box box, uint32_t phase, const char *name)
{
    series_draw_shade(c, box, phase, name);
    vx_use_series(c, phase);
    cairo_rectangle(c, box.x, box.y + box.height - 4, box.width, 3);
    cairo_fill(c);
    vx_use_ink(c, VX_INK_TEXT);
    if (vx_text_width(c, VX_FONT_SMALL, name) < box.width - 4)
        vx_text(c, box.x + box.width / 2, box.y + 11, VX_FONT_SMALL, VX_CENTRE, name);
}

/* Draw the names of all phases in a row; phases without room for their name are identified by their colour. */
static void series_draw_names(cairo_t *c, const struct series_sheet *sheet, double y)
{
    double x = VX_MARGIN + SHEET_LEFT;
    for (uint32_t p = 0; p < sheet->in.phases_len; p++) {
        const char *name = sheet->in.phases[p].name;
        const double width = 16 + vx_text_width(c, VX_FONT_SMALL, name);
        if (series_depth_of(&sheet->in, p) >= sheet->depth || x + width > sheet->time.to) continue;
        vx_use_series(c, p);
        cairo_rectangle(c, x, y + 5, 10, 7);
        cairo_fill(c);
        vx_use_ink(c, VX_INK_MUTED);
        vx_text(c, x + 14, y + 12, VX_FONT_SMALL, VX_LEFT, name);
        x += width + 12;
    }
}

static void series_draw_line(cairo_t *c, const struct series_sheet *sheet, const struct vx_axis *y,
                             const struct series_line *line)
{
    const double width = sheet->time.high / sheet->slices;
    bool is_open = false;
    cairo_new_path(c);
    for (uint32_t i = 0; i < sheet->slices; i++) {
        const bool is_there = isfinite(line->values[i]);
        const double at = is_there ? vx_axis_position(y, line->values[i]) : 0;
        if (is_there) {
            if (!is_open) cairo_move_to(c, vx_axis_position(&sheet->time, i * width), at);
            cairo_line_to(c, vx_axis_position(&sheet->time, i * width), at);
            cairo_line_to(c, vx_axis_position(&sheet->time, (i + 1) * width), at);
        }
        is_open = is_there;
    }
    cairo_set_line_width(c, 1.3);
    cairo_stroke(c);
}

static void series_draw_legend(cairo_t *c, const struct series_panel *p, double y)
{
    double x = VX_MARGIN + SHEET_LEFT;
    char more[48];
    vx_use_ink(c, VX_INK_TEXT);
    if (*p->title) x += vx_text(c, x, y, VX_FONT_TEXT, VX_LEFT, p->title) + 14;
    for (size_t l = 0; l < p->lines_len; l++) {
        vx_use_series(c, l);
        vx_line(c, x, y - 4, x + 14, y - 4, 3);
        vx_use_ink(c, VX_INK_MUTED);
        x += 18 + vx_text(c, x + 18, y, VX_FONT_SMALL, VX_LEFT, p->lines[l].name) + 12;
    }
    snprintf(more, sizeof(more), "and %zu more, not drawn", p->left_out);
    if (p->left_out) vx_text(c, x, y, VX_FONT_SMALL, VX_LEFT, more);
}

static void series_draw_panel(cairo_t *c, const struct series_sheet *sheet, const struct series_panel *p,
                              double top)
{
    const struct vx_box plot = {sheet->time.from, top + 24, sheet->time.to - sheet->time.from,
                                SHEET_PANEL_HEIGHT - 36};
    struct vx_axis y = vx_axis_of(VX_LINEAR, 0, p->most > 0 ? p->most : 1, true);
    struct vx_tick ticks[VX_TICKS_MAX];
    y.from = plot.y + plot.height;
    y.to = plot.y;
    const size_t n = vx_axis_ticks(&y, 4, ticks);
    for (size_t i = 0; i < n; i++) {
        const double at = vx_axis_position(&y, ticks[i].value);
        vx_use_ink(c, VX_INK_GRID);
        vx_line(c, plot.x, at, plot.x + plot.width, at, 1);
        vx_use_ink(c, VX_INK_MUTED);
        vx_text(c, plot.x - 6, at + 3.5, VX_FONT_SMALL, VX_RIGHT, ticks[i].text);
    }
    vx_use_ink(c, VX_INK_TEXT);
    vx_text_up(c, plot.x - 56, plot.y + plot.height / 2, VX_FONT_TEXT, p->unit);
    series_draw_legend(c, p, top + 14);
    for (size_t l = 0; l < p->lines_len; l++) {
        vx_use_series(c, l);
        series_draw_line(c, sheet, &y, &p->lines[l]);
    }
}

static ls_err series_draw(cairo_t *c, const void *user)
{
    const struct series_sheet *sheet = user;
    const double width = VX_PAGE_WIDTH - 2 * VX_MARGIN;
    double y = SHEET_TITLE;
    char note[256];
    vx_use_ink(c, VX_INK_TEXT);
    vx_text_cut(c, VX_MARGIN, 30, 19, VX_LEFT, width, vx_command_words(sheet->s->run->command));
    snprintf(note, sizeof(note), "counters of the whole machine, read every %g ms%s%.120s",
             (double)sheet->in.counters[0].interval_ns * 1e-6, *sheet->s->run->cpu ? "   |   " : "",
             sheet->s->run->cpu);
    vx_use_ink(c, VX_INK_MUTED);
    vx_text_cut(c, VX_MARGIN, 48, VX_FONT_TEXT, VX_LEFT, width, note);
    if (sheet->depth) {
        series_draw_names(c, sheet, y);
        y += SHEET_PHASE_HEIGHT;
    }
    for (unsigned depth = 0; depth < sheet->depth; depth++, y += SHEET_PHASE_HEIGHT)
        series_each_span(c, sheet, depth, y, SHEET_PHASE_HEIGHT, series_draw_phase);
    const double height = (double)sheet->panels_len * SHEET_PANEL_HEIGHT;
    for (unsigned depth = 0; depth < sheet->depth; depth++)
        series_each_span(c, sheet, depth, y, height, series_draw_shade);
    vx_grid_across(c, (struct vx_box){sheet->time.from, y, sheet->time.to - sheet->time.from, height},
                   &sheet->time, 9, "time in s");
    for (size_t i = 0; i < sheet->panels_len; i++, y += SHEET_PANEL_HEIGHT)
        series_draw_panel(c, sheet, &sheet->panels[i], y);
    return LS_OK;
}

ls_err vx_series_png(const struct vx_source *s, const char *path, FILE *out)
{
    struct series_sheet sheet = {.s = s};
    ls_err err = series_sheet_init(&sheet);
    if (err == LS_OK) err = vx_picture_write(series_sheet_height(&sheet), series_draw, &sheet, path, out);
    series_sheet_fini(&sheet);
    return err;
}
