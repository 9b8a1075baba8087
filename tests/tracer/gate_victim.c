/* SPDX-License-Identifier: BSD-3-Clause */
/* A program with figures for loadstone gate. usage: gate_victim rows|more|columns|threads: sums a matrix along its rows or
 * columns, or each of two threads sums a half of it; "more": 10 of its 512 rows twice. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 512, KEPT = 37 };
static int columns;
static volatile double kept[KEPT];

static __attribute__((noinline)) double sum_up(const volatile double *matrix, long from, long to)
{
    volatile double recent[KEPT]; /* on the stack, not a multiple of a line */
    double sum = 0;
    memset((void *)(size_t)recent, 0, sizeof(recent));
    for (long i = from; i < to; i++)
        for (long j = 0; j < N; j++) {
            const double x = matrix[columns ? j * N + i : i * N + j];
            recent[j % KEPT] = x;
            sum += x;
        }
    for (int i = 0; i < KEPT; i++)
        kept[i] = recent[i];
    return sum;
}

static volatile double *shared;

static void *half(void *second)
{
    static double sums[2];
    sums[second != NULL] = sum_up(shared, second ? N / 2 : 0, second ? N : N / 2);
    return &sums[second != NULL];
}

/* Small blocks, whose lines depend on where the heap begins. */
static long count_nodes(void)
{
    struct node {
        struct node *next;
        long number;
    } *first = NULL;
    long sum = 0;
    for (long i = 0; i < KEPT; i++) {
        struct node *node = malloc(sizeof(*node));
        if (!node) exit(1);
        *node = (struct node){first, i};
        first = node;
    }
    while (first) {
        struct node *next = first->next;
        sum += first->number;
        free(first);
        first = next;
    }
    return sum;
}

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    const char *user = getenv("USER"); /* looks through the environment */
    columns = strcmp(argv[1], "columns") == 0;
    if (count_nodes() < 0) return 1;
    volatile double *matrix = calloc(N * N, sizeof(*matrix));
    if (!matrix) return 1;
    shared = matrix;
    if (strcmp(argv[1], "threads") == 0) {
        pthread_t threads[2];
        static int is_second;
        for (int i = 0; i < 2; i++)
            if (pthread_create(&threads[i], NULL, half, i ? &is_second : NULL) != 0) return 1;
        for (int i = 0; i < 2; i++)
            pthread_join(threads[i], NULL);
    } else {
        if (strcmp(argv[1], "more") == 0) printf("%g\n", sum_up(matrix, 0, 10));
        printf("%g %d\n", sum_up(matrix, 0, N), user != NULL);
    }
    free((void *)(size_t)matrix);
    return 0;
}
