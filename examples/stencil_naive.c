/* SPDX-License-Identifier: BSD-3-Clause */
/* 7-point stencil, plane by plane: before a plane is needed for the third time, two others have passed
 * through the caches.
 *
 * usage: stencil_naive [NX [NY [NZ [STEPS]]]]        (default 768 768 32 10)
 * build: cc -O2 -g stencil_naive.c $(pkg-config --cflags --libs loadstone) -lm
 * record: loadstone record -- ./stencil_naive && loadstone report */
#include "stencil.h"

static void sweep(const struct stencil *s)
{
    for (size_t k = 0; k < s->nz; k++)
        for (size_t j = 0; j < s->ny; j++)
            stencil_row(s, 0, s->nx, j, k);
}

int main(int argc, char **argv)
{
    return stencil_main(argc, argv, sweep);
}
