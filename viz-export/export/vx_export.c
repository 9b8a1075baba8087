/* SPDX-License-Identifier: BSD-3-Clause */
#include "viz-export/export/vx_export.h"

#include "viz-export/export/vx_exporters.h"
#include "viz-export/export/vx_tables.h"
#include "viz-export/export/vx_tree.h"

#include <string.h>
#include <strings.h>

const struct vx_exporter *const vx_exporters[] = {
    &vx_exporter_vti,    &vx_exporter_vtr,  &vx_exporter_vtu,     &vx_exporter_pvd,
    &vx_exporter_vtkhdf, &vx_exporter_xdmf, &vx_exporter_memaxes, &vx_exporter_csv,
    &vx_exporter_dot,    &vx_exporter_png,  &vx_exporter_trace,   NULL,
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

ls_err vx_export_needs(const struct vx_exporter *x, const struct vx_request *r, unsigned *out_needs)
{
    *out_needs = x->needs;
    if (x == &vx_exporter_csv) {
        const struct vx_csv_table *table = NULL;
        LS_TRY(vx_csv_table_of(r->table, &table));
        *out_needs = table->needs;
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
