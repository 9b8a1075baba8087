/* SPDX-License-Identifier: BSD-3-Clause */
/* The four loops of STREAM (McCalpin) over arrays far larger than the caches.  usage: overhead_stream PASSES */
#include <stdio.h>
#include <stdlib.h>

enum { LEN = 8 << 20 }; /* 64 MiB an array */

static void pass(double *restrict a, double *restrict b, double *restrict c)
{
    const double q = 0.5;
    for (size_t i = 0; i < LEN; i++)
        c[i] = a[i];
    for (size_t i = 0; i < LEN; i++)
        b[i] = q * c[i];
    for (size_t i = 0; i < LEN; i++)
        c[i] = a[i] + b[i];
    for (size_t i = 0; i < LEN; i++)
        a[i] = b[i] + q * c[i];
}

int main(int argc, char **argv)
{
    const long passes = argc > 1 ? atol(argv[1]) : 10;
    double *a = malloc(LEN * sizeof(*a)), *b = malloc(LEN * sizeof(*b)), *c = malloc(LEN * sizeof(*c));
    if (!a || !b || !c) return 1;
    for (size_t i = 0; i < LEN; i++)
        a[i] = (double)(i % 3);
    for (long p = 0; p < passes; p++)
        pass(a, b, c);
    printf("%g\n", a[LEN / 2] + b[1] + c[LEN - 1]);
    free(a);
    free(b);
    free(c);
    return 0;
}
