/* SPDX-License-Identifier: BSD-3-Clause */
#include "profile/prof_h5_get.h"
#include "profile/prof_h5_open.h"
#include "viz-export/charts/vx_results_h5.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VX_ELEMENT_BYTES = 8, VX_ROWS_ALWAYS = 16, VX_ROW_LEAST_BYTES = 64 /* in a file; columns are many */ };

static ls_err vx_read_schema(const struct prof_h5_place *at)
{
    uint64_t schema = 0;
    if (H5Aexists(at->id, "kind") <= 0 || prof_h5_get_list(at, "schema", PROF_U64, 1, &schema) != LS_OK)
        return ls_fail(LS_ERR_FORMAT,
                       "%s: not a file of results; expected a file that loadstone replay -o wrote", at->file);
    if (schema == VX_RESULTS_SCHEMA) return LS_OK;
    return ls_fail(LS_ERR_VERSION, "%s has schema %llu, this loadstone reads %d: %s", at->file,
                   (unsigned long long)schema, VX_RESULTS_SCHEMA,
                   schema < VX_RESULTS_SCHEMA ? "replay again" : "use a newer Loadstone");
}

static ls_err vx_read_head(const struct prof_h5_place *at, struct vx_results *r)
{
    LS_TRY(vx_read_schema(at));
    for (size_t a = 0; a < vx_attributes_len; a++)
        LS_TRY(prof_h5_get_text(at, vx_attributes[a].name, (char **)((char *)r + vx_attributes[a].offset)));
    r->stream_mb_per_s = NAN;
    if (H5Aexists(at->id, "stream_triad_mb_per_s") <= 0) return LS_OK;
    return prof_h5_get_list(at, "stream_triad_mb_per_s", PROF_F64, 1, &r->stream_mb_per_s);
}

static ls_err vx_read_column(const struct prof_h5_place *at, const struct vx_column *c, struct vx_results *r)
{
    struct prof_h5_array array = {c->name, c->type, 1, {r->len}, r->len};
    void *values = NULL;
    if (H5Lexists(at->id, c->name, H5P_DEFAULT) <= 0) return prof_h5_bad(at, c->name, "is missing");
    LS_TRY(prof_h5_get_array(at, &array, &values));
    for (size_t i = 0; i < r->len; i++)
        memcpy((char *)&r->rows[i] + c->offset, (char *)values + i * VX_ELEMENT_BYTES, VX_ELEMENT_BYTES);
    free(values);
    return LS_OK;
}

/* The number of rows is the length of the column of rates. */
static ls_err vx_read_len(const struct prof_h5_place *at, uint64_t len_bytes, uint64_t *out)
{
    struct prof_h5_array rates = {
        "mb_per_s", PROF_F64, 1, {UINT64_MAX}, VX_ROWS_ALWAYS + len_bytes / VX_ROW_LEAST_BYTES};
    void *values = NULL;
    LS_TRY(prof_h5_get_array(at, &rates, &values));
    free(values);
    *out = rates.extents[0];
    return LS_OK;
}

static ls_err vx_read_rows(const struct prof_h5_place *at, uint64_t len_bytes, struct vx_results *r)
{
    uint64_t len;
    LS_TRY(vx_read_len(at, len_bytes, &len));
    r->rows = calloc(len + 1, sizeof(*r->rows));
    if (!r->rows) return ls_nomem("reading %s", at->file);
    r->len = len;
    for (size_t c = 0; c < vx_columns_len; c++)
        LS_TRY(vx_read_column(at, &vx_columns[c], r));
    return LS_OK;
}

static ls_err vx_read_file(const char *path, const struct prof_h5_input *file, struct vx_results *r)
{
    const struct prof_h5_place head = {path, "/", file->id};
    LS_TRY(vx_read_head(&head, r));
    const struct prof_h5_place rows = {path, "/results", H5Gopen2(file->id, "results", H5P_DEFAULT)};
    if (rows.id < 0) return prof_h5_bad(&head, "results", "is missing");
    const ls_err e = vx_read_rows(&rows, file->len_bytes, r);
    H5Gclose(rows.id);
    return e;
}

ls_err vx_results_read(const char *path, struct vx_results *out)
{
    struct prof_h5_input file;
    memset(out, 0, sizeof(*out));
    LS_TRY(prof_h5_open(path, "loadstone replay -o", &file));
    const ls_err e = vx_read_file(path, &file, out);
    prof_h5_close(&file);
    if (e != LS_OK) vx_results_fini(out);
    return e;
}
