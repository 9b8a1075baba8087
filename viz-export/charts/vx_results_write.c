/* SPDX-License-Identifier: BSD-3-Clause */
#include "profile/prof_h5.h"
#include "viz-export/charts/vx_results_h5.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VX_ELEMENT_BYTES = 8 }; /* element of a column in memory: pointer, uint64_t or double */

static ls_err vx_write_fail(const char *path)
{
    return ls_fail(LS_ERR_IO, "%s could not be written: is the disk full?", path);
}

static bool vx_write_attributes(hid_t file, const struct vx_results *r)
{
    const uint64_t schema = VX_RESULTS_SCHEMA;
    prof_h5_put_text(file, "kind", VX_RESULTS_KIND);
    bool written =
        prof_h5_put_attribute(file, "schema", PROF_U64, 1, &schema) >= 0 &&
        prof_h5_put_attribute(file, "stream_triad_mb_per_s", PROF_F64, 1, &r->stream_mb_per_s) >= 0;
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

static bool vx_write_column(hid_t group, const struct vx_results *r, const struct vx_column *c, char *cells)
{
    const hsize_t len = r->len;
    for (size_t i = 0; i < r->len; i++)
        memcpy(cells + i * VX_ELEMENT_BYTES, (const char *)&r->rows[i] + c->offset, VX_ELEMENT_BYTES);
    const size_t width = c->type == PROF_TEXT ? prof_h5_text_width((const char **)cells, r->len) : 0;
    const hid_t type = width ? prof_h5_text_type(width) : prof_h5_file_type(c->type);
    const hid_t space = H5Screate_simple(1, &len, NULL);
    const hid_t set = H5Dcreate2(group, c->name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const bool written = set >= 0 && vx_write_cells(set, c->type, width, cells, r->len) >= 0;
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
