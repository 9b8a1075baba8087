/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/an_select.h"

#include <math.h>

/* Selection by three-way partition (Dijkstra), median of three as pivot: many equal latencies cost one pass. */
#define AN_SELECT(name, type)                                                                         \
    static type name(type *v, size_t lo, size_t hi, size_t k)                                         \
    {                                                                                                 \
        while (hi - lo > 1) {                                                                         \
            const type a = v[lo], b = v[lo + (hi - lo) / 2], c = v[hi - 1];                           \
            const type pivot = a < b ? (b < c ? b : (a < c ? c : a)) : (a < c ? a : (b < c ? c : b)); \
            size_t less = lo, i = lo,                                                                 \
                   more = hi; /* [lo, less) < pivot, [less, i) == pivot, [more, hi) > pivot */        \
            while (i < more) {                                                                        \
                const type x = v[i];                                                                  \
                if (x < pivot) {                                                                      \
                    v[i++] = v[less];                                                                 \
                    v[less++] = x;                                                                    \
                } else if (x > pivot) {                                                               \
                    v[i] = v[--more];                                                                 \
                    v[more] = x;                                                                      \
                } else {                                                                              \
                    i++;                                                                              \
                }                                                                                     \
            }                                                                                         \
            if (k >= less && k < more) return pivot;                                                  \
            lo = k < less ? lo : more;                                                                \
            hi = k < less ? less : hi;                                                                \
        }                                                                                             \
        return v[lo];                                                                                 \
    }
AN_SELECT(an_select_i32, int32_t)
AN_SELECT(an_select_i64, int64_t)
#undef AN_SELECT

static size_t an_rank(size_t len, double q)
{
    const double rank = ceil(q * (double)len);
    if (rank < 1) return 0;
    return rank > (double)len ? len - 1 : (size_t)rank - 1;
}

double an_quantile_i64(int64_t *values, size_t len, double q)
{
    return len ? (double)an_select_i64(values, 0, len, an_rank(len, q)) : NAN;
}

double an_quantile_i32(int32_t *values, size_t len, double q)
{
    return len ? (double)an_select_i32(values, 0, len, an_rank(len, q)) : NAN;
}

double an_median_refined(int32_t *values, size_t len, double step)
{
    const double median = an_quantile_i32(values, len, 0.5);
    if (step <= 1 || len == 0) return median;
    double sum = 0;
    size_t near = 0;
    for (size_t i = 0; i < len; i++) {
        if (fabs((double)values[i] - median) > 1.5 * step) continue;
        sum += values[i];
        near++;
    }
    return sum / (double)near;
}
