/* SPDX-License-Identifier: BSD-3-Clause */
/* Naive matrix multiplication, C = A B: the inner loop walks B by column, one cache line for each element.
 * usage: matmul_naive [N [REPEATS]]        (default 1024 1)
 * build: cc -O2 -g matmul_naive.c $(pkg-config --cflags --libs loadstone)
 * record: loadstone record -- ./matmul_naive && loadstone report */
#include "matmul.h"

/* The three loops of the textbook. */
static void multiply(const struct matmul *m)
{
    const size_t n = m->n;
    const double *A = m->A, *B = m->B;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t k = 0; k < n; k++)
                sum += A[i * n + k] * B[k * n + j];
            m->C[i * n + j] = sum;
        }
}

int main(int argc, char **argv)
{
    return matmul_main(argc, argv, multiply, 0);
}
