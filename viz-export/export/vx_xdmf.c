/* SPDX-License-Identifier: BSD-3-Clause */
/* XDMF 3 (xdmf.org): markup that describes the data sets of the HDF5 file next to it. A series is a temporal
 * collection that shares one topology and geometry. */
#include "common/ls_text.h"
#include "viz-export/export/vx_cells.h"
#include "viz-export/export/vx_export.h"
#include "viz-export/export/vx_h5.h"
#include "viz-export/vx_text.h"
#include "viz-export/export/vx_vtk.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Xdmf's names and numbers (XdmfTopologyType). counted: the number does not imply how many points the shape
 * has, so that mixed topologies store it after the number. */
static const struct vx_xdmf_shape {
    const char *name;
    unsigned number;
    bool counted;
} vx_xdmf_shapes[] = {
    [NDM_VERTEX] = {"Polyvertex", 1, true},  [NDM_LINE] = {"Polyline", 2, true},
    [NDM_TRIANGLE] = {"Triangle", 4, false}, [NDM_QUAD] = {"Quadrilateral", 5, false},
    [NDM_TETRA] = {"Tetrahedron", 6, false}, [NDM_HEXAHEDRON] = {"Hexahedron", 9, false},
    [NDM_WEDGE] = {"Wedge", 8, false},       [NDM_PYRAMID] = {"Pyramid", 7, false},
};

struct vx_xdmf {
    FILE *out;
    struct vx_h5 h5;
    const char *h5_base; /* name of the HDF5 file, next to the markup */
    const struct vx_source *s;
    struct vx_cells cells;            /* meshes */
    const struct ndm_geometry *shape; /* the domain, or the mesh that replaces it */
    struct ndm_geometry own_mesh;
    uint64_t topology_len; /* numbers of the topology's data set */
    uint32_t steps_len;    /* from the selection */
};

static ls_err vx_xdmf_shape_of(uint8_t shape, const struct vx_xdmf_shape **out)
{
    if (shape >= sizeof(vx_xdmf_shapes) / sizeof(vx_xdmf_shapes[0]) || !vx_xdmf_shapes[shape].name)
        return ls_fail(LS_ERR_FORMAT, "shape %u of a cell is none that XDMF knows", shape);
    *out = &vx_xdmf_shapes[shape];
    return LS_OK;
}

/* Write cells of several shapes: for each the number of its shape, the number of points if the shape does not
 * imply it, and the points. */
static ls_err vx_xdmf_mixed(struct vx_xdmf *x)
{
    const struct vx_cells *c = &x->cells;
    uint64_t *numbers = malloc((c->offsets[c->len] + 2 * c->len + 1) * sizeof(*numbers)), len = 0;
    if (!numbers) return ls_nomem("the topology of a mesh");
    for (uint64_t i = 0; i < c->len; i++) {
        const struct vx_xdmf_shape *shape = NULL;
        const ls_err err = vx_xdmf_shape_of(c->shapes[i], &shape);
        if (err != LS_OK) {
            free(numbers);
            return err;
        }
        const uint64_t points = c->offsets[i + 1] - c->offsets[i];
        numbers[len++] = shape->number;
        if (shape->counted) numbers[len++] = points;
        memcpy(numbers + len, c->connectivity + c->offsets[i], points * sizeof(*numbers));
        len += points;
    }
    const struct vx_h5_set set = {"/", "topology", H5T_NATIVE_INT64, 1, {len}, numbers, NULL};
    vx_h5_put(&x->h5, &set);
    x->topology_len = len;
    free(numbers);
    return LS_OK;
}

static ls_err vx_xdmf_mesh_data(struct vx_xdmf *x)
{
    const struct ndm_geometry *g = x->shape;
    const struct vx_h5_set points = {"/",       "points", H5T_NATIVE_DOUBLE, 2, {g->points_len, 3},
                                     g->points, g->unit};
    LS_TRY(vx_cells_init(&x->cells, g));
    vx_h5_put(&x->h5, &points);
    if (!vx_cells_are_alike(&x->cells)) return vx_xdmf_mixed(x);
    const uint64_t each = x->cells.offsets[1] - x->cells.offsets[0];
    const struct vx_h5_set topology = {
        "/", "topology", H5T_NATIVE_INT64, 2, {x->cells.len, each}, x->cells.connectivity, NULL};
    vx_h5_put(&x->h5, &topology);
    return LS_OK;
}

static void vx_xdmf_item(const struct vx_xdmf *x, const char *type, unsigned bytes, const char *dims,
                         const char *set)
{
    fprintf(x->out, "<DataItem Format=\"HDF\" NumberType=\"%s\" Precision=\"%u\" Dimensions=\"%s\">", type,
            bytes, dims);
    vx_put_xml(x->out, x->h5_base);
    fputs(":", x->out);
    vx_put_xml(x->out, set);
    fputs("</DataItem>\n", x->out);
}

/* A grid of cells, z slowest. */
static void vx_xdmf_grid_shape(const struct vx_xdmf *x)
{
    const struct ndm_geometry *g = x->shape;
    uint64_t points[NDM_AXES_MAX];
    double origin[NDM_AXES_MAX], spacing[NDM_AXES_MAX];
    for (uint32_t d = 0; d < NDM_AXES_MAX; d++) {
        points[d] = g->extents[d] + 1;
        origin[d] = g->origin[d];
        spacing[d] = g->spacing[d] > 0 ? g->spacing[d] : 1;
    }
    fprintf(x->out,
            "<Topology TopologyType=\"3DCoRectMesh\" Dimensions=\"%" PRIu64 " %" PRIu64 " %" PRIu64 "\"/>\n"
            "<Geometry GeometryType=\"ORIGIN_DXDYDZ\">\n"
            "<DataItem Format=\"XML\" NumberType=\"Float\" Precision=\"8\" Dimensions=\"3\">"
            "%.17g %.17g %.17g</DataItem>\n"
            "<DataItem Format=\"XML\" NumberType=\"Float\" Precision=\"8\" Dimensions=\"3\">"
            "%.17g %.17g %.17g</DataItem>\n</Geometry>\n",
            points[2], points[1], points[0], origin[2], origin[1], origin[0], spacing[2], spacing[1],
            spacing[0]);
}

static ls_err vx_xdmf_mesh_shape(const struct vx_xdmf *x)
{
    const struct ndm_geometry *g = x->shape;
    const struct vx_cells *c = &x->cells;
    char dims[64];
    if (x->topology_len) {
        fprintf(x->out, "<Topology TopologyType=\"Mixed\" NumberOfElements=\"%" PRIu64 "\">\n", c->len);
        snprintf(dims, sizeof(dims), "%" PRIu64, x->topology_len);
    } else {
        const struct vx_xdmf_shape *shape = NULL;
        LS_TRY(vx_xdmf_shape_of(c->shapes[0], &shape));
        const uint64_t each = c->offsets[1] - c->offsets[0];
        fprintf(x->out, "<Topology TopologyType=\"%s\" NumberOfElements=\"%" PRIu64 "\"", shape->name,
                c->len);
        if (shape->counted) fprintf(x->out, " NodesPerElement=\"%" PRIu64 "\"", each);
        fputs(">\n", x->out);
        snprintf(dims, sizeof(dims), "%" PRIu64 " %" PRIu64, c->len, each);
    }
    vx_xdmf_item(x, "Int", 8, dims, "/topology");
    fputs("</Topology>\n<Geometry GeometryType=\"XYZ\">\n", x->out);
    snprintf(dims, sizeof(dims), "%" PRIu64 " 3", g->points_len);
    vx_xdmf_item(x, "Float", 8, dims, "/points");
    fputs("</Geometry>\n", x->out);
    return LS_OK;
}

static void vx_xdmf_array(struct vx_xdmf *x, const char *group, const struct vx_array *a)
{
    const struct ndm_geometry *g = x->shape;
    const char *unit = ndm_metric(a->metric)->unit;
    char name[512], path[600], dims[80];
    struct vx_h5_set set = {
        group, vx_h5_name(a->name, name, sizeof(name)), H5T_NATIVE_DOUBLE, 1, {a->len}, a->values, unit};
    snprintf(dims, sizeof(dims), "%" PRIu64, a->len);
    if (g->kind == NDM_GRID) {
        set.dims_len = NDM_AXES_MAX;
        for (uint32_t d = 0; d < NDM_AXES_MAX; d++)
            set.dims[NDM_AXES_MAX - 1 - d] = g->extents[d];
        snprintf(dims, sizeof(dims), "%" PRIu64 " %" PRIu64 " %" PRIu64, (uint64_t)set.dims[0],
                 (uint64_t)set.dims[1], (uint64_t)set.dims[2]);
    }
    vx_h5_put(&x->h5, &set);
    fputs("<Attribute Name=\"", x->out);
    vx_put_xml(x->out, a->name);
    fprintf(x->out, "\" AttributeType=\"Scalar\" Center=\"%s\">\n",
            a->field->centering == NDM_CELLS ? "Cell" : "Node");
    if (*unit) fprintf(x->out, "<Information Name=\"Units\" Value=\"%s\"/>\n", unit);
    snprintf(path, sizeof(path), "%s%s%s", group, group[1] ? "/" : "", name);
    vx_xdmf_item(x, "Float", 8, dims, path);
    fputs("</Attribute>\n", x->out);
}

static ls_err vx_xdmf_arrays(struct vx_xdmf *x, uint32_t step, const char *group)
{
    struct vx_array *arrays = NULL;
    size_t len = 0;
    LS_TRY(vx_arrays_of(x->s->selection, step, &arrays, &len));
    vx_h5_group(&x->h5, group);
    for (size_t i = 0; i < len; i++)
        vx_xdmf_array(x, group, &arrays[i]);
    vx_arrays_free(arrays, len);
    return LS_OK;
}

static ls_err vx_xdmf_step(struct vx_xdmf *x, uint32_t step)
{
    const struct vx_selection *chosen = x->s->selection;
    const bool whole = step == VX_WHOLE_RUN;
    char group[32] = "/run";
    if (!whole) snprintf(group, sizeof(group), "/step_%05u", step);
    fputs("<Grid GridType=\"Uniform\" Name=\"", x->out);
    vx_put_xml(x->out, chosen->geometry->label);
    fprintf(x->out, "\">\n<Time Value=\"%.17g\"/>\n<Information Name=\"Cycle\" Value=\"%u\"/>\n",
            whole ? 0 : vx_step_begin_s(chosen, step), whole ? 0 : step);
    if (!whole) {
        fputs("<Information Name=\"StepLabel\" Value=\"", x->out);
        vx_put_xml(x->out, vx_step_label(chosen, step));
        fputs("\"/>\n", x->out);
    }
    if (x->shape->kind == NDM_GRID)
        vx_xdmf_grid_shape(x);
    else
        LS_TRY(vx_xdmf_mesh_shape(x));
    LS_TRY(vx_xdmf_arrays(x, step, group));
    fputs("</Grid>\n", x->out);
    return LS_OK;
}

/* Write flat grids as meshes, because VTK's readers turn them into another plane, or fail. */
static ls_err vx_xdmf_shape_init(struct vx_xdmf *x)
{
    const struct ndm_geometry *g = x->s->selection->geometry;
    x->shape = g;
    if (g->kind == NDM_GRID && g->dims < NDM_AXES_MAX) {
        LS_TRY(vx_mesh_of_grid(g, &x->own_mesh));
        x->shape = &x->own_mesh;
    }
    return x->shape->kind == NDM_MESH ? vx_xdmf_mesh_data(x) : LS_OK;
}

static ls_err vx_xdmf_body(struct vx_xdmf *x)
{
    fputs("<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\">\n<Domain>\n", x->out);
    if (*x->s->selection->geometry->unit) {
        fputs("<Information Name=\"CoordinateUnit\" Value=\"", x->out);
        vx_put_xml(x->out, x->s->selection->geometry->unit);
        fputs("\"/>\n", x->out);
    }
    LS_TRY(vx_xdmf_shape_init(x));
    if (x->steps_len == 0) LS_TRY(vx_xdmf_step(x, VX_WHOLE_RUN));
    if (x->steps_len > 0)
        fputs("<Grid GridType=\"Collection\" CollectionType=\"Temporal\" Name=\"steps\">\n", x->out);
    for (uint32_t step = 0; step < x->steps_len; step++)
        LS_TRY(vx_xdmf_step(x, step));
    if (x->steps_len > 0) fputs("</Grid>\n", x->out);
    fputs("</Domain>\n</Xdmf>\n", x->out);
    return LS_OK;
}

static ls_err vx_xdmf_export(const struct vx_source *s, const struct vx_request *r, ls_outputs *files)
{
    struct vx_xdmf x = {.s = s, .steps_len = s->selection->steps_len};
    char h5[PATH_MAX];
    const char *temporary;
    if (s->selection->geometry->kind == NDM_GRID) LS_TRY(vx_needs_grid(s, "xdmf"));
    /* not "run.h5", which may be the recording itself */
    LS_TRY(ls_outputs_sibling(r->path, ".xdmf.h5", h5));
    x.h5_base = ls_base_name(h5);
    LS_TRY(ls_outputs_open(files, r->path, &x.out));
    LS_TRY(ls_outputs_add(files, h5, &temporary));
    LS_TRY(vx_h5_create(&x.h5, h5, temporary));
    const ls_err err = vx_xdmf_body(&x), closed = vx_h5_close(&x.h5);
    vx_cells_fini(&x.cells);
    ndm_geometry_fini(&x.own_mesh);
    return err != LS_OK ? err : closed;
}

const struct vx_exporter vx_exporter_xdmf = {
    .name = "xdmf",
    .ends = ".xdmf|.xmf",
    .words = "XDMF and an HDF5 file beside it: fields on a grid or a mesh (ParaView, VisIt)",
    .needs = VX_NEEDS_FIELDS,
    .merges = true,
    .has_steps = true,
    .write = vx_xdmf_export};
