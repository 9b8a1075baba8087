/* SPDX-License-Identifier: BSD-3-Clause */
#include "viz-export/charts/vx_results.h"

#include "common/ls_outputs.h"
#include "run_h5/prof_h5.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- columns ---- */

enum { VX_ELEMENT_BYTES = 8 }; /* element of a column in memory: pointer, uint64_t or double */

#define VX_COLUMN(type, member) {#member, PROF_##type, offsetof(struct vx_result, member)},
const struct vx_column vx_columns[] = {VX_RESULT_COLUMNS(VX_COLUMN)};
const size_t vx_columns_len = sizeof(vx_columns) / sizeof(vx_columns[0]);

#define VX_RANK_COLUMN(type, member) {#member, PROF_##type, offsetof(struct vx_rank, member)},
static const struct vx_column vx_rank_columns[] = {VX_RANK_COLUMNS(VX_RANK_COLUMN)};

/* A group of the file: columns of equal length, and the array of rows in memory. */
struct vx_table {
    const char *name;
    const struct vx_column *columns;
    size_t columns_len, row_bytes;
    const char *counts; /* the column whose length is the number of rows */
};
static const struct vx_table vx_table_results = {
    "results", vx_columns, sizeof(vx_columns) / sizeof(vx_columns[0]), sizeof(struct vx_result), "mb_per_s"};
static const struct vx_table vx_table_ranks = {"ranks", vx_rank_columns,
                                               sizeof(vx_rank_columns) / sizeof(vx_rank_columns[0]),
                                               sizeof(struct vx_rank), "rank"};

static char *vx_cell(void *rows, const struct vx_table *t, size_t i, const struct vx_column *c)
{
    return (char *)rows + i * t->row_bytes + c->offset;
}

const struct vx_attribute vx_attributes[] = {
    {"host", offsetof(struct vx_results, host)},         {"cpu", offsetof(struct vx_results, cpu)},
    {"topology", offsetof(struct vx_results, topology)}, {"command", offsetof(struct vx_results, command)},
    {"version", offsetof(struct vx_results, version)},   {"study", offsetof(struct vx_results, study)},
};
const size_t vx_attributes_len = sizeof(vx_attributes) / sizeof(vx_attributes[0]);

static void vx_rows_free(const struct vx_table *t, void *rows, size_t len)
{
    for (size_t c = 0; c < t->columns_len; c++)
        for (size_t i = 0; t->columns[c].type == PROF_TEXT && rows && i < len; i++)
            free(*(char **)(void *)vx_cell(rows, t, i, &t->columns[c]));
    free(rows);
}

void vx_results_fini(struct vx_results *r)
{
    vx_rows_free(&vx_table_results, r->rows, r->len);
    vx_rows_free(&vx_table_ranks, r->ranks, r->ranks_len);
    for (size_t a = 0; a < vx_attributes_len; a++)
        free(*(char **)((char *)r + vx_attributes[a].offset));
    memset(r, 0, sizeof(*r));
}

/* ---- written ---- */

static bool vx_write_attributes(hid_t file, const struct vx_results *r)
{
    const uint64_t schema = VX_RESULTS_SCHEMA;
    prof_h5_put_text(file, "kind", VX_RESULTS_KIND);
    bool written =
        prof_h5_put_attribute(file, "schema", PROF_U64, 1, &schema) >= 0 &&
        prof_h5_put_attribute(file, "stream_triad_mb_per_s", PROF_F64, 1, &r->stream_mb_per_s) >= 0 &&
        prof_h5_put_attribute(file, "stream_triad_regular_mb_per_s", PROF_F64, 1,
                              &r->stream_regular_mb_per_s) >= 0;
    for (size_t a = 0; written && a < vx_attributes_len; a++) {
        const char *value = *(char *const *)((const char *)r + vx_attributes[a].offset);
        if (!value) value = "";
        written = prof_h5_put_attribute(file, vx_attributes[a].name, PROF_TEXT, 1, &value) >= 0;
    }
    return written;
}

/* width is the width of texts, 0 for numbers. */
static herr_t vx_write_cells(hid_t set, enum prof_type type, size_t width, const void *cells, size_t len)
{
    if (width) return prof_h5_write_texts(set, width, cells, len);
    const hid_t memory_type = prof_h5_memory_type(type);
    const herr_t e = H5Dwrite(set, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, cells);
    H5Tclose(memory_type);
    return e;
}

/* The rows of a table in memory, and room for a column of them. */
struct vx_content {
    const struct vx_table *table;
    void *rows;
    size_t len;
    char *cells;
};

static bool vx_write_column(hid_t group, const struct vx_content *t, const struct vx_column *c)
{
    const hsize_t len = t->len;
    for (size_t i = 0; i < t->len; i++)
        memcpy(t->cells + i * VX_ELEMENT_BYTES, vx_cell(t->rows, t->table, i, c), VX_ELEMENT_BYTES);
    const size_t width =
        c->type == PROF_TEXT ? prof_h5_text_width((const char **)(void *)t->cells, t->len) : 0;
    const hid_t type = width ? prof_h5_text_type(width) : prof_h5_file_type(c->type);
    const hid_t space = H5Screate_simple(1, &len, NULL);
    const hid_t set = H5Dcreate2(group, c->name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const bool written = set >= 0 && vx_write_cells(set, c->type, width, t->cells, t->len) >= 0;
    if (set >= 0) H5Dclose(set);
    H5Sclose(space);
    H5Tclose(type);
    return written;
}

static bool vx_write_table(hid_t file, const struct vx_table *table, void *rows, size_t len)
{
    const struct vx_content t = {table, rows, len, malloc((len + 1) * VX_ELEMENT_BYTES)};
    const hid_t group = H5Gcreate2(file, table->name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool written = t.cells && group >= 0;
    for (size_t c = 0; written && c < table->columns_len; c++)
        written = vx_write_column(group, &t, &table->columns[c]);
    if (group >= 0) H5Gclose(group);
    free(t.cells);
    return written;
}

static bool vx_write_all(hid_t file, const struct vx_results *r)
{
    return vx_write_attributes(file, r) && vx_write_table(file, &vx_table_results, r->rows, r->len) &&
           (!r->ranks_len || vx_write_table(file, &vx_table_ranks, r->ranks, r->ranks_len));
}

/* The bytes of a file. */
struct vx_image {
    void *data;
    size_t len_bytes;
};

/* Build the file in memory, because HDF5 crashes after it could not write to a full disk.
 * Owns: the caller frees out->data. */
static ls_err vx_image_of(const struct vx_results *r, const char *path, struct vx_image *out)
{
    enum { STEP_BYTES = 64 * 1024 };
    const hid_t in_memory = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(in_memory, STEP_BYTES, false);
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, in_memory);
    H5Pclose(in_memory);
    if (file < 0) return ls_nomem("%s", path);
    const bool is_built = vx_write_all(file, r) && H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0;
    const ssize_t len_bytes = is_built ? H5Fget_file_image(file, NULL, 0) : -1;
    out->data = len_bytes > 0 ? malloc((size_t)len_bytes) : NULL;
    out->len_bytes = (size_t)len_bytes;
    const bool is_copied = out->data && H5Fget_file_image(file, out->data, out->len_bytes) == len_bytes;
    H5Fclose(file);
    if (is_copied) return LS_OK;
    free(out->data);
    return ls_nomem("%s", path);
}

ls_err vx_results_write(const struct vx_results *r, const char *path)
{
    struct vx_image image = {0};
    ls_outputs *files = NULL;
    FILE *out;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* HDF5's messages contain no remedy */
    LS_TRY(vx_image_of(r, path, &image));
    ls_err err = ls_outputs_new(true, &files);
    if (err == LS_OK) err = ls_outputs_open(files, path, &out);
    if (err == LS_OK) {
        fwrite(image.data, 1, image.len_bytes, out); /* the commit reports its errors */
        err = ls_outputs_commit(files);
    }
    ls_outputs_free(files);
    free(image.data);
    return err;
}

/* ---- read ---- */

enum {
    VX_ROWS_ALWAYS = 16,
    VX_ROW_LEAST_BYTES = 64 /* largest number of rows in a file; there are many columns */
};

static ls_err vx_read_schema(const struct prof_h5_location *at)
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

/* Read a number that may be missing: NAN. */
static ls_err vx_read_rate(const struct prof_h5_location *at, const char *name, double *out)
{
    *out = NAN;
    return H5Aexists(at->id, name) > 0 ? prof_h5_get_list(at, name, PROF_F64, 1, out) : LS_OK;
}

static ls_err vx_read_head(const struct prof_h5_location *at, struct vx_results *r)
{
    LS_TRY(vx_read_schema(at));
    for (size_t a = 0; a < vx_attributes_len; a++)
        LS_TRY(prof_h5_get_text(at, vx_attributes[a].name, (char **)((char *)r + vx_attributes[a].offset)));
    LS_TRY(vx_read_rate(at, "stream_triad_mb_per_s", &r->stream_mb_per_s));
    return vx_read_rate(at, "stream_triad_regular_mb_per_s", &r->stream_regular_mb_per_s);
}

static ls_err vx_read_column(const struct prof_h5_location *at, const struct vx_content *t,
                             const struct vx_column *c)
{
    struct prof_h5_array array = {c->name, c->type, 1, {t->len}, t->len};
    void *values = NULL;
    if (H5Lexists(at->id, c->name, H5P_DEFAULT) <= 0) return prof_h5_bad(at, c->name, "is missing");
    LS_TRY(prof_h5_get_array(at, &array, &values));
    for (size_t i = 0; i < t->len; i++)
        memcpy(vx_cell(t->rows, t->table, i, c), (char *)values + i * VX_ELEMENT_BYTES, VX_ELEMENT_BYTES);
    free(values);
    return LS_OK;
}

/* The number of rows is the length of one of the columns. */
static ls_err vx_read_len(const struct prof_h5_location *at, const struct vx_table *t, uint64_t len_bytes,
                          size_t *out)
{
    const struct vx_column *c = t->columns;
    while (strcmp(c->name, t->counts) != 0)
        c++;
    struct prof_h5_array counted = {
        c->name, c->type, 1, {UINT64_MAX}, VX_ROWS_ALWAYS + len_bytes / VX_ROW_LEAST_BYTES};
    void *values = NULL;
    LS_TRY(prof_h5_get_array(at, &counted, &values));
    free(values);
    *out = counted.extents[0];
    return LS_OK;
}

/* Owns: the caller frees *rows with its texts, also after a failure. */
static ls_err vx_read_rows(const struct prof_h5_location *at, const struct vx_table *table,
                           uint64_t len_bytes, void **rows, size_t *len)
{
    struct vx_content t = {.table = table};
    LS_TRY(vx_read_len(at, table, len_bytes, &t.len));
    *rows = t.rows = calloc(t.len + 1, table->row_bytes);
    if (!t.rows) return ls_nomem("reading %s", at->file);
    *len = t.len;
    for (size_t c = 0; c < table->columns_len; c++)
        LS_TRY(vx_read_column(at, &t, &table->columns[c]));
    return LS_OK;
}

static ls_err vx_read_table(const struct prof_h5_location *head, const struct vx_table *table,
                            uint64_t len_bytes, void **rows, size_t *len)
{
    char name[16];
    snprintf(name, sizeof(name), "/%s", table->name);
    const struct prof_h5_location at = {head->file, name, H5Gopen2(head->id, table->name, H5P_DEFAULT)};
    if (at.id < 0) return prof_h5_bad(head, table->name, "is missing");
    const ls_err e = vx_read_rows(&at, table, len_bytes, rows, len);
    H5Gclose(at.id);
    return e;
}

/* Check that the ranks belong to rows, in their order. */
static ls_err vx_check_ranks(const struct prof_h5_location *head, const struct vx_results *r)
{
    for (size_t i = 0; i < r->ranks_len; i++)
        if (r->ranks[i].result >= r->len || (i && r->ranks[i].result < r->ranks[i - 1].result))
            return prof_h5_bad(head, "ranks/result", "is no row of the results, or not in their order");
    return LS_OK;
}

static ls_err vx_read_file(const char *path, const struct prof_h5_input *file, struct vx_results *r)
{
    const struct prof_h5_location head = {path, "/", file->id};
    void *rows = NULL, *ranks = NULL;
    LS_TRY(vx_read_head(&head, r));
    ls_err e = vx_read_table(&head, &vx_table_results, file->len_bytes, &rows, &r->len);
    r->rows = rows;
    if (e == LS_OK && H5Lexists(file->id, vx_table_ranks.name, H5P_DEFAULT) > 0)
        e = vx_read_table(&head, &vx_table_ranks, file->len_bytes, &ranks, &r->ranks_len);
    r->ranks = ranks;
    return e == LS_OK ? vx_check_ranks(&head, r) : e;
}

bool vx_results_is_other(const char *path)
{
    struct prof_h5_input file;
    if (prof_h5_open(path, "loadstone replay -o", &file) != LS_OK) return false;
    const bool is_other = H5Aexists(file.id, "kind") <= 0;
    prof_h5_close(&file);
    return is_other;
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
