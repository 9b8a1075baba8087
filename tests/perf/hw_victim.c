/* SPDX-License-Identifier: BSD-3-Clause */
/* Registers arrays and asks fake_kernel to play samples of them; without one it does nothing of the kind. */
#include "fake_kernel.h"
#include "loadstone/loadstone.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEN = 256 };
static double a[LEN], b[LEN];

/* perf_mem_data_src: op, lvl_num and so on (linux/perf_event.h). */
#define LOAD_FROM_DRAM \
    (UINT64_C(0x2) | UINT64_C(0x2) << 5 | UINT64_C(0x80) << 5 | UINT64_C(0xd) << 33 | UINT64_C(0x2) << 19)
#define STORE_TO_L1 (UINT64_C(0x4) | UINT64_C(0x2) << 5 | UINT64_C(0x8) << 5 | UINT64_C(0x1) << 33)

static void play(struct fake_play p)
{
    p.ip = (uint64_t)(uintptr_t)&play;
    ioctl(-1, FAKE_PLAY, &p);
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

static void add(smr_tree *tree, const char *label, double *at)
{
    smr_node *node;
    struct smr_spec spec = {label, at, at + LEN, sizeof(double), 1};
    if (smr_tree_insert(tree, &spec, &node) != 0) exit(3);
}

int main(void)
{
    smr_tree *tree;
    pthread_t thread;
    if (smr_tree_new(&tree) != 0) return 2;
    add(tree, "A", a);
    add(tree, "B", b);
    play((struct fake_play){.base = (uint64_t)(uintptr_t)a,
                            .stride_bytes = sizeof(double),
                            .len = LEN,
                            .data_src = LOAD_FROM_DRAM,
                            .latency_first = 100,
                            .lost = 1234,
                            .throttled = 2});
    if (pthread_create(&thread, NULL, in_thread, NULL) != 0) return 4;
    pthread_join(thread, NULL);
    puts("done");
    return 9;
}
