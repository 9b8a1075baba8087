/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/study/std_fit.h"

#include <math.h>
#include <stdbool.h>

#define STD_ROUNDING 1e-9 /* relative error of a knee at a point */

struct points {
    const double *ranks, *rates;
    size_t len;
};

/* A candidate: rate = min(ranks * one, roof). */
struct line {
    double one, roof, squares;
};

/* The rate of a point for the fit: one that falls by more than STD_FLAT below an earlier one counts as if it fell by that. */
static double level_of(const struct points *p, size_t i)
{
    double level = p->rates[i];
    for (size_t k = 0; k < i; k++)
        level = fmax(level, p->rates[k] * (1 - STD_FLAT));
    return level;
}

/* Find the factor of min(ranks, knee) for the points [begin, end) by the least squares of relative deviations. */
static double factor_of(const struct points *p, size_t begin, size_t end, double knee)
{
    double sum = 0, squares = 0;
    for (size_t i = begin; i < end; i++) {
        const double share = fmin(p->ranks[i], knee) / level_of(p, i);
        sum += share;
        squares += share * share;
    }
    return sum / squares;
}

static void consider(const struct points *p, double one, double roof, struct line *best)
{
    struct line l = {one, roof, 0};
    for (size_t i = 0; i < p->len; i++) {
        const double off = fmin(one * p->ranks[i], roof) / level_of(p, i) - 1;
        l.squares += off * off;
    }
    if (isinf(roof) || l.squares < best->squares) *best = l;
}

/* A roof needs two points; all points on it have its rate. */
static void consider_roof(const struct points *p, double one, double roof, struct line *best)
{
    size_t on = 0;
    for (size_t i = 0; i < p->len; i++) {
        if (one * p->ranks[i] < roof * (1 - STD_ROUNDING)) continue;
        if (fabs(level_of(p, i) / roof - 1) > STD_FLAT) return;
        on++;
    }
    if (on >= 2) consider(p, one, roof, best);
}

/* The best roof either separates the points, each side with its own least squares, or has its knee at a point. */
struct std_fit std_fit_of(const double *ranks, const double *rates, size_t len)
{
    const struct points p = {ranks, rates, len};
    struct line best = {NAN, NAN, NAN};
    if (len == 0) return (struct std_fit){NAN, NAN, NAN};
    consider(&p, factor_of(&p, 0, len, INFINITY), INFINITY, &best);
    for (size_t i = 0; i + 1 < len; i++) {
        const double one = factor_of(&p, 0, len, ranks[i]);
        consider_roof(&p, one, one * ranks[i], &best);
        if (i) consider_roof(&p, factor_of(&p, 0, i, INFINITY), factor_of(&p, i, len, 1), &best);
    }
    return (struct std_fit){.one = best.one,
                            .roof = isinf(best.roof) ? NAN : best.roof,
                            .residual = len < 2 ? NAN : sqrt(best.squares / (double)len)};
}

double std_fit_at(const struct std_fit *f, double ranks)
{
    return isnan(f->roof) ? f->one * ranks : fmin(f->one * ranks, f->roof);
}
