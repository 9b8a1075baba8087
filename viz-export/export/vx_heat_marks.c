/* SPDX-License-Identifier: BSD-3-Clause */
/* Few values on a large mesh: a dot at each cell or point that has one, far ones first, through the pale
 * surface. */
#include "viz-export/export/vx_heat.h"

#include <math.h>
#include <stdlib.h>

enum { VX_MARKS_FROM = 1000 };

struct vx_dot_at {
    double x, y, away, value;
};

static int vx_compare_dots(const void *a, const void *b)
{
    const struct vx_dot_at *p = a, *q = b;
    return (p->away < q->away) - (p->away > q->away);
}

static uint64_t vx_coloured(const struct vx_panel *p)
{
    struct vx_rgb colour;
    uint64_t len = 0;
    for (uint64_t i = 0; i < p->array->len; i++)
        len += vx_panel_colour(p, p->array->values[i], &colour);
    return len;
}

bool vx_is_sparse(const struct vx_panel *p)
{
    return p->array->len >= VX_MARKS_FROM && 2 * vx_coloured(p) < p->array->len;
}

static void vx_draw_dots(cairo_t *c, const struct vx_panel *p, const struct vx_dot_at *dots, size_t len,
                         double radius)
{
    struct vx_rgb k;
    for (size_t i = 0; i < len; i++) {
        if (!vx_panel_colour(p, dots[i].value, &k)) continue;
        cairo_set_source_rgb(c, k.r, k.g, k.b);
        cairo_new_path(c);
        cairo_arc(c, dots[i].x, dots[i].y, radius, 0, 2 * M_PI);
        cairo_fill(c);
    }
}

ls_err vx_heat_marks(cairo_t *c, const struct vx_panel *p, const struct vx_frame *f)
{
    const struct vx_view view = vx_view_of(p->geometry);
    struct vx_rgb colour;
    struct vx_dot_at *dots = malloc((vx_coloured(p) + 1) * sizeof(*dots));
    if (!dots) return ls_nomem("a picture of %s", p->geometry->label);
    size_t len = 0;
    for (uint64_t i = 0; i < p->array->len; i++) {
        double at[3];
        if (!vx_panel_colour(p, p->array->values[i], &colour)) continue;
        ndm_geometry_place(p->geometry, p->array->field->centering, i, at);
        const struct vx_seen seen = vx_see(&view, at);
        dots[len++] = (struct vx_dot_at){vx_axis_place(&f->x, seen.across), vx_axis_place(&f->y, seen.up),
                                         seen.away, p->array->values[i]};
    }
    qsort(dots, len, sizeof(*dots), vx_compare_dots);
    const double entities = (double)p->array->len;
    const double size = f->plot.width / (view.is_flat ? sqrt(entities) : cbrt(entities));
    vx_draw_dots(c, p, dots, len, fmax(1.6, size * 0.35));
    free(dots);
    return LS_OK;
}
