/* SPDX-License-Identifier: BSD-3-Clause */
/* The roof of a node's memory: its rate over the number of ranks is min(ranks * one, roof). */
#ifndef STD_FIT_H
#define STD_FIT_H

#include <stddef.h>

struct std_fit {
    double one;  /* rate of a rank while memory is not the limit */
    double roof; /* rate that more ranks do not raise; NAN: the points reach none */
    /* Root mean square of the relative deviations, without falls below the roof; NAN with fewer than two points. */
    double residual;
};

/* Measured rates on the roof differ from it by at most STD_FLAT, or fall below it; memory counts as saturated from
 * 1 - STD_FLAT of the roof on. */
#define STD_FLAT 0.1

/* Fit the points by the least squares of their relative deviations. ranks are of one node, ascending, at least
 * 1; all numbers are positive. A roof needs two numbers of ranks that have its rate, and fits better than a straight line.
 * Errors: none; without points, all of the result is NAN. */
struct std_fit std_fit_of(const double *ranks, const double *rates, size_t len);

/* The rate of the fit at a number of ranks. */
double std_fit_at(const struct std_fit *f, double ranks);

#endif
