/* SPDX-License-Identifier: BSD-3-Clause */
/* The examples in C of doc/natural-domain.md. */
#include "loadstone/ndm.h"

#include <stdio.h>
#include <stdlib.h>

static smr_tree *tree;
static int failures;

static void check(ls_err e, const char *what)
{
    if (e == LS_OK) return;
    printf("%s: %s\n", what, ls_last_error());
    failures++;
}

static smr_node *range(const char *label, const void *start, const void *end, size_t elem_size_bytes)
{
    const struct smr_spec spec = {label, start, end, elem_size_bytes, 1};
    smr_node *node = NULL;
    check(smr_tree_insert(tree, &spec, &node), label);
    return node;
}

static void a_matrix(void)
{
    enum { ROWS = 50, COLUMNS = 70 };
    smr_node *node;
    static double a[ROWS][COLUMNS];
    const struct smr_spec spec = {"A", a, a + ROWS, sizeof(double), 1};
    smr_tree_insert(tree, &spec, &node);

    const struct ndm_grid grid = {
        .label = "matrix", .dims = 2, .extents = {COLUMNS, ROWS}, .axes = {"column", "row"}};
    ndm_domain *matrix;
    if (ndm_domain_new_grid(&grid, &matrix) == LS_OK) ndm_map_grid(node, matrix, NULL);
    check(ndm_map_grid(node, matrix, NULL), "matrix");

    static double in_tiles[96 * 64];
    node = range("tiles", in_tiles, in_tiles + 96 * 64, sizeof(double));
    const struct ndm_layout tiled = {.block = {32, 32},
                                     .padded = {96, 64}}; /* 3 x 2 tiles for 70 x 50 cells */
    ndm_map_grid(node, matrix, &tiled);
    check(ndm_map_grid(node, matrix, &tiled), "tiles");
    ndm_domain_free(matrix);
}

static void a_grid_with_ghosts(void)
{
    enum { NX = 10, NY = 8, NZ = 6 };
    static float t[NZ + 2][NY + 2][NX + 2], big[100][300];
    const struct ndm_grid grid = {
        .label = "box", .dims = 3, .extents = {NX, NY, NZ}, .spacing = {0.5, 0.5, 2}, .unit = "cm"};
    const struct ndm_layout layout = {.ghost_low = {1, 1, 1}, .ghost_high = {1, 1, 1}};
    /* every third column of the rows 10 to 19 of big[100][300] */
    const struct ndm_layout part = {.order = NDM_STRIDED, .offset = 10 * 300, .stride = {3, 300}};
    const struct ndm_grid rows = {.label = "rows", .dims = 2, .extents = {100, 10}};
    ndm_domain *box = NULL, *window = NULL;
    check(ndm_domain_new_grid(&grid, &box), "box");
    check(ndm_domain_new_grid(&rows, &window), "rows");
    check(ndm_map_grid(range("t", t, t + NZ + 2, sizeof(float)), box, &layout), "t");
    check(ndm_map_grid(range("big", big, big + 100, sizeof(float)), window, &part), "big");
    ndm_domain_free(box);
    ndm_domain_free(window);
}

static void a_mesh(void)
{
    enum { POINTS = 12, CELLS = 2, EDGES = 3 };
    static double x[POINTS], y[POINTS], z[POINTS], p[CELLS], v[POINTS][3], f[EDGES];
    static const int corners[CELLS][8] = {{0, 1, 4, 3, 6, 7, 10, 9}, {1, 2, 5, 4, 7, 8, 11, 10}};
    static const long cell_of_edge[EDGES] = {1, 0, -1};
    smr_node *pressure = range("pressure", p, p + CELLS, sizeof(double));
    smr_node *velocity = range("velocity", v, v + POINTS, sizeof(double));
    smr_node *flux = range("flux", f, f + EDGES, sizeof(double));
    const struct ndm_mesh mesh = {
        .label = "mesh",
        .points_len = POINTS,
        .coords = {x, y, z},
        .cells_len = CELLS,
        .shape = NDM_HEXAHEDRON,
        .connectivity = corners,
        .index_size_bytes = sizeof(corners[0][0]),
    };
    ndm_domain *domain;
    ndm_domain_new_mesh(&mesh, &domain);
    ndm_map_mesh(pressure, domain, NDM_CELLS, 1);
    ndm_map_mesh(velocity, domain, NDM_POINTS, 3); /* three values a point */
    check(ndm_map_mesh(pressure, domain, NDM_CELLS, 1), "pressure");
    check(ndm_map_mesh(velocity, domain, NDM_POINTS, 3), "velocity");

    const struct ndm_indirection edges = {
        .target = cell_of_edge,
        .targets_len = EDGES,
        .index_size_bytes = sizeof(cell_of_edge[0]),
        .centering = NDM_CELLS,
    };
    ndm_map_indirect(flux, domain, &edges);
    check(ndm_map_indirect(flux, domain, &edges), "flux");
    ndm_domain_free(domain);
}

int main(void)
{
    check(smr_tree_new(&tree), "tree");
    a_matrix();
    a_grid_with_ghosts();
    a_mesh();
    smr_tree_free(tree);
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
