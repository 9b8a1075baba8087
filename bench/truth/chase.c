/* SPDX-License-Identifier: BSD-3-Clause */
/* A pointer chase that measures the time of one load at this working set.
 * usage: chase BYTES SECONDS        prints the median over short stretches of the nanoseconds of a step
 * The ring is registered as "ring" once it is made, and sampling is on only while it is walked. */
#include "bench/bench_ring.h"

#include <loadstone/loadstone.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { STRETCHES_MAX = 1 << 18 };

static int compare_double(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Walk in pieces of about 0.1 ms: the few pieces with a burst, a tick or another program do not change the median,
 * and each is long enough to be a mean over many loads. */
static double median_step_ns(void **p, double seconds)
{
    static double step_ns[STRETCHES_MAX];
    size_t steps = 1024, len = 0;
    double begin = bench_now_s();
    *p = bench_ring_walk(*p, steps);
    while (bench_now_s() - begin < 1e-4) {
        steps *= 2;
        begin = bench_now_s();
        *p = bench_ring_walk(*p, steps);
    }
    for (const double start = bench_now_s(); bench_now_s() - start < seconds && len < STRETCHES_MAX; len++) {
        begin = bench_now_s();
        *p = bench_ring_walk(*p, steps);
        step_ns[len] = (bench_now_s() - begin) * 1e9 / (double)steps;
    }
    qsort(step_ns, len, sizeof(step_ns[0]), compare_double);
    return step_ns[len / 2];
}

static int chase(size_t len_bytes, double seconds)
{
    char *base = mmap(NULL, len_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    smr_tree *tree = NULL;
    smr_node *node = NULL;
    const struct smr_spec spec = {.label = "ring",
                                  .start = base,
                                  .end = base + len_bytes,
                                  .elem_size_bytes = BENCH_LINE_BYTES,
                                  .dims = 1};
    if (base == MAP_FAILED || bench_ring_make(base, len_bytes) != 0) {
        fprintf(stderr, "chase: no memory for %zu bytes\n", len_bytes);
        return 1;
    }
    if (smr_tree_new(&tree) != LS_OK || smr_tree_insert(tree, &spec, &node) != LS_OK) {
        fprintf(stderr, "chase: %s\n", ls_last_error());
        return 1;
    }
    void *p = bench_ring_walk(base, len_bytes / BENCH_LINE_BYTES / 16 * 16);
    loadstone_start();
    const double ns = median_step_ns(&p, seconds);
    loadstone_stop();
    printf("%zu %.3f\n", len_bytes, ns);
    smr_tree_free(tree);
    return p == NULL;
}

int main(int argc, char **argv)
{
    const size_t len_bytes = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    const double seconds = argc > 2 ? strtod(argv[2], NULL) : 1;
    if (len_bytes < 1024 || len_bytes > ((size_t)1 << 37)) {
        fprintf(stderr, "usage: chase BYTES SECONDS\n");
        return 2;
    }
    return chase(len_bytes, seconds);
}
