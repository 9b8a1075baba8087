/* SPDX-License-Identifier: BSD-3-Clause */
/* Particles in linked cells, after the split that report --layout proposes: the members that the search for
 * neighbours needs are in one array, all others in a second one with the same index.
 *
 * usage: particles_split [PARTICLES [STEPS]]        (default 200000 5)
 * build: cc -O2 -g particles_split.c $(pkg-config --cflags --libs loadstone) -lm
 * record: loadstone record -- ./particles_split && loadstone report --layout place */
#include <loadstone/loadstone.h>

struct place {
    double r[3];
    int next; /* the next particle of its cell; -1: none */
};

struct rest {
    double v[3], f[3];
    double mass, charge, radius, heat, spin[3];
    int id, kind, age;
    double work;
};

struct particles {
    struct place *places;
    struct rest *rests;
};

#include "particles.h"

static void particles_new(struct particles *all, size_t count, smr_tree *tree)
{
    /* from the begin of a cache line on, so that no particle's place is in two of them */
    all->places = aligned_alloc(64, (count * sizeof(struct place) + 63) / 64 * 64);
    if (!all->places) {
        fprintf(stderr, "no memory for %zu particles\n", count);
        exit(1);
    }
    all->rests = example_allocate(count, sizeof(struct rest));
    const struct example_array places = {"places", all->places, count, sizeof(struct place), 1},
                               rests = {"rests", all->rests, count, sizeof(struct rest), 1};
    example_range(tree, NULL, &places);
    example_range(tree, NULL, &rests);
}

static void particles_free(struct particles *all)
{
    free(all->places);
    free(all->rests);
}

static inline double *position(const struct particles *all, int i)
{
    return all->places[i].r;
}

static inline int *next(const struct particles *all, int i)
{
    return &all->places[i].next;
}

static inline double *velocity(const struct particles *all, int i)
{
    return all->rests[i].v;
}

static inline double *force(const struct particles *all, int i)
{
    return all->rests[i].f;
}

static inline double *mass(const struct particles *all, int i)
{
    return &all->rests[i].mass;
}
