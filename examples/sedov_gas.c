/* SPDX-License-Identifier: BSD-3-Clause */
/* The gas: initial state, length of a step, and results. */
#include "sedov_element.h"

static double *of_elements(const struct sedov *s)
{
    return example_allocate(s->mesh.elements, sizeof(double));
}

/* Set the initial state: no viscosity, and only the element that holds the energy limits the time step. */
static void begin_element(struct sedov *s, size_t z)
{
    const double cube = s->mesh.edge / (double)s->mesh.n;
    s->volume[z] = cube * cube * cube;
    s->mass[z] = s->volume[z]; /* density 1 */
    s->e[z] = s->mesh.lattice[z] == 0 ? s->blast_energy / s->mass[z] : 0;
    s->p[z] = sedov_gas(s->gamma, 1, s->e[z], &s->cs[z]);
    s->limit[z] = sedov_limit(1, s->cs[z], 0, cube, 0);
    for (int c = 0; c < CORNERS; c++)
        s->node_mass[s->mesh.node_of[z][c]] += s->mass[z] / CORNERS;
}

void sedov_init(struct sedov *s, size_t n, enum sedov_order order)
{
    /* The energy of an octant: the shock is at radius 1 at time 1. */
    *s = (struct sedov){.gamma = 1.4, .blast_energy = 0.851072 / 8};
    sedov_mesh_build(&s->mesh, n, 1.0, order);
    s->x = example_allocate(s->mesh.nodes, sizeof(*s->x));
    s->v = example_allocate(s->mesh.nodes, sizeof(*s->v));
    s->node_mass = example_allocate(s->mesh.nodes, sizeof(double));
    s->mass = of_elements(s);
    s->volume = of_elements(s);
    s->e = of_elements(s);
    s->p = of_elements(s);
    s->cs = of_elements(s);
    s->q = of_elements(s);
    s->limit = of_elements(s);
    memcpy(s->x, s->mesh.x0, s->mesh.nodes * sizeof(*s->x));
    for (size_t z = 0; z < s->mesh.elements; z++)
        begin_element(s, z);
}

void sedov_fini(struct sedov *s)
{
    double *const arrays[] = {s->node_mass, s->mass, s->volume, s->e, s->p, s->cs, s->q, s->limit};
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
        free(arrays[i]);
    free(s->x);
    free(s->v);
    sedov_mesh_free(&s->mesh);
}

void sedov_choose_dt(struct sedov *s, double end_time)
{
    const double courant = 0.3, growth = 1.2;
    double shortest = s->limit[0];
#pragma omp parallel for reduction(min : shortest)
    for (size_t z = 0; z < s->mesh.elements; z++)
        shortest = fmin(shortest, s->limit[z]);
    const double longest = s->steps ? growth * s->dt : 0.1 * courant * shortest;
    s->dt = fmin(fmin(courant * shortest, longest), end_time - s->time);
}

static double centre_radius(const struct sedov *s, size_t z)
{
    vec3 centre = {0, 0, 0};
    for (int c = 0; c < CORNERS; c++)
        for (int d = 0; d < 3; d++)
            centre[d] += s->x[s->mesh.node_of[z][c]][d] / CORNERS;
    return sqrt(sedov_dot(centre, centre));
}

/* Elements whose lattice indices are permutations of each other have the same pressure. */
static double asymmetry(const struct sedov *s)
{
    const size_t n = s->mesh.n;
    double *at = example_allocate(s->mesh.elements, sizeof(*at)), largest = 0, worst = 0;
    for (size_t z = 0; z < s->mesh.elements; z++) {
        at[s->mesh.lattice[z]] = s->p[z];
        largest = fmax(largest, s->p[z]);
    }
    for (size_t k = 0; k < n; k++)
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i < n; i++) {
                const double p = at[i + n * (j + n * k)];
                worst = fmax(worst, fabs(p - at[j + n * (i + n * k)]));
                worst = fmax(worst, fabs(p - at[i + n * (k + n * j)]));
            }
    free(at);
    return worst / largest;
}

/* The top of a parabola through a value and its neighbours, as a distance from the one in the middle. */
static double peak_offset(double left, double middle, double right)
{
    const double curvature = left - 2 * middle + right;
    return curvature < 0 ? 0.5 * (left - right) / curvature : 0;
}

static double shock_radius(const struct sedov *s)
{
    enum { MOST = 4096 };
    static double mass[MOST], volume[MOST];
    const size_t shells = s->mesh.n < MOST ? s->mesh.n : MOST;
    memset(mass, 0, sizeof(mass));
    memset(volume, 0, sizeof(volume));
    for (size_t z = 0; z < s->mesh.elements; z++) {
        const size_t shell = (size_t)(centre_radius(s, z) / s->mesh.edge * (double)shells);
        if (shell >= shells) continue; /* in the corners of the cube */
        mass[shell] += s->mass[z];
        volume[shell] += s->volume[z];
    }
    size_t top = 1;
    for (size_t i = 0; i < shells; i++) {
        mass[i] = volume[i] > 0 ? mass[i] / volume[i] : 0; /* now a density */
        if (i > 0 && i + 1 < shells && mass[i] > mass[top]) top = i;
    }
    const double offset = peak_offset(mass[top - 1], mass[top], mass[top + 1]);
    return ((double)top + 0.5 + offset) * s->mesh.edge / (double)shells;
}

struct sedov_result sedov_examine(const struct sedov *s)
{
    struct sedov_result r = {.asymmetry = asymmetry(s), .shock_radius = shock_radius(s)};
    for (size_t z = 0; z < s->mesh.elements; z++) {
        const double radius = centre_radius(s, z), energy = s->mass[z] * s->e[z];
        r.internal_energy += energy;
        r.checksum += energy * radius * radius;
    }
    for (size_t p = 0; p < s->mesh.nodes; p++)
        r.kinetic_energy += 0.5 * s->node_mass[p] * sedov_dot(s->v[p], s->v[p]);
    /* Kamm and Timmes 2007, table 1: for gamma = 1.4 an energy of 0.851072 gives radius 1 at time 1 */
    r.sedov_radius = pow(8 * s->blast_energy / 0.851072 * s->time * s->time, 0.2);
    return r;
}
