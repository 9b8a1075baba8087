/* SPDX-License-Identifier: BSD-3-Clause */
/* Registers arrays and asks fake_kernel to play samples of them; without fake_kernel it does not. */
#include "fake_kernel.h"
#include "loadstone/loadstone.h"
#include "loadstone/ndm.h"
#include "tests/perf/own_descriptors.h"

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LEN = 256, FLOOD_LEN = 60000, TRIES_MAX = 10000, THREADS = 500, SHORT_LEN = 8, WARM_THREADS = 4 };
static double a[LEN], b[LEN], c[LEN], flooded[FLOOD_LEN];

/* perf_mem_data_src: op, lvl_num and so on (linux/perf_event.h). Stores are by locked instructions. */
#define TLB_HIT (UINT64_C(0x1a) << 26)
#define LOAD_FROM_DRAM                                                                                      \
    (UINT64_C(0x2) | UINT64_C(0x2) << 5 | UINT64_C(0x80) << 5 | UINT64_C(0xd) << 33 | UINT64_C(0x2) << 19 | \
     TLB_HIT)
#define STORE_TO_L1                                                                                        \
    (UINT64_C(0x4) | UINT64_C(0x2) << 5 | UINT64_C(0x8) << 5 | UINT64_C(0x1) << 33 | UINT64_C(0x2) << 24 | \
     TLB_HIT)

/* Samples that do not fit are requested again, in pieces: the event is off until it is read and switched
 * on. */
static void play(struct fake_play p)
{
    const struct timespec nap = {.tv_nsec = 1000000};
    p.ip = (uint64_t)(uintptr_t)&play;
    for (int tries = 0; tries < TRIES_MAX; tries++) {
        if (ioctl(-1, FAKE_PLAY, &p) != 0 || p.played == p.len) return;
        p.base += p.played * p.stride_bytes;
        p.latency_first += p.played;
        p.len -= p.played;
        if (!p.needs_all) return;
        nanosleep(&nap, NULL);
    }
}

static void *in_thread(void *unused)
{
    (void)unused;
    play((struct fake_play){.base = (uint64_t)(uintptr_t)b,
                            .stride_bytes = sizeof(double),
                            .len = LEN,
                            .event = 1,
                            .data_src = STORE_TO_L1});
    return NULL;
}

static smr_node *add(smr_tree *tree, const char *label, double *at, size_t len)
{
    smr_node *node;
    struct smr_spec spec = {label, at, at + len, sizeof(double), 1};
    if (smr_tree_insert(tree, &spec, &node) != 0) exit(3);
    return node;
}

/* Two ranges, one after the other on the same memory; samples of the first one are announced later. */
static void play_late(smr_tree *tree)
{
    const struct fake_play first = {.base = (uint64_t)(uintptr_t)c,
                                    .stride_bytes = sizeof(double),
                                    .len = LEN,
                                    .data_src = LOAD_FROM_DRAM,
                                    .is_held = 1};
    struct fake_play second = first;
    smr_node *node = add(tree, "C", c, LEN);
    play(first);
    if (smr_node_remove(node) != 0) exit(5);
    add(tree, "D", c, LEN);
    second.is_held = 0;
    play(second);
}

/* More than an AUX area holds. */
static void flood(smr_tree *tree)
{
    add(tree, "F", flooded, FLOOD_LEN);
    play((struct fake_play){.base = (uint64_t)(uintptr_t)flooded,
                            .stride_bytes = sizeof(double),
                            .len = FLOOD_LEN,
                            .data_src = LOAD_FROM_DRAM,
                            .needs_all = 1});
}

static void *short_thread(void *element)
{
    play((struct fake_play){.base = (uint64_t)(uintptr_t)element,
                            .stride_bytes = sizeof(double),
                            .len = SHORT_LEN,
                            .data_src = LOAD_FROM_DRAM,
                            .latency_first = 100});
    return NULL;
}

/* One after the other; their number of descriptors stays level. */
static void many_threads(smr_tree *tree)
{
    int first = 0;
    add(tree, "F", flooded, THREADS * SHORT_LEN);
    for (int i = 0; i < THREADS; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, short_thread, flooded + (ptrdiff_t)i * SHORT_LEN) != 0) exit(6);
        pthread_join(thread, NULL);
        if (i == WARM_THREADS) first = own_descriptors();
        if (i > WARM_THREADS && own_descriptors() > first + 4) exit(7);
    }
}

/* Wait until the rate changes. */
static void until_slower(smr_tree *tree)
{
    const struct timespec nap = {.tv_nsec = 1000000};
    struct fake_play p = {.ip = (uint64_t)(uintptr_t)&until_slower,
                          .base = (uint64_t)(uintptr_t)flooded,
                          .stride_bytes = sizeof(double),
                          .len = LEN,
                          .data_src = LOAD_FROM_DRAM,
                          .latency_first = 100};
    uint64_t first = 0, now = 0;
    add(tree, "F", flooded, FLOOD_LEN);
    for (int tries = 0; tries < TRIES_MAX / 10 && first == now; tries++) {
        if (ioctl(-1, FAKE_PLAY, &p) != 0) exit(8);
        now = p.period_events;
        if (!first) first = now;
        nanosleep(&nap, NULL);
    }
}

/* The last element of A is the first point. */
static void *mirrored(smr_node *n, struct mem_sample *sample, void *user)
{
    static struct loadstone_point p;
    uint64_t element;
    (void)user;
    if (smr_node_index_of(n, sample->daddr, &element, NULL) != 0) abort();
    p.at[0] = (double)(LEN - 1 - element) + 0.5;
    return &p;
}

static void map_mirrored(smr_node *n)
{
    const struct ndm_grid line = {.label = "line", .dims = 1, .extents = {LEN}};
    ndm_domain *d;
    if (ndm_domain_new_grid(&line, &d) != 0 || ndm_map_callback(n, d, mirrored, NULL) != 0) exit(10);
}

int main(int argc, char **argv)
{
    smr_tree *tree;
    pthread_t thread;
    if (smr_tree_new(&tree) != 0) return 2;
    smr_node *node_a = add(tree, "A", a, LEN);
    add(tree, "B", b, LEN);
    if (argc > 1 && strcmp(argv[1], "callback") == 0) map_mirrored(node_a);
    play((struct fake_play){.base = (uint64_t)(uintptr_t)a,
                            .stride_bytes = sizeof(double),
                            .len = LEN,
                            .data_src = LOAD_FROM_DRAM,
                            .latency_first = 100,
                            .lost = 1234,
                            .hardware_lost = 77,
                            .throttled = 2});
    if (pthread_create(&thread, NULL, in_thread, NULL) != 0) return 4;
    pthread_join(thread, NULL);
    if (argc > 1 && strcmp(argv[1], "aux") == 0) {
        play_late(tree);
        flood(tree);
    }
    if (argc > 1 && strcmp(argv[1], "slower") == 0) until_slower(tree);
    if (argc > 1 && strcmp(argv[1], "threads") == 0) many_threads(tree);
    puts("done");
    return 9;
}
