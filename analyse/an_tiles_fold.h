/* SPDX-License-Identifier: BSD-3-Clause */
/* Fewer tiles: coarser slices and latency bins, and the cheapest keys merged. */
#ifndef AN_TILES_FOLD_H
#define AN_TILES_FOLD_H

#include "analyse/an_tiles.h"

/* Add from's sums to t's. */
void an_tile_add(struct an_tile *t, const struct an_tile *from);
/* Sort t's tiles, and coarsen them until there are at most len_max, or nothing is left to coarsen.
 * Errors: LS_ERR_NOMEM. */
ls_err an_tiles_fold(struct an_tiles *t, const struct an_tables *tables, size_t len_max);

#endif
