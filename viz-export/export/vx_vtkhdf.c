/* SPDX-License-Identifier: BSD-3-Clause */
/* VTKHDF 1.0 (docs.vtk.org, "VTKHDF File Format"): one step of ImageData or UnstructuredGrid in HDF5, as
 * VTK 9.1 and later read it. */
#include "viz-export/export/vx_cells.h"
#include "viz-export/export/vx_export.h"
#include "viz-export/export/vx_h5.h"
#include "viz-export/export/vx_vtk.h"

#include <string.h>

enum { VX_HDF_NAME_BYTES = 512 };

/* VTK 9.1 reads only images with three axes, and treats cell data of images as point data. So such a grid is
 * an image whose points are the middles of the cells; a flat one is written as a mesh. */
static bool vx_hdf_is_image(const struct ndm_geometry *g)
{
    bool is_image = g->kind == NDM_GRID && g->dims == NDM_AXES_MAX;
    for (uint32_t d = 0; is_image && d < NDM_AXES_MAX; d++)
        is_image = g->extents[d] > 1;
    return is_image;
}

static void vx_hdf_array(struct vx_h5 *h, const struct ndm_geometry *g, const struct vx_array *a)
{
    const bool is_image = vx_hdf_is_image(g), on_cells = !is_image && a->field->centering == NDM_CELLS;
    char name[VX_HDF_NAME_BYTES];
    struct vx_h5_set set = {.group = on_cells ? "/VTKHDF/CellData" : "/VTKHDF/PointData",
                            .name = vx_h5_name(a->name, name, sizeof(name)),
                            .type = H5T_NATIVE_DOUBLE,
                            .dims = {a->len},
                            .values = a->values,
                            .unit = ndm_metric(a->metric)->unit};
    set.dims_len = is_image ? NDM_AXES_MAX : 1;
    for (uint32_t d = 0; is_image && d < NDM_AXES_MAX; d++) /* the slowest axis comes first */
        set.dims[d] = g->extents[NDM_AXES_MAX - 1 - d];
    vx_h5_put(h, &set);
}

static ls_err vx_hdf_fields(struct vx_h5 *h, const struct vx_source *s)
{
    struct vx_array *arrays = NULL;
    size_t len = 0;
    LS_TRY(vx_arrays_of(s->selection, VX_WHOLE_RUN, &arrays, &len));
    if (!vx_hdf_is_image(s->selection->geometry)) vx_h5_group(h, "/VTKHDF/CellData");
    vx_h5_group(h, "/VTKHDF/PointData");
    for (size_t i = 0; i < len; i++)
        vx_hdf_array(h, s->selection->geometry, &arrays[i]);
    vx_arrays_free(arrays, len);
    return LS_OK;
}

static void vx_hdf_string(struct vx_h5 *h, const char *name, const char *text)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    const struct vx_h5_set set = {"/VTKHDF/FieldData", name, type, 1, {1}, &text, NULL};
    vx_h5_put(h, &set);
    H5Tclose(type);
}

/* ParaView 5.11 treats field data of images as data of their points and fails, so their field data is written
 * as attributes. */
static void vx_hdf_image_facts(struct vx_h5 *h, const struct vx_source *s)
{
    vx_h5_text(h, "/VTKHDF", "MeshName", s->selection->geometry->label);
    vx_h5_text(h, "/VTKHDF", "CoordinateUnit", s->selection->geometry->unit);
    if (s->run) vx_h5_text(h, "/VTKHDF", "Command", s->run->command);
}

static void vx_hdf_mesh_facts(struct vx_h5 *h, const struct vx_source *s)
{
    const double time_s = 0;
    const int cycle = 0;
    const struct vx_h5_set sets[] = {
        {"/VTKHDF/FieldData", "TimeValue", H5T_NATIVE_DOUBLE, 1, {1}, &time_s, "s"},
        {"/VTKHDF/FieldData", "TIME", H5T_NATIVE_DOUBLE, 1, {1}, &time_s, "s"},
        {"/VTKHDF/FieldData", "CYCLE", H5T_NATIVE_INT, 1, {1}, &cycle, NULL},
    };
    vx_h5_group(h, "/VTKHDF/FieldData");
    for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
        vx_h5_put(h, &sets[i]);
    vx_hdf_string(h, "MeshName", s->selection->geometry->label);
    vx_hdf_string(h, "CoordinateUnit", s->selection->geometry->unit);
    if (s->run) vx_hdf_string(h, "Command", s->run->command);
}

static void vx_hdf_image(struct vx_h5 *h, const struct ndm_geometry *g)
{
    int extent[2 * NDM_AXES_MAX] = {0};
    double origin[NDM_AXES_MAX] = {0}, spacing[NDM_AXES_MAX] = {1, 1, 1};
    static const double direction[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (uint32_t d = 0; d < g->dims; d++) {
        extent[2 * d + 1] = (int)g->extents[d] - 1;
        if (g->spacing[d] > 0) spacing[d] = g->spacing[d];
        origin[d] = g->origin[d] + spacing[d] / 2; /* the middle of the first cell */
    }
    vx_h5_text(h, "/VTKHDF", "Type", "ImageData");
    vx_h5_numbers(h, "/VTKHDF", "WholeExtent", H5T_NATIVE_INT, 6, extent);
    vx_h5_numbers(h, "/VTKHDF", "Origin", H5T_NATIVE_DOUBLE, 3, origin);
    vx_h5_numbers(h, "/VTKHDF", "Spacing", H5T_NATIVE_DOUBLE, 3, spacing);
    vx_h5_numbers(h, "/VTKHDF", "Direction", H5T_NATIVE_DOUBLE, 9, direction);
}

static ls_err vx_hdf_mesh(struct vx_h5 *h, const struct ndm_geometry *g)
{
    struct vx_cells c;
    LS_TRY(vx_cells_init(&c, g));
    const uint64_t ids = c.offsets[c.len];
    const struct vx_h5_set sets[] = {
        {"/VTKHDF", "NumberOfPoints", H5T_NATIVE_INT64, 1, {1}, &g->points_len, NULL},
        {"/VTKHDF", "NumberOfCells", H5T_NATIVE_INT64, 1, {1}, &c.len, NULL},
        {"/VTKHDF", "NumberOfConnectivityIds", H5T_NATIVE_INT64, 1, {1}, &ids, NULL},
        {"/VTKHDF", "Points", H5T_NATIVE_DOUBLE, 2, {g->points_len, 3}, g->points, g->unit},
        {"/VTKHDF", "Connectivity", H5T_NATIVE_INT64, 1, {ids}, c.connectivity, NULL},
        {"/VTKHDF", "Offsets", H5T_NATIVE_INT64, 1, {c.len + 1}, c.offsets, NULL},
        {"/VTKHDF", "Types", H5T_NATIVE_UINT8, 1, {c.len}, c.shapes, NULL},
    };
    vx_h5_text(h, "/VTKHDF", "Type", "UnstructuredGrid");
    for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
        vx_h5_put(h, &sets[i]);
    vx_cells_fini(&c);
    return LS_OK;
}

static ls_err vx_hdf_flat_grid(struct vx_h5 *h, const struct ndm_geometry *g)
{
    struct ndm_geometry mesh;
    ls_err err = vx_mesh_of_grid(g, &mesh);
    if (err == LS_OK) err = vx_hdf_mesh(h, &mesh);
    ndm_geometry_fini(&mesh);
    return err;
}

static ls_err vx_hdf_body(struct vx_h5 *h, const struct vx_source *s)
{
    static const long long version[] = {1, 0};
    const struct ndm_geometry *g = s->selection->geometry;
    vx_h5_group(h, "/VTKHDF");
    vx_h5_numbers(h, "/VTKHDF", "Version", H5T_NATIVE_LLONG, 2, version);
    if (vx_hdf_is_image(g))
        vx_hdf_image(h, g);
    else if (g->kind == NDM_MESH)
        LS_TRY(vx_hdf_mesh(h, g));
    else
        LS_TRY(vx_hdf_flat_grid(h, g));
    (vx_hdf_is_image(g) ? vx_hdf_image_facts : vx_hdf_mesh_facts)(h, s);
    return vx_hdf_fields(h, s);
}

static ls_err vx_vtkhdf_export(const struct vx_source *s, const struct vx_request *r, ls_outputs *files)
{
    const char *temporary;
    struct vx_h5 h;
    if (s->selection->geometry->kind == NDM_GRID) LS_TRY(vx_needs_grid(s, "vtkhdf"));
    LS_TRY(ls_outputs_add(files, r->path, &temporary));
    LS_TRY(vx_h5_create(&h, r->path, temporary));
    const ls_err err = vx_hdf_body(&h, s), closed = vx_h5_close(&h);
    return err != LS_OK ? err : closed;
}

const struct vx_exporter vx_exporter_vtkhdf = {
    .name = "vtkhdf",
    .ends = ".hdf|.vtkhdf", /* ParaView up to 5.11 supports only the first suffix */
    .words = "VTKHDF 1.0: fields on a grid or a mesh in HDF5 (ParaView 5.10 and later)",
    .needs = VX_NEEDS_FIELDS,
    .merges = true,
    .write = vx_vtkhdf_export};
