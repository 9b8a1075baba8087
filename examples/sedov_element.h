/* SPDX-License-Identifier: BSD-3-Clause */
/* One hexahedron: its volume, how that changes with each corner, and the forces on them. Nothing here knows
 * where an element comes from. */
#ifndef SEDOV_ELEMENT_H
#define SEDOV_ELEMENT_H

#include "sedov.h"

#include <math.h>
#include <string.h>

/* Corners of the faces, counter-clockwise seen from outside (VTK's numbering of a hexahedron). */
static const unsigned char sedov_face[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                               {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
/* Patterns of velocity that change no volume: Flanagan and Belytschko, table 1. */
static const signed char sedov_hourglass[4][CORNERS] = {{1, 1, -1, -1, -1, -1, 1, 1},
                                                        {1, -1, -1, 1, -1, 1, 1, -1},
                                                        {1, -1, 1, -1, 1, -1, 1, -1},
                                                        {-1, 1, -1, 1, 1, -1, 1, -1}};

static inline double sedov_dot(const vec3 a, const vec3 b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void sedov_cross(const vec3 a, const vec3 b, vec3 out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* Each face is bilinear; half of the four tetrahedra on the corners of a face and the origin is the volume
 * below it. area[c] = dV/dx of corner c: next x opposite + opposite x previous + next x previous, over 12,
 * summed over the faces at c. V is homogeneous of degree 3, so that it is a third of the sum of x . dV/dx. */
static inline double sedov_geometry(const vec3 x[CORNERS], vec3 area[CORNERS])
{
    memset(area, 0, CORNERS * sizeof(vec3));
    for (int f = 0; f < 6; f++)
        for (int i = 0; i < 4; i++) {
            const double *next = x[sedov_face[f][(i + 1) % 4]], *opposite = x[sedov_face[f][(i + 2) % 4]],
                         *previous = x[sedov_face[f][(i + 3) % 4]];
            const vec3 across = {next[0] - previous[0], next[1] - previous[1], next[2] - previous[2]};
            vec3 a, b;
            sedov_cross(across, opposite, a);
            sedov_cross(next, previous, b);
            for (int d = 0; d < 3; d++)
                area[sedov_face[f][i]][d] += (a[d] + b[d]) / 12;
        }
    double volume = 0;
    for (int c = 0; c < CORNERS; c++)
        volume += sedov_dot(x[c], area[c]) / 3;
    return volume;
}

/* Rate of change of the volume. */
static inline double sedov_volume_rate(const vec3 area[CORNERS], const vec3 v[CORNERS])
{
    double rate = 0;
    for (int c = 0; c < CORNERS; c++)
        rate += sedov_dot(area[c], v[c]);
    return rate;
}

/* The shortest way through: volume by the largest face. */
static inline double sedov_length(const vec3 x[CORNERS], double volume)
{
    double largest = 0;
    for (int f = 0; f < 6; f++) {
        const double *a = x[sedov_face[f][0]], *b = x[sedov_face[f][1]], *c = x[sedov_face[f][2]],
                     *d = x[sedov_face[f][3]];
        const vec3 ac = {c[0] - a[0], c[1] - a[1], c[2] - a[2]}, bd = {d[0] - b[0], d[1] - b[1], d[2] - b[2]};
        vec3 normal;
        sedov_cross(ac, bd, normal);
        largest = fmax(largest, sedov_dot(normal, normal));
    }
    return volume / (0.5 * sqrt(largest));
}

/* Artificial viscosity of a gas that is compressed at the relative rate -rate (1/s); none where it expands. */
static inline double sedov_viscosity(double density, double cs, double length, double rate)
{
    const double linear = 0.25, quadratic = 1.333;
    if (rate >= 0) return 0;
    const double jump = -rate * length;
    return density * jump * (quadratic * jump + linear * cs);
}

/* The time step that an element allows: sound and viscosity may not cross it, its volume may change by a
 * tenth. */
static inline double sedov_limit(double density, double cs, double q, double length, double rate)
{
    return fmin(length / sqrt(cs * cs + 8 * q / density + 1e-30), 0.1 / (fabs(rate) + 1e-30));
}

/* Damp the part of the eight velocities that is not linear. */
static inline void sedov_resist_hourglass(const vec3 x[CORNERS], const vec3 v[CORNERS],
                                          const vec3 area[CORNERS], double volume, double strength,
                                          vec3 force[CORNERS])
{
    for (int m = 0; m < 4; m++) {
        vec3 skew = {0, 0, 0}; /* the pattern's part along x, which is linear and must go */
        for (int c = 0; c < CORNERS; c++)
            for (int d = 0; d < 3; d++)
                skew[d] += sedov_hourglass[m][c] * x[c][d] / volume;
        double shape[CORNERS];
        vec3 amount = {0, 0, 0};
        for (int c = 0; c < CORNERS; c++) {
            shape[c] = sedov_hourglass[m][c] - sedov_dot(area[c], skew);
            for (int d = 0; d < 3; d++)
                amount[d] += shape[c] * v[c][d];
        }
        for (int c = 0; c < CORNERS; c++)
            for (int d = 0; d < 3; d++)
                force[c][d] -= strength * shape[c] * amount[d];
    }
}

/* Viscous damping: by speed of sound, mass and size. */
static inline double sedov_hourglass_strength(double cs, double mass, double volume)
{
    return 0.03 * cs * mass / cbrt(volume);
}

/* An ideal gas; returns the pressure. */
static inline double sedov_gas(double gamma, double density, double e, double *cs)
{
    const double p = (gamma - 1) * density * fmax(e, 0);
    *cs = sqrt(gamma * p / density);
    return p;
}

/* Copies of the values at the corners of an element. */
static inline void sedov_gather(const vec3 *of_nodes, const corners_of nodes, vec3 out[CORNERS])
{
    for (int c = 0; c < CORNERS; c++)
        memcpy(out[c], of_nodes[nodes[c]], sizeof(vec3));
}

#endif
