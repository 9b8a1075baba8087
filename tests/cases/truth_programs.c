/* SPDX-License-Identifier: BSD-3-Clause */
/* A loop with known patterns, in a separate phase. usage: truth_programs NAME [SIZE [REPEATS]] */
#include "tests/cases/truth_loops.h"

#include <loadstone/loadstone.h>

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    const struct truth_loop *loop = argc > 1 ? truth_loop_find(argv[1]) : NULL;
    if (!loop) {
        fprintf(stderr, "usage: truth_programs NAME [SIZE [REPEATS]]\n");
        return 2;
    }
    const size_t size = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    const long repeats = argc > 3 ? atol(argv[3]) : 1;
    void *program = loop->make(size ? size : loop->size);
    double result = 0;
    loadstone_phase_begin("loop");
    for (long r = 0; r < repeats; r++)
        result = loop->run(program);
    loadstone_phase_end("loop");
    printf("%g\n", result);
    return 0;
}
