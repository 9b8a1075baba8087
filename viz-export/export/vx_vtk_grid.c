/* SPDX-License-Identifier: BSD-3-Clause */
/* Regular grids: .vti (ImageData) and .vtr (RectilinearGrid). Values belong to cells. An axis that the domain
 * does not have is flat. */
#include "viz-export/export/vx_export.h"
#include "viz-export/export/vx_vtk.h"

#include <inttypes.h>
#include <stdlib.h>

static void vx_put_extent(FILE *xml, const char *name, const struct ndm_geometry *g)
{
    fprintf(xml, " %s=\"", name);
    for (uint32_t d = 0; d < NDM_AXES_MAX; d++)
        fprintf(xml, "%s0 %" PRIu64, d ? " " : "", d < g->dims ? g->extents[d] : 0);
    fputs("\"", xml);
}

static double vx_spacing(const struct ndm_geometry *g, uint32_t axis)
{
    return axis < g->dims && g->spacing[axis] > 0 ? g->spacing[axis] : 1;
}

static double vx_origin(const struct ndm_geometry *g, uint32_t axis)
{
    return axis < g->dims ? g->origin[axis] : 0;
}

static ls_err vx_image_body(struct vx_vtk *v, const struct vx_source *s, uint32_t step)
{
    const struct ndm_geometry *g = s->selection->geometry;
    fputs("<ImageData", v->xml);
    vx_put_extent(v->xml, "WholeExtent", g);
    fprintf(v->xml,
            " Origin=\"%.17g %.17g %.17g\" Spacing=\"%.17g %.17g %.17g\" Direction=\"1 0 0 0 1 0 0 0 1\">\n",
            vx_origin(g, 0), vx_origin(g, 1), vx_origin(g, 2), vx_spacing(g, 0), vx_spacing(g, 1),
            vx_spacing(g, 2));
    vx_vtk_put_facts(v, s, step);
    fputs("<Piece", v->xml);
    vx_put_extent(v->xml, "Extent", g);
    fputs(">\n", v->xml);
    LS_TRY(vx_vtk_put_fields(v, s, step));
    fputs("</Piece>\n</ImageData>\n", v->xml);
    return LS_OK;
}

ls_err vx_vti_write(const struct vx_source *s, uint32_t step, FILE *out)
{
    struct vx_vtk v;
    LS_TRY(vx_needs_grid(s, "vti"));
    ls_err err = vx_vtk_init(&v, "ImageData");
    if (err == LS_OK) err = vx_image_body(&v, s, step);
    if (err == LS_OK) err = vx_vtk_finish(&v, out);
    vx_vtk_fini(&v);
    return err;
}

static ls_err vx_put_axis(struct vx_vtk *v, const struct ndm_geometry *g, uint32_t axis)
{
    const uint64_t points = axis < g->dims ? g->extents[axis] + 1 : 1;
    double *at = malloc(points * sizeof(*at));
    if (!at) return ls_nomem("the coordinates of %s", g->label);
    for (uint64_t i = 0; i < points; i++)
        at[i] = vx_origin(g, axis) + (double)i * vx_spacing(g, axis);
    const struct vx_vtk_array a = {.name = axis < g->dims ? g->axes[axis] : "flat",
                                   .type = "Float64",
                                   .unit = g->unit,
                                   .components = 1,
                                   .tuples = points,
                                   .values = at,
                                   .value_bytes = sizeof(*at)};
    const ls_err err = vx_vtk_put(v, &a);
    free(at);
    return err;
}

static ls_err vx_rectilinear_body(struct vx_vtk *v, const struct vx_source *s)
{
    const struct ndm_geometry *g = s->selection->geometry;
    fputs("<RectilinearGrid", v->xml);
    vx_put_extent(v->xml, "WholeExtent", g);
    fputs(">\n", v->xml);
    vx_vtk_put_facts(v, s, VX_WHOLE_RUN);
    fputs("<Piece", v->xml);
    vx_put_extent(v->xml, "Extent", g);
    fputs(">\n", v->xml);
    LS_TRY(vx_vtk_put_fields(v, s, VX_WHOLE_RUN));
    fputs("<Coordinates>\n", v->xml);
    for (uint32_t d = 0; d < NDM_AXES_MAX; d++)
        LS_TRY(vx_put_axis(v, g, d));
    fputs("</Coordinates>\n</Piece>\n</RectilinearGrid>\n", v->xml);
    return LS_OK;
}

static ls_err vx_vtr_export(const struct vx_source *s, const struct vx_request *r, ls_outputs *files)
{
    struct vx_vtk v;
    FILE *out;
    LS_TRY(vx_needs_grid(s, "vtr"));
    LS_TRY(ls_outputs_open(files, r->path, &out));
    ls_err err = vx_vtk_init(&v, "RectilinearGrid");
    if (err == LS_OK) err = vx_rectilinear_body(&v, s);
    if (err == LS_OK) err = vx_vtk_finish(&v, out);
    vx_vtk_fini(&v);
    return err;
}

static ls_err vx_vti_export(const struct vx_source *s, const struct vx_request *r, ls_outputs *files)
{
    FILE *out;
    LS_TRY(vx_needs_grid(s, "vti"));
    LS_TRY(ls_outputs_open(files, r->path, &out));
    return vx_vti_write(s, VX_WHOLE_RUN, out);
}

const struct vx_exporter vx_exporter_vti = {.name = "vti",
                                            .ends = ".vti",
                                            .words =
                                                "VTK image data: fields on a regular grid (ParaView, VisIt)",
                                            .needs = VX_NEEDS_FIELDS,
                                            .merges = true,
                                            .one_file = true,
                                            .write = vx_vti_export};
const struct vx_exporter vx_exporter_vtr = {
    .name = "vtr",
    .ends = ".vtr",
    .words = "VTK rectilinear grid: fields on a regular grid (ParaView, VisIt)",
    .needs = VX_NEEDS_FIELDS,
    .merges = true,
    .one_file = true,
    .write = vx_vtr_export};
