/* SPDX-License-Identifier: BSD-3-Clause */
/* Unstructured meshes: .vtu. */
#include "viz-export/export/vx_cells.h"
#include "viz-export/export/vx_export.h"
#include "viz-export/export/vx_vtk.h"

#include <inttypes.h>

static ls_err vx_put_cells(struct vx_vtk *v, const struct vx_cells *c)
{
    const struct vx_vtk_array arrays[] = {
        {"connectivity", "Int64", NULL, 1, c->offsets[c->len], c->connectivity, sizeof(uint64_t)},
        {"offsets", "Int64", NULL, 1, c->len, c->offsets + 1, sizeof(uint64_t)}, /* end of each cell */
        {"types", "UInt8", NULL, 1, c->len, c->shapes, 1},
    };
    fputs("<Cells>\n", v->xml);
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
        LS_TRY(vx_vtk_put(v, &arrays[i]));
    fputs("</Cells>\n", v->xml);
    return LS_OK;
}

static ls_err vx_mesh_body(struct vx_vtk *v, const struct vx_source *s, uint32_t step,
                           const struct vx_cells *c)
{
    const struct ndm_geometry *g = s->selection->geometry;
    const struct vx_vtk_array points = {.name = "Points",
                                        .type = "Float64",
                                        .unit = g->unit,
                                        .components = 3,
                                        .tuples = g->points_len,
                                        .values = g->points,
                                        .value_bytes = sizeof(double)};
    fputs("<UnstructuredGrid>\n", v->xml);
    vx_vtk_put_facts(v, s, step);
    fprintf(v->xml, "<Piece NumberOfPoints=\"%" PRIu64 "\" NumberOfCells=\"%" PRIu64 "\">\n", g->points_len,
            c->len);
    LS_TRY(vx_vtk_put_fields(v, s, step));
    fputs("<Points>\n", v->xml);
    LS_TRY(vx_vtk_put(v, &points));
    fputs("</Points>\n", v->xml);
    LS_TRY(vx_put_cells(v, c));
    fputs("</Piece>\n</UnstructuredGrid>\n", v->xml);
    return LS_OK;
}

ls_err vx_vtu_write(const struct vx_source *s, uint32_t step, FILE *out)
{
    struct vx_cells cells;
    struct vx_vtk v;
    LS_TRY(vx_needs_mesh(s, "vtu"));
    LS_TRY(vx_cells_init(&cells, s->selection->geometry));
    ls_err err = vx_vtk_init(&v, "UnstructuredGrid");
    if (err == LS_OK) err = vx_mesh_body(&v, s, step, &cells);
    if (err == LS_OK) err = vx_vtk_finish(&v, out);
    vx_vtk_fini(&v);
    vx_cells_fini(&cells);
    return err;
}

static ls_err vx_vtu_export(const struct vx_source *s, const struct vx_request *r, ls_outputs *files)
{
    FILE *out;
    LS_TRY(vx_needs_mesh(s, "vtu"));
    LS_TRY(ls_outputs_open(files, r->path, &out));
    return vx_vtu_write(s, VX_WHOLE_RUN, out);
}

const struct vx_exporter vx_exporter_vtu = {.name = "vtu",
                                            .ends = ".vtu",
                                            .words =
                                                "VTK unstructured grid: fields on a mesh (ParaView, VisIt)",
                                            .needs = VX_NEEDS_FIELDS,
                                            .one_file = true,
                                            .write = vx_vtu_export};
