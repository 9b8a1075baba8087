/* SPDX-License-Identifier: BSD-3-Clause */
/* ndm_victim MILLISECONDS: arrays on one box of 12 x 10 x 8 cells, each in a different layout, each touched
 * in cells that test_natural_domain.sh knows. */
#include "loadstone/ndm.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { NX = 12, NY = 10, NZ = 8, CELLS = NX * NY * NZ, TILE = 4, TILED_Y = 12 };

static double vectors[CELLS][3];
static float ghosted[NZ + 2][NY + 2][NX + 2];
static double tiled[NX * TILED_Y * NZ];
static double reversed[CELLS];
static double mirrored[CELLS];
static struct loadstone_point point;

static void check(ls_err e)
{
    if (e == LS_OK) return;
    fprintf(stderr, "ndm_victim: %s\n", ls_last_error());
    exit(1);
}

/* The cell opposite in x. */
static void *mirror(smr_node *n, struct mem_sample *sample, void *user)
{
    uint64_t cell;
    (void)user;
    if (smr_node_index_of(n, sample->daddr, &cell, NULL) != LS_OK) return NULL;
    point.at[0] = NX - 1 - (double)(cell % NX) + 0.5;
    point.at[1] = (double)(cell / NX % NY) + 0.5;
    point.at[2] = (double)(cell / NX / NY) + 0.5;
    return &point;
}

static smr_node *named(smr_tree *t, const char *label, const void *start, size_t elem_size_bytes,
                       size_t elements, size_t dims)
{
    const struct smr_spec spec = {label, start, (const char *)start + elem_size_bytes * elements * dims,
                                  elem_size_bytes, dims};
    smr_node *n = NULL;
    check(smr_tree_insert(t, &spec, &n));
    return n;
}

static void describe(smr_tree *t)
{
    const struct ndm_grid grid = {.label = "box", .dims = 3, .extents = {NX, NY, NZ}};
    const struct ndm_layout ghosts = {.ghost_low = {1, 1, 1}, .ghost_high = {1, 1, 1}};
    const struct ndm_layout tiles = {.block = {TILE, TILE, TILE}, .padded = {NX, TILED_Y, NZ}};
    static int32_t target[CELLS];
    for (int i = 0; i < CELLS; i++)
        target[i] = CELLS - 1 - i;
    const struct ndm_indirection back = {.target = target, .targets_len = CELLS, .index_size_bytes = 4};
    ndm_domain *box = NULL;
    check(ndm_domain_new_grid(&grid, &box));
    check(ndm_map_grid(named(t, "vectors", vectors, sizeof(double), CELLS, 3), box, NULL));
    check(ndm_map_grid(named(t, "ghosted", ghosted, sizeof(float), sizeof(ghosted) / sizeof(float), 1), box,
                       &ghosts));
    check(ndm_map_grid(named(t, "tiled", tiled, sizeof(double), sizeof(tiled) / sizeof(double), 1), box,
                       &tiles));
    check(ndm_map_indirect(named(t, "reversed", reversed, sizeof(double), CELLS, 1), box, &back));
    check(ndm_map_callback(named(t, "mirrored", mirrored, sizeof(double), CELLS, 1), box, mirror, NULL));
}

static volatile double sum;

static void touch_all(void)
{
    for (int c = 0; c < CELLS; c++)
        if (c % NX < 4) sum += vectors[c][0] + vectors[c][1] + vectors[c][2];
    for (int y = 0; y < NY + 2; y++) /* two ghosts and the cells of y = 4, z = 2 */
        for (int x = 0; x < NX + 2; x++)
            if (y == 5) sum += ghosted[3][y][x];
    for (int t = 0; t < 9; t++) /* z = 3: the last of four layers of the first nine tiles */
        for (int i = 0; i < TILE * TILE; i++)
            sum += tiled[t * TILE * TILE * TILE + 3 * TILE * TILE + i];
    for (int c = 0; c < 60; c++)
        sum += reversed[c];
    for (int c = 0; c < CELLS; c += NX)
        sum += mirrored[c];
}

int main(int argc, char **argv)
{
    struct timespec begin, now;
    const long ms = argc > 1 ? atol(argv[1]) : 100;
    smr_tree *t = NULL;
    check(smr_tree_new(&t));
    describe(t);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
        for (int i = 0; i < 100; i++)
            touch_all();
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 < ms);
    smr_tree_free(t);
    return 0;
}
