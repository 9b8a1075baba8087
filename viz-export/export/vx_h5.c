/* SPDX-License-Identifier: BSD-3-Clause */
#include "viz-export/export/vx_h5.h"

#include <stdio.h>
#include <string.h>

enum { VX_H5_PACKED_FROM = 4096, VX_H5_CHUNK = 65536 };

ls_err vx_h5_create(struct vx_h5 *h, const char *path, const char *temporary)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* HDF5's messages contain no remedy */
    *h = (struct vx_h5){.path = path, .file = H5Fcreate(temporary, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)};
    if (h->file < 0) return ls_fail(LS_ERR_IO, "%s cannot be written; name another file with -o", path);
    return LS_OK;
}

ls_err vx_h5_close(struct vx_h5 *h)
{
    if (h->file < 0) return LS_ERR_IO; /* reported by vx_h5_create */
    const bool closed = H5Fclose(h->file) >= 0;
    h->file = -1;
    if (closed && !h->failed) return LS_OK;
    return ls_fail(LS_ERR_IO, "%s could not be written: is the disk full?", h->path);
}

const char *vx_h5_name(const char *name, char *out, size_t out_bytes)
{
    snprintf(out, out_bytes, "%s", strcmp(name, ".") == 0 ? "_" : name);
    for (char *c = out; *c; c++)
        if (*c == '/') *c = '_';
    return out;
}

void vx_h5_group(struct vx_h5 *h, const char *group)
{
    if (h->failed) return;
    const hid_t g = H5Gcreate2(h->file, group, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    h->failed = g < 0;
    if (g >= 0) H5Gclose(g);
}

/* Chunks of about VX_H5_CHUNK values: whole rows of the fastest axes as long as they fit. */
static hid_t vx_h5_layout(const struct vx_h5_set *set)
{
    hsize_t chunk[3], room = VX_H5_CHUNK, values = 1;
    const hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
    for (int d = set->dims_len; d-- > 0;) {
        values *= set->dims[d];
        chunk[d] = set->dims[d] < room ? set->dims[d] : room;
        if (chunk[d] < 1) chunk[d] = 1;
        room /= chunk[d];
        if (room < 1) room = 1;
    }
    if (values >= VX_H5_PACKED_FROM) {
        H5Pset_chunk(layout, set->dims_len, chunk);
        H5Pset_shuffle(layout);
        H5Pset_deflate(layout, 4);
    }
    return layout;
}

void vx_h5_put(struct vx_h5 *h, const struct vx_h5_set *set)
{
    char path[1024];
    if (h->failed) return;
    const hid_t group = H5Gopen2(h->file, set->group, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(set->dims_len, set->dims, NULL), layout = vx_h5_layout(set);
    const hid_t data = H5Dcreate2(group, set->name, set->type, space, H5P_DEFAULT, layout, H5P_DEFAULT);
    h->failed = data < 0 || H5Dwrite(data, set->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, set->values) < 0;
    if (data >= 0) H5Dclose(data);
    if (group >= 0) H5Gclose(group);
    H5Pclose(layout);
    H5Sclose(space);
    if (!set->unit || !*set->unit) return;
    snprintf(path, sizeof(path), "%s/%s", set->group, set->name);
    vx_h5_text(h, path, "unit", set->unit);
}

static void vx_h5_attribute(struct vx_h5 *h, const char *object, const char *name, hid_t type, hid_t space,
                            const void *value)
{
    if (h->failed) return;
    const hid_t o = H5Oopen(h->file, object, H5P_DEFAULT);
    const hid_t a = o < 0 ? -1 : H5Acreate2(o, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    h->failed = a < 0 || H5Awrite(a, type, value) < 0;
    if (a >= 0) H5Aclose(a);
    if (o >= 0) H5Oclose(o);
}

void vx_h5_text(struct vx_h5 *h, const char *object, const char *name, const char *text)
{
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, strlen(text) + (*text == '\0')); /* HDF5 has no text of length 0 */
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    bool ascii = true;
    for (const char *c = text; *c; c++)
        ascii = ascii && (unsigned char)*c < 128;
    H5Tset_cset(type, ascii ? H5T_CSET_ASCII : H5T_CSET_UTF8);
    vx_h5_attribute(h, object, name, type, space, text);
    H5Sclose(space);
    H5Tclose(type);
}

void vx_h5_numbers(struct vx_h5 *h, const char *object, const char *name, hid_t type, hsize_t len,
                   const void *numbers)
{
    const hid_t space = H5Screate_simple(1, &len, NULL);
    vx_h5_attribute(h, object, name, type, space, numbers);
    H5Sclose(space);
}
