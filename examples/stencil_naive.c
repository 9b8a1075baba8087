/* SPDX-License-Identifier: BSD-3-Clause */
/* 7-point stencil, with loops in the order in which the axes are named: x, y, z. But x runs fastest in
 * memory, so that each step of the innermost loop goes to another plane.
 *
 * usage: stencil_naive [NX [NY [NZ [STEPS]]]]        (default 768 768 32 10)
 * build: cc -O2 -g stencil_naive.c $(pkg-config --cflags --libs loadstone) -lm
 * record: loadstone record -- ./stencil_naive && loadstone report */
#include "stencil.h"

static void sweep(const struct stencil *s)
{
    for (size_t i = 0; i < s->nx; i++)
        for (size_t j = 0; j < s->ny; j++)
            for (size_t k = 0; k < s->nz; k++)
                stencil_row(s, i, i + 1, j, k);
}

int main(int argc, char **argv)
{
    return stencil_main(argc, argv, sweep);
}
