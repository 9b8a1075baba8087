/* SPDX-License-Identifier: BSD-3-Clause */
/* loadstone export: a recording as files that other programs open. */
#include "common/ls_text.h"
#include "tools/cli/cli_message.h"
#include "tools/cli/cli_output.h"
#include "tools/cli/cli_term.h"
#include "common/ls_json.h"
#include "viz-export/export/vx_export.h"
#include "ndm/ndm_mix.h"
#include "run_h5/prof_atlas.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the recording ---- */

/* A recording opened for export, with as much of it loaded as a format needs. */

struct exp_source {
    prof_profile *profile;
    struct ndm_atlas atlas;
    struct vx_selection selection;
    struct an_tables tables;
    struct an_input in;
    struct an_costs costs;
    uint32_t *parents; /* of nodes */
    an_table *nodes;
    struct vx_source source;
};

/* The selected part of a recording. */
struct exp_choice {
    const char *fields, *metrics; /* as vx_select takes them */
    bool steps, one_domain;       /* one_domain: without `fields` only the costliest */
    unsigned needs;               /* enum vx_needs */
};

/* Owns:   the caller ends e with exp_source_fini, also after a failure.
 * Errors: as prof_open, prof_atlas_load and vx_select. */
static ls_err exp_source_open(struct exp_source *e, const char *path)
{
    *e = (struct exp_source){0};
    LS_TRY(prof_open(path, &e->profile));
    an_tables_init(&e->tables, e->profile);
    e->source = (struct vx_source){
        .path = path, .run = prof_run_of(e->profile), .tables = &e->tables, .profile = e->profile};
    LS_TRY(prof_atlas_list(e->profile, &e->atlas));
    e->source.atlas = &e->atlas;
    return LS_OK;
}

static ls_err exp_sum(struct exp_source *e, uint32_t field, enum ndm_metric metric, double *out)
{
    struct ndm_field *f = &e->atlas.fields[field];
    const struct prof_atlas_want want = {.field = field, .metrics = UINT32_C(1) << metric};
    LS_TRY(prof_atlas_load(e->profile, &e->atlas, &want));
    *out = 0;
    for (uint64_t i = 0; i < f->values_len; i++)
        if (f->values[metric][i] > 0) *out += f->values[metric][i]; /* missing values are left out */
    free(f->values[metric]);
    f->values[metric] = NULL;
    return LS_OK;
}

/* Find the field of all nodes of a domain that stalls most, or takes most time if nothing stalls. */
static ls_err exp_costliest(struct exp_source *e, const char **out)
{
    double most[2] = {-1, -1};
    for (uint32_t i = 0; i < e->atlas.fields_len; i++) {
        double stall, time;
        LS_TRY(exp_sum(e, i, NDM_STALL, &stall));
        LS_TRY(exp_sum(e, i, NDM_TIME, &time));
        if (stall < most[0] || (stall == most[0] && time <= most[1])) continue;
        most[0] = stall;
        most[1] = time;
        *out = e->atlas.fields[i].name;
    }
    return LS_OK;
}

static ls_err exp_load_fields(struct exp_source *e, const struct exp_choice *choice)
{
    const char *fields = choice->fields;
    if (!fields && choice->one_domain) LS_TRY(exp_costliest(e, &fields));
    LS_TRY(vx_select(&e->atlas, fields, choice->metrics, &e->selection));
    if (choice->steps) LS_TRY(vx_select_steps(&e->selection));
    for (size_t i = 0; i < e->selection.fields_len; i++) {
        struct prof_atlas_want want = {.field = e->selection.fields[i], .steps = choice->steps};
        for (int m = 0; m < NDM_METRICS_LEN; m++)
            if (e->selection.metrics[m]) want.metrics |= UINT32_C(1) << m | ndm_mix_needs((enum ndm_metric)m);
        LS_TRY(prof_atlas_load(e->profile, &e->atlas, &want));
    }
    e->source.selection = &e->selection;
    return LS_OK;
}

static ls_err exp_load_samples(struct exp_source *e)
{
    an_input_init(&e->in, e->source.run, e->tables.bursts, e->tables.bursts_len);
    LS_TRY(prof_load_samples(e->profile, AN_COST_COLUMNS, &e->in.samples));
    e->source.in = &e->in;
    LS_TRY(an_costs_init(&e->costs, &e->in));
    e->source.costs = &e->costs;
    return LS_OK;
}

static ls_err exp_load_tree(struct exp_source *e)
{
    e->parents = malloc((e->tables.nodes_len + 1) * sizeof(*e->parents));
    if (!e->parents) return ls_nomem("%zu nodes", e->tables.nodes_len);
    for (size_t n = 0; n < e->tables.nodes_len; n++)
        e->parents[n] = n == 0 ? AN_NO_GROUP : e->tables.nodes[n].parent;
    const struct an_grouping by = {.group_of_sample = e->in.samples.node,
                                   .parent = e->parents,
                                   .groups_len = (uint32_t)e->tables.nodes_len};
    LS_TRY(an_table_new(&e->in, &e->costs, &by, &e->nodes));
    e->source.nodes = e->nodes;
    return LS_OK;
}

static void exp_add_counter(struct vx_source *s, const char *name, const char *unit,
                            const struct prof_point *points, size_t len)
{
    if (len > 0) s->counters[s->counters_len++] = (struct vx_counter){name, unit, points, len};
}

static void exp_load_timeline(struct exp_source *e)
{
    struct vx_source *s = &e->source;
    size_t len;
    s->spans = prof_phase_spans(e->profile, &s->spans_len);
    const struct prof_point *points = prof_resident_bytes(e->profile, &len);
    exp_add_counter(s, "resident memory", "bytes", points, len);
    points = prof_minor_faults(e->profile, &len);
    exp_add_counter(s, "minor page faults", "faults", points, len);
    points = prof_major_faults(e->profile, &len);
    exp_add_counter(s, "major page faults", "faults", points, len);
    s->machine = prof_counters(e->profile, &s->machine_len);
    s->readings = prof_readings(e->profile, &s->readings_len);
}

static ls_err exp_source_load(struct exp_source *e, const struct exp_choice *choice)
{
    if (choice->needs & VX_NEEDS_FIELDS) LS_TRY(exp_load_fields(e, choice));
    if (choice->needs & VX_NEEDS_TREE) {
        LS_TRY(exp_load_samples(e));
        LS_TRY(exp_load_tree(e));
    }
    if (choice->needs & VX_NEEDS_TIMELINE) exp_load_timeline(e);
    return LS_OK;
}

static void exp_source_fini(struct exp_source *e)
{
    vx_selection_fini(&e->selection);
    ndm_atlas_fini(&e->atlas);
    an_table_free(e->nodes);
    an_costs_fini(&e->costs);
    free(e->parents);
    prof_close(e->profile);
}

/* ---- the list ---- */

/* List the fields, formats, tables and metrics for export. */

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

/* Print the recording's fields, then formats, tables and metrics.
 * Errors: none; errors of out stay in it. */
static void exp_print_list(const struct exp_source *e, FILE *out)
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

/* Print the list as JSON, schema 1.
 * Errors: as above. */
static void exp_print_list_json(const struct exp_source *e, FILE *out)
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

/* ---- the command ---- */

enum {
    EXPORT_FORMAT,
    EXPORT_OUTPUT,
    EXPORT_FORCE,
    EXPORT_FIELD,
    EXPORT_METRIC,
    EXPORT_CELLS,
    EXPORT_STEPS,
    EXPORT_TABLE,
    EXPORT_MIN_SHARE,
    EXPORT_LIST,
    EXPORT_JSON,
    EXPORT_OPTIONS
};

static const struct cli_option export_options[EXPORT_OPTIONS] = {
    [EXPORT_FORMAT] =
        {"format", 'f', CLI_CHOICE,
         "vti|vtr|vtu|pvd|vtkhdf|xdmf|memaxes|csv|dot|png|trace|firefox|speedscope|pprof|caliper", NULL,
         "format to write; default: the one that the output's suffix selects", "Output"},
    [EXPORT_OUTPUT] = {"output", 'o', CLI_FILE, "FILE", NULL,
                       "file to write; - is standard output, for formats of one file; default: the "
                       "recording's name with the suffix of the format, in this directory",
                       "Output"},
    [EXPORT_FORCE] = {"force", 0, CLI_FLAG, NULL, NULL, "overwrite files that exist", "Output"},
    [EXPORT_FIELD] =
        {"field", 'F', CLI_TEXT, "NAME[,NAME...]", NULL,
         "fields to export, by name, DOMAIN.LABEL or a LABEL that one field has, or pattern with *; they must be "
         "on one domain; default: all of them (png: the costliest one)",
         "What"},
    [EXPORT_METRIC] =
        {"metric", 'm', CLI_TEXT, "METRIC[,METRIC...]", NULL,
         "metrics of the fields, default: all (png: latency_mean_cycles); for dot the metric that "
         "colours the nodes, default: time_ns",
         "What"},
    [EXPORT_CELLS] =
        {"cells", 0, CLI_CHOICE, "auto|all", "auto",
         "cells of grids in files for ParaView and VisIt: merged into blocks that hold some samples each "
         "(auto), or each cell (all)",
         "What"},
    [EXPORT_STEPS] =
        {"steps", 0, CLI_FLAG, NULL, NULL,
         "write the fields' steps as a time series, not the whole run (pvd always; xdmf, csv, png)", "What"},
    [EXPORT_TABLE] =
        {"table", 't', CLI_TEXT, "TABLE", NULL,
         "table for csv: samples (default without --field), fields, nodes, lines, bursts, threads, phases "
         "or series; for png: fields (default) or series",
         "What"},
    [EXPORT_MIN_SHARE] = {"min-share", 0, CLI_LEAST, "PERCENT", "0.5%",
                          "leave nodes below this share of the time out of the tree of dot", "What"},
    [EXPORT_LIST] = {"list", 'l', CLI_FLAG, NULL, NULL,
                     "write nothing: show the recording's fields, and all formats, tables and metrics",
                     "What"},
    [EXPORT_JSON] = {"json", 'j', CLI_FLAG, NULL, NULL, "with --list: print JSON, schema 1", "Output"},
};

/* run.h5 becomes run.vti, in the directory where the command runs. */
static ls_err export_name(const char *recording, const struct vx_exporter *x, char out[PATH_MAX])
{
    char end[64];
    snprintf(end, sizeof(end), "%.*s", (int)strcspn(x->ends, "|"), x->ends);
    return ls_outputs_sibling(ls_base_name(recording), end, out);
}

static ls_err export_format(const struct cli_value *v, const struct vx_exporter **out)
{
    *out = NULL;
    if (v[EXPORT_FORMAT].given)
        *out = vx_exporter_named(v[EXPORT_FORMAT].text);
    else if (v[EXPORT_OUTPUT].given)
        *out = vx_exporter_for(v[EXPORT_OUTPUT].text);
    else
        return ls_fail(
            LS_ERR_USAGE,
            "name a format or a file: -o run.vti for a grid and -o run.vtu for a mesh in ParaView, "
            "-o run.csv for the samples, ...; --list shows the recording's fields and all formats");
    return *out ? LS_OK
                : ls_fail(LS_ERR_USAGE,
                          "the name %s has no known suffix: add --format; --list shows all formats",
                          v[EXPORT_OUTPUT].text);
}

/* Refuse options that have no effect on the format. */
static ls_err export_check(const struct vx_exporter *x, const struct cli_value *v, unsigned needs)
{
    const bool is_tree = needs & VX_NEEDS_TREE;
    if (v[EXPORT_TABLE].given && strcmp(x->name, "csv") != 0 && strcmp(x->name, "png") != 0)
        return ls_fail(LS_ERR_USAGE, "--table is for csv and png, not for %s", x->name);
    if (v[EXPORT_STEPS].given && !(x->has_steps && needs & VX_NEEDS_FIELDS))
        return ls_fail(LS_ERR_USAGE,
                       "%s holds no time series: --steps is for pvd, xdmf, png, csv --table fields", x->name);
    if (v[EXPORT_FIELD].given && !(needs & VX_NEEDS_FIELDS))
        return ls_fail(LS_ERR_USAGE, "%s holds no fields: leave --field out", x->name);
    if (v[EXPORT_METRIC].given && !(needs & VX_NEEDS_FIELDS) && !(is_tree && strcmp(x->name, "dot") == 0))
        return ls_fail(LS_ERR_USAGE, "%s holds all columns: leave --metric out", x->name);
    return LS_OK;
}

/* Print the next command for the exported file. */
static void export_next(const struct vx_exporter *x, const char *recording, const char *path)
{
    if (strcmp(path, "-") == 0) return;
    if (strcmp(x->name, "pprof") == 0)
        cli_next("pprof -http=: -sample_index=waiting %s", cli_quote(path));
    else if (strcmp(x->name, "dot") == 0)
        cli_next("dot -Tsvg %s -o tree.svg", cli_quote(path));
    else if (x->needs & VX_NEEDS_FIELDS && strcmp(x->name, "png") != 0)
        cli_next("paraview %s", cli_quote(path));
    else
        cli_next("loadstone export %s --list", cli_quote(recording));
}

/* Merge cells of a grid that has few samples. */
static ls_err export_merge(struct exp_source *e)
{
    const struct ndm_geometry *g = e->selection.geometry;
    const uint64_t side = vx_merge_side(&e->selection);
    char shape[EXP_SHAPE_BYTES], now[EXP_SHAPE_BYTES];
    exp_shape(g, shape);
    if (side == 1) return LS_OK;
    LS_TRY(vx_merge_cells(&e->atlas, &e->selection, side));
    cli_note("cells are merged: %s instead of %s, which has few samples; --cells all keeps each",
             exp_shape(g, now), shape);
    return LS_OK;
}

static ls_err export_load_and_write(struct exp_source *e, const struct vx_exporter *x,
                                    const struct cli_value *v, const struct vx_request *r)
{
    struct exp_choice choice = {.fields = v[EXPORT_FIELD].text,
                                .metrics = v[EXPORT_METRIC].given ? v[EXPORT_METRIC].text : x->metrics,
                                .steps = v[EXPORT_STEPS].given || x->steps_only,
                                .one_domain = strcmp(x->name, "png") == 0};
    LS_TRY(vx_export_needs(x, r, &choice.needs));
    LS_TRY(export_check(x, v, choice.needs));
    LS_TRY(exp_source_load(e, &choice));
    if (x->merges && strcmp(v[EXPORT_CELLS].text, "auto") == 0) LS_TRY(export_merge(e));
    if ((choice.needs & (VX_NEEDS_TREE | VX_NEEDS_SAMPLES)) && e->tables.bursts_len == 0)
        cli_warn("%s has no samples: loadstone report prints the reason", cli_quote(e->source.path));
    return vx_export(x, &e->source, r);
}

static ls_err export_write(const char *recording, const struct cli_value *v)
{
    const struct vx_exporter *x = NULL;
    struct exp_source e;
    char path[PATH_MAX];
    LS_TRY(export_format(v, &x));
    LS_TRY(export_name(recording, x, path));
    const bool has_fields = v[EXPORT_FIELD].given && !v[EXPORT_TABLE].given;
    const struct vx_request r = {.path = v[EXPORT_OUTPUT].given ? v[EXPORT_OUTPUT].text : path,
                                 .metric = v[EXPORT_METRIC].text,
                                 .table = has_fields ? "fields" : v[EXPORT_TABLE].text,
                                 .min_share = v[EXPORT_MIN_SHARE].share,
                                 .force = v[EXPORT_FORCE].given};
    if (strcmp(r.path, "-") != 0) LS_TRY(cli_output_check(r.path, r.force));
    ls_err err = exp_source_open(&e, recording);
    if (err == LS_OK) err = export_load_and_write(&e, x, v, &r);
    exp_source_fini(&e);
    if (err == LS_OK) {
        if (strcmp(r.path, "-") != 0) cli_note("%s: %s", r.path, x->words);
        export_next(x, recording, r.path);
    }
    return err;
}

/* Suggest the file for ParaView that suits the domain of the first field, or without fields the tree. */
static void export_next_of_list(const struct exp_source *e, const char *recording)
{
    char path[PATH_MAX], field[256] = "";
    const struct ndm_atlas *a = &e->atlas;
    const bool has_fields = a->fields_len > 0;
    const bool is_mesh = has_fields && a->domains[a->fields[0].domain].kind == NDM_MESH;
    for (uint32_t i = 1; i < a->fields_len; i++)
        if (a->fields[i].domain != a->fields[0].domain)
            snprintf(field, sizeof(field), "--field %s ", cli_quote(a->fields[0].name));
    const char *format = !has_fields ? "dot" : is_mesh ? "vtu" : "vti";
    if (export_name(recording, vx_exporter_named(format), path) == LS_OK)
        cli_next("loadstone export %s %s-o %s", cli_quote(recording), field, cli_quote(path));
}

static ls_err export_list(const char *recording, const struct cli_value *v)
{
    struct exp_source e;
    const ls_err err = exp_source_open(&e, recording);
    if (err == LS_OK) (v[EXPORT_JSON].given ? exp_print_list_json : exp_print_list)(&e, stdout);
    fflush(stdout);
    if (err == LS_OK && !v[EXPORT_JSON].given) export_next_of_list(&e, recording);
    exp_source_fini(&e);
    return err;
}

static int export_run(const struct cli_command *c, const struct cli_value *v, char **operands)
{
    (void)c;
    const ls_err err = (v[EXPORT_LIST].given ? export_list : export_write)(operands[0], v);
    return err == LS_OK ? CLI_OK : cli_fail(err);
}

const struct cli_command cli_cmd_export = {
    .name = "export",
    .summary =
        "write a recording as files for ParaView, VisIt, MemAxes, Graphviz, pandas, Perfetto and profilers",
    .operands = "FILE",
    .description =
        "Converts FILE to the format of another program. Fields, the costs of the program's data "
        "on its natural domain, go to VTK (vti, vtr for grids, vtu for meshes, pvd for time "
        "series), VTKHDF, XDMF, CSV and PNG; samples to CSV and MemAxes; the semantic tree to "
        "Graphviz and CSV; the timeline to trace events; call stacks with their CPU time, and "
        "waiting by data, to the Firefox Profiler, speedscope, pprof and Caliper's json-split.\n\n"
        "Values are copied from FILE; a missing value is NaN, or an empty field in CSV. Formats of "
        "several files put the others beside the named one: the steps of a .pvd into a directory, "
        "the HDF5 file of an .xdmf, the machine of MemAxes. All of them are written, or none.",
    .examples =
        "loadstone export run.h5 --list\nloadstone export run.h5 -o mesh.vtu\nloadstone export run.h5 -o "
        "heat.png --field matrix.B\nloadstone export run.h5 -o series.png --table series\nloadstone export run.h5 --format dot -o - | dot -Tsvg -o tree.svg\n",
    .options = export_options,
    .options_len = EXPORT_OPTIONS,
    .operands_min = 1,
    .operands_max = 1,
    .reads_profiles = true,
    .run = export_run,
};
