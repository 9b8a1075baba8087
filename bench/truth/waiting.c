/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops whose waiting is known: each runs natively on data in L1, then recorded on its own data. The part of its time
 * that the second one takes longer is waiting.
 * usage: waiting MODE SECONDS       prints: truth waiting SHARE NS_IN_L1 NS, both of one element
 * Sampling is on only while the recorded loop runs. */
#include "bench/bench_ring.h"
#include "bench/truth/truth.h"

#include <loadstone/loadstone.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define KIB ((size_t)1 << 10)
#define MIB ((size_t)1 << 20)

enum { PROBE_STEPS = 4096 };

static double *a, *b, *c;
static uint32_t *order;
static uint64_t *table;
static volatile double sink;

/* Each works on the first len elements; at least that many steps. */
static __attribute__((noinline)) void waiting_triad(size_t len)
{
    for (size_t i = 0; i < len; i++)
        a[i] = b[i] + 3.0 * c[i];
}

static __attribute__((noinline)) void waiting_chain(size_t len)
{
    double sum = 0;
    for (size_t i = 0; i < len; i++)
        sum += b[i]; /* without -ffast-math one addition waits for the other */
    sink = sum;
}

static __attribute__((noinline)) void waiting_divide(size_t len)
{
    double x = 1;
    for (size_t i = 0; i < len; i++)
        x = b[i] / (x + 1.5);
    sink = x;
}

static __attribute__((noinline)) void waiting_gather(size_t len)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < len; i++)
        sum += table[order[i]];
    sink = (double)sum;
}

static __attribute__((noinline)) void waiting_store(size_t len)
{
    for (size_t i = 0; i < len; i++)
        a[i] = 1.0;
}

/* Open addressing, half full: two places on average. */
static __attribute__((noinline)) void waiting_probe(size_t len)
{
    static uint64_t x = 88172645463325252u;
    uint64_t found = 0;
    for (size_t i = 0; i < 4096; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        const uint64_t key = x | 1;
        size_t at = key * UINT64_C(0x9e3779b97f4a7c15) >> 20 & (len - 1);
        while (table[at] && table[at] != key)
            at = (at + 1) & (len - 1);
        found += table[at] == key;
    }
    sink = (double)found;
}

static const struct mode {
    const char *name;
    void (*work)(size_t len);
    size_t small, large; /* elements */
} modes[] = {
    {"l1", waiting_triad, 512, 1024},
    {"l2", waiting_chain, 2 * KIB, 64 * KIB},
    {"l2-triad", waiting_triad, 512, 10 * KIB},
    {"divide", waiting_divide, 2 * KIB, 64 * KIB},
    {"chain", waiting_chain, 2 * KIB, 32 * MIB},
    {"stream", waiting_triad, 512, 16 * MIB},
    {"store", waiting_store, 2 * KIB, 32 * MIB},
    {"gather", waiting_gather, 2 * KIB, 32 * MIB},
    {"probe", waiting_probe, 2 * KIB, 32 * MIB},
};

/* len is a power of two where order or table is used. */
static void prepare(size_t len)
{
    uint64_t state = 1;
    for (size_t i = 0; i < len; i++) {
        order[i] = (uint32_t)(bench_random(&state) & (len - 1));
        table[i] = bench_random(&state) & 1 ? bench_random(&state) | 1 : 0;
    }
}

/* Other programs that had the processor meanwhile do not count. */
static double cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Best of many passes: disturbances only add time. */
static double native_ns(const struct mode *m, size_t len, size_t steps)
{
    double best_s = 1e9;
    const size_t passes = 1 + MIB / steps;
    for (int i = 0; i < 9; i++) {
        const double begin_s = cpu_s();
        for (size_t p = 0; p < passes; p++)
            m->work(len);
        const double took_s = (cpu_s() - begin_s) / (double)passes;
        if (i && took_s < best_s) best_s = took_s;
    }
    return best_s * 1e9 / (double)steps;
}

static void run(const struct mode *m, double seconds)
{
    const bool is_probe = m->work == waiting_probe;
    const size_t small_steps = is_probe ? PROBE_STEPS : m->small,
                 large_steps = is_probe ? PROBE_STEPS : m->large;
    prepare(m->small);
    double small_ns = native_ns(m, m->small, small_steps);
    prepare(m->large);
    double large_ns = native_ns(m, m->large, large_steps);
    const double passes = 1e9 * seconds / (large_ns * (double)large_steps);
    loadstone_start();
    for (double i = 0; i < passes; i++)
        m->work(m->large);
    loadstone_stop();
    /* once more, because a neighbour on the same core may halve the speed for a second */
    const double large_again_ns = native_ns(m, m->large, large_steps);
    prepare(m->small);
    const double small_again_ns = native_ns(m, m->small, small_steps);
    if (large_again_ns < large_ns) large_ns = large_again_ns;
    if (small_again_ns < small_ns) small_ns = small_again_ns;
    printf("truth waiting %.4f %.3f %.3f\n", small_ns < large_ns ? 1 - small_ns / large_ns : 0, small_ns,
           large_ns);
}

int main(int argc, char **argv)
{
    enum { MODES = sizeof modes / sizeof modes[0] };
    const char *names[MODES + 1] = {NULL};
    for (int i = 0; i < MODES; i++)
        names[i] = modes[i].name;
    const struct mode *m = &modes[truth_mode(argc, argv, names)];
    const size_t len = m->large > m->small ? m->large : m->small;
    a = malloc(len * sizeof *a);
    b = malloc(len * sizeof *b);
    c = malloc(len * sizeof *c);
    order = malloc(len * sizeof *order);
    table = malloc(len * sizeof *table);
    if (!a || !b || !c || !order || !table) {
        fprintf(stderr, "waiting: no memory\n");
        return 1;
    }
    for (size_t i = 0; i < len; i++)
        a[i] = b[i] = c[i] = 1 + (double)(i & 7);
    run(m, truth_scale(argc, argv, 2));
    return 0;
}
