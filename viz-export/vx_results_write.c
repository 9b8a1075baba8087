/* SPDX-License-Identifier: BSD-3-Clause */
#include "viz-export/vx_results_h5.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VX_ELEMENT_BYTES = 8 }; /* of a column in memory: pointer, uint64_t or double */

static ls_err vx_write_fail(const char *path)
{
    return ls_fail(LS_ERR_IO, "%s could not be written: is the disk full?", path);
}

static bool vx_write_attribute(hid_t file, const char *name, hid_t type, const void *value)
{
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attribute = H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    const bool written = attribute >= 0 && H5Awrite(attribute, type, value) >= 0;
    if (attribute >= 0) H5Aclose(attribute);
    H5Sclose(space);
    return written;
}

static bool vx_write_attributes(hid_t file, const struct vx_results *r)
{
    const hid_t text = vx_h5_type(VX_TEXT);
    const uint64_t schema = VX_RESULTS_SCHEMA;
    const char *kind = VX_RESULTS_KIND;
    bool written = vx_write_attribute(file, "kind", text, &kind) &&
                   vx_write_attribute(file, "schema", H5T_NATIVE_UINT64, &schema) &&
                   vx_write_attribute(file, "stream_triad_mb_per_s", H5T_NATIVE_DOUBLE, &r->stream_mb_per_s);
    for (size_t a = 0; written && a < vx_attributes_len; a++) {
        const char *value = *(char *const *)((const char *)r + vx_attributes[a].offset);
        if (!value) value = "";
        written = vx_write_attribute(file, vx_attributes[a].name, text, &value);
    }
    H5Tclose(text);
    return written;
}

static bool vx_write_column(hid_t group, const struct vx_results *r, const struct vx_column *c, char *cells)
{
    const hsize_t len = r->len;
    const hid_t type = vx_h5_type(c->type), space = H5Screate_simple(1, &len, NULL);
    for (size_t i = 0; i < r->len; i++) {
        memcpy(cells + i * VX_ELEMENT_BYTES, (const char *)&r->rows[i] + c->offset, VX_ELEMENT_BYTES);
        if (c->type == VX_TEXT && !((char **)cells)[i]) ((char **)cells)[i] = "";
    }
    const hid_t set = H5Dcreate2(group, c->name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const bool written = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, cells) >= 0;
    if (set >= 0) H5Dclose(set);
    H5Sclose(space);
    H5Tclose(type);
    return written;
}

static bool vx_write_all(hid_t file, const struct vx_results *r)
{
    char *cells = malloc((r->len + 1) * VX_ELEMENT_BYTES);
    const hid_t group = H5Gcreate2(file, "results", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool written = cells && group >= 0 && vx_write_attributes(file, r);
    for (size_t c = 0; written && c < vx_columns_len; c++)
        written = vx_write_column(group, r, &vx_columns[c], cells);
    if (group >= 0) H5Gclose(group);
    free(cells);
    return written;
}

ls_err vx_results_write(const struct vx_results *r, const char *path)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* its own messages name no remedy */
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (file < 0) return ls_fail(LS_ERR_IO, "%s cannot be written", path);
    const bool written = vx_write_all(file, r);
    if (H5Fclose(file) >= 0 && written) return LS_OK;
    remove(path);
    return vx_write_fail(path);
}
