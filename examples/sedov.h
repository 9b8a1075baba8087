/* SPDX-License-Identifier: BSD-3-Clause */
/* A point explosion in a cold ideal gas (Sedov 1946), on an unstructured mesh of hexahedra.
 *
 * Lagrangian hydrodynamics on a staggered grid: nodes carry position, velocity and mass, elements carry mass,
 * energy, pressure and density, and the mesh moves with the gas. The scheme is the compatible one of
 * Caramana, Burton, Shashkov and Whalen (J. Comput. Phys. 146, 1998): each element pushes each of its eight
 * nodes with a corner force, and its energy falls by exactly the work of these forces, so that total energy
 * is conserved to rounding. A step is a predictor to the half time and a corrector. The forces:
 *
 * - Pressure and viscosity, (p + q) dV/dx; q after von Neumann and Richtmyer (1950), with Landshoff's linear
 *   term.
 * - Hourglass control, viscous and orthogonal to linear fields, after Flanagan and Belytschko (1981).
 *
 * One octant is computed, with planes of symmetry at x = 0, y = 0 and z = 0.
 *
 * Two programs share everything but their step: sedov_separate.c has a loop and an array for each quantity,
 * sedov_fused.c computes them where they are used and numbers the mesh along a curve. */
#ifndef SEDOV_H
#define SEDOV_H

#include "example.h"

#include <stdint.h>

enum { CORNERS = 8 };
typedef double vec3[3];
typedef int32_t corners_of[CORNERS];

/* How nodes and elements are numbered. */
enum sedov_order {
    SEDOV_LATTICE, /* along x, then y, then z */
    SEDOV_MIXED,   /* as SEDOV_LATTICE, but the half cube around the explosion is in random order, as a mesh
                      generator that inserts points at random leaves it */
    SEDOV_RANDOM,  /* all of it in random order */
    SEDOV_CURVE    /* SEDOV_MIXED, renumbered along a Z curve through the elements' centres */
};

struct sedov_mesh {
    size_t n; /* elements along an edge of the cube */
    double edge;
    size_t elements, nodes;
    corners_of *node_of; /* the nodes of each element, in VTK's order of a hexahedron */
    vec3 *x0;            /* where nodes begin */
    int32_t
        *lattice; /* i + n (j + n k) of each element: for initial values and tests, not for the solution */
    /* The inverse: corner c = 8 element + its number in the element; the corners of node p are
     * corner[first[p]] ... */
    int32_t *first, *corner;
};
/* edge: length of the cube; n^3 elements. Exits without memory. */
void sedov_mesh_build(struct sedov_mesh *m, size_t n, double edge, enum sedov_order order);
void sedov_mesh_free(struct sedov_mesh *m);

/* Arrays that live for the whole run. */
struct sedov {
    struct sedov_mesh mesh;
    double gamma, blast_energy;
    double time, dt;
    size_t steps;
    vec3 *x, *v;                        /* of nodes */
    double *node_mass;                  /* of nodes */
    double *mass, *volume, *e, *p, *cs; /* per element; e by mass, cs the speed of sound */
    double *q;                          /* per element: artificial viscosity, a pressure */
    double *limit;                      /* per element: the longest time step that each allows */
};

/* Temporary arrays of a step; each program has different ones and names them itself. */
struct sedov_scratch;
struct sedov_names;
struct sedov_scratch *sedov_scratch_new(const struct sedov *s);
void sedov_scratch_free(struct sedov_scratch *w);
void sedov_scratch_describe(const struct sedov_scratch *w, const struct sedov_names *names);
/* One step of s->dt. */
void sedov_step(struct sedov *s, struct sedov_scratch *w);
extern const enum sedov_order sedov_default_order;

/* Density 1, no velocity, all of the energy in the element at the origin. */
void sedov_init(struct sedov *s, size_t n, enum sedov_order order);
void sedov_fini(struct sedov *s);
/* The next time step, by the Courant condition, at most 1.2 times the last one. */
void sedov_choose_dt(struct sedov *s, double end_time);

/* Names and places: groups persistent and temporary, arrays on the elements or the nodes of the mesh. */
enum sedov_place { SEDOV_ELEMENTS, SEDOV_CORNERS, SEDOV_NODES };
struct sedov_names {
    smr_tree *tree;
    smr_node *persistent, *temporary;
    ndm_domain *domain;
    const struct sedov_mesh *mesh;
};
struct sedov_names sedov_describe(const struct sedov *s);
/* An array with dims values of size_bytes each for every element, corner or node. */
struct sedov_array {
    const char *label;
    const void *start;
    size_t size_bytes, dims;
    enum sedov_place place;
};
void sedov_name(const struct sedov_names *names, smr_node *group, const struct sedov_array *array);

/* Values that the test checks. */
struct sedov_result {
    double internal_energy, kinetic_energy;
    double asymmetry;    /* largest difference of pressure between elements that are mirror images, by the
                            largest pressure */
    double shock_radius; /* where the mean density of spherical shells is largest */
    double sedov_radius; /* where the similarity solution has it */
    double checksum;     /* does not depend on the numbering but by rounding */
};
struct sedov_result sedov_examine(const struct sedov *s);

#endif
