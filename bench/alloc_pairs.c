/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: alloc_pairs BYTES THREADS DEPTH [ROUNDS]: print the CPU nanoseconds of a free and a malloc of BYTES
 * (0: 16 bytes to 8 KiB, small ones more often), in each of THREADS threads with some blocks alive, called DEPTH
 * frames deep: for a second, or ROUNDS rounds of 20000. */
#include "common/ls_clock.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIVE = 256, ROUND = 20000, THREADS_MAX = 64 };
#define LEAST_CPU_NS UINT64_C(1000000000)

struct worker {
    pthread_t thread;
    size_t len_bytes;
    uint64_t pairs, cpu_ns;
};
static uint64_t pairs_asked; /* 0: for a second */

static size_t next_len(const struct worker *w, uint64_t *random)
{
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    if (w->len_bytes) return w->len_bytes;
    const unsigned bits = 4 + (unsigned)(*random >> 40) % 10 * ((unsigned)(*random >> 50) % 10) / 9;
    return ((size_t)1 << bits) - (size_t)(*random >> 60);
}

static void round_of_pairs(struct worker *w, char **alive, uint64_t *random)
{
    for (int i = 0; i < ROUND; i++) {
        const size_t at = (size_t)(*random >> 33) % ALIVE, len = next_len(w, random);
        free(alive[at]);
        alive[at] = malloc(len);
        if (!alive[at]) abort();
        alive[at][0] = 1;
    }
}

static void run(struct worker *w)
{
    char *alive[ALIVE];
    uint64_t random = (uint64_t)(uintptr_t)w;
    memset(alive, 0, sizeof(alive));
    round_of_pairs(w, alive, &random);
    const uint64_t begin_ns = ls_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
    do {
        round_of_pairs(w, alive, &random);
        w->pairs += ROUND;
        w->cpu_ns = ls_clock_read_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns;
    } while (pairs_asked ? w->pairs < pairs_asked : w->cpu_ns < LEAST_CPU_NS);
    for (int i = 0; i < ALIVE; i++)
        free(alive[i]);
}

/* Programs allocate deep inside: call paths have a length. */
static volatile int sink;
static __attribute__((noinline)) void deeper(struct worker *w, int depth)
{
    if (depth > 0)
        deeper(w, depth - 1);
    else
        run(w);
    sink++;
}

static int depth_of_all;
static void *work(void *w)
{
    deeper(w, depth_of_all);
    return NULL;
}

int main(int argc, char **argv)
{
    static struct worker workers[THREADS_MAX];
    uint64_t pairs = 0, cpu_ns = 0;
    const int threads = argc == 4 || argc == 5 ? atoi(argv[2]) : 0;
    if (threads < 1 || threads > THREADS_MAX) {
        fprintf(stderr, "usage: alloc_pairs BYTES THREADS DEPTH [ROUNDS]\n");
        return 2;
    }
    depth_of_all = atoi(argv[3]);
    pairs_asked = argc == 5 ? strtoull(argv[4], NULL, 10) * ROUND : 0;
    for (int i = 0; i < threads; i++) {
        workers[i].len_bytes = strtoul(argv[1], NULL, 10);
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0) return 1;
    }
    for (int i = 0; i < threads; i++) {
        pthread_join(workers[i].thread, NULL);
        pairs += workers[i].pairs;
        cpu_ns += workers[i].cpu_ns;
    }
    printf("%.2f\n", (double)cpu_ns / (double)pairs);
    return 0;
}
