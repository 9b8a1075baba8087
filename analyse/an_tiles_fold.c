/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "analyse/an_tiles_fold.h"

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

/* --- keep the numbers of a coordinate that have most time --- */

struct an_ranking {
    double *cost; /* by number */
    uint32_t *order, *map;
    uint32_t len;
};

static int an_compare_costs(const void *a, const void *b, void *user)
{
    const double *cost = user;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return cost[x] != cost[y] ? (cost[x] < cost[y]) - (cost[x] > cost[y]) : (x > y) - (x < y);
}

static uint32_t *an_tile_line(struct an_tile *t)
{
    return &t->line;
}

static uint32_t *an_tile_thread(struct an_tile *t)
{
    return &t->thread;
}

static uint32_t *an_tile_node(struct an_tile *t)
{
    return &t->node;
}

typedef uint32_t *an_tile_coordinate(struct an_tile *t);

static ls_err an_ranking_init(struct an_ranking *r, struct an_tiles *t, uint32_t len, an_tile_coordinate *of)
{
    *r = (struct an_ranking){.cost = calloc(len + 1u, sizeof(double)),
                             .order = calloc(len + 1u, sizeof(uint32_t)),
                             .map = calloc(len + 1u, sizeof(uint32_t)),
                             .len = len};
    if (!r->cost || !r->order || !r->map) return ls_nomem("ranking %u rows", len);
    for (size_t i = 0; i < t->len; i++) {
        const uint32_t n = *of(&t->tiles[i]);
        if (n < len) r->cost[n] += t->tiles[i].time_ns;
    }
    for (uint32_t n = 0; n < len; n++)
        r->order[n] = r->map[n] = n;
    qsort_r(r->order, len, sizeof(*r->order), an_compare_costs, r->cost);
    return LS_OK;
}

static void an_ranking_fini(struct an_ranking *r)
{
    free(r->cost);
    free(r->order);
    free(r->map);
}

static void an_tiles_renumber(struct an_tiles *t, const struct an_ranking *r, an_tile_coordinate *of)
{
    for (size_t i = 0; i < t->len; i++) {
        uint32_t *n = of(&t->tiles[i]);
        if (*n < r->len) *n = r->map[*n];
    }
}

/* All but the costliest `keep` become one: "others". */
static ls_err an_keep_costliest(struct an_tiles *t, const struct an_keys *k, an_tile_coordinate *of,
                                uint32_t keep, uint32_t *folded)
{
    struct an_ranking r;
    if (k->len <= keep) return LS_OK;
    const ls_err err = an_ranking_init(&r, t, k->len, of);
    if (err == LS_OK) {
        for (uint32_t i = keep; i < k->len; i++)
            r.map[r.order[i]] = k->len + 1;
        an_tiles_renumber(t, &r, of);
        *folded = k->len - keep;
    }
    an_ranking_fini(&r);
    return err;
}

/* --- the steps, one function a kind --- */

static ls_err an_fold_slices(struct an_tiles *t, const struct an_tables *tables, uint32_t slices)
{
    (void)tables;
    if (t->slices <= slices) return LS_OK;
    for (size_t i = 0; i < t->len; i++) {
        struct an_tile *tile = &t->tiles[i];
        tile->slice =
            tile->slice < t->slices ? (uint32_t)((uint64_t)tile->slice * slices / t->slices) : slices;
    }
    t->slices = slices;
    return LS_OK;
}

static ls_err an_fold_bins(struct an_tiles *t, const struct an_tables *tables, uint32_t per_octave)
{
    (void)tables;
    const uint32_t factor = t->bins_per_octave / per_octave;
    for (size_t i = 0; i < t->len && factor > 1; i++) {
        struct an_tile *tile = &t->tiles[i];
        if (tile->bin != AN_TILE_NO_BIN && tile->bin > 0) tile->bin = (uint8_t)(1 + (tile->bin - 1) / factor);
    }
    if (factor > 1) t->bins_per_octave = per_octave;
    return LS_OK;
}

static ls_err an_fold_places(struct an_tiles *t, const struct an_tables *tables, uint32_t level)
{
    (void)tables;
    if (t->places.len == 0 || level <= t->place_level) return LS_OK;
    const uint32_t *to = t->places.coarser[level - 1];
    for (size_t i = 0; i < t->len; i++)
        if (t->tiles[i].place) t->tiles[i].place = 1 + to[t->tiles[i].place - 1];
    t->place_level = level;
    return LS_OK;
}

static ls_err an_fold_lines(struct an_tiles *t, const struct an_tables *tables, uint32_t keep)
{
    (void)tables;
    return an_keep_costliest(t, &t->line, an_tile_line, keep, &t->lines_folded);
}

static ls_err an_fold_threads(struct an_tiles *t, const struct an_tables *tables, uint32_t keep)
{
    (void)tables;
    return an_keep_costliest(t, &t->thread, an_tile_thread, keep, &t->threads_folded);
}

/* Nodes beyond the costliest go to the nearest node above that stays; the root always does. */
static ls_err an_fold_nodes(struct an_tiles *t, const struct an_tables *tables, uint32_t keep)
{
    struct an_ranking r;
    if (t->node.len <= keep) return LS_OK;
    const ls_err err = an_ranking_init(&r, t, t->node.len, an_tile_node);
    if (err == LS_OK) {
        for (uint32_t i = keep; i < t->node.len; i++)
            r.map[r.order[i]] = AN_NO_KEY;
        r.map[0] = 0;
        t->nodes_folded = 0;
        for (uint32_t n = 1; n < t->node.len; n++) { /* parents first */
            if (r.map[n] != AN_NO_KEY) continue;
            const uint32_t parent = an_keys_parent(&t->node, tables, n);
            r.map[n] = parent < n ? r.map[parent] : 0;
            t->nodes_folded += r.cost[n] > 0;
        }
        an_tiles_renumber(t, &r, an_tile_node);
    }
    an_ranking_fini(&r);
    return err;
}

/* Steps in order of increasing loss for the viewer. */
static const struct an_fold_step {
    ls_err (*fold)(struct an_tiles *t, const struct an_tables *tables, uint32_t to);
    uint32_t to;
} an_fold_steps[] = {
    {an_fold_places, 1},   {an_fold_places, 2},   {an_fold_bins, 2},     {an_fold_slices, 32},
    {an_fold_places, 3},   {an_fold_lines, 1024}, {an_fold_nodes, 1024}, {an_fold_bins, 1},
    {an_fold_slices, 16},  {an_fold_places, 4},   {an_fold_lines, 256},  {an_fold_nodes, 256},
    {an_fold_threads, 32}, {an_fold_slices, 8},   {an_fold_places, 5},   {an_fold_lines, 64},
    {an_fold_nodes, 64},   {an_fold_threads, 8},  {an_fold_slices, 4},   {an_fold_places, 8},
    {an_fold_lines, 16},   {an_fold_nodes, 16},
};

ls_err an_tiles_fold(struct an_tiles *t, const struct an_tables *tables, size_t len_max)
{
    an_tiles_merge(t);
    for (size_t i = 0; t->len > len_max && i < sizeof(an_fold_steps) / sizeof(an_fold_steps[0]); i++) {
        LS_TRY(an_fold_steps[i].fold(t, tables, an_fold_steps[i].to));
        an_tiles_merge(t);
    }
    return LS_OK;
}
