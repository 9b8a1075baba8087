/* SPDX-License-Identifier: BSD-3-Clause */
/* Fields as comma-separated values: a row a cell or point (and step), its place, a column a metric. */
#include "common/ls_put.h"
#include "viz-export/export/vx_tables.h"
#include "viz-export/vx_text.h"

#include <inttypes.h>

struct vx_rows {
    const struct vx_source *s;
    const struct vx_array *arrays;
    size_t arrays_len;
    enum ndm_centering centering;
    uint32_t step;
};

static void vx_put_place(const struct ndm_geometry *g, enum ndm_centering centering, uint64_t i, FILE *out)
{
    double at[NDM_AXES_MAX];
    ndm_geometry_place(g, centering, i, at);
    for (uint32_t d = 0; d < (g->kind == NDM_GRID ? g->dims : NDM_AXES_MAX); d++)
        vx_csv_double(out, at[d]);
}

static void vx_put_row(const struct vx_rows *r, uint64_t i, FILE *out)
{
    const struct vx_selection *chosen = r->s->selection;
    if (r->step != VX_WHOLE_RUN) {
        fprintf(out, "%" PRIu32 ",", r->step);
        ls_put_csv(out, vx_step_label(chosen, r->step));
        vx_csv_double(out, vx_step_begin_s(chosen, r->step));
        fputc(',', out);
    }
    fprintf(out, "%" PRIu64, i);
    vx_put_place(chosen->geometry, r->centering, i, out);
    for (size_t k = 0; k < r->arrays_len; k++)
        vx_csv_double(out, r->arrays[k].values[i]);
    fputc('\n', out);
}

static void vx_put_head(const struct vx_rows *r, FILE *out)
{
    static const char *const mesh_axes[] = {"x", "y", "z"};
    const struct ndm_geometry *g = r->s->selection->geometry;
    if (r->step != VX_WHOLE_RUN) fputs("step,step_label,step_begin_s,", out);
    fputs(r->centering == NDM_CELLS ? "cell" : "point", out);
    for (uint32_t d = 0; d < (g->kind == NDM_GRID ? g->dims : NDM_AXES_MAX); d++) {
        fputc(',', out);
        ls_put_csv(out, g->kind == NDM_GRID ? g->axes[d] : mesh_axes[d]);
    }
    for (size_t k = 0; k < r->arrays_len; k++) {
        fputc(',', out);
        ls_put_csv(out, r->arrays[k].name);
    }
    fputc('\n', out);
}

static ls_err vx_one_centering(const struct vx_selection *s, enum ndm_centering *out)
{
    *out = s->atlas->fields[s->fields[0]].centering;
    for (size_t i = 1; i < s->fields_len; i++)
        if (s->atlas->fields[s->fields[i]].centering != *out)
            return ls_fail(LS_ERR_USAGE,
                           "fields %s and %s lie on cells and on points, "
                           "which one table cannot hold: choose with --field",
                           s->atlas->fields[s->fields[0]].name, s->atlas->fields[s->fields[i]].name);
    return LS_OK;
}

static ls_err vx_put_step(struct vx_rows *r, bool with_head, FILE *out)
{
    struct vx_array *arrays = NULL;
    LS_TRY(vx_arrays_of(r->s->selection, r->step, &arrays, &r->arrays_len));
    r->arrays = arrays;
    if (with_head) vx_put_head(r, out);
    for (uint64_t i = 0; r->arrays_len > 0 && i < arrays[0].len; i++)
        vx_put_row(r, i, out);
    vx_arrays_free(arrays, r->arrays_len);
    return LS_OK;
}

ls_err vx_csv_fields(const struct vx_source *s, FILE *out)
{
    struct vx_rows r = {.s = s, .step = VX_WHOLE_RUN};
    LS_TRY(vx_one_centering(s->selection, &r.centering));
    if (s->selection->steps_len == 0) return vx_put_step(&r, true, out);
    for (r.step = 0; r.step < s->selection->steps_len; r.step++)
        LS_TRY(vx_put_step(&r, r.step == 0, out));
    return LS_OK;
}
