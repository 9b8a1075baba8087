/* SPDX-License-Identifier: BSD-3-Clause */
/* Particles in linked cells, one struct for all that belongs to a particle. The search for neighbours, which takes
 * nearly all of the time, needs two of its members, in two cache lines.
 *
 * usage: particles_whole [PARTICLES [STEPS]]        (default 200000 5)
 * build: cc -O2 -g particles_whole.c $(pkg-config --cflags --libs loadstone) -lm
 * record: loadstone record -- ./particles_whole && loadstone report --layout particle */
#include <loadstone/loadstone.h>

struct particle {
    double r[3], v[3], f[3];
    double mass, charge, radius, heat, spin[3];
    int id, kind;
    int next; /* the next particle of its cell; -1: none */
    int age;
    double work;
};

struct particles {
    struct particle *rows;
};

#include "particles.h"

static void particles_new(struct particles *all, size_t count, smr_tree *tree)
{
    all->rows = example_allocate(count, sizeof(struct particle));
    const struct example_array rows = {"particles", all->rows, count, sizeof(struct particle), 1};
    example_range(tree, NULL, &rows);
}

static void particles_free(struct particles *all)
{
    free(all->rows);
}

static inline double *position(const struct particles *all, int i)
{
    return all->rows[i].r;
}

static inline int *next(const struct particles *all, int i)
{
    return &all->rows[i].next;
}

static inline double *velocity(const struct particles *all, int i)
{
    return all->rows[i].v;
}

static inline double *force(const struct particles *all, int i)
{
    return all->rows[i].f;
}

static inline double *mass(const struct particles *all, int i)
{
    return &all->rows[i].mass;
}
