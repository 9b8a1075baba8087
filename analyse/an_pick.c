/* SPDX-License-Identifier: BSD-3-Clause */
/* Selection sampling: Knuth, The Art of Computer Programming, volume 2, algorithm 3.4.2 S. */
#include "analyse/an_tiles.h"

/* splitmix64 (Steele, Lea, Flood 2014) */
static uint64_t an_pick_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

size_t an_pick_rows(uint64_t *out, size_t rows, uint64_t len)
{
    uint64_t state = 1;
    size_t picked = 0;
    if (rows > len) rows = len;
    for (uint64_t i = 0; picked < rows; i++) {
        const double uniform = (double)(an_pick_random(&state) >> 11) * 0x1p-53;
        if ((double)(len - i) * uniform < (double)(rows - picked)) out[picked++] = i;
    }
    return picked;
}
