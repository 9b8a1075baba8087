/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocked matrix multiplication, C = A B: the same sums, tile by tile and along the
 * rows of B, so that a tile of B is used again while the cache still holds it.
 * usage: matmul_blocked [N [REPEATS]]        (default 1024 1)
 * record: loadstone record -- ./matmul_blocked && loadstone report */
#include <loadstone/loadstone.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A tile of B of 64 x 64 doubles is 32 KiB: the nearest caches hold it while all rows of A pass by. */
enum { BLOCK = 64 };

static size_t end_of(size_t begin, size_t n)
{
    return begin + BLOCK < n ? begin + BLOCK : n;
}

static void multiply_tile(size_t n, size_t kk, size_t jj, const double *A, const double *B, double *C)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = kk; k < end_of(kk, n); k++) {
            const double a = A[i * n + k];
            for (size_t j = jj; j < end_of(jj, n); j++)
                C[i * n + j] += a * B[k * n + j];
        }
}

static void multiply(size_t n, const double *A, const double *B, double *C)
{
    for (size_t kk = 0; kk < n; kk += BLOCK)
        for (size_t jj = 0; jj < n; jj += BLOCK)
            multiply_tile(n, kk, jj, A, B, C);
}

/* A range of n * n doubles as a member of group. */
static void describe(smr_tree *tree, smr_node *group, const char *label, const double *matrix, size_t n)
{
    const struct smr_spec spec = {
        .label = label, .start = matrix, .end = matrix + n * n, .elem_size_bytes = sizeof(double), .dims = 1};
    smr_node *node = NULL;
    if (smr_tree_insert(tree, &spec, &node) != LS_OK || smr_node_add_member(group, node) != LS_OK)
        fprintf(stderr, "%s is not registered: %s\n", label, ls_last_error());
}

/* Names for the data, as the problem sees it: two inputs and an output. */
static smr_tree *describe_all(size_t n, const double *A, const double *B, const double *C)
{
    smr_tree *tree = NULL;
    smr_node *input = NULL, *output = NULL;
    if (smr_tree_new(&tree) != LS_OK || smr_tree_insert_group(tree, "Input", &input) != LS_OK ||
        smr_tree_insert_group(tree, "Output", &output) != LS_OK) {
        fprintf(stderr, "no semantic tree: %s\n", ls_last_error());
        return tree;
    }
    describe(tree, input, "A", A, n);
    describe(tree, input, "B", B, n);
    describe(tree, output, "C", C, n);
    return tree;
}

static int run(size_t n, unsigned long repeats)
{
    double *A = malloc(n * n * sizeof(double)), *B = malloc(n * n * sizeof(double)),
           *C = malloc(n * n * sizeof(double));
    if (!A || !B || !C) {
        fprintf(stderr, "no memory for N = %zu\n", n);
        return 1;
    }
    for (size_t i = 0; i < n * n; i++) {
        A[i] = (double)(i % 7);
        B[i] = (double)(i % 5);
    }
    smr_tree *tree = describe_all(n, A, B, C);
    for (unsigned long r = 0; r < repeats; r++) {
        memset(C, 0, n * n * sizeof(double));
        loadstone_phase_begin("multiply");
        multiply(n, A, B, C);
        loadstone_phase_end("multiply");
    }
    double sum = 0;
    for (size_t i = 0; i < n * n; i++)
        sum += C[i];
    printf("N = %zu, sum of C = %.0f\n", n, sum);
    smr_tree_free(tree);
    free(A);
    free(B);
    free(C);
    return 0;
}

int main(int argc, char **argv)
{
    const size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 1024;
    const unsigned long repeats = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
    if (n == 0 || n > 20000 || repeats == 0) {
        fprintf(stderr, "usage: %s [N [REPEATS]]   with N from 1 to 20000\n", argv[0]);
        return 2;
    }
    return run(n, repeats);
}
