/* SPDX-License-Identifier: BSD-3-Clause */
/* C = A B with matrices of n x n doubles, stored row by row: the data, their names and their places in the
 * matrix. Each matmul_*.c brings its own order of the loops. */
#ifndef MATMUL_H
#define MATMUL_H

#include "example.h"

#include <string.h>

struct matmul {
    size_t n;
    double *A, *B, *C;
    double *T; /* B transposed, for the method that wants it; else NULL */
};

typedef void matmul_multiply(const struct matmul *m);

/* Element i of a matrix is at column i mod n, row i div n: x, the column, runs fastest. In a transposed
 * matrix the row runs fastest. */
static inline void matmul_map(smr_node *node, ndm_domain *matrix, enum ndm_order order)
{
    const struct ndm_layout layout = {.order = order};
    if (node && matrix && ndm_map_grid(node, matrix, &layout) != LS_OK) example_refused(smr_node_label(node));
}

/* The natural domain of all matrices: n columns and n rows. */
static inline ndm_domain *matmul_domain(size_t n)
{
    const struct ndm_grid grid = {.label = "matrix", .dims = 2, .extents = {n, n}, .axes = {"column", "row"}};
    ndm_domain *matrix = NULL;
    if (ndm_domain_new_grid(&grid, &matrix) != LS_OK) example_refused("matrix");
    return matrix;
}

static inline smr_tree *matmul_describe(const struct matmul *m)
{
    smr_tree *tree = example_tree();
    smr_node *input = example_group(tree, "Input"), *output = example_group(tree, "Output");
    ndm_domain *matrix = matmul_domain(m->n);
    const size_t count = m->n * m->n;
    const struct example_array a = {"A", m->A, count, sizeof(double), 1},
                               b = {"B", m->B, count, sizeof(double), 1},
                               c = {"C", m->C, count, sizeof(double), 1};
    matmul_map(example_range(tree, input, &a), matrix, NDM_ROW_MAJOR);
    matmul_map(example_range(tree, input, &b), matrix, NDM_ROW_MAJOR);
    matmul_map(example_range(tree, output, &c), matrix, NDM_ROW_MAJOR);
    if (m->T) {
        const struct example_array t = {"B transposed", m->T, count, sizeof(double), 1};
        matmul_map(example_range(tree, example_group(tree, "Temporary"), &t), matrix, NDM_COLUMN_MAJOR);
    }
    return tree;
}

static inline double matmul_sum(const struct matmul *m)
{
    double sum = 0;
    for (size_t i = 0; i < m->n * m->n; i++)
        sum += m->C[i];
    return sum;
}

static inline void matmul_run(struct matmul *m, size_t repeats, matmul_multiply *multiply)
{
    for (size_t i = 0; i < m->n * m->n; i++) {
        m->A[i] = (double)(i % 7);
        m->B[i] = (double)(i % 5);
    }
    smr_tree *tree = matmul_describe(m);
    loadstone_start(); /* with record --paused nothing before this is sampled */
    const double began = example_seconds();
    for (size_t r = 0; r < repeats; r++) {
        memset(m->C, 0, m->n * m->n * sizeof(double));
        loadstone_phase_begin("multiply");
        multiply(m);
        loadstone_phase_end("multiply");
    }
    const double seconds = example_seconds() - began;
    loadstone_stop();
    printf("N = %zu, sum of C = %.0f\n%.4f s a product, %.2f GFLOP/s\n", m->n, matmul_sum(m),
           seconds / (double)repeats, 2e-9 * (double)(m->n * m->n * m->n * repeats) / seconds);
    smr_tree_free(tree);
}

static inline int matmul_main(int argc, char **argv, matmul_multiply *multiply, int transposes)
{
    const size_t n = example_argument(argc, argv, 1, 1024, 20000);
    const size_t repeats = example_argument(argc, argv, 2, 1, 1000000);
    if (n == 0 || repeats == 0) {
        fprintf(stderr, "usage: %s [N [REPEATS]]   with N from 1 to 20000\n", argv[0]);
        return 2;
    }
    struct matmul m = {.n = n};
    m.A = example_allocate(n * n, sizeof(double));
    m.B = example_allocate(n * n, sizeof(double));
    m.C = example_allocate(n * n, sizeof(double));
    if (transposes) m.T = example_allocate(n * n, sizeof(double));
    matmul_run(&m, repeats, multiply);
    free(m.A);
    free(m.B);
    free(m.C);
    free(m.T);
    return 0;
}

#endif
