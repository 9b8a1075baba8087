/* SPDX-License-Identifier: BSD-3-Clause */
/* The published method on a file of configurations, as a plain program: 10 runs that do not count, then as
 * many as the configuration asks for, whose least time is printed; one dense buffer for all threads; arrays from
 * malloc. usage: peers_plain FILE.json THREADS; prints Spatter's columns. */
#include "bench/replay_plain.h"
#include "common/ls_clock.h"
#include "patterns/pat_extent.h"
#include "patterns/pat_json.h"

#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { WARMUPS = 10, RUNS = 10, LINE_BYTES = 64 };

static plain_kernel *const kernels[PAT_KERNEL_COUNT] = {plain_gather, plain_scatter, plain_gs,
                                                        plain_multigather, plain_multiscatter};

static void die(const char *what)
{
    fprintf(stderr, "peers_plain: %s: %s\n", what, ls_last_error());
    exit(1);
}

static double *filled(uint64_t elements)
{
    double *p = NULL;
    if (elements && posix_memalign((void **)&p, LINE_BYTES, elements * sizeof(*p)) != 0) die("no memory");
    for (uint64_t e = 0; e < elements; e++)
        p[e] = (double)rand();
    return p;
}

static double least_seconds(const struct plain *p, plain_kernel *kernel, uint64_t runs)
{
    double least = INFINITY;
    for (uint64_t r = 0; r < WARMUPS + runs; r++) {
        const uint64_t begin = ls_clock_mono_ns();
        kernel(p);
        const double seconds = (double)(ls_clock_mono_ns() - begin) / 1e9;
        if (r >= WARMUPS) least = fmin(least, seconds);
    }
    return least;
}

static void run(size_t number, const struct pat_config *c)
{
    struct pat_extent from = {0, 0}, to = {0, 0};
    uint64_t dense_elements = 0;
    if (pat_extent_of(c, PAT_SIDE_GATHER, &from) != LS_OK ||
        pat_extent_of(c, PAT_SIDE_SCATTER, &to) != LS_OK || pat_dense_elements(c, &dense_elements) != LS_OK)
        die(c->name);
    const bool gs = c->kernel == PAT_GS,
               scatters = gs || c->kernel == PAT_SCATTER || c->kernel == PAT_MULTISCATTER;
    const struct pat_extent *side = scatters ? &to : &from;
    double *sparse = filled(pat_extent_elements(side)), *source = filled(gs ? pat_extent_elements(&from) : 0),
           *dense = filled(dense_elements);
    const struct plain p = {.sparse = sparse - side->low,
                            .source = gs ? source - from.low : NULL,
                            .dense = dense,
                            .pattern = c->pattern.data,
                            .gather = c->gather.data,
                            .scatter = c->scatter.data,
                            .delta = c->delta,
                            .delta_gather = c->delta_gather,
                            .delta_scatter = c->delta_scatter,
                            .len = pat_config_len(c),
                            .count = c->count,
                            .wrap = c->wrap};
    const double seconds = least_seconds(&p, kernels[c->kernel], c->runs ? c->runs : RUNS);
    const uint64_t bytes = pat_config_bytes(c, sizeof(double));
    printf("%-15zu%-15" PRIu64 "%-15g%-15g\n", number, bytes, seconds, (double)bytes / seconds / 1e6);
    free(sparse);
    free(source);
    free(dense);
}

int main(int argc, char **argv)
{
    struct pat_suite suite = {NULL, 0};
    const struct pat_json_options o = {0};
    if (argc != 3 || pat_json_read_file(argv[1], &o, &suite) != LS_OK)
        die("usage: peers_plain FILE.json THREADS");
    omp_set_num_threads(atoi(argv[2]));
    printf("%-15s%-15s%-15s%-15s\n", "config", "bytes", "time(s)", "bw(MB/s)");
    for (size_t i = 0; i < suite.len; i++)
        run(i, &suite.rows[i]);
    pat_suite_fini(&suite);
    return 0;
}
