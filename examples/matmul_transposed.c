/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix multiplication with B transposed first, C = A B: the inner loop walks along rows of both. The copy
 * costs n * n steps and saves n * n * n cache lines.
 * usage: matmul_transposed [N [REPEATS]]        (default 1024 1)
 * build: cc -O2 -g matmul_transposed.c $(pkg-config --cflags --libs loadstone)
 * record: loadstone record -- ./matmul_transposed && loadstone report */
#include "matmul.h"

static void transpose(size_t n, const double *B, double *T)
{
    for (size_t k = 0; k < n; k++)
        for (size_t j = 0; j < n; j++)
            T[j * n + k] = B[k * n + j];
}

static void multiply(const struct matmul *m)
{
    const size_t n = m->n;
    const double *A = m->A, *T = m->T;
    transpose(n, m->B, m->T);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t k = 0; k < n; k++)
                sum += A[i * n + k] * T[j * n + k];
            m->C[i * n + j] = sum;
        }
}

int main(int argc, char **argv)
{
    return matmul_main(argc, argv, multiply, 1);
}
