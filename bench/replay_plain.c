/* SPDX-License-Identifier: BSD-3-Clause */
/* Written from algorithm 1 of Lavin et al., "Evaluating Gather and Scatter Performance on CPUs and GPUs", and
 * the five operations of Spatter 2: nothing is unrolled, hoisted or written in instructions by hand. */
#include "bench/replay_plain.h"

#include <omp.h>

#define PLAIN(name, to, from)                                                                   \
    void name(const struct plain *p)                                                            \
    {                                                                                           \
        _Pragma("omp parallel")                                                                 \
        {                                                                                       \
            double *restrict sparse = p->sparse, *restrict source = p->source;                  \
            double *restrict dense = p->dense + p->dense_stride * (size_t)omp_get_thread_num(); \
            const int64_t *pattern = p->pattern, *gather = p->gather, *scatter = p->scatter;    \
            const int64_t delta = p->delta, delta_gather = p->delta_gather,                     \
                          delta_scatter = p->delta_scatter;                                     \
            const size_t len = p->len, wrap = p->wrap;                                          \
            (void)source, (void)dense, (void)pattern, (void)gather, (void)scatter, (void)wrap;  \
            (void)delta, (void)delta_gather, (void)delta_scatter, (void)sparse;                 \
            _Pragma("omp for schedule(static)") for (size_t i = 0; i < p->count; i++)           \
            {                                                                                   \
                _Pragma("omp simd") for (size_t j = 0; j < len; j++) to = from;                 \
            }                                                                                   \
        }                                                                                       \
    }

#define I ((int64_t)i)
PLAIN(plain_gather, dense[j + len * (i % wrap)], sparse[pattern[j] + delta * I])
PLAIN(plain_scatter, sparse[pattern[j] + delta * I], dense[j + len * (i % wrap)])
PLAIN(plain_gs, sparse[scatter[j] + delta_scatter * I], source[gather[j] + delta_gather * I])
PLAIN(plain_multigather, dense[j + len * (i % wrap)], sparse[pattern[gather[j]] + delta * I])
PLAIN(plain_multiscatter, sparse[pattern[scatter[j]] + delta * I], dense[j + len * (i % wrap)])

/* Sixteen sums: enough for any vector length and latency of an addition. */
double plain_read(const double *array, size_t len)
{
    double total = 0;
    _Pragma("omp parallel reduction(+ : total)")
    {
        const size_t n = (size_t)omp_get_num_threads(), t = (size_t)omp_get_thread_num();
        const size_t begin = len / n * t, end = t + 1 == n ? len : len / n * (t + 1);
        double sums[64] = {0};
        size_t i = begin;
        for (; i + 64 <= end; i += 64)
            for (int k = 0; k < 64; k++)
                sums[k] += array[i + (size_t)k];
        for (; i < end; i++)
            sums[0] += array[i];
        for (int k = 0; k < 64; k++)
            total += sums[k];
    }
    return total;
}
