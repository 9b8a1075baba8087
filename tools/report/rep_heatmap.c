/* SPDX-License-Identifier: BSD-3-Clause */
/* report --heatmap: a field of a natural domain in the terminal. */
#include "ndm/ndm_mix.h"

#include "run_h5/prof_atlas.h"
#include "common/ls_json.h"
#include "tools/cli/cli_term.h"
#include "tools/report/rep_raster.h"
#include "tools/report/rep_print.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum {
    REP_HEAT_TEXT_BYTES = 512,
    REP_HEAT_ROWS = 32,
    REP_HEAT_LABEL = 10,
    REP_HEAT_COLUMNS_MIN = 8,
    REP_HEAT_WIDE = 50
};

struct rep_heat {
    const struct rep_heatmap_options *options;
    prof_profile *profile;
    struct ndm_atlas atlas;
    struct rep_field_choice choice;
    const struct ndm_field *field;
    const struct ndm_geometry *domain;
    struct rep_raster raster;
    struct rep_range scale;
    struct rep_hottest hottest;
    bool colour;
    uint32_t columns; /* width of the terminal */
};

/* --- numbers and places --- */

static const char *rep_heat_number(const struct rep_heat *h, double value, char out[CLI_CELL_BYTES])
{
    const enum ndm_metric m = h->choice.metric;
    if (m == NDM_TIME || m == NDM_STALL) return cli_format_time(out, value);
    if (m == NDM_SAMPLES || m == NDM_TIMED) return cli_format_count(out, value);
    if (m == NDM_LATENCY_MEAN || m == NDM_LATENCY_MAX) {
        char cycles[CLI_CELL_BYTES];
        snprintf(out, CLI_CELL_BYTES, "%.12s cycles", cli_format_cycles(cycles, value));
        return out;
    }
    snprintf(out, CLI_CELL_BYTES, "%.0f %%", value * 100);
    return out;
}

static const char *rep_axis_name(const struct rep_heat *h, uint32_t axis)
{
    return h->domain->axes[axis] ? h->domain->axes[axis] : (const char *[]){"x", "y", "z"}[axis];
}

static uint32_t rep_axes_of(const struct rep_heat *h)
{
    return h->domain->dims;
}

static bool rep_is_index_space(const struct ndm_geometry *g)
{
    for (uint32_t axis = 0; axis < g->dims; axis++)
        if (g->origin[axis] != 0 || g->spacing[axis] != 1) return false;
    return g->kind == NDM_GRID;
}

/* Print "x 12, y 3"; for cells of a grid with its own coordinates "cell 12 3 (x 0.5, y 1.25)". */
static void rep_heat_place(const struct rep_heat *h, uint64_t value, char out[REP_HEAT_TEXT_BYTES])
{
    const struct ndm_geometry *g = h->domain;
    double at[NDM_AXES_MAX];
    size_t len = 0;
    uint64_t rest = value;
    out[0] = '\0';
    ndm_geometry_position(g, h->field->centering, value, at);
    if (g->kind == NDM_MESH)
        len += (size_t)snprintf(out, REP_HEAT_TEXT_BYTES,
                                "%s %llu: ", h->field->centering == NDM_CELLS ? "cell" : "point",
                                (unsigned long long)value);
    for (uint32_t axis = 0; axis < rep_axes_of(h) && len < REP_HEAT_TEXT_BYTES; axis++) {
        const char *between = axis ? ", " : "";
        if (rep_is_index_space(g))
            len += (size_t)snprintf(out + len, REP_HEAT_TEXT_BYTES - len, "%s%s %llu", between,
                                    rep_axis_name(h, axis), (unsigned long long)(rest % g->extents[axis]));
        else
            len += (size_t)snprintf(out + len, REP_HEAT_TEXT_BYTES - len, "%s%s %.4g", between,
                                    rep_axis_name(h, axis), at[axis]);
        if (g->kind == NDM_GRID) rest /= g->extents[axis];
    }
}

/* --- in words --- */

static const char *rep_looked_word(enum rep_looked looked)
{
    static const char *const words[] = {[REP_LOOKED_FLAT] = "flat",
                                        [REP_LOOKED_MAX] = "largest value along the third axis",
                                        [REP_LOOKED_LAYER] = "one layer",
                                        [REP_LOOKED_BINNED] = "mesh binned by its first two axes"};
    return words[looked];
}

static void rep_heat_head(const struct rep_heat *h, FILE *out)
{
    const struct ndm_metric_row *row = ndm_metric(h->choice.metric);
    char text[REP_HEAT_TEXT_BYTES], a[CLI_CELL_BYTES], b[CLI_CELL_BYTES];
    const char *where = h->field->node == UINT32_MAX ? "all its nodes" : h->field->label;
    fprintf(out, "%s%s%s of %s on %s", cli_colour_begin(STDOUT_FILENO, CLI_BOLD),
            rep_metric_word(h->choice.metric), cli_colour_end(STDOUT_FILENO), where, h->domain->label);
    if (h->domain->kind == NDM_GRID)
        for (uint32_t axis = 0; axis < h->domain->dims; axis++)
            fprintf(out, "%s%llu", axis ? " x " : " (", (unsigned long long)h->domain->extents[axis]);
    else
        fprintf(out, " (%s %s", cli_format_grouped(a, h->field->values_len),
                h->field->centering == NDM_CELLS ? "cells" : "points");
    fprintf(out, "): %s\n", row->words);
    snprintf(text, sizeof(text), "%s samples, %s more outside of the domain (ghosts, padding, nowhere)",
             cli_format_grouped(a, h->field->mapped_len), cli_format_grouped(b, h->field->outside_len));
    cli_print_folded(text, 0, (int)h->columns, out);
}

static const char *rep_mixing_words(const struct rep_heat *h)
{
    const enum ndm_mixing mixing = ndm_metric(h->choice.metric)->mixing;
    return mixing == NDM_ADDS  ? "added up"
           : mixing == NDM_MAX ? "the longest of them"
                               : "averaged by timed loads";
}

/* Print how pixels correspond to cells. */
static void rep_heat_pixels(const struct rep_heat *h, FILE *out)
{
    const struct rep_raster *r = &h->raster;
    char text[REP_HEAT_TEXT_BYTES];
    size_t len = 0;
    text[0] = '\0';
    if (r->looked == REP_LOOKED_LAYER)
        len += (size_t)snprintf(text, sizeof(text), "Layer %llu of %s. ",
                                (unsigned long long)h->options->layer, rep_axis_name(h, 2));
    if (r->looked == REP_LOOKED_MAX)
        len += (size_t)snprintf(text, sizeof(text),
                                "Maximum projection: the largest value of each column along %s. ",
                                rep_axis_name(h, 2));
    const char *how = rep_mixing_words(h);
    if (r->looked == REP_LOOKED_BINNED)
        len += (size_t)snprintf(text + len, sizeof(text) - len, "Binned into %u x %u by %s and %s, %s. ",
                                r->width, r->height, rep_axis_name(h, 0), rep_axis_name(h, 1), how);
    else if (r->cells[0] > 1 || r->cells[1] > 1)
        len += (size_t)snprintf(text + len, sizeof(text) - len, "One %s represents %llu x %llu cells, %s. ",
                                h->colour ? "half of a sign" : "sign",
                                (unsigned long long)(r->cells[0] ? r->cells[0] : 1),
                                (unsigned long long)(r->cells[1] ? r->cells[1] : 1), how);
    snprintf(text + len, sizeof(text) - len, "Blank: not sampled.");
    cli_print_folded(text, 0, (int)h->columns, out);
}

/* "the low x, high y ninth (x 0 to 21, y 42 to 64)" */
static void rep_heat_part(const struct rep_heat *h, FILE *out)
{
    static const char *const thirds[] = {"low", "middle", "high"};
    const struct rep_hottest *t = &h->hottest;
    char text[REP_HEAT_TEXT_BYTES];
    size_t len = 0;
    if (!t->has_part || t->parts < 3) return;
    len += (size_t)snprintf(text, sizeof(text), "%.0f %% of it is at", t->part_share * 100);
    for (int pass = 0; pass < 2; pass++) {
        const char *between = pass ? " (" : " ";
        for (uint32_t axis = 0; axis < NDM_AXES_MAX; axis++) {
            if (t->part[axis] < 0 || len >= sizeof(text)) continue;
            len += (size_t)(pass ? snprintf(text + len, sizeof(text) - len, "%s%s %.4g to %.4g", between,
                                            rep_axis_name(h, axis), t->low[axis], t->high[axis])
                                 : snprintf(text + len, sizeof(text) - len, "%s%s %s", between,
                                            thirds[t->part[axis]], rep_axis_name(h, axis)));
            between = ", ";
        }
    }
    if (len < sizeof(text)) snprintf(text + len, sizeof(text) - len, "), one of %u equal parts.", t->parts);
    cli_print_folded(text, 0, (int)h->columns, out);
}

static void rep_heat_words(const struct rep_heat *h, FILE *out)
{
    char place[REP_HEAT_TEXT_BYTES], text[2 * REP_HEAT_TEXT_BYTES], number[CLI_CELL_BYTES];
    rep_heat_part(h, out);
    for (uint32_t i = 0; i < h->hottest.len; i++) {
        const double value = h->field->values[h->choice.metric][h->hottest.values[i]];
        rep_heat_place(h, h->hottest.values[i], place);
        int len = snprintf(text, sizeof(text), "%s %s: %s", i ? "        " : "Hottest:", place,
                           rep_heat_number(h, value, number));
        if (h->hottest.has_part && len > 0 && (size_t)len < sizeof(text))
            snprintf(text + len, sizeof(text) - (size_t)len, " (%.1f %%)", value / h->hottest.sum * 100);
        fprintf(out, "%s\n", text);
    }
}

/* --- the picture --- */

static void rep_heat_label(const struct rep_heat *h, uint32_t row, uint32_t rows, FILE *out)
{
    char text[CLI_CELL_BYTES] = "";
    if (h->raster.low[1] < h->raster.high[1] && rep_axes_of(h) > 1) {
        if (row == 0)
            snprintf(text, sizeof(text), "%.4g", h->raster.high[1]);
        else if (row + 1 == rows)
            snprintf(text, sizeof(text), "%.4g", h->raster.low[1]);
        else if (row == rows / 2)
            snprintf(text, sizeof(text), "%.*s", REP_HEAT_LABEL, rep_axis_name(h, 1));
    }
    fprintf(out, "%*s%s ", REP_HEAT_LABEL - cli_text_width(text), "", text);
}

static void rep_heat_axis(const struct rep_heat *h, FILE *out)
{
    char low[CLI_CELL_BYTES], high[CLI_CELL_BYTES];
    const int width = (int)h->raster.width;
    const char *name = rep_axis_name(h, 0), *unit = h->domain->unit ? h->domain->unit : "";
    snprintf(low, sizeof(low), "%.4g", h->raster.low[0]);
    snprintf(high, sizeof(high), "%.4g", h->raster.high[0]);
    const int name_width = cli_text_width(name) + (*unit ? cli_text_width(unit) + 3 : 0);
    const int used = cli_text_width(low) + name_width + cli_text_width(high),
              gap = width > used + 2 ? width - used : 2;
    fprintf(out, "%*s %s%*s%s%s%s%s%*s%s\n", REP_HEAT_LABEL, "", low, gap / 2, "", name, *unit ? " [" : "",
            unit, *unit ? "]" : "", gap - gap / 2, "", high);
}

static void rep_heat_scale(const struct rep_heat *h, FILE *out)
{
    char low[CLI_CELL_BYTES], high[CLI_CELL_BYTES];
    fprintf(out, "%*s %s ", REP_HEAT_LABEL, "", rep_heat_number(h, h->scale.low, low));
    rep_draw_scale(h->columns < REP_HEAT_WIDE ? 1 : 2, h->colour, out);
    fprintf(out, " %s%s%s\n", h->raster.max > h->scale.high ? "> " : "",
            rep_heat_number(h, h->scale.high, high), h->scale.is_log ? ", log" : "");
}

static void rep_heat_print(const struct rep_heat *h, FILE *out)
{
    const uint32_t rows = rep_draw_rows(&h->raster, h->colour);
    rep_heat_head(h, out);
    fputc('\n', out);
    if (isnan(h->raster.max)) {
        fputs(h->field->mapped_len
                  ? "None of these samples has this value; only timed loads have a latency.\n"
                  : "Nothing of it was sampled.\n",
              out);
        return;
    }
    for (uint32_t row = 0; row < rows; row++) {
        rep_heat_label(h, row, rows, out);
        rep_draw_row(&h->raster, &h->scale, row, h->colour, out);
        fputc('\n', out);
    }
    rep_heat_axis(h, out);
    rep_heat_scale(h, out);
    fputc('\n', out);
    rep_heat_pixels(h, out);
    rep_heat_words(h, out);
}

/* --- as JSON --- */

static void rep_heat_json_domain(const struct rep_heat *h, struct ls_json *j)
{
    const struct ndm_geometry *g = h->domain;
    ls_json_open(j, "domain", '{');
    ls_json_text(j, "label", g->label);
    ls_json_text(j, "kind", g->kind == NDM_GRID ? "grid" : "mesh");
    ls_json_text(j, "unit", g->unit ? g->unit : "");
    ls_json_open(j, "axes", '[');
    for (uint32_t axis = 0; axis < rep_axes_of(h); axis++)
        ls_json_text(j, NULL, rep_axis_name(h, axis));
    ls_json_close(j, ']');
    ls_json_open(j, "extents", '[');
    for (uint32_t axis = 0; g->kind == NDM_GRID && axis < g->dims; axis++)
        ls_json_u64(j, NULL, g->extents[axis]);
    ls_json_close(j, ']');
    ls_json_close(j, '}');
}

static void rep_heat_json_raster(const struct rep_heat *h, struct ls_json *j)
{
    const struct rep_raster *r = &h->raster;
    ls_json_open(j, "picture", '{');
    ls_json_text(j, "shows", rep_looked_word(r->looked));
    ls_json_u64(j, "width", r->width);
    ls_json_u64(j, "height", r->height);
    for (int side = 0; side < 2; side++) {
        ls_json_open(j, side ? "high" : "low", '[');
        for (int axis = 0; axis < 2; axis++)
            ls_json_double(j, NULL, side ? r->high[axis] : r->low[axis]);
        ls_json_close(j, ']');
    }
    ls_json_open(j, "rows_from_low_to_high", '[');
    for (uint32_t y = 0; y < r->height; y++) {
        ls_json_open(j, NULL, '[');
        for (uint32_t x = 0; x < r->width; x++)
            ls_json_double(j, NULL, r->values[(uint64_t)y * r->width + x]);
        ls_json_close(j, ']');
    }
    ls_json_close(j, ']');
    ls_json_close(j, '}');
}

static void rep_heat_json_hottest(const struct rep_heat *h, struct ls_json *j)
{
    ls_json_open(j, "hottest", '[');
    for (uint32_t i = 0; i < h->hottest.len; i++) {
        double at[NDM_AXES_MAX];
        ls_json_open(j, NULL, '{');
        ls_json_u64(j, "index", h->hottest.values[i]);
        ndm_geometry_position(h->domain, h->field->centering, h->hottest.values[i], at);
        ls_json_open(j, "at", '[');
        for (uint32_t axis = 0; axis < rep_axes_of(h); axis++)
            ls_json_double(j, NULL, at[axis]);
        ls_json_close(j, ']');
        ls_json_double(j, "value", h->field->values[h->choice.metric][h->hottest.values[i]]);
        ls_json_close(j, '}');
    }
    ls_json_close(j, ']');
}

static void rep_heat_json(const struct rep_heat *h, FILE *out)
{
    struct ls_json j = {.out = out, .indent = LS_JSON_INDENT};
    const struct ndm_metric_row *row = ndm_metric(h->choice.metric);
    ls_json_open(&j, NULL, '{');
    ls_json_u64(&j, "schema", REP_JSON_SCHEMA);
    ls_json_text(&j, "file", h->options->path);
    ls_json_text(&j, "field", h->field->name);
    ls_json_text(&j, "label", h->field->label);
    ls_json_double(&j, "node", h->field->node == UINT32_MAX ? NAN : (double)h->field->node);
    ls_json_text(&j, "metric", row->name);
    ls_json_text(&j, "unit", row->unit);
    ls_json_text(&j, "centering", h->field->centering == NDM_CELLS ? "cells" : "points");
    ls_json_u64(&j, "mapped_samples", h->field->mapped_len);
    ls_json_u64(&j, "outside_samples", h->field->outside_len);
    ls_json_double(&j, "sum", ndm_metric(h->choice.metric)->mixing == NDM_ADDS ? h->hottest.sum : NAN);
    ls_json_double(&j, "max", h->hottest.max);
    rep_heat_json_domain(h, &j);
    rep_heat_json_hottest(h, &j);
    rep_heat_json_raster(h, &j);
    ls_json_close(&j, '}');
}

/* --- all --- */

static ls_err rep_heat_load(struct rep_heat *h)
{
    LS_TRY(prof_open(h->options->path, &h->profile));
    LS_TRY(prof_atlas_list(h->profile, &h->atlas));
    LS_TRY(rep_field_find(h->profile, &h->atlas, h->options->what, &h->choice));
    const struct prof_atlas_want want = {.field = h->choice.field,
                                         .metrics = 1u << h->choice.metric | ndm_mix_needs(h->choice.metric)};
    LS_TRY(prof_atlas_load(h->profile, &h->atlas, &want));
    h->field = &h->atlas.fields[h->choice.field];
    h->domain = &h->atlas.domains[h->field->domain];
    rep_field_hottest(h->domain, h->field, h->choice.metric, &h->hottest);
    return LS_OK;
}

static ls_err rep_heat_make(struct rep_heat *h)
{
    h->columns = h->options->width ? (uint32_t)h->options->width : (uint32_t)cli_term_width();
    h->colour = cli_term_utf8() && *cli_colour_begin(STDOUT_FILENO, CLI_BOLD);
    LS_TRY(rep_heat_load(h));
    const uint32_t labels = REP_HEAT_LABEL + 2;
    const struct rep_canvas canvas = {
        .width = h->columns > labels + REP_HEAT_COLUMNS_MIN ? h->columns - labels : REP_HEAT_COLUMNS_MIN,
        .height = h->colour ? 2 * REP_HEAT_ROWS : REP_HEAT_ROWS,
        .aspect = h->colour ? 1 : 2,
        .one_layer = h->options->one_layer,
        .layer = h->options->layer};
    LS_TRY(rep_raster_init(&h->raster, h->domain, h->field, h->choice.metric, &canvas));
    h->scale = rep_scale_range(&h->raster, h->choice.metric);
    return LS_OK;
}

ls_err rep_heatmap(const struct rep_heatmap_options *o, FILE *out)
{
    struct rep_heat h = {.options = o};
    const ls_err e = rep_heat_make(&h);
    if (e == LS_OK) (o->json ? rep_heat_json : rep_heat_print)(&h, out);
    rep_raster_fini(&h.raster);
    ndm_atlas_fini(&h.atlas);
    if (h.profile) prof_close(h.profile);
    return e;
}
