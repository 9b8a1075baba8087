/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/export/exp_list.h"

#include "tools/cli/cli_term.h"
#include "common/ls_json.h"
#include "viz-export/vx_tables.h"
#include "viz-export/vx_tree.h"

#include <inttypes.h>
#include <string.h>

enum { EXP_JSON_SCHEMA = 1, EXP_SHAPE_BYTES = 160 };

/* "grid 64 x 64 (x, y)", "mesh, 1000 points, 729 cells" */
static const char *exp_shape(const struct ndm_geometry *g, char out[EXP_SHAPE_BYTES])
{
    int at = 0;
    if (g->kind == NDM_MESH) {
        snprintf(out, EXP_SHAPE_BYTES, "mesh, %" PRIu64 " points, %" PRIu64 " cells", g->points_len,
                 g->cells_len);
        return out;
    }
    for (uint32_t d = 0; d < g->dims; d++)
        at += snprintf(out + at, (size_t)(EXP_SHAPE_BYTES - at), "%s%" PRIu64, d ? " x " : "grid ",
                       g->extents[d]);
    return out;
}

static void exp_print_field(const struct exp_source *e, const struct ndm_field *f, FILE *out)
{
    char shape[EXP_SHAPE_BYTES], samples[CLI_CELL_BYTES];
    fprintf(out, "  %-28s %s, %s, %s samples", f->name, exp_shape(&e->atlas.domains[f->domain], shape),
            f->centering == NDM_CELLS ? "on cells" : "on points",
            cli_format_count(samples, (double)f->mapped_len));
    if (f->steps_len) fprintf(out, ", %" PRIu32 " steps", f->steps_len);
    fputc('\n', out);
}

static void exp_print_metrics(FILE *out)
{
    fputs("\nMetrics of fields:\n", out);
    for (int m = 0; m < NDM_METRICS_LEN; m++)
        fprintf(out, "  %-28s %s\n", ndm_metric(m)->name, ndm_metric(m)->words);
    fputs("\nMetrics of the tree (dot):\n", out);
    for (const struct vx_tree_metric *m = vx_tree_metrics; m->name; m++)
        fprintf(out, "  %-28s %s\n", m->name, m->words);
}

void exp_print_list(const struct exp_source *e, FILE *out)
{
    fprintf(out, "Fields of %s:%s\n", e->source.path, e->atlas.fields_len ? "" : " none");
    for (uint32_t i = 0; i < e->atlas.fields_len; i++)
        exp_print_field(e, &e->atlas.fields[i], out);
    fputs("\nFormats:\n", out);
    for (const struct vx_exporter *const *x = vx_exporters; *x; x++)
        fprintf(out, "  %-28s %s\n", (*x)->name, (*x)->words);
    fputs("\nTables (csv):\n", out);
    for (const struct vx_csv_table *t = vx_csv_tables; t->name; t++)
        fprintf(out, "  %-28s %s\n", t->name, t->words);
    exp_print_metrics(out);
}

static void exp_json_field(const struct exp_source *e, const struct ndm_field *f, struct ls_json *j)
{
    const struct ndm_geometry *g = &e->atlas.domains[f->domain];
    ls_json_open(j, NULL, '{');
    ls_json_text(j, "name", f->name);
    ls_json_text(j, "label", f->label);
    ls_json_text(j, "domain", g->label);
    ls_json_text(j, "kind", g->kind == NDM_GRID ? "grid" : "mesh");
    ls_json_text(j, "centering", f->centering == NDM_CELLS ? "cells" : "points");
    ls_json_u64(j, "values", f->values_len);
    ls_json_u64(j, "mapped", f->mapped_len);
    ls_json_u64(j, "outside", f->outside_len);
    ls_json_u64(j, "steps", f->steps_len);
    ls_json_close(j, '}');
}

void exp_print_list_json(const struct exp_source *e, FILE *out)
{
    struct ls_json j = {.out = out, .indent = LS_JSON_INDENT};
    ls_json_open(&j, NULL, '{');
    ls_json_u64(&j, "schema", EXP_JSON_SCHEMA);
    ls_json_open(&j, "fields", '[');
    for (uint32_t i = 0; i < e->atlas.fields_len; i++)
        exp_json_field(e, &e->atlas.fields[i], &j);
    ls_json_close(&j, ']');
    ls_json_open(&j, "formats", '[');
    for (const struct vx_exporter *const *x = vx_exporters; *x; x++) {
        ls_json_open(&j, NULL, '{');
        ls_json_text(&j, "name", (*x)->name);
        ls_json_text(&j, "words", (*x)->words);
        ls_json_close(&j, '}');
    }
    ls_json_close(&j, ']');
    ls_json_close(&j, '}');
}
