/* SPDX-License-Identifier: BSD-3-Clause */
/* Caliper's json-split, as Hatchet and Thicket read it without Caliper (hatchet/readers/caliper_reader.py): nodes of
 * the column path, a row of values for each of them, and everything else at the top as data of the run. All ranks
 * and threads are summed: rows by rank would make Hatchet store every node of every rank. */
#include "common/ls_json.h"
#include "viz-export/export/vx_stacks.h"

#include <stdlib.h>
#include <string.h>

/* Columns after path: Hatchet renames the first two to "time" and "time (inc)". */
static const char *const vx_caliper_columns[] = {"path", "sum#time.duration", "inclusive#sum#time.duration",
                                                 "sum#waiting.duration", "bursts"};
enum { CALIPER_COLUMNS = sizeof(vx_caliper_columns) / sizeof(vx_caliper_columns[0]) };

static void vx_caliper_head(struct ls_json *j)
{
    ls_json_open(j, "columns", '[');
    for (int c = 0; c < CALIPER_COLUMNS; c++)
        ls_json_text(j, NULL, vx_caliper_columns[c]);
    ls_json_close(j, ']');
    ls_json_open(j, "column_metadata", '[');
    for (int c = 0; c < CALIPER_COLUMNS; c++) {
        ls_json_open(j, NULL, '{');
        ls_json_bool(j, "is_value", c > 0);
        ls_json_close(j, '}');
    }
    ls_json_close(j, ']');
}

static void vx_caliper_nodes(const struct vx_stacks *s, struct ls_json *j)
{
    ls_json_open(j, "nodes", '[');
    for (size_t i = 0; i < s->stacks.len; i++) {
        const struct vx_stack *row = &s->stacks.rows[i];
        ls_json_open(j, NULL, '{');
        ls_json_text(j, "label", s->frames.rows[row->frame].name);
        ls_json_text(j, "column", vx_caliper_columns[0]);
        if (row->parent < i) ls_json_u64(j, "parent", row->parent);
        ls_json_close(j, '}');
    }
    ls_json_close(j, ']');
}

struct vx_caliper_row {
    double cpu_ns, below_ns, wait_ns; /* below_ns: CPU time of the functions that it calls */
    uint64_t bursts;
};

/* free(*out). Errors: LS_ERR_NOMEM. */
static ls_err vx_caliper_sums(const struct vx_stacks *s, struct vx_caliper_row **out)
{
    struct vx_caliper_row *rows = *out = calloc(s->stacks.len + 1, sizeof(*rows));
    if (!rows) return ls_nomem("%zu stacks", s->stacks.len);
    for (size_t i = 0; i < s->costs.len; i++) {
        const struct vx_stack_cost *c = &s->costs.rows[i];
        rows[c->stack].cpu_ns += c->cpu_ns;
        rows[c->stack].wait_ns += c->wait_ns;
        rows[c->stack].bursts += c->bursts;
    }
    for (size_t i = s->stacks.len; i-- > 0;) {
        const uint32_t parent = s->stacks.rows[i].parent;
        if (parent < i) rows[parent].below_ns += rows[i].cpu_ns + rows[i].below_ns;
    }
    return LS_OK;
}

/* Write a row for each node, in seconds. */
static void vx_caliper_data(const struct vx_stacks *s, const struct vx_caliper_row *rows, struct ls_json *j)
{
    ls_json_open(j, "data", '[');
    for (size_t i = 0; i < s->stacks.len; i++) {
        ls_json_open(j, NULL, '[');
        ls_json_u64(j, NULL, i);
        ls_json_double(j, NULL, rows[i].cpu_ns / 1e9);
        ls_json_double(j, NULL, (rows[i].cpu_ns + rows[i].below_ns) / 1e9);
        ls_json_double(j, NULL, rows[i].wait_ns / 1e9);
        ls_json_u64(j, NULL, rows[i].bursts);
        ls_json_close(j, ']');
    }
    ls_json_close(j, ']');
}

/* Write the attributes of the run under the names of Adiak. */
static void vx_caliper_run(const struct vx_source *s, struct ls_json *j)
{
    const struct prof_run *r = s->run;
    char program[VX_PATH_BYTES];
    const char *words = vx_command_words(r->command);
    snprintf(program, sizeof(program), "%.*s", (int)strcspn(words, " "), words);
    ls_json_text(j, "executable", program);
    ls_json_text(j, "cmdline", r->command);
    ls_json_text(j, "cluster", r->host);
    if (r->start_realtime_ns != UINT64_MAX) ls_json_u64(j, "launchdate", r->start_realtime_ns / 1000000000u);
    if (r->duration_ns != UINT64_MAX) ls_json_double(j, "walltime", (double)r->duration_ns / 1e9);
    ls_json_text(j, "loadstone.version", r->version);
    ls_json_text(j, "loadstone.engine", r->engine);
    ls_json_text(j, "loadstone.cpu", r->cpu);
    ls_json_text(j, "loadstone.file", s->path);
}

static void vx_caliper_print(const struct vx_stacks *s, const struct vx_caliper_row *rows,
                             const struct vx_source *from, FILE *out)
{
    struct ls_json j = {.out = out};
    ls_json_open(&j, NULL, '{');
    vx_caliper_head(&j);
    vx_caliper_nodes(s, &j);
    vx_caliper_data(s, rows, &j);
    vx_caliper_run(from, &j);
    ls_json_close(&j, '}');
    fputc('\n', out);
}

static ls_err vx_caliper_export(const struct vx_source *s, const struct vx_request *r, ls_outputs *files)
{
    struct vx_stacks stacks;
    struct vx_caliper_row *rows = NULL;
    FILE *out;
    ls_err err = vx_stacks_init(&stacks, s);
    if (err == LS_OK) err = vx_caliper_sums(&stacks, &rows);
    if (err == LS_OK) err = ls_outputs_open(files, r->path, &out);
    if (err == LS_OK) vx_caliper_print(&stacks, rows, s, out);
    free(rows);
    vx_stacks_fini(&stacks);
    return err;
}

const struct vx_exporter vx_exporter_caliper = {
    .name = "caliper",
    .ends = ".caliper.json",
    .words = "call tree: CPU time, waiting by data, as json-split of Caliper (Hatchet, Thicket)",
    .needs = VX_NEEDS_TREE,
    .one_file = true,
    .write = vx_caliper_export};
