/* SPDX-License-Identifier: BSD-3-Clause */
/* Soft spheres in a box, sorted into linked cells: a cell has its first particle, and each particle the next one of
 * its cell. Particles are numbered at random, as after many steps in which they moved. particles_*.c include this
 * file and bring the memory of a particle; the result is the same to the last bit.
 *
 * Two particles closer than 1 repel each other with the force 1 - distance. Without friction their energy and
 * momentum stay, which the program prints. */
#ifndef PARTICLES_H
#define PARTICLES_H

#include "example.h"

#include <math.h>
#include <stdint.h>

/* From the program: memory for count particles, named in the tree; and the parts of particle i. */
static void particles_new(struct particles *all, size_t count, smr_tree *tree);
static void particles_free(struct particles *all);
static inline double *position(const struct particles *all, int i);
static inline int *next(const struct particles *all, int i); /* -1: none */
static inline double *velocity(const struct particles *all, int i);
static inline double *force(const struct particles *all, int i);
static inline double *mass(const struct particles *all, int i);

struct box {
    struct particles all;
    int count, side; /* cells along an edge, each of length 1 */
    int *first;      /* by cell; -1: empty */
};

static inline double box_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

static inline int box_cell_along(const struct box *b, double x)
{
    return x < 0 ? 0 : x >= b->side ? b->side - 1 : (int)x;
}

static inline void box_fill(struct box *b)
{
    uint64_t state = 1;
    for (int i = 0; i < b->count; i++) {
        for (int d = 0; d < 3; d++)
            position(&b->all, i)[d] = box_random(&state) * b->side;
        *mass(&b->all, i) = 1 + box_random(&state);
    }
}

/* Link the particles of each cell. */
static inline void box_sort(struct box *b)
{
    for (int c = 0; c < b->side * b->side * b->side; c++)
        b->first[c] = -1;
    for (int i = 0; i < b->count; i++) {
        const double *r = position(&b->all, i);
        const int c =
            (box_cell_along(b, r[2]) * b->side + box_cell_along(b, r[1])) * b->side + box_cell_along(b, r[0]);
        *next(&b->all, i) = b->first[c];
        b->first[c] = i;
    }
}

/* Add the force of the particles of a list on the place r; return their energy. */
static inline double box_add(const struct box *b, int list, const double *r, double *sum)
{
    double energy = 0;
    for (int j = list; j >= 0; j = *next(&b->all, j)) {
        const double *q = position(&b->all, j);
        const double x = r[0] - q[0], y = r[1] - q[1], z = r[2] - q[2];
        const double square = x * x + y * y + z * z;
        if (square >= 1 || square == 0) continue;
        const double distance = sqrt(square), push = (1 - distance) / distance;
        sum[0] += push * x;
        sum[1] += push * y;
        sum[2] += push * z;
        energy += (1 - distance) * (1 - distance);
    }
    return energy;
}

/* Compute the forces on all particles of a cell by the neighbours around. */
static inline double box_cell_forces(const struct box *b, int cx, int cy, int cz)
{
    const int s = b->side;
    double energy = 0;
    for (int i = b->first[(cz * s + cy) * s + cx]; i >= 0; i = *next(&b->all, i)) {
        const double r[3] = {position(&b->all, i)[0], position(&b->all, i)[1], position(&b->all, i)[2]};
        double sum[3] = {0, 0, 0};
        for (int z = cz ? cz - 1 : 0; z <= cz + 1 && z < s; z++)
            for (int y = cy ? cy - 1 : 0; y <= cy + 1 && y < s; y++)
                for (int x = cx ? cx - 1 : 0; x <= cx + 1 && x < s; x++)
                    energy += box_add(b, b->first[(z * s + y) * s + x], r, sum);
        for (int d = 0; d < 3; d++)
            force(&b->all, i)[d] = sum[d];
    }
    return energy;
}

/* Return the energy of the repulsion; each pair is counted from both sides. */
static inline double box_forces(const struct box *b)
{
    double energy = 0;
    for (int z = 0; z < b->side; z++)
        for (int y = 0; y < b->side; y++)
            for (int x = 0; x < b->side; x++)
                energy += box_cell_forces(b, x, y, z);
    return energy / 4;
}

/* Return the energy of the motion. */
static inline double box_move(const struct box *b, double time)
{
    double energy = 0;
    for (int i = 0; i < b->count; i++) {
        double *r = position(&b->all, i), *v = velocity(&b->all, i);
        const double *f = force(&b->all, i), m = *mass(&b->all, i);
        for (int d = 0; d < 3; d++) {
            v[d] += time * f[d] / m;
            r[d] += time * v[d];
            energy += m * v[d] * v[d] / 2;
        }
    }
    return energy;
}

static inline void box_run(struct box *b, size_t steps)
{
    double pushed = 0, moved = 0, momentum = 0;
    loadstone_start(); /* with record --paused nothing before this is sampled */
    const double began = example_seconds();
    for (size_t t = 0; t < steps; t++) {
        box_sort(b);
        pushed = box_forces(b);
        moved = box_move(b, 0.01);
    }
    const double seconds = example_seconds() - began;
    loadstone_stop();
    for (int i = 0; i < b->count; i++)
        momentum += *mass(&b->all, i) * velocity(&b->all, i)[0];
    printf("%d particles, %zu steps: energy %.12e, momentum %.1e\n", b->count, steps, pushed + moved,
           momentum);
    printf("%.4f s a step, %.0f ns a particle\n", seconds / (double)steps,
           1e9 * seconds / (double)steps / b->count);
}

/* Three particles a cell. */
int main(int argc, char **argv)
{
    const size_t count = example_argument(argc, argv, 1, 200000, 100000000),
                 steps = example_argument(argc, argv, 2, 5, 1000000);
    if (count == 0 || steps == 0) {
        fprintf(stderr, "usage: %s [PARTICLES [STEPS]]\n", argv[0]);
        return 2;
    }
    smr_tree *tree = example_tree();
    struct box b = {.count = (int)count, .side = (int)cbrt((double)count / 3) + 1};
    const size_t cells = (size_t)b.side * (size_t)b.side * (size_t)b.side;
    particles_new(&b.all, count, tree);
    b.first = example_allocate(cells, sizeof(*b.first));
    const struct example_array first = {"first", b.first, cells, sizeof(*b.first), 1};
    example_range(tree, NULL, &first);
    box_fill(&b);
    box_run(&b, steps);
    particles_free(&b.all);
    free(b.first);
    smr_tree_free(tree);
    return 0;
}

#endif
