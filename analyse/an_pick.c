/* SPDX-License-Identifier: BSD-3-Clause */
/* Selection sampling: Knuth, The Art of Computer Programming, volume 2, algorithm 3.4.2 S. */
#include "analyse/an_tiles.h"

#include "common/ls_random.h"

size_t an_pick_rows(uint64_t *out, size_t rows, uint64_t len)
{
    uint64_t state = 1;
    size_t picked = 0;
    if (rows > len) rows = len;
    for (uint64_t i = 0; picked < rows; i++) {
        const double uniform = ls_random_uniform(&state);
        if ((double)(len - i) * uniform < (double)(rows - picked)) out[picked++] = i;
    }
    return picked;
}
