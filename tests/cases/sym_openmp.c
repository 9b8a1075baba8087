/* SPDX-License-Identifier: BSD-3-Clause */
/* A function that is inlined into a parallel region, which GCC makes a function inside of main. */
#include "sym_victim.h"

#include <stdlib.h>

enum { SYM_LEN = 1 << 16 };
static double sym_data[SYM_LEN];

static inline __attribute__((always_inline)) double sym_gather(const volatile double *from)
{
    double sum = 0;
    for (unsigned i = 0; i < SYM_LEN; i++)
        sum += from[i * 7919 % SYM_LEN];
    return sum;
}

int main(int argc, char **argv)
{
    const unsigned long long end_ns =
        sym_now_ns() + (argc > 1 ? strtoul(argv[1], NULL, 10) : 100) * 1000000ull;
    double sum = 0;
#pragma omp parallel reduction(+ : sum) num_threads(2)
    while (sym_now_ns() < end_ns)
        sum += sym_gather(sym_data);
    printf("%g\n", sum);
    return 0;
}
