/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops for the cost of a trace. usage: trace_loops stride|gather|chase|matmul MILLIONS_OF_ACCESSES */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEN = 1 << 20, EDGE = 128 };
static int64_t numbers[LEN], places[LEN];
static double a[EDGE][EDGE], b[EDGE][EDGE], c[EDGE][EDGE];

static int64_t stride(long accesses)
{
    int64_t sum = 0;
    for (long i = 0; i < accesses; i++)
        sum += numbers[(i * 17) & (LEN - 1)];
    return sum;
}

static int64_t gather(long accesses)
{
    int64_t sum = 0;
    for (long i = 0; i < accesses / 2; i++)
        sum += numbers[places[i & (LEN - 1)]];
    return sum;
}

static int64_t chase(long accesses)
{
    int64_t at = 0;
    for (long i = 0; i < accesses; i++)
        at = places[at];
    return at;
}

static int64_t matmul(long accesses)
{
    for (long left = accesses; left > 0; left -= 2L * EDGE * EDGE * EDGE)
        for (int i = 0; i < EDGE; i++)
            for (int j = 0; j < EDGE; j++)
                for (int k = 0; k < EDGE; k++)
                    c[i][j] += a[i][k] * b[k][j];
    return (int64_t)c[1][1];
}

static const struct {
    const char *name;
    int64_t (*run)(long accesses);
} rows[] = {{"stride", stride}, {"gather", gather}, {"chase", chase}, {"matmul", matmul}};

int main(int argc, char **argv)
{
    if (argc < 3) return 2;
    for (int64_t i = 0; i < LEN; i++) { /* a permutation that is one cycle: LEN is a power of two */
        numbers[i] = i;
        places[i] = (i * 5 + 3) & (LEN - 1);
    }
    for (int i = 0; i < EDGE * EDGE; i++) { /* memory that is never written is known to be 0, and not read */
        a[i / EDGE][i % EDGE] = i;
        b[i / EDGE][i % EDGE] = i + 1;
    }
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (strcmp(rows[i].name, argv[1]) == 0) printf("%ld\n", (long)rows[i].run(1000000 * atol(argv[2])));
    return 0;
}
