/* SPDX-License-Identifier: BSD-3-Clause */
/* Sparse matrices by rows, where they come from, and how they are renumbered. */
#ifndef SPMV_H
#define SPMV_H

#include "example.h"

#include <stdint.h>

/* Row i has the entries first[i] to first[i + 1] - 1, by rising column. */
struct spmv_matrix {
    size_t rows, entries;
    int32_t *first, *column;
    double *value;
};
void spmv_matrix_free(struct spmv_matrix *a);

/* Triangles; points_len 0 where a matrix came without a mesh. */
struct spmv_mesh {
    size_t points_len, triangles_len;
    double *x, *y;
    int32_t (*triangle)[3];
};
void spmv_mesh_free(struct spmv_mesh *m);

/* A mesh of side x side points in the unit square, each moved a little, the squares between them cut in two
 * along either diagonal. Its points are numbered at random, as in a Delaunay triangulation with random
 * insertion. The matrix is its graph Laplacian plus the identity. Exits without memory. */
void spmv_generate(size_t side, struct spmv_mesh *mesh, struct spmv_matrix *matrix);

/* A square coordinate matrix of the Matrix Market (real, integer or pattern; general or symmetric), as
 * math.nist.gov/MatrixMarket/formats.html describes it. Returns 0, or -1 after a message that names file and
 * line. */
int spmv_read(const char *path, struct spmv_matrix *out);

/* order[new number] = old number: reverse Cuthill-McKee (Cuthill and McKee 1969, George 1971), which brings
 * the neighbours of a row near to it. The matrix is taken as symmetric in its structure. */
void spmv_reverse_cuthill_mckee(const struct spmv_matrix *a, int32_t *order);
/* Rows and columns in the new order. */
void spmv_renumber(const struct spmv_matrix *a, const int32_t *order, struct spmv_matrix *out);

#endif
