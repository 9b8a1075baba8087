/* SPDX-License-Identifier: BSD-3-Clause */
/* Merge the cells of a grid into blocks, so that few samples on many cells are visible in programs that draw each cell. */
#include "viz-export/export/vx_select.h"

#include "ndm/ndm_mix.h"

#include <math.h>
#include <stdlib.h>

enum { VX_SAMPLES_A_BLOCK = 4, VX_BLOCKS_LEAST = 400 };

uint64_t vx_merge_side(const struct vx_selection *s)
{
    const struct ndm_geometry *g = s->geometry;
    double samples = 0, cells = 1;
    int axes = 0;
    if (g->kind != NDM_GRID) return 1;
    for (size_t i = 0; i < s->fields_len; i++)
        samples = fmax(samples, (double)s->atlas->fields[s->fields[i]].mapped_len);
    for (uint32_t d = 0; d < g->dims; d++) {
        cells *= (double)g->extents[d];
        axes += g->extents[d] > 1;
    }
    const double blocks = fmax(samples / VX_SAMPLES_A_BLOCK, VX_BLOCKS_LEAST);
    return cells <= blocks ? 1 : (uint64_t)ceil(pow(cells / blocks, 1.0 / axes));
}

/* Cells along each axis before and after. */
struct vx_merge {
    uint64_t side, cells[NDM_AXES_MAX], blocks[NDM_AXES_MAX], blocks_len;
};

static uint64_t vx_block_of(const struct vx_merge *m, uint64_t cell)
{
    uint64_t at[NDM_AXES_MAX], block = 0;
    for (int d = 0; d < NDM_AXES_MAX; d++) {
        at[d] = cell % m->cells[d] / m->side;
        cell /= m->cells[d];
    }
    for (int d = NDM_AXES_MAX - 1; d >= 0; d--)
        block = block * m->blocks[d] + at[d];
    return block;
}

/* Combine the values of one metric for one step or the whole run; out: blocks_len values. */
static ls_err vx_merge_values(const struct vx_merge *m, const struct ndm_field *f, enum ndm_metric metric,
                              uint32_t step, double *out)
{
    const double *weights = ndm_mix_weights(f, metric, step);
    const double *values =
        step == VX_WHOLE_RUN ? f->values[metric] : f->step_values[metric] + step * f->values_len;
    struct ndm_mix *mix = calloc(m->blocks_len, sizeof(*mix)); /* as after ndm_mix_init */
    if (!mix) return ls_nomem("the merged cells of %s", f->name);
    for (uint64_t i = 0; i < f->values_len; i++)
        ndm_mix_add(&mix[vx_block_of(m, i)], metric, values[i], weights ? weights[i] : 1);
    for (uint64_t b = 0; b < m->blocks_len; b++)
        out[b] = ndm_mix_finish(&mix[b], metric);
    free(mix);
    return LS_OK;
}

/* steps 0: the whole run. *out: NULL if the metric is not loaded. */
static ls_err vx_merge_metric(const struct vx_merge *m, const struct ndm_field *f, enum ndm_metric metric,
                              uint32_t steps, double **out)
{
    *out = NULL;
    if (!(steps ? f->step_values[metric] : f->values[metric])) return LS_OK;
    const size_t runs = steps ? steps : 1;
    *out = calloc(runs * m->blocks_len, sizeof(**out));
    if (!*out) return ls_nomem("the merged cells of %s", f->name);
    for (uint32_t r = 0; r < runs; r++)
        LS_TRY(vx_merge_values(m, f, metric, steps ? r : VX_WHOLE_RUN, *out + r * m->blocks_len));
    return LS_OK;
}

static ls_err vx_merge_field(const struct vx_merge *m, struct ndm_field *f)
{
    double *values[2][NDM_METRICS_LEN] = {{NULL}};
    ls_err err = LS_OK;
    /* all before any is replaced: metrics are the weights of others */
    for (int metric = 0; err == LS_OK && metric < NDM_METRICS_LEN; metric++) {
        err = vx_merge_metric(m, f, (enum ndm_metric)metric, 0, &values[0][metric]);
        if (err == LS_OK && f->steps_len)
            err = vx_merge_metric(m, f, (enum ndm_metric)metric, f->steps_len, &values[1][metric]);
    }
    for (int metric = 0; metric < NDM_METRICS_LEN; metric++) {
        double **const kept[2] = {&f->values[metric], &f->step_values[metric]};
        for (int steps = 0; steps < 2; steps++) {
            free(err == LS_OK ? *kept[steps] : values[steps][metric]);
            if (err == LS_OK) *kept[steps] = values[steps][metric];
        }
    }
    if (err == LS_OK) f->values_len = m->blocks_len;
    return err;
}

ls_err vx_merge_cells(struct ndm_atlas *a, const struct vx_selection *s, uint64_t side)
{
    struct ndm_geometry *g = &a->domains[a->fields[s->fields[0]].domain];
    struct vx_merge m = {.side = side, .blocks_len = 1};
    if (side <= 1 || g->kind != NDM_GRID) return LS_OK;
    for (uint32_t d = 0; d < NDM_AXES_MAX; d++) {
        m.cells[d] = d < g->dims ? g->extents[d] : 1;
        m.blocks[d] = (m.cells[d] - 1) / side + 1;
        m.blocks_len *= m.blocks[d];
    }
    for (size_t i = 0; i < s->fields_len; i++)
        if (a->fields[s->fields[i]].values_len != g->cells_len)
            return ls_fail(LS_ERR_FORMAT, "field %s has not one value a cell", a->fields[s->fields[i]].name);
    for (size_t i = 0; i < s->fields_len; i++)
        LS_TRY(vx_merge_field(&m, &a->fields[s->fields[i]]));
    for (uint32_t d = 0; d < g->dims; d++) {
        g->spacing[d] *= m.cells[d] > 1 ? (double)side : 1;
        g->extents[d] = m.blocks[d];
    }
    g->cells_len = m.blocks_len;
    return LS_OK;
}
