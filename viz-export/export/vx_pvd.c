/* SPDX-License-Identifier: BSD-3-Clause */
/* Time series of VTK files: .pvd names one .vti or .vtu per step, in a directory next to it. */
#include "common/ls_text.h"
#include "viz-export/export/vx_export.h"
#include "viz-export/vx_text.h"
#include "viz-export/export/vx_vtk.h"

struct vx_series_names {
    char dir[PATH_MAX]; /* where the steps are made */
    const char *base;   /* its last part, which the .pvd contains */
    const char *end;    /* ".vti" */
};

/* "run.pvd" has its steps in "run.steps", whose name no other format gives. */
static ls_err vx_series_names_init(struct vx_series_names *n, const struct vx_source *s, const char *path)
{
    LS_TRY(ls_outputs_sibling(path, ".steps", n->dir));
    n->base = ls_base_name(n->dir);
    n->end = s->selection->geometry->kind == NDM_GRID ? ".vti" : ".vtu";
    return LS_OK;
}

static ls_err vx_step_write(const struct vx_source *s, uint32_t step, const struct vx_series_names *n,
                            ls_outputs *files)
{
    char path[PATH_MAX + 32];
    FILE *out;
    snprintf(path, sizeof(path), "%s/step_%05u%s", n->dir, step, n->end);
    LS_TRY(ls_outputs_open(files, path, &out));
    LS_TRY(s->selection->geometry->kind == NDM_GRID ? vx_vti_write(s, step, out)
                                                    : vx_vtu_write(s, step, out));
    return ls_outputs_close(files, out);
}

static void vx_pvd_entry(FILE *out, const struct vx_source *s, uint32_t step, const struct vx_series_names *n)
{
    fprintf(out, "<DataSet timestep=\"%.17g\" group=\"\" part=\"0\" name=\"",
            vx_step_begin_s(s->selection, step));
    vx_put_xml(out, vx_step_label(s->selection, step));
    fputs("\" file=\"", out);
    vx_put_xml(out, n->base);
    fprintf(out, "/step_%05u%s\"/>\n", step, n->end);
}

static ls_err vx_pvd_export(const struct vx_source *s, const struct vx_request *r, ls_outputs *files)
{
    struct vx_series_names names;
    FILE *out;
    LS_TRY(vx_series_names_init(&names, s, r->path));
    LS_TRY(ls_outputs_open(files, r->path, &out));
    LS_TRY(ls_outputs_dir(files, names.dir));
    fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\" "
          "header_type=\"UInt64\">\n<Collection>\n",
          out);
    for (uint32_t step = 0; step < s->selection->steps_len; step++) {
        LS_TRY(vx_step_write(s, step, &names, files));
        vx_pvd_entry(out, s, step, &names);
    }
    fputs("</Collection>\n</VTKFile>\n", out);
    return LS_OK;
}

const struct vx_exporter vx_exporter_pvd = {
    .name = "pvd",
    .ends = ".pvd",
    .words = "ParaView collection: a .vti or .vtu a step, beside it (ParaView, VisIt)",
    .needs = VX_NEEDS_FIELDS,
    .merges = true,
    .has_steps = true,
    .steps_only = true,
    .write = vx_pvd_export};
