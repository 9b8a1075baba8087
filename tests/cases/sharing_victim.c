/* SPDX-License-Identifier: BSD-3-Clause */
/* sharing_victim MILLISECONDS: two threads that count in separate words of one line (false sharing), together
 * in one counter (true sharing), and in separate lines (none). Prints the addresses: "false ADDRESS", ... */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LINE = 64, THREADS = 2, ROUNDS = 4000, ATOMIC_ROUNDS = 400 };

static _Alignas(LINE) volatile uint64_t neighbours[LINE / sizeof(uint64_t)];
static _Alignas(LINE) atomic_ulong common[LINE / sizeof(atomic_ulong)];
static _Alignas(LINE) volatile uint64_t padded[THREADS][LINE / sizeof(uint64_t)];
static _Alignas(LINE) volatile uint64_t constant[LINE / sizeof(uint64_t)] = {
    1}; /* read by both, written by none */
static struct timespec end;

static int is_over(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec > end.tv_sec || (now.tv_sec == end.tv_sec && now.tv_nsec >= end.tv_nsec);
}

static void *count(void *argument)
{
    const uint64_t me = (uint64_t)(uintptr_t)argument;
    while (!is_over()) {
        for (int i = 0; i < ROUNDS; i++)
            neighbours[me] += constant[0];
        for (int i = 0; i < ATOMIC_ROUNDS; i++)
            atomic_fetch_add(&common[0], 1);
        for (int i = 0; i < ROUNDS; i++)
            padded[me][0] += constant[0];
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const long milliseconds = argc > 1 ? atol(argv[1]) : 1000;
    pthread_t threads[THREADS];
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += milliseconds / 1000;
    end.tv_nsec += milliseconds % 1000 * 1000000;
    if (end.tv_nsec >= 1000000000) {
        end.tv_sec++;
        end.tv_nsec -= 1000000000;
    }
    for (uint64_t i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, count, (void *)(uintptr_t)i) != 0) return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("false %llu\ntrue %llu\npadded %llu\npadded %llu\nconstant %llu\n",
           (unsigned long long)(uintptr_t)neighbours, (unsigned long long)(uintptr_t)common,
           (unsigned long long)(uintptr_t)padded[0], (unsigned long long)(uintptr_t)padded[1],
           (unsigned long long)(uintptr_t)constant);
    return 0;
}
