/* SPDX-License-Identifier: BSD-3-Clause */
#include "viz-export/export/vx_export.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- formats ---- */

const struct vx_exporter *const vx_exporters[] = {
    &vx_exporter_vti,        &vx_exporter_vtr,   &vx_exporter_vtu,     &vx_exporter_pvd,
    &vx_exporter_vtkhdf,     &vx_exporter_xdmf,  &vx_exporter_memaxes, &vx_exporter_csv,
    &vx_exporter_dot,        &vx_exporter_png,   &vx_exporter_trace,   &vx_exporter_firefox,
    &vx_exporter_speedscope, &vx_exporter_pprof, &vx_exporter_caliper, NULL,
};

const struct vx_exporter *vx_exporter_named(const char *name)
{
    for (const struct vx_exporter *const *x = vx_exporters; *x; x++)
        if (strcmp((*x)->name, name) == 0) return *x;
    return NULL;
}

/* Length of the longest of ends that path ends with, 0: none. */
static size_t vx_end_of(const char *ends, const char *path)
{
    const size_t path_len = strlen(path);
    size_t best = 0;
    for (const char *end = ends; *end;) {
        const size_t len = strcspn(end, "|");
        if (len < path_len && len > best && strncasecmp(path + path_len - len, end, len) == 0) best = len;
        end += len + (end[len] == '|');
    }
    return best;
}

const struct vx_exporter *vx_exporter_for(const char *path)
{
    const struct vx_exporter *best = NULL;
    size_t best_len = 0;
    for (const struct vx_exporter *const *x = vx_exporters; *x; x++) {
        const size_t len = vx_end_of((*x)->ends, path);
        if (len > best_len) {
            best = *x;
            best_len = len;
        }
    }
    return best;
}

bool vx_is_series(const struct vx_request *r)
{
    return r->table && strcmp(r->table, "series") == 0;
}

ls_err vx_export_needs(const struct vx_exporter *x, const struct vx_request *r, unsigned *out_needs)
{
    *out_needs = x->needs;
    if (x == &vx_exporter_csv) {
        const struct vx_csv_table *table = NULL;
        LS_TRY(vx_csv_table_of(r->table, &table));
        *out_needs = table->needs;
    }
    if (x == &vx_exporter_png && r->table && strcmp(r->table, "fields") != 0) {
        if (!vx_is_series(r))
            return ls_fail(LS_ERR_USAGE, "--table: a picture is of fields or series, not of %s", r->table);
        *out_needs = VX_NEEDS_TIMELINE;
    }
    if (x == &vx_exporter_dot) {
        const struct vx_tree_metric *metric = NULL;
        LS_TRY(vx_tree_metric_of(r->metric, &metric));
    }
    return LS_OK;
}

ls_err vx_export(const struct vx_exporter *x, const struct vx_source *s, const struct vx_request *r)
{
    ls_outputs *files = NULL;
    if (strcmp(r->path, "-") == 0 && !x->one_file)
        return ls_fail(LS_ERR_USAGE, "%s is not one stream of text: name a file with -o", x->name);
    LS_TRY(ls_outputs_new(r->force, &files));
    ls_err err = x->write(s, r, files);
    if (err == LS_OK) err = ls_outputs_commit(files);
    ls_outputs_free(files);
    return err;
}

/* ---- names of the objects that samples refer to ---- */

#define VX_KIND_NAME(name, text, precise) [PROF_NODE_##name] = (text),
static const char *const vx_kind_names[] = {PROF_NODE_KINDS(VX_KIND_NAME)};
#undef VX_KIND_NAME

static const char *const vx_level_names[PROF_LEVEL_COUNT] = {"L1", "L2", "L3", "DRAM"};

const char *vx_kind_name(uint32_t kind)
{
    return kind < PROF_NODE_KIND_COUNT ? vx_kind_names[kind] : "";
}

const char *vx_level_name(uint8_t level)
{
    return level < PROF_LEVEL_COUNT ? vx_level_names[level] : "";
}

const char *vx_command_words(const char *command)
{
    const char *name = command;
    for (const char *p = command; *p && *p != ' '; p++)
        if (*p == '/') name = p + 1;
    return name;
}

const char *vx_node_path(const struct an_tables *t, uint32_t node, char out[VX_PATH_BYTES])
{
    size_t at = VX_PATH_BYTES - 1; /* filled from its end, since parents are found last */
    out[at] = '\0';
    for (uint32_t n = node; n < t->nodes_len && n != 0; n = t->nodes[n].parent) {
        const char *label = t->nodes[n].label;
        const size_t len = strlen(label), slash = out[at] != '\0';
        if (len + slash > at) break;
        if (slash) out[--at] = '/';
        at -= len;
        memcpy(out + at, label, len);
        if (t->nodes[n].parent >= n) break; /* parents come first */
    }
    return out + at;
}

const char *vx_node_label(const struct an_tables *t, uint32_t node)
{
    return node < t->nodes_len ? t->nodes[node].label : "";
}

const char *vx_phase_name(const struct an_tables *t, uint32_t phase)
{
    return phase < t->phases_len ? t->phases[phase].name : "";
}

const struct prof_line *vx_line_of(const struct an_tables *t, uint32_t thread, uint64_t ip, uint64_t time_ns)
{
    uint32_t row = an_tables_line(t, an_tables_process(t, thread), ip);
    if (row >= t->lines_len) return NULL;
    row = an_tables_line_then(t, row, time_ns);
    return row < t->lines_len ? &t->lines[row] : NULL;
}
