/* SPDX-License-Identifier: BSD-3-Clause */
/* Heat in a box: a 7-point stencil on nx x ny x nz cells, with one layer of ghost cells that stay at 0. Each
 * stencil_*.c brings its own order of the cells; the result is the same to the last bit.
 *
 * The first sine wave is an eigenvector of the stencil: after s steps every cell has its first value times
 * lambda^s, which the program checks itself against. */
#ifndef STENCIL_H
#define STENCIL_H

#include "example.h"

#include <math.h>

struct stencil {
    size_t nx, ny, nz;
    size_t row, plane; /* doubles to the next row and plane, ghosts and padding included */
    double *u, *next;  /* address of ghost cell (-1, -1, -1) */
};

static inline size_t stencil_at(const struct stencil *s, size_t i, size_t j, size_t k)
{
    return (i + 1) + (j + 1) * s->row + (k + 1) * s->plane;
}

static const double stencil_rate = 0.125; /* diffusivity x time step / cell size^2; stable below 1/6 */

/* The cells [i0, i1) of row j in plane k. */
static inline void stencil_row(const struct stencil *s, size_t i0, size_t i1, size_t j, size_t k)
{
    const size_t row = s->row, plane = s->plane, at = stencil_at(s, 0, j, k);
    const double *here = s->u + at;
    double *next = s->next + at;
    for (size_t i = i0; i < i1; i++) {
        const double around =
            here[i - 1] + here[i + 1] + here[i - row] + here[i + row] + here[i - plane] + here[i + plane];
        next[i] = here[i] + stencil_rate * (around - 6 * here[i]);
    }
}

typedef void stencil_sweep(const struct stencil *s);

static inline double stencil_wave(const struct stencil *s, size_t i, size_t j, size_t k)
{
    const double pi = 3.14159265358979323846;
    return sin(pi * (double)(i + 1) / (double)(s->nx + 1)) * sin(pi * (double)(j + 1) / (double)(s->ny + 1)) *
           sin(pi * (double)(k + 1) / (double)(s->nz + 1));
}

/* Damping factor of the wave in one step. */
static inline double stencil_lambda(const struct stencil *s)
{
    const double quarter = 3.14159265358979323846 / 2;
    const double x = sin(quarter / (double)(s->nx + 1)), y = sin(quarter / (double)(s->ny + 1)),
                 z = sin(quarter / (double)(s->nz + 1));
    return 1 - 4 * stencil_rate * (x * x + y * y + z * z);
}

static inline void stencil_begin(struct stencil *s)
{
    for (size_t k = 0; k < s->nz; k++)
        for (size_t j = 0; j < s->ny; j++)
            for (size_t i = 0; i < s->nx; i++)
                s->u[stencil_at(s, i, j, k)] = stencil_wave(s, i, j, k);
}

static inline double stencil_error(const struct stencil *s, size_t steps)
{
    const double left = pow(stencil_lambda(s), (double)steps);
    double worst = 0;
    for (size_t k = 0; k < s->nz; k++)
        for (size_t j = 0; j < s->ny; j++)
            for (size_t i = 0; i < s->nx; i++)
                worst = fmax(worst, fabs(s->u[stencil_at(s, i, j, k)] - left * stencil_wave(s, i, j, k)));
    return worst;
}

static inline double stencil_sum(const struct stencil *s)
{
    double sum = 0;
    for (size_t k = 0; k < s->nz; k++)
        for (size_t j = 0; j < s->ny; j++)
            for (size_t i = 0; i < s->nx; i++)
                sum += s->u[stencil_at(s, i, j, k)];
    return sum;
}

/* Both arrays are on one box; the layout describes ghosts and the padding of the rows, so that samples there
 * are counted separately and not in the picture. */
static inline void stencil_map(const struct stencil *s, smr_node *node, ndm_domain *box)
{
    const struct ndm_layout layout = {.order = NDM_X_FASTEST,
                                      .padded = {s->row, s->ny + 2, s->nz + 2},
                                      .ghost_low = {1, 1, 1},
                                      .ghost_high = {1, 1, 1}};
    if (node && box && ndm_map_grid(node, box, &layout) != LS_OK) example_refused(smr_node_label(node));
}

static inline smr_tree *stencil_describe(const struct stencil *s)
{
    smr_tree *tree = example_tree();
    smr_node *fields = example_group(tree, "temperature");
    const struct ndm_grid grid = {.label = "box", .dims = 3, .extents = {s->nx, s->ny, s->nz}};
    ndm_domain *box = NULL;
    if (ndm_domain_new_grid(&grid, &box) != LS_OK) example_refused("box");
    const size_t count = s->plane * (s->nz + 2);
    const struct example_array u = {"u", s->u, count, sizeof(double), 1},
                               next = {"next", s->next, count, sizeof(double), 1};
    stencil_map(s, example_range(tree, fields, &u), box);
    stencil_map(s, example_range(tree, fields, &next), box);
    return tree;
}

static inline void stencil_run(struct stencil *s, size_t steps, stencil_sweep *sweep)
{
    stencil_begin(s);
    smr_tree *tree = stencil_describe(s);
    loadstone_start(); /* with record --paused nothing before this is sampled */
    const double began = example_seconds();
    for (size_t t = 0; t < steps; t++) {
        loadstone_phase_begin("sweep");
        sweep(s);
        loadstone_phase_end("sweep");
        double *const swapped = s->u;
        s->u = s->next;
        s->next = swapped;
    }
    const double seconds = example_seconds() - began;
    loadstone_stop();
    printf("%zu x %zu x %zu, %zu steps: sum %.12e, largest error %.1e\n", s->nx, s->ny, s->nz, steps,
           stencil_sum(s), stencil_error(s, steps));
    printf("%.4f s a step, %.1f million cells a second\n", seconds / (double)steps,
           1e-6 * (double)(s->nx * s->ny * s->nz * steps) / seconds);
    smr_tree_free(tree);
}

static inline int stencil_main(int argc, char **argv, stencil_sweep *sweep)
{
    struct stencil s = {.nx = example_argument(argc, argv, 1, 768, 4096),
                        .ny = example_argument(argc, argv, 2, 768, 4096),
                        .nz = example_argument(argc, argv, 3, 32, 4096)};
    const size_t steps = example_argument(argc, argv, 4, 10, 1000000);
    if (s.nx == 0 || s.ny == 0 || s.nz == 0 || steps == 0) {
        fprintf(stderr, "usage: %s [NX [NY [NZ [STEPS]]]]   each extent from 1 to 4096\n", argv[0]);
        return 2;
    }
    s.row = (s.nx + 2 + 7) / 8 * 8; /* whole cache lines */
    s.plane = s.row * (s.ny + 2);
    s.u = example_allocate(s.plane * (s.nz + 2), sizeof(double));
    s.next = example_allocate(s.plane * (s.nz + 2), sizeof(double));
    stencil_run(&s, steps, sweep);
    free(s.u);
    free(s.next);
    return 0;
}

#endif
