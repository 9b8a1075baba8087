/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix multiplication with OpenMP, one barrier a row block.  usage: overhead_matmul N REPEATS */
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 32 };

static void multiply(size_t n, const double *a, const double *b, double *c)
{
    for (size_t begin = 0; begin < n; begin += ROWS) {
        const size_t end = begin + ROWS < n ? begin + ROWS : n;
#pragma omp parallel for schedule(static)
        for (size_t i = begin; i < end; i++)
            for (size_t k = 0; k < n; k++)
                for (size_t j = 0; j < n; j++)
                    c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
}

int main(int argc, char **argv)
{
    const size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 512;
    const long repeats = argc > 2 ? atol(argv[2]) : 1;
    double *a = calloc(n * n, sizeof(*a)), *b = calloc(n * n, sizeof(*b)), *c = calloc(n * n, sizeof(*c));
    if (!a || !b || !c) return 1;
    for (size_t i = 0; i < n * n; i++) {
        a[i] = (double)(i % 7);
        b[i] = (double)(i % 5);
    }
    for (long r = 0; r < repeats; r++)
        multiply(n, a, b, c);
    printf("%.0f\n", c[n * n - 1]);
    free(a);
    free(b);
    free(c);
    return 0;
}
