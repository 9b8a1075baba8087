/* SPDX-License-Identifier: BSD-3-Clause */
/* Merge tiles when a page has too many: larger places, longer slices, wider latency bins, then the
 * cheapest lines, nodes and threads. */
#include "config.h"

#include "analyse/an_tiles.h"

#include <stdlib.h>

void an_tile_add(struct an_tile *t, const struct an_tile *from)
{
    t->samples += from->samples;
    t->time_ns += from->time_ns;
    t->stall_ns += from->stall_ns;
    t->latency_cycles += from->latency_cycles;
}

static int an_compare_tiles(const void *a, const void *b)
{
    const struct an_tile *x = a, *y = b;
    const uint32_t p[] = {x->node, x->line, x->thread, x->access, x->bin, x->slice, x->field, x->place};
    const uint32_t q[] = {y->node, y->line, y->thread, y->access, y->bin, y->slice, y->field, y->place};
    for (size_t i = 0; i < sizeof(p) / sizeof(p[0]); i++)
        if (p[i] != q[i]) return p[i] < q[i] ? -1 : 1;
    return 0;
}

static void an_tiles_merge(struct an_tiles *t)
{
    size_t kept = 0;
    if (t->len > 1) qsort(t->tiles, t->len, sizeof(*t->tiles), an_compare_tiles);
    for (size_t i = 0; i < t->len; i++)
        if (kept && an_compare_tiles(&t->tiles[kept - 1], &t->tiles[i]) == 0)
            an_tile_add(&t->tiles[kept - 1], &t->tiles[i]);
        else
            t->tiles[kept++] = t->tiles[i];
    t->len = kept;
}

/* --- which keys are merged --- */

static ls_err an_axis_init(struct an_fold_axis *a, const struct an_keys *k)
{
    *a = (struct an_fold_axis){.cost_ns = calloc(k->len + 1u, sizeof(*a->cost_ns)),
                               .to = calloc(k->len + 1u, sizeof(*a->to)),
                               .len = k->len};
    if (!a->cost_ns || !a->to) return ls_nomem("ranking %u rows", k->len);
    for (uint32_t n = 0; n < k->len; n++)
        a->to[n] = n;
    return LS_OK;
}

static void an_axis_fini(struct an_fold_axis *a)
{
    free(a->cost_ns);
    free(a->to);
}

static void an_axis_count(struct an_fold_axis *a, uint32_t number, double time_ns)
{
    if (number < a->len) a->cost_ns[number] += time_ns;
}

static uint32_t an_axis_number(const struct an_fold_axis *a, uint32_t number)
{
    return number < a->len ? a->to[number] : number;
}

static int an_compare_costs(const void *a, const void *b, void *user)
{
    const double *cost = user;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return cost[x] != cost[y] ? (cost[x] < cost[y]) - (cost[x] > cost[y]) : (x > y) - (x < y);
}

/* Numbers below len, the costliest first; free(). */
static ls_err an_order_by_cost(double *cost, uint32_t len, uint32_t **out)
{
    *out = malloc((len + 1u) * sizeof(**out));
    if (!*out) return ls_nomem("ranking %u rows", len);
    for (uint32_t n = 0; n < len; n++)
        (*out)[n] = n;
    qsort_r(*out, len, sizeof(**out), an_compare_costs, cost);
    return LS_OK;
}

ls_err an_fold_init(struct an_fold *f, const struct an_tiles *t, const struct an_tables *tables)
{
    *f = (struct an_fold){.tables = tables};
    LS_TRY(an_axis_init(&f->node, &t->node));
    LS_TRY(an_axis_init(&f->line, &t->line));
    return an_axis_init(&f->thread, &t->thread);
}

void an_fold_fini(struct an_fold *f)
{
    an_axis_fini(&f->node);
    an_axis_fini(&f->line);
    an_axis_fini(&f->thread);
}

void an_fold_count(struct an_fold *f, const struct an_tile *t)
{
    an_axis_count(&f->node, t->node, t->time_ns);
    an_axis_count(&f->line, t->line, t->time_ns);
    an_axis_count(&f->thread, t->thread, t->time_ns);
}

/* --- the steps, one function a kind --- */

static ls_err an_fold_slices(struct an_fold *f, struct an_tiles *t, uint32_t slices)
{
    (void)f;
    if (t->slices > slices) t->slices = slices;
    return LS_OK;
}

static ls_err an_fold_bins(struct an_fold *f, struct an_tiles *t, uint32_t per_octave)
{
    (void)f;
    t->bins_per_octave = per_octave;
    return LS_OK;
}

static ls_err an_fold_places(struct an_fold *f, struct an_tiles *t, uint32_t level)
{
    (void)f;
    if (t->places.len > 0) t->place_level = level;
    return LS_OK;
}

/* All but the costliest `keep` become one: "others". */
static ls_err an_fold_axis(struct an_fold_axis *a, uint32_t keep, uint32_t *folded)
{
    uint32_t *order;
    if (a->len <= keep) return LS_OK;
    LS_TRY(an_order_by_cost(a->cost_ns, a->len, &order));
    for (uint32_t i = keep; i < a->len; i++)
        a->to[order[i]] = a->len + 1;
    *folded = a->len - keep;
    free(order);
    return LS_OK;
}

static ls_err an_fold_lines(struct an_fold *f, struct an_tiles *t, uint32_t keep)
{
    return an_fold_axis(&f->line, keep, &t->lines_folded);
}

static ls_err an_fold_threads(struct an_fold *f, struct an_tiles *t, uint32_t keep)
{
    return an_fold_axis(&f->thread, keep, &t->threads_folded);
}

/* Costs of nodes, each with the nodes that are merged into it already; free(). */
static double *an_merged_costs(const struct an_fold_axis *a)
{
    double *merged_ns = calloc(a->len, sizeof(*merged_ns));
    for (uint32_t n = 0; merged_ns && n < a->len; n++)
        merged_ns[a->to[n]] += a->cost_ns[n];
    return merged_ns;
}

/* Nodes beyond the costliest go to the nearest node above that stays; the root always does. */
static void an_merge_nodes(struct an_fold *f, struct an_tiles *t, const uint32_t *order, uint32_t keep)
{
    struct an_fold_axis *a = &f->node;
    for (uint32_t i = keep; i < a->len; i++)
        a->to[order[i]] = AN_NO_KEY;
    a->to[0] = 0;
    t->nodes_folded = 0;
    for (uint32_t n = 1; n < a->len; n++) { /* parents first */
        if (a->to[n] != n) {
            const uint32_t parent = an_keys_parent(&t->node, f->tables, n);
            a->to[n] = parent < n ? a->to[parent] : 0;
        }
        t->nodes_folded += a->to[n] != n && a->cost_ns[n] > 0;
    }
}

static ls_err an_fold_nodes(struct an_fold *f, struct an_tiles *t, uint32_t keep)
{
    uint32_t *order = NULL;
    if (f->node.len <= keep) return LS_OK;
    double *merged_ns = an_merged_costs(&f->node);
    const ls_err err = merged_ns ? an_order_by_cost(merged_ns, f->node.len, &order)
                                 : ls_nomem("ranking %u rows", f->node.len);
    if (err == LS_OK) an_merge_nodes(f, t, order, keep);
    free(merged_ns);
    free(order);
    return err;
}

/* Steps in order of increasing loss for the viewer. */
static const struct an_fold_step {
    ls_err (*fold)(struct an_fold *f, struct an_tiles *t, uint32_t to);
    uint32_t to;
} an_fold_steps[] = {
    {an_fold_places, 1},   {an_fold_places, 2},   {an_fold_bins, 2},     {an_fold_slices, 32},
    {an_fold_places, 3},   {an_fold_lines, 1024}, {an_fold_nodes, 1024}, {an_fold_bins, 1},
    {an_fold_slices, 16},  {an_fold_places, 4},   {an_fold_lines, 256},  {an_fold_nodes, 256},
    {an_fold_threads, 32}, {an_fold_slices, 8},   {an_fold_places, 5},   {an_fold_lines, 64},
    {an_fold_nodes, 64},   {an_fold_threads, 8},  {an_fold_slices, 4},   {an_fold_places, 8},
    {an_fold_lines, 16},   {an_fold_nodes, 16},
};
enum { AN_FOLD_STEPS = sizeof(an_fold_steps) / sizeof(an_fold_steps[0]) };

/* --- tiles --- */

/* from: the resolution that tile has. */
static void an_tile_coarsen(struct an_tile *tile, const struct an_fold *f, const struct an_tiles *from,
                            const struct an_tiles *t)
{
    const uint32_t factor = from->bins_per_octave / t->bins_per_octave;
    tile->node = an_axis_number(&f->node, tile->node);
    tile->line = an_axis_number(&f->line, tile->line);
    tile->thread = an_axis_number(&f->thread, tile->thread);
    tile->slice =
        tile->slice < from->slices ? (uint32_t)((uint64_t)tile->slice * t->slices / from->slices) : t->slices;
    if (tile->bin != AN_TILE_NO_BIN && tile->bin > 0) tile->bin = (uint8_t)(1 + (tile->bin - 1) / factor);
    if (tile->place && t->place_level > from->place_level)
        tile->place = 1 + t->places.coarser[t->place_level - 1][tile->place - 1];
}

void an_fold_tile(const struct an_fold *f, const struct an_tiles *t, struct an_tile *tile)
{
    const struct an_tiles fresh = {.slices = f->tables->slices, .bins_per_octave = AN_TILE_BINS_PER_OCTAVE};
    if (f->steps > 0) an_tile_coarsen(tile, f, &fresh, t);
}

bool an_fold_is_done(const struct an_fold *f)
{
    return f->steps == AN_FOLD_STEPS;
}

ls_err an_tiles_fold(struct an_tiles *t, struct an_fold *f, size_t len_max)
{
    an_tiles_merge(t);
    while (t->len > len_max && !an_fold_is_done(f)) {
        const struct an_fold_step *step = &an_fold_steps[f->steps++];
        const struct an_tiles before = *t;
        LS_TRY(step->fold(f, t, step->to));
        for (size_t i = 0; i < t->len; i++)
            an_tile_coarsen(&t->tiles[i], f, &before, t);
        an_tiles_merge(t);
    }
    return LS_OK;
}
