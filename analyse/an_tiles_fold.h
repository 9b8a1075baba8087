/* SPDX-License-Identifier: BSD-3-Clause */
/* Fewer tiles: coarser slices and latency bins, and the cheapest keys merged. Keys are ranked by the cost of
 * all samples, which is counted first. So tiles may be coarsened while samples are still being summed, with
 * the same result as afterwards. */
#ifndef AN_TILES_FOLD_H
#define AN_TILES_FOLD_H

#include "analyse/an_tiles.h"

/* The keys of one coordinate. */
struct an_fold_axis {
    double *cost_ns; /* by number */
    uint32_t *to;    /* by number: the number it is merged into */
    uint32_t len;
};
/* How far tiles are coarsened. */
struct an_fold {
    const struct an_tables *tables;
    struct an_fold_axis node, line, thread;
    size_t steps;
};

/* Owns:   the caller ends f with an_fold_fini, also after a failure; f borrows tables.
 * Errors: LS_ERR_NOMEM. */
ls_err an_fold_init(struct an_fold *f, const struct an_tiles *t, const struct an_tables *tables);
void an_fold_fini(struct an_fold *f);
/* Add the cost of a tile to that of its keys. */
void an_fold_count(struct an_fold *f, const struct an_tile *t);
/* Coarsen a tile of full resolution as the tiles of t are. */
void an_fold_tile(const struct an_fold *f, const struct an_tiles *t, struct an_tile *tile);
/* Is nothing left to coarsen? */
bool an_fold_is_done(const struct an_fold *f);

/* Add from's sums to t's. */
void an_tile_add(struct an_tile *t, const struct an_tile *from);
/* Sort t's tiles, and coarsen them until there are at most len_max, or nothing is left to coarsen.
 * Errors: LS_ERR_NOMEM. */
ls_err an_tiles_fold(struct an_tiles *t, struct an_fold *f, size_t len_max);

#endif
