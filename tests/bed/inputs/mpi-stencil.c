/* SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    enum { N = 3000000, STEPS = 600 };
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    double *u = malloc((N + 2) * sizeof *u), *v = malloc((N + 2) * sizeof *v), sum = 0, all;
    for (int i = 0; i < N + 2; i++)
        u[i] = (i * 7919LL + rank) % 1009 / 1009.0;
    const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
    for (int step = 0; step < STEPS; step++) {
        MPI_Sendrecv(&u[1], 1, MPI_DOUBLE, left, 0, &u[N + 1], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        MPI_Sendrecv(&u[N], 1, MPI_DOUBLE, right, 1, &u[0], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        for (int i = 1; i <= N; i++)
            v[i] = 0.25 * u[i - 1] + 0.5 * u[i] + 0.25 * u[i + 1];
        double *swap = u;
        u = v;
        v = swap;
    }
    for (int i = 1; i <= N; i++)
        sum += u[i];
    MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%.8e\n", all);
    free(u);
    free(v);
    MPI_Finalize();
    return 0;
}
