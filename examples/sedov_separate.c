/* SPDX-License-Identifier: BSD-3-Clause */
/* The step of the explosion as one writes it down first: a loop for each quantity, and an array for each
 * result, on a mesh whose inner part is numbered at random.
 *
 * usage: sedov_separate [N [ORDER [STEPS]]]     (default 48 mixed, until time 0.5)
 * build: cc -O2 -g -fopenmp sedov_separate.c sedov_[gmn]*.c $(pkg-config --cflags --libs loadstone) -lm
 * record: loadstone record -- ./sedov_separate 64 mixed 40 && loadstone report */
#include "sedov_element.h"

const enum sedov_order sedov_default_order = SEDOV_MIXED;

struct sedov_scratch {
    vec3 *area, *push, *damp;      /* per corner: dV/dx, force of pressure, force against hourglasses */
    vec3 *x_half, *force, *v_mean; /* of nodes */
    double *e_half, *p_half, *volume_half; /* of elements */
};

struct sedov_scratch *sedov_scratch_new(const struct sedov *s)
{
    const size_t elements = s->mesh.elements, corners = CORNERS * elements, nodes = s->mesh.nodes;
    struct sedov_scratch *w = example_allocate(1, sizeof(*w));
    w->area = example_allocate(corners, sizeof(vec3));
    w->push = example_allocate(corners, sizeof(vec3));
    w->damp = example_allocate(corners, sizeof(vec3));
    w->x_half = example_allocate(nodes, sizeof(vec3));
    w->force = example_allocate(nodes, sizeof(vec3));
    w->v_mean = example_allocate(nodes, sizeof(vec3));
    w->e_half = example_allocate(elements, sizeof(double));
    w->p_half = example_allocate(elements, sizeof(double));
    w->volume_half = example_allocate(elements, sizeof(double));
    return w;
}

void sedov_scratch_free(struct sedov_scratch *w)
{
    void *const arrays[] = {w->area,   w->push,   w->damp,   w->x_half,      w->force,
                            w->v_mean, w->e_half, w->p_half, w->volume_half, w};
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
        free(arrays[i]);
}

void sedov_scratch_describe(const struct sedov_scratch *w, const struct sedov_names *names)
{
    const struct sedov_array arrays[] = {
        {"corner area", w->area, sizeof(double), 3, SEDOV_CORNERS},
        {"corner push", w->push, sizeof(double), 3, SEDOV_CORNERS},
        {"corner damping", w->damp, sizeof(double), 3, SEDOV_CORNERS},
        {"half position", w->x_half, sizeof(double), 3, SEDOV_NODES},
        {"node force", w->force, sizeof(double), 3, SEDOV_NODES},
        {"mean velocity", w->v_mean, sizeof(double), 3, SEDOV_NODES},
        {"half energy", w->e_half, sizeof(double), 1, SEDOV_ELEMENTS},
        {"half pressure", w->p_half, sizeof(double), 1, SEDOV_ELEMENTS},
        {"half volume", w->volume_half, sizeof(double), 1, SEDOV_ELEMENTS},
    };
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
        sedov_name(names, names->temporary, &arrays[i]);
}

static void find_areas(const struct sedov_mesh *m, const vec3 *at, vec3 *area, double *volume)
{
#pragma omp parallel for
    for (size_t z = 0; z < m->elements; z++) {
        vec3 x[CORNERS];
        sedov_gather(at, m->node_of[z], x);
        volume[z] = sedov_geometry(x, area + CORNERS * z);
    }
}

static void push_corners(const struct sedov *s, const double *p, struct sedov_scratch *w)
{
#pragma omp parallel for
    for (size_t z = 0; z < s->mesh.elements; z++)
        for (size_t c = CORNERS * z; c < CORNERS * (z + 1); c++)
            for (int d = 0; d < 3; d++)
                w->push[c][d] = (p[z] + s->q[z]) * w->area[c][d];
}

static void damp_corners(const struct sedov *s, struct sedov_scratch *w)
{
#pragma omp parallel for
    for (size_t z = 0; z < s->mesh.elements; z++) {
        const double strength = sedov_hourglass_strength(s->cs[z], s->mass[z], s->volume[z]);
        vec3 x[CORNERS], v[CORNERS], *damp = w->damp + CORNERS * z;
        sedov_gather(s->x, s->mesh.node_of[z], x);
        sedov_gather(s->v, s->mesh.node_of[z], v);
        memset(damp, 0, CORNERS * sizeof(vec3));
        sedov_resist_hourglass(x, v, w->area + CORNERS * z, s->volume[z], strength, damp);
    }
}

/* Energy after dt in which the nodes move with v: the element loses the energy that the corners gain. */
static void work(const struct sedov *s, const struct sedov_scratch *w, const vec3 *v, double dt, double *e)
{
#pragma omp parallel for
    for (size_t z = 0; z < s->mesh.elements; z++) {
        double power = 0;
        for (int c = 0; c < CORNERS; c++) {
            const double *push = w->push[CORNERS * z + (size_t)c], *damp = w->damp[CORNERS * z + (size_t)c];
            const vec3 force = {push[0] + damp[0], push[1] + damp[1], push[2] + damp[2]};
            power += sedov_dot(force, v[s->mesh.node_of[z][c]]);
        }
        e[z] = s->e[z] - dt * power / s->mass[z];
    }
}

static void move(const struct sedov *s, const vec3 *v, double dt, vec3 *out)
{
#pragma omp parallel for
    for (size_t p = 0; p < s->mesh.nodes; p++)
        for (int d = 0; d < 3; d++)
            out[p][d] = s->x[p][d] + dt * v[p][d];
}

static void find_half_pressure(const struct sedov *s, struct sedov_scratch *w)
{
#pragma omp parallel for
    for (size_t z = 0; z < s->mesh.elements; z++) {
        double cs;
        w->p_half[z] = sedov_gas(s->gamma, s->mass[z] / w->volume_half[z], w->e_half[z], &cs);
    }
}

static void sum_forces(const struct sedov_mesh *m, struct sedov_scratch *w)
{
#pragma omp parallel for
    for (size_t p = 0; p < m->nodes; p++) {
        vec3 sum = {0, 0, 0};
        for (int32_t k = m->first[p]; k < m->first[p + 1]; k++)
            for (int d = 0; d < 3; d++)
                sum[d] += w->push[m->corner[k]][d] + w->damp[m->corner[k]][d];
        memcpy(w->force[p], sum, sizeof(sum));
    }
}

/* A node on a plane of symmetry, where its coordinate is 0, stays on it. */
static void accelerate(struct sedov *s, struct sedov_scratch *w)
{
#pragma omp parallel for
    for (size_t p = 0; p < s->mesh.nodes; p++)
        for (int d = 0; d < 3; d++) {
            const double gain = s->x[p][d] > 0 ? s->dt * w->force[p][d] / s->node_mass[p] : 0;
            w->v_mean[p][d] = s->v[p][d] + 0.5 * gain;
            s->v[p][d] += gain;
        }
}

static void find_pressure(struct sedov *s)
{
#pragma omp parallel for
    for (size_t z = 0; z < s->mesh.elements; z++)
        s->p[z] = sedov_gas(s->gamma, s->mass[z] / s->volume[z], s->e[z], &s->cs[z]);
}

static void find_viscosity(struct sedov *s, const struct sedov_scratch *w)
{
#pragma omp parallel for
    for (size_t z = 0; z < s->mesh.elements; z++) {
        vec3 x[CORNERS], v[CORNERS];
        sedov_gather(s->x, s->mesh.node_of[z], x);
        sedov_gather(s->v, s->mesh.node_of[z], v);
        const double rate = sedov_volume_rate(w->area + CORNERS * z, v) / s->volume[z];
        const double length = sedov_length(x, s->volume[z]), density = s->mass[z] / s->volume[z];
        s->q[z] = sedov_viscosity(density, s->cs[z], length, rate);
        s->limit[z] = sedov_limit(density, s->cs[z], s->q[z], length, rate);
    }
}

void sedov_step(struct sedov *s, struct sedov_scratch *w)
{
    loadstone_phase_begin("predict");
    find_areas(&s->mesh, s->x, w->area, s->volume);
    push_corners(s, s->p, w);
    damp_corners(s, w);
    work(s, w, s->v, 0.5 * s->dt, w->e_half);
    move(s, s->v, 0.5 * s->dt, w->x_half);
    find_areas(&s->mesh, w->x_half, w->area, w->volume_half);
    find_half_pressure(s, w);
    push_corners(s, w->p_half, w);
    loadstone_phase_end("predict");

    loadstone_phase_begin("move");
    sum_forces(&s->mesh, w);
    accelerate(s, w);
    move(s, w->v_mean, s->dt, s->x);
    loadstone_phase_end("move");

    loadstone_phase_begin("energy");
    work(s, w, w->v_mean, s->dt, s->e);
    find_areas(&s->mesh, s->x, w->area, s->volume);
    find_pressure(s);
    find_viscosity(s, w);
    loadstone_phase_end("energy");
}
