/* SPDX-License-Identifier: BSD-3-Clause */
/* The step of the explosion in three loops: values that are needed once are computed where they are used and never
 * stored, and the mesh is numbered along a curve, so that neighbours are close in memory. The results equal
 * those in sedov_separate.c.
 *
 * usage: sedov_fused [N [ORDER [STEPS]]]        (default 48 curve, until time 0.5)
 * build: cc -O2 -g -fopenmp sedov_fused.c sedov_[gmn]*.c $(pkg-config --cflags --libs loadstone) -lm
 * record: loadstone record -- ./sedov_fused 64 curve 40 && loadstone report */
#include "sedov_element.h"

const enum sedov_order sedov_default_order = SEDOV_CURVE;

struct sedov_scratch {
    vec3 *force;  /* of corners */
    vec3 *v_mean; /* of nodes */
};

struct sedov_scratch *sedov_scratch_new(const struct sedov *s)
{
    struct sedov_scratch *w = example_allocate(1, sizeof(*w));
    w->force = example_allocate(CORNERS * s->mesh.elements, sizeof(vec3));
    w->v_mean = example_allocate(s->mesh.nodes, sizeof(vec3));
    return w;
}

void sedov_scratch_free(struct sedov_scratch *w)
{
    free(w->force);
    free(w->v_mean);
    free(w);
}

void sedov_scratch_describe(const struct sedov_scratch *w, const struct sedov_names *names)
{
    const struct sedov_array force = {"corner force", w->force, sizeof(double), 3, SEDOV_CORNERS},
                             v_mean = {"mean velocity", w->v_mean, sizeof(double), 3, SEDOV_NODES};
    sedov_name(names, names->temporary, &force);
    sedov_name(names, names->temporary, &v_mean);
}

static void push_by(double pressure, const vec3 area[CORNERS], vec3 force[CORNERS])
{
    for (int c = 0; c < CORNERS; c++)
        for (int d = 0; d < 3; d++)
            force[c][d] += pressure * area[c][d];
}

/* Pressure at the half time: the forces of now work for half a step. damp is left with the hourglass forces,
 * area with dV/dx at the half time. */
static double predict_pressure(const struct sedov *s, size_t z, vec3 damp[CORNERS], vec3 area[CORNERS])
{
    vec3 x[CORNERS], v[CORNERS], force[CORNERS];
    sedov_gather(s->x, s->mesh.node_of[z], x);
    sedov_gather(s->v, s->mesh.node_of[z], v);
    sedov_geometry(x, area);
    memset(damp, 0, CORNERS * sizeof(vec3));
    sedov_resist_hourglass(x, v, area, s->volume[z],
                           sedov_hourglass_strength(s->cs[z], s->mass[z], s->volume[z]), damp);
    memcpy(force, damp, sizeof(force));
    push_by(s->p[z] + s->q[z], area, force);
    double power = 0;
    for (int c = 0; c < CORNERS; c++) {
        power += sedov_dot(force[c], v[c]);
        for (int d = 0; d < 3; d++)
            x[c][d] += 0.5 * s->dt * v[c][d];
    }
    const double volume = sedov_geometry(x, area);
    double cs;
    return sedov_gas(s->gamma, s->mass[z] / volume, s->e[z] - 0.5 * s->dt * power / s->mass[z], &cs);
}

static void find_forces(const struct sedov *s, struct sedov_scratch *w)
{
#pragma omp parallel for
    for (size_t z = 0; z < s->mesh.elements; z++) {
        vec3 force[CORNERS], area[CORNERS];
        const double pressure = predict_pressure(s, z, force, area) + s->q[z];
        push_by(pressure, area, force);
        memcpy(w->force + CORNERS * z, force, sizeof(force));
    }
}

/* A node on a plane of symmetry, where its coordinate is 0, stays on it. */
static void move(struct sedov *s, struct sedov_scratch *w)
{
    const struct sedov_mesh *m = &s->mesh;
#pragma omp parallel for
    for (size_t p = 0; p < m->nodes; p++) {
        vec3 sum = {0, 0, 0};
        for (int32_t k = m->first[p]; k < m->first[p + 1]; k++)
            for (int d = 0; d < 3; d++)
                sum[d] += w->force[m->corner[k]][d];
        for (int d = 0; d < 3; d++) {
            const double gain = s->x[p][d] > 0 ? s->dt * sum[d] / s->node_mass[p] : 0;
            w->v_mean[p][d] = s->v[p][d] + 0.5 * gain;
            s->v[p][d] += gain;
            s->x[p][d] += s->dt * w->v_mean[p][d];
        }
    }
}

static void find_state(struct sedov *s, const struct sedov_scratch *w, size_t z)
{
    vec3 x[CORNERS], v[CORNERS], area[CORNERS];
    double power = 0;
    for (int c = 0; c < CORNERS; c++)
        power += sedov_dot(w->force[CORNERS * z + (size_t)c], w->v_mean[s->mesh.node_of[z][c]]);
    s->e[z] -= s->dt * power / s->mass[z];
    sedov_gather(s->x, s->mesh.node_of[z], x);
    sedov_gather(s->v, s->mesh.node_of[z], v);
    s->volume[z] = sedov_geometry(x, area);
    const double density = s->mass[z] / s->volume[z], length = sedov_length(x, s->volume[z]);
    const double rate = sedov_volume_rate(area, v) / s->volume[z];
    s->p[z] = sedov_gas(s->gamma, density, s->e[z], &s->cs[z]);
    s->q[z] = sedov_viscosity(density, s->cs[z], length, rate);
    s->limit[z] = sedov_limit(density, s->cs[z], s->q[z], length, rate);
}

void sedov_step(struct sedov *s, struct sedov_scratch *w)
{
    loadstone_phase_begin("forces");
    find_forces(s, w);
    loadstone_phase_end("forces");
    loadstone_phase_begin("move");
    move(s, w);
    loadstone_phase_end("move");
    loadstone_phase_begin("energy");
#pragma omp parallel for
    for (size_t z = 0; z < s->mesh.elements; z++)
        find_state(s, w, z);
    loadstone_phase_end("energy");
}
