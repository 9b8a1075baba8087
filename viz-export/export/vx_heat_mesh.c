/* SPDX-License-Identifier: BSD-3-Clause */
/* The cells of a mesh, drawn as its surface, far faces first. Faces that two cells share are inside and left
 * out. A face has the colour of the mean of its points' values. */
#include "common/ls_sorted.h"
#include "viz-export/export/vx_cells.h"
#include "viz-export/export/vx_heat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VX_CORNERS = 4, VX_FACES = 6, VX_FEW = 20000 };
#define VX_NO_POINT UINT64_MAX

/* Faces by the numbers of their points in a cell (vtkCellType.h and the figures of VTK's file formats); -1
 * ends a face of less than four. */
struct vx_solid {
    int faces_len;
    signed char faces[VX_FACES][VX_CORNERS];
};
static const struct vx_solid vx_solids[] = {
    [NDM_VERTEX] = {1, {{0, -1}}},
    [NDM_LINE] = {1, {{0, 1, -1}}},
    [NDM_TRIANGLE] = {1, {{0, 1, 2, -1}}},
    [NDM_QUAD] = {1, {{0, 1, 2, 3}}},
    [NDM_TETRA] = {4, {{0, 1, 2, -1}, {0, 1, 3, -1}, {1, 2, 3, -1}, {2, 0, 3, -1}}},
    [NDM_HEXAHEDRON] = {6,
                        {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}}},
    [NDM_WEDGE] = {5, {{0, 1, 2, -1}, {3, 5, 4, -1}, {0, 3, 4, 1}, {1, 4, 5, 2}, {2, 5, 3, 0}}},
    [NDM_PYRAMID] = {5, {{0, 3, 2, 1}, {0, 1, 4, -1}, {1, 2, 4, -1}, {2, 3, 4, -1}, {3, 0, 4, -1}}},
};

struct vx_face {
    uint64_t corners[VX_CORNERS]; /* in drawing order, VX_NO_POINT after the last */
    uint64_t key[VX_CORNERS];     /* the same, rising */
    uint64_t cell;
    double away;
};

struct vx_surface {
    struct vx_face *faces;
    size_t len;
};

static int vx_compare_key(const void *a, const void *b)
{
    const struct vx_face *x = a, *y = b;
    for (int k = 0; k < VX_CORNERS; k++)
        if (x->key[k] != y->key[k]) return x->key[k] < y->key[k] ? -1 : 1;
    return 0;
}

static int vx_compare_away(const void *a, const void *b)
{
    const struct vx_face *x = a, *y = b;
    return x->away != y->away ? (x->away < y->away) - (x->away > y->away)
                              : (x->cell > y->cell) - (x->cell < y->cell);
}

static const struct vx_solid *vx_solid_of(uint8_t shape)
{
    static const struct vx_solid none = {0};
    return shape < sizeof(vx_solids) / sizeof(vx_solids[0]) ? &vx_solids[shape] : &none;
}

static bool vx_face_init(struct vx_face *f, const struct vx_cells *c, uint64_t cell,
                         const signed char *corners)
{
    const uint64_t begin = c->offsets[cell], len = c->offsets[cell + 1] - begin;
    f->cell = cell;
    for (int k = 0; k < VX_CORNERS; k++)
        f->corners[k] = VX_NO_POINT;
    for (int k = 0; k < VX_CORNERS && corners[k] >= 0; k++) {
        if ((uint64_t)corners[k] >= len) return false; /* a cell with fewer points than its shape has */
        f->corners[k] = c->connectivity[begin + (uint64_t)corners[k]];
    }
    memcpy(f->key, f->corners, sizeof(f->key));
    qsort(f->key, VX_CORNERS, sizeof(f->key[0]), ls_compare_u64);
    return true;
}

static ls_err vx_surface_init(struct vx_surface *s, const struct vx_cells *c)
{
    size_t room = 0;
    *s = (struct vx_surface){0};
    for (uint64_t i = 0; i < c->len; i++)
        room += (size_t)vx_solid_of(c->shapes[i])->faces_len;
    s->faces = malloc((room + 1) * sizeof(*s->faces));
    if (!s->faces) return ls_nomem("the %zu faces of a mesh", room);
    for (uint64_t i = 0; i < c->len; i++) {
        const struct vx_solid *solid = vx_solid_of(c->shapes[i]);
        for (int k = 0; k < solid->faces_len; k++)
            s->len += vx_face_init(&s->faces[s->len], c, i, solid->faces[k]);
    }
    return LS_OK;
}

/* Keep the faces that belong to one cell only. */
static void vx_surface_strip(struct vx_surface *s)
{
    size_t kept = 0;
    qsort(s->faces, s->len, sizeof(*s->faces), vx_compare_key);
    for (size_t i = 0; i < s->len;) {
        size_t next = i + 1;
        while (next < s->len && vx_compare_key(&s->faces[i], &s->faces[next]) == 0)
            next++;
        if (next == i + 1) s->faces[kept++] = s->faces[i];
        i = next;
    }
    s->len = kept;
}

static void vx_surface_sort(struct vx_surface *s, const struct ndm_geometry *g, const struct vx_view *view)
{
    for (size_t i = 0; i < s->len; i++) {
        struct vx_face *f = &s->faces[i];
        int n = 0;
        f->away = 0;
        for (; n < VX_CORNERS && f->corners[n] != VX_NO_POINT; n++)
            f->away += vx_see(view, &g->points[3 * f->corners[n]]).away;
        if (n > 0) f->away /= n;
    }
    qsort(s->faces, s->len, sizeof(*s->faces), vx_compare_away);
}

static double vx_face_value(const struct vx_panel *p, const struct vx_face *f)
{
    const double *values = p->array->values;
    struct vx_rgb colour;
    double sum = 0;
    int len = 0;
    if (p->array->field->centering == NDM_CELLS) return values[f->cell];
    for (int k = 0; k < VX_CORNERS && f->corners[k] != VX_NO_POINT; k++)
        if (vx_panel_colour(p, values[f->corners[k]], &colour)) {
            sum += values[f->corners[k]];
            len++;
        }
    return len ? sum / len : NAN;
}

/* Thin lines show the cells while there are not too many; else they close the seams between faces. */
static void vx_face_edge(cairo_t *c, int corners, bool few)
{
    cairo_set_line_width(c, corners == 2 ? 2.5 : few ? 0.5 : 0.4);
    if (few && corners > 2) cairo_set_source_rgba(c, 1, 1, 1, 0.6);
    cairo_stroke(c);
}

static void vx_face_draw(cairo_t *c, const struct vx_panel *p, const struct vx_frame *frame,
                         const struct vx_view *view, const struct vx_face *f)
{
    struct vx_rgb k;
    int n = 0;
    double x = 0, y = 0;
    vx_use_nothing(c);
    if (vx_panel_colour(p, vx_face_value(p, f), &k)) cairo_set_source_rgb(c, k.r, k.g, k.b);
    cairo_new_path(c);
    for (; n < VX_CORNERS && f->corners[n] != VX_NO_POINT; n++) {
        const struct vx_seen at = vx_see(view, &p->geometry->points[3 * f->corners[n]]);
        x = vx_axis_position(&frame->x, at.across);
        y = vx_axis_position(&frame->y, at.up);
        cairo_line_to(c, x, y);
    }
    if (n == 1) { /* a point */
        cairo_new_path(c);
        cairo_arc(c, x, y, p->array->len < 1000 ? 4 : 2.2, 0, 2 * M_PI);
    }
    if (n != 2) {
        cairo_close_path(c);
        cairo_fill_preserve(c);
    }
    vx_face_edge(c, n, p->array->len < VX_FEW);
}

static ls_err vx_draw_surface(cairo_t *c, const struct vx_panel *p, const struct vx_frame *f,
                              const struct vx_cells *cells)
{
    const struct vx_view view = vx_view_of(p->geometry);
    struct vx_surface surface = {0};
    LS_TRY(vx_surface_init(&surface, cells));
    vx_surface_strip(&surface);
    vx_surface_sort(&surface, p->geometry, &view);
    for (size_t i = 0; i < surface.len; i++)
        vx_face_draw(c, p, f, &view, &surface.faces[i]);
    free(surface.faces);
    return LS_OK;
}

/* Draw the surface without colours below the dots, but not of a flat mesh, whose millions of faces would make
 * it grey. */
static ls_err vx_draw_sparse(cairo_t *c, const struct vx_panel *p, const struct vx_frame *f,
                             const struct vx_cells *cells)
{
    struct vx_panel pale = *p;
    pale.has_values = false;
    if (vx_view_of(p->geometry).is_flat) {
        vx_use_nothing(c);
        cairo_rectangle(c, f->plot.x, f->plot.y, f->plot.width, f->plot.height);
        cairo_fill(c);
    } else {
        LS_TRY(vx_draw_surface(c, &pale, f, cells));
    }
    return vx_heat_marks(c, p, f);
}

ls_err vx_heat_mesh(cairo_t *c, const struct vx_panel *p, const struct vx_frame *f)
{
    struct vx_cells cells;
    LS_TRY(vx_cells_init(&cells, p->geometry));
    const ls_err err = (vx_is_sparse(p) ? vx_draw_sparse : vx_draw_surface)(c, p, f, &cells);
    vx_cells_fini(&cells);
    return err;
}
