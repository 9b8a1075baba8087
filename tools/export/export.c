/* SPDX-License-Identifier: BSD-3-Clause */
/* loadstone export: a recording as files that other programs open. */
#include "common/ls_text.h"
#include "tools/cli/cli_message.h"
#include "tools/cli/cli_output.h"
#include "tools/export/exp_list.h"

#include <string.h>

enum {
    EXPORT_FORMAT,
    EXPORT_OUTPUT,
    EXPORT_FORCE,
    EXPORT_FIELD,
    EXPORT_METRIC,
    EXPORT_STEPS,
    EXPORT_TABLE,
    EXPORT_MIN_SHARE,
    EXPORT_LIST,
    EXPORT_JSON,
    EXPORT_OPTIONS
};

static const struct cli_option export_options[EXPORT_OPTIONS] = {
    [EXPORT_FORMAT] = {"format", 'f', CLI_CHOICE, "vti|vtr|vtu|pvd|vtkhdf|xdmf|memaxes|csv|dot|png|trace",
                       NULL, "format to write; without it the end of the output's name says it", "Output"},
    [EXPORT_OUTPUT] = {"output", 'o', CLI_FILE, "FILE", NULL,
                       "file to write; - is standard output, for formats of one file; without it the "
                       "recording's name with the format's end, in this directory",
                       "Output"},
    [EXPORT_FORCE] = {"force", 0, CLI_FLAG, NULL, NULL, "overwrite files that exist", "Output"},
    [EXPORT_FIELD] =
        {"field", 'F', CLI_TEXT, "NAME[,NAME...]", NULL,
         "fields to export, by name or pattern with *; they must lie on one domain; without it all of them",
         "What"},
    [EXPORT_METRIC] =
        {"metric", 'm', CLI_TEXT, "METRIC[,METRIC...]", NULL,
         "metrics of the fields, without it all (png: latency_mean_cycles); for dot the metric that "
         "colours the nodes, without it time_ns",
         "What"},
    [EXPORT_STEPS] = {"steps", 0, CLI_FLAG, NULL, NULL,
                      "the fields' steps as a time series, not the whole run (pvd always; xdmf, csv, png)",
                      "What"},
    [EXPORT_TABLE] =
        {"table", 't', CLI_TEXT, "TABLE", NULL,
         "table for csv: samples (without it, and without --field), fields, nodes, lines, bursts, threads or phases",
         "What"},
    [EXPORT_MIN_SHARE] = {"min-share", 0, CLI_PERCENT, "PERCENT", "0.5%",
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
        return ls_fail(LS_ERR_USAGE,
                       "name a format (--format vti) or a file (-o run.vti); --list shows what there is");
    return *out ? LS_OK
                : ls_fail(LS_ERR_USAGE,
                          "the name %s tells no format: add --format; --list shows what there is",
                          v[EXPORT_OUTPUT].text);
}

/* Options that the format has no use for are mistakes. */
static ls_err export_check(const struct vx_exporter *x, const struct cli_value *v, unsigned needs)
{
    const bool is_tree = needs & VX_NEEDS_TREE;
    if (v[EXPORT_TABLE].given && strcmp(x->name, "csv") != 0)
        return ls_fail(LS_ERR_USAGE, "--table is for csv, not for %s", x->name);
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
    if (strcmp(x->name, "dot") == 0)
        cli_next("dot -Tsvg %s -o tree.svg", cli_quote(path));
    else if (x->needs & VX_NEEDS_FIELDS && strcmp(x->name, "png") != 0)
        cli_next("paraview %s", cli_quote(path));
    else
        cli_next("loadstone export %s --list", cli_quote(recording));
}

static ls_err export_load_and_write(struct exp_source *e, const struct vx_exporter *x,
                                    const struct cli_value *v, const struct vx_request *r)
{
    struct exp_choice choice = {.fields = v[EXPORT_FIELD].text,
                                .metrics = v[EXPORT_METRIC].given ? v[EXPORT_METRIC].text : x->metrics,
                                .steps = v[EXPORT_STEPS].given || x->steps_only};
    LS_TRY(vx_export_needs(x, r, &choice.needs));
    LS_TRY(export_check(x, v, choice.needs));
    LS_TRY(exp_source_load(e, &choice));
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

static ls_err export_list(const char *recording, const struct cli_value *v)
{
    struct exp_source e;
    const ls_err err = exp_source_open(&e, recording);
    const bool has_fields = e.atlas.fields_len > 0;
    if (err == LS_OK) (v[EXPORT_JSON].given ? exp_print_list_json : exp_print_list)(&e, stdout);
    exp_source_fini(&e);
    fflush(stdout);
    if (err == LS_OK && !v[EXPORT_JSON].given)
        cli_next("loadstone export %s -o %s", cli_quote(recording), has_fields ? "run.png" : "run.dot");
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
    .summary = "write a recording as files for ParaView, VisIt, MemAxes, Graphviz, pandas, Perfetto",
    .operands = "FILE",
    .description = "Writes what FILE holds in the format of another program. Fields, the costs of the "
                   "program's data on its natural domain, go to VTK (vti, vtr for grids, vtu for meshes, pvd "
                   "for time series), VTKHDF, XDMF, CSV and PNG; samples to CSV and MemAxes; the semantic "
                   "tree to Graphviz and CSV; the timeline to trace events.\n\n"
                   "Values are those of FILE; a missing value is NaN, or an empty field in CSV. Formats of "
                   "several files put the others beside the named one: the steps of a .pvd into a directory, "
                   "the HDF5 file of an .xdmf, the machine of MemAxes. All of them are written, or none.",
    .examples =
        "loadstone export run.h5 --list\nloadstone export run.h5 -o mesh.vtu\nloadstone export run.h5 -o "
        "heat.png --field matrix.B\nloadstone export run.h5 --format dot -o - | dot -Tsvg -o tree.svg\n",
    .options = export_options,
    .options_len = EXPORT_OPTIONS,
    .operands_min = 1,
    .operands_max = 1,
    .run = export_run,
};
