/* SPDX-License-Identifier: BSD-3-Clause */
/* How long a loop takes. usage: fidelity LOOP SIZE; prints the least CPU seconds of one run of it, of several
 * after a first one. */
#include "common/ls_clock.h"
#include "tests/cases/truth_loops.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { RUNS_MIN = 5, RUNS_MAX = 200 };
static const double enough_seconds = 1;

/* CPU time, without waiting for a processor. */
static double now(void)
{
    return (double)ls_clock_read_ns(CLOCK_THREAD_CPUTIME_ID) / (double)LS_NS_PER_S;
}

int main(int argc, char **argv)
{
    const struct truth_loop *loop = argc == 3 ? truth_loop_find(argv[1]) : NULL;
    double least = INFINITY;
    if (!loop) {
        fprintf(stderr, "usage: fidelity LOOP SIZE\n");
        return 2;
    }
    void *data = loop->make(strtoul(argv[2], NULL, 10));
    loop->run(data);
    const double begin = now();
    for (unsigned r = 0; r < RUNS_MIN || (r < RUNS_MAX && now() - begin < enough_seconds); r++) {
        const double from = now();
        loop->run(data);
        least = fmin(least, now() - from);
    }
    printf("%.9f\n", least);
    return 0;
}
