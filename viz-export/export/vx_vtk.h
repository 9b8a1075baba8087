/* SPDX-License-Identifier: BSD-3-Clause */
/* A file of VTK's XML formats ("VTK File Formats", kitware.com): each array inside its tag, compressed by
 * zlib in blocks, as base64. Arrays are not appended after the markup, because VTK 9.1 cannot read appended
 * data with an expat that has the fix for CVE-2023-52425 (Debian 12 since 2.5.0-1+deb12u2), not even its own.
 * The text is collected in a temporary file. */
#ifndef VX_VTK_H
#define VX_VTK_H

#include "viz-export/export/vx_export.h"

#include <stdint.h>
#include <stdio.h>

struct vx_vtk {
    const char *type;      /* "ImageData" */
    FILE *xml;             /* write markup here */
    unsigned char *packed; /* one block */
};

/* Owns:   the caller ends v with vx_vtk_fini, also after a failure.  Errors: LS_ERR_NOMEM, LS_ERR_IO. */
ls_err vx_vtk_init(struct vx_vtk *v, const char *type);
void vx_vtk_fini(struct vx_vtk *v);

/* A DataArray. */
struct vx_vtk_array {
    const char *name, *type; /* type "Float64" */
    const char *unit;        /* NULL or "": none */
    unsigned components;
    uint64_t tuples;
    const void *values;
    unsigned value_bytes;
};
/* Errors: LS_ERR_IO: the temporary file cannot take it. */
ls_err vx_vtk_put(struct vx_vtk *v, const struct vx_vtk_array *a);

/* Put <PointData> and <CellData> with the arrays of step or, for VX_WHOLE_RUN, of the whole run.
 * Errors: as vx_arrays_of and vx_vtk_put. */
ls_err vx_vtk_put_fields(struct vx_vtk *v, const struct vx_source *s, uint32_t step);
/* <FieldData>: time and cycle in the forms that ParaView and VisIt read, name of the mesh, facts of the
 * recording. */
void vx_vtk_put_facts(struct vx_vtk *v, const struct vx_source *s, uint32_t step);

/* Write the whole file to out. Errors: LS_ERR_IO. */
ls_err vx_vtk_finish(struct vx_vtk *v, FILE *out);

/* One step of the selection as a separate file, for series; each in the file of its format.
 * Errors: as for vx_vtk_put_fields, LS_ERR_NOMEM. */
ls_err vx_vti_write(const struct vx_source *s, uint32_t step, FILE *out);
ls_err vx_vtu_write(const struct vx_source *s, uint32_t step, FILE *out);
/* Check that the selected domain is a grid or a mesh.
 * Errors: LS_ERR_USAGE: it is not; LS_ERR_RANGE: too many cells for the format. */
ls_err vx_needs_grid(const struct vx_source *s, const char *format);
ls_err vx_needs_mesh(const struct vx_source *s, const char *format);

#endif
