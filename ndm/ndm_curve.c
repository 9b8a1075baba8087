/* SPDX-License-Identifier: BSD-3-Clause */
#include "ndm/ndm_curve.h"

#include <string.h>

static unsigned most_bits(const unsigned bits[NDM_AXES_MAX])
{
    unsigned most = 0;
    for (unsigned k = 0; k < NDM_AXES_MAX; k++)
        if (bits[k] > most) most = bits[k];
    return most;
}

void ndm_morton_cell(const unsigned bits[NDM_AXES_MAX], uint64_t index, uint64_t cell[NDM_AXES_MAX])
{
    const unsigned most = most_bits(bits);
    memset(cell, 0, NDM_AXES_MAX * sizeof(*cell));
    for (unsigned b = 0; b < most; b++)
        for (unsigned k = 0; k < NDM_AXES_MAX; k++) {
            if (b >= bits[k]) continue;
            cell[k] |= (index & 1) << b;
            index >>= 1;
        }
}

uint64_t ndm_morton_index(const unsigned bits[NDM_AXES_MAX], const uint64_t cell[NDM_AXES_MAX])
{
    const unsigned most = most_bits(bits);
    uint64_t index = 0;
    unsigned at = 0;
    for (unsigned b = 0; b < most; b++)
        for (unsigned k = 0; k < NDM_AXES_MAX; k++)
            if (b < bits[k]) index |= (cell[k] >> b & 1) << at++;
    return index;
}

/* One step of Skilling's transformation, its own inverse: where axis k has bit q, the lower bits of x are
 * inverted, else x and axis k swap theirs. */
static void turn(uint64_t cell[NDM_AXES_MAX], unsigned k, uint64_t q)
{
    const uint64_t low = q - 1;
    if (cell[k] & q) {
        cell[0] ^= low;
        return;
    }
    const uint64_t swap = (cell[0] ^ cell[k]) & low;
    cell[0] ^= swap;
    cell[k] ^= swap;
}

void ndm_hilbert_cell(unsigned dims, unsigned bits, uint64_t index, uint64_t cell[NDM_AXES_MAX])
{
    memset(cell, 0, NDM_AXES_MAX * sizeof(*cell));
    unsigned at = dims * bits;
    for (unsigned b = bits; b-- > 0;) /* the transposed form: distribute the index's bits, highest first */
        for (unsigned k = 0; k < dims; k++)
            cell[k] |= (index >> --at & 1) << b;
    const uint64_t top = cell[dims - 1] >> 1; /* Gray decode */
    for (unsigned k = dims - 1; k > 0; k--)
        cell[k] ^= cell[k - 1];
    cell[0] ^= top;
    for (unsigned b = 1; b < bits; b++)
        for (unsigned k = dims; k-- > 0;)
            turn(cell, k, UINT64_C(1) << b);
}

uint64_t ndm_hilbert_index(unsigned dims, unsigned bits, const uint64_t cell[NDM_AXES_MAX])
{
    uint64_t x[NDM_AXES_MAX], index = 0, flip = 0;
    memcpy(x, cell, sizeof(x));
    for (unsigned b = bits; b-- > 1;)
        for (unsigned k = 0; k < dims; k++)
            turn(x, k, UINT64_C(1) << b);
    for (unsigned k = 1; k < dims; k++) /* Gray encode */
        x[k] ^= x[k - 1];
    for (unsigned b = bits; b-- > 1;)
        if (x[dims - 1] >> b & 1) flip ^= (UINT64_C(1) << b) - 1;
    for (unsigned k = 0; k < dims; k++)
        x[k] ^= flip;
    for (unsigned b = bits; b-- > 0;)
        for (unsigned k = 0; k < dims; k++)
            index = index << 1 | (x[k] >> b & 1);
    return index;
}
