/* SPDX-License-Identifier: BSD-3-Clause */
#include "viz-export/vx_results_h5.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { VX_ELEMENT_BYTES = 8 };

static ls_err vx_read_fail(const char *path, const char *what)
{
    return ls_fail(LS_ERR_FORMAT, "%s: %s; expected a file that loadstone replay -o wrote", path, what);
}

static bool vx_read_attribute(hid_t file, const char *name, enum vx_type wanted, void *out)
{
    const hid_t type = vx_h5_type(wanted);
    const hid_t attribute = H5Aexists(file, name) > 0 ? H5Aopen(file, name, H5P_DEFAULT) : -1;
    bool read = false;
    if (attribute >= 0) {
        const hid_t space = H5Aget_space(attribute), held = H5Aget_type(attribute);
        const bool is_text = H5Tget_class(held) == H5T_STRING;
        read = H5Sget_simple_extent_npoints(space) == 1 && is_text == (wanted == VX_TEXT) &&
               (!is_text || H5Tis_variable_str(held) > 0) && H5Aread(attribute, type, out) >= 0;
        H5Tclose(held);
        H5Sclose(space);
        H5Aclose(attribute);
    }
    H5Tclose(type);
    return read;
}

/* HDF5 allocates texts by malloc: they become ours. Missing ones are empty. */
static char *vx_read_text(hid_t file, const char *name)
{
    char *text = NULL;
    if (!vx_read_attribute(file, name, VX_TEXT, &text) || !text) text = strdup("");
    return text;
}

static ls_err vx_read_head(hid_t file, const char *path, struct vx_results *r)
{
    uint64_t schema = 0;
    char *kind = vx_read_text(file, "kind");
    const bool ours = kind && strcmp(kind, VX_RESULTS_KIND) == 0;
    free(kind);
    if (!ours || !vx_read_attribute(file, "schema", VX_U64, &schema))
        return vx_read_fail(path, "not a file of results");
    if (schema > VX_RESULTS_SCHEMA)
        return ls_fail(LS_ERR_VERSION, "%s has schema %llu, this loadstone reads up to %d", path,
                       (unsigned long long)schema, VX_RESULTS_SCHEMA);
    for (size_t a = 0; a < vx_attributes_len; a++) {
        char **text = (char **)((char *)r + vx_attributes[a].offset);
        *text = vx_read_text(file, vx_attributes[a].name);
        if (!*text) return ls_nomem("reading %s", path);
    }
    if (!vx_read_attribute(file, "stream_triad_mb_per_s", VX_F64, &r->stream_mb_per_s))
        r->stream_mb_per_s = NAN;
    return LS_OK;
}

static hid_t vx_open_column(hid_t file, const char *name, hsize_t *out_len)
{
    char path[64] = "results/";
    strncat(path, name, sizeof(path) - 16);
    const hid_t set = H5Lexists(file, path, H5P_DEFAULT) > 0 ? H5Dopen2(file, path, H5P_DEFAULT) : -1;
    if (set < 0) return -1;
    const hid_t space = H5Dget_space(set);
    const bool flat =
        H5Sget_simple_extent_ndims(space) == 1 && H5Sget_simple_extent_dims(space, out_len, NULL) == 1;
    H5Sclose(space);
    if (flat) return set;
    H5Dclose(set);
    return -1;
}

static bool vx_has_type(hid_t set, enum vx_type wanted)
{
    const hid_t held = H5Dget_type(set);
    const H5T_class_t class = H5Tget_class(held);
    const bool fits = wanted == VX_TEXT  ? class == H5T_STRING && H5Tis_variable_str(held) > 0
                      : wanted == VX_U64 ? class == H5T_INTEGER
                                         : class == H5T_FLOAT;
    H5Tclose(held);
    return fits;
}

static bool vx_read_cells(hid_t set, const struct vx_column *c, char *cells)
{
    const hid_t type = vx_h5_type(c->type);
    const bool read =
        vx_has_type(set, c->type) && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, cells) >= 0;
    H5Tclose(type);
    return read;
}

static ls_err vx_store_cells(struct vx_results *r, const struct vx_column *c, char *cells, const char *path)
{
    for (size_t i = 0; i < r->len; i++) {
        char *cell = cells + i * VX_ELEMENT_BYTES;
        if (c->type == VX_TEXT && !*(char **)cell) *(char **)cell = strdup("");
        memcpy((char *)&r->rows[i] + c->offset, cell, VX_ELEMENT_BYTES);
    }
    for (size_t i = 0; c->type == VX_TEXT && i < r->len; i++)
        if (!*(char **)(cells + i * VX_ELEMENT_BYTES)) return ls_nomem("reading %s", path);
    return LS_OK;
}

static ls_err vx_read_column(hid_t file, const char *path, const struct vx_column *c, struct vx_results *r,
                             char *cells)
{
    hsize_t len = 0;
    const hid_t set = vx_open_column(file, c->name, &len);
    if (set < 0) return ls_fail(LS_ERR_FORMAT, "%s: /results has no column %s", path, c->name);
    memset(cells, 0, r->len * VX_ELEMENT_BYTES);
    const bool read = len == r->len && vx_read_cells(set, c, cells);
    H5Dclose(set);
    if (!read) return ls_fail(LS_ERR_FORMAT, "%s: column %s of /results is damaged", path, c->name);
    return vx_store_cells(r, c, cells, path);
}

static ls_err vx_read_rows(hid_t file, const char *path, struct vx_results *r)
{
    hsize_t len = 0;
    const hid_t first = vx_open_column(file, "mb_per_s", &len);
    if (first < 0) return vx_read_fail(path, "it has no column mb_per_s");
    H5Dclose(first);
    if (len > VX_RESULTS_ROWS_MAX) return vx_read_fail(path, "it claims more rows than any file has");
    r->rows = calloc(len + 1, sizeof(*r->rows));
    char *cells = malloc((len + 1) * VX_ELEMENT_BYTES);
    ls_err err = LS_OK;
    if (!r->rows || !cells) err = ls_nomem("reading %s", path);
    r->len = err == LS_OK ? len : 0;
    for (size_t c = 0; err == LS_OK && c < vx_columns_len; c++)
        err = vx_read_column(file, path, &vx_columns[c], r, cells);
    free(cells);
    return err;
}

ls_err vx_results_read(const char *path, struct vx_results *out)
{
    memset(out, 0, sizeof(*out));
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    if (access(path, R_OK) != 0) return ls_fail_errno(errno, "%s cannot be read", path);
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0) return vx_read_fail(path, "not an HDF5 file, or a damaged one");
    ls_err err = vx_read_head(file, path, out);
    if (err == LS_OK) err = vx_read_rows(file, path, out);
    H5Fclose(file);
    if (err != LS_OK) vx_results_fini(out);
    return err;
}
