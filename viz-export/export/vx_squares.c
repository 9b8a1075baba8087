/* SPDX-License-Identifier: BSD-3-Clause */
#include "viz-export/export/vx_squares.h"
#include "ndm/ndm_mix.h"

#include <math.h>
#include <stdlib.h>

enum { VX_SAMPLES_A_SQUARE = 4, VX_SQUARES_LEAST = 400, VX_SQUARES_ACROSS_MAX = 2048 };

static uint64_t vx_side(const struct vx_array *a, const struct ndm_geometry *g)
{
    const uint64_t x = g->extents[0], y = g->dims > 1 ? g->extents[1] : 1,
                   layers = g->dims > 2 ? g->extents[2] : 1;
    const double samples = (double)a->field->mapped_len / (double)layers;
    const double wanted = fmax(samples / VX_SAMPLES_A_SQUARE, VX_SQUARES_LEAST);
    const double cells = (double)x * (double)y / wanted;
    const uint64_t longest = x > y ? x : y, least = (longest - 1) / VX_SQUARES_ACROSS_MAX + 1;
    const uint64_t side = cells <= 1 ? 1 : (uint64_t)ceil(y == 1 ? cells : sqrt(cells));
    return side > least ? side : least;
}

/* The first cell of the layer is value `base` of the array. */
static double vx_gather(const struct vx_squares *s, const struct vx_array *a, uint64_t base,
                        const uint64_t cells[2], uint64_t square)
{
    const uint64_t x0 = square % s->across * s->side, y0 = square / s->across * s->side;
    struct ndm_mix mix;
    ndm_mix_init(&mix);
    for (uint64_t y = y0; y < y0 + s->side && y < cells[1]; y++)
        for (uint64_t x = x0; x < x0 + s->side && x < cells[0]; x++) {
            const uint64_t i = base + y * cells[0] + x;
            ndm_mix_add(&mix, a->metric, a->values[i], a->weights[i]);
        }
    return ndm_mix_finish(&mix, a->metric);
}

ls_err vx_squares_init(struct vx_squares *s, const struct vx_array *a, const struct ndm_geometry *g,
                       uint64_t layer)
{
    const uint64_t cells[2] = {g->extents[0], g->dims > 1 ? g->extents[1] : 1};
    *s = (struct vx_squares){.side = vx_side(a, g)};
    s->across = (cells[0] - 1) / s->side + 1;
    s->up = (cells[1] - 1) / s->side + 1;
    s->values = malloc(s->across * s->up * sizeof(*s->values));
    if (!s->values) return ls_nomem("a picture of %s", g->label);
    for (uint64_t i = 0; i < s->across * s->up; i++)
        s->values[i] = vx_gather(s, a, layer * cells[0] * cells[1], cells, i);
    return LS_OK;
}

void vx_squares_fini(struct vx_squares *s)
{
    free(s->values);
    *s = (struct vx_squares){0};
}
