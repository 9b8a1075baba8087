/* SPDX-License-Identifier: BSD-3-Clause */
/* An MPI program without any knowledge of Loadstone: a token goes around, then each rank works on its memory.
 * usage: mpi_ring [TIMES]: a factor for the amount of work */
#include <mpi.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BLOCK_BYTES = 8 << 20, LOADS = 20000000 };

int main(int argc, char **argv)
{
    const long loads = (argc > 1 ? atol(argv[1]) : 1) * LOADS;
    int rank, ranks, token = 0;
    uint64_t x = 1, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank == 0 && ranks > 1) MPI_Send(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (ranks > 1)
        MPI_Recv(&token, 1, MPI_INT, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    token++;
    if (rank != 0) MPI_Send(&token, 1, MPI_INT, (rank + 1) % ranks, 0, MPI_COMM_WORLD);
    uint8_t *block = malloc(BLOCK_BYTES);
    if (!block) MPI_Abort(MPI_COMM_WORLD, 1);
    memset(block, 1, BLOCK_BYTES);
    for (long i = 0; i < loads; i++) {
        x = x * UINT64_C(6364136223846793005) + 1; /* Knuth, MMIX */
        sum += block[(x >> 33) % BLOCK_BYTES];
    }
    free(block);
    printf("rank %d token %d sum %llu\n", rank, token, (unsigned long long)sum);
    MPI_Finalize();
    return 0;
}
