/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocked matrix multiplication, C = A B: the same sums, tile by tile and along the
 * rows of B, so that a tile of B is used again while the cache still holds it.
 * usage: matmul_blocked [N [REPEATS]]        (default 1024 1)
 * build: cc -O2 -g matmul_blocked.c $(pkg-config --cflags --libs loadstone)
 * record: loadstone record -- ./matmul_blocked && loadstone report */
#include "matmul.h"

/* A tile of B of 64 x 64 doubles is 32 KiB: the nearest caches hold it while all rows of A pass by. */
enum { BLOCK = 64 };

static size_t end_of(size_t begin, size_t n)
{
    return begin + BLOCK < n ? begin + BLOCK : n;
}

static void multiply_tile(const struct matmul *m, size_t kk, size_t jj)
{
    const size_t n = m->n;
    const double *A = m->A, *B = m->B;
    double *C = m->C;
    for (size_t i = 0; i < n; i++)
        for (size_t k = kk; k < end_of(kk, n); k++) {
            const double a = A[i * n + k];
            for (size_t j = jj; j < end_of(jj, n); j++)
                C[i * n + j] += a * B[k * n + j];
        }
}

static void multiply(const struct matmul *m)
{
    for (size_t kk = 0; kk < m->n; kk += BLOCK)
        for (size_t jj = 0; jj < m->n; jj += BLOCK)
            multiply_tile(m, kk, jj);
}

int main(int argc, char **argv)
{
    return matmul_main(argc, argv, multiply, 0);
}
