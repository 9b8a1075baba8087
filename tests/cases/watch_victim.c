/* SPDX-License-Identifier: BSD-3-Clause */
/* Touches A[17] and its neighbours: with an argument "hot" for half a second, else some times that are
 * counted. */
#include "loadstone/loadstone.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LEN = 100, WATCHED = 17, WRITES = 5, READS = 2, OTHER_READS = 4 };
static volatile double a[LEN];
static volatile double sink;

__attribute__((noinline)) static void write_it(int i)
{
    a[i] = 1;
}

__attribute__((noinline)) static void read_it(int i)
{
    sink = a[i];
}

static void *reader(void *unused)
{
    (void)unused;
    for (int i = 0; i < OTHER_READS; i++)
        read_it(WATCHED);
    for (int i = 0; i < 1000; i++)
        read_it(WATCHED + 1);
    return NULL;
}

static void hot(void)
{
    struct timespec begin, now;
    unsigned long touches = 0;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
        for (int i = 0; i < 1000; i++, touches++)
            read_it(WATCHED);
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - begin.tv_sec) * 1000000000L + now.tv_nsec - begin.tv_nsec < 500000000L);
    printf("%lu\n", touches);
}

int main(int argc, char **argv)
{
    smr_tree *tree;
    smr_node *node;
    pthread_t thread;
    struct smr_spec spec = {"A", (const void *)a, (const void *)(a + LEN), sizeof(double), 1};
    if (smr_tree_new(&tree) != 0 || smr_tree_insert(tree, &spec, &node) != 0) return 2;
    if (argc > 1 && strcmp(argv[1], "hot") == 0) {
        hot();
        return 0;
    }
    for (int i = 0; i < 1000; i++)
        write_it(WATCHED - 1);
    for (int i = 0; i < WRITES; i++)
        write_it(WATCHED);
    for (int i = 0; i < READS; i++)
        read_it(WATCHED);
    if (pthread_create(&thread, NULL, reader, NULL) != 0) return 3;
    pthread_join(thread, NULL);
    puts("done");
    return 0;
}
