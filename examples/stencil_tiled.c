/* SPDX-License-Identifier: BSD-3-Clause */
/* 7-point stencil in tiles: the innermost loop runs along x, as memory does, and a tile of the x-y plane goes
 * through all of z before the next one begins, so that its planes are still near when they are needed again.
 * The rim of each tile is loaded twice.
 *
 * usage: stencil_tiled [NX [NY [NZ [STEPS]]]]        (default 768 768 32 10)
 * build: cc -O2 -g stencil_tiled.c $(pkg-config --cflags --libs loadstone) -lm
 * record: loadstone record -- ./stencil_tiled && loadstone report */
#include "stencil.h"

/* Four planes of 258 x 18 doubles are 145 KiB. */
enum { TILE_X = 256, TILE_Y = 16 };

static size_t end_of(size_t begin, size_t tile, size_t n)
{
    return begin + tile < n ? begin + tile : n;
}

static void sweep(const struct stencil *s)
{
    for (size_t jj = 0; jj < s->ny; jj += TILE_Y)
        for (size_t ii = 0; ii < s->nx; ii += TILE_X)
            for (size_t k = 0; k < s->nz; k++)
                for (size_t j = jj; j < end_of(jj, TILE_Y, s->ny); j++)
                    stencil_row(s, ii, end_of(ii, TILE_X, s->nx), j, k);
}

int main(int argc, char **argv)
{
    return stencil_main(argc, argv, sweep);
}
