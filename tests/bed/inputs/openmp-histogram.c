/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { KEYS = 1 << 24, BINS = 1 << 20 };
static uint32_t bins[BINS];

int main(void)
{
    uint32_t *keys = malloc(KEYS * sizeof *keys);
    uint64_t *prefix = calloc(BINS, sizeof *prefix);
    for (uint32_t i = 0; i < KEYS; i++)
        keys[i] = (i * 2654435761u) ^ (i >> 3);
    for (int round = 0; round < 50; round++) {
#pragma omp parallel for schedule(static)
        for (int i = 0; i < KEYS; i++)
#pragma omp atomic
            bins[keys[i] >> 12]++;
    }
    for (int i = 1; i < BINS; i++)
        prefix[i] = prefix[i - 1] + bins[i - 1] * (uint64_t)i;
    printf("%u %llu\n", bins[777], (unsigned long long)prefix[BINS - 1]);
    free(keys);
    free(prefix);
    return 0;
}
