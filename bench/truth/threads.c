/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that live for a short time, sleep, wait, or are interrupted, beside a main thread that does as
 * much. usage: threads short|shorter|sleeping|blocked|signals|allocating [AMOUNT] */
#include "bench/truth/truth.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

void thread_work(void);
void handler_work(void);

static volatile unsigned thread_data[1024], handler_data[1024];
static struct truth_phase *of_threads, *of_main;

__attribute__((noinline)) void thread_work(void)
{
    for (unsigned round = 0; round < 1400; round++)
        for (unsigned i = 0; i < 1024; i++)
            thread_data[i] += round;
}

__attribute__((noinline)) void handler_work(void)
{
    for (unsigned round = 0; round < 1400; round++)
        for (unsigned i = 0; i < 1024; i++)
            handler_data[i] += round;
}

static void start(pthread_t *t, void *(*run)(void *), void *arg)
{
    if (pthread_create(t, NULL, run, arg) == 0) return;
    perror("threads");
    exit(1);
}

static void *run_slices(void *count)
{
    truth_slices(of_threads, thread_work, *(int *)count);
    return NULL;
}

/* Start `threads` threads of `slices` slices, one after the other; the main thread does as much between them. */
static void short_threads(int threads, int slices)
{
    for (int i = 0; i < threads; i++) {
        pthread_t t;
        start(&t, run_slices, &slices);
        pthread_join(t, NULL);
        truth_slices(of_main, truth_plain, slices);
    }
}

/* Four threads work for a slice and sleep for two milliseconds. */
static void *run_sleeping(void *count)
{
    for (int i = 0; i < *(int *)count; i++) {
        truth_slice(of_threads, thread_work);
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    return NULL;
}

static void sleeping_threads(int slices)
{
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        start(&t[i], run_sleeping, &slices);
    truth_slices(of_main, truth_plain, 4 * slices);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static int turn, turns;

/* Eight threads take turns under a lock: seven are always blocked. */
static void *run_blocked(void *number)
{
    pthread_mutex_lock(&lock);
    while (turn < turns) {
        if (turn % 8 != *(int *)number) {
            pthread_cond_wait(&turned, &lock);
            continue;
        }
        truth_slice(of_threads, thread_work);
        turn++;
        pthread_cond_broadcast(&turned);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void blocked_threads(int slices)
{
    static int numbers[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    pthread_t t[8];
    turns = slices;
    for (int i = 0; i < 8; i++)
        start(&t[i], run_blocked, &numbers[i]);
    truth_slices(of_main, truth_plain, slices);
    for (int i = 0; i < 8; i++)
        pthread_join(t[i], NULL);
}

static void on_timer(int number)
{
    (void)number;
    truth_slices(of_threads, handler_work, 2);
}

/* A timer interrupts the main thread every 8 ms. */
static void signals(int slices)
{
    struct sigaction action = {.sa_handler = on_timer, .sa_flags = SA_RESTART};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};
    const struct itimerspec every = {.it_interval.tv_nsec = 8000000, .it_value.tv_nsec = 8000000},
                            never = {.it_value.tv_sec = 0};
    timer_t timer;
    sigaction(SIGRTMIN, &action, NULL);
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 || timer_settime(timer, 0, &every, NULL) != 0) {
        perror("threads");
        exit(1);
    }
    truth_slices(of_main, truth_plain, slices);
    timer_settime(timer, 0, &never, NULL);
}

/* The threads allocate and free blocks of 16 to 512 bytes, 64 at a time. */
static void allocate_blocks(void)
{
    void *blocks[64];
    for (int round = 0; round < 400; round++) {
        for (int i = 0; i < 64; i++) {
            blocks[i] = malloc(16 + (size_t)(i * 7 + round) % 497);
            *(volatile char *)blocks[i] = 1;
        }
        for (int i = 0; i < 64; i++)
            free(blocks[i]);
    }
}

static void *run_allocating(void *count)
{
    truth_slices(of_threads, allocate_blocks, *(int *)count);
    return NULL;
}

static void allocating_threads(int slices)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        start(&t[i], run_allocating, &slices);
    truth_slices(of_main, truth_plain, slices);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
}

static const char *const modes[] = {"shorter", "short", "sleeping", "blocked", "signals", "allocating", NULL};
enum { SHORTER, SHORT, SLEEPING, BLOCKED, SIGNALS, ALLOCATING };

int main(int argc, char **argv)
{
    const int mode = truth_mode(argc, argv, modes);
    const double amount = truth_scale(argc, argv, 2);
    of_threads = mode == SIGNALS      ? truth_phase_new(TRUTH_FUNCTION, "handler_work", "handler_data")
                 : mode == ALLOCATING ? truth_phase_new(TRUTH_OTHER, "malloc", NULL)
                                      : truth_phase_new(TRUTH_FUNCTION, "thread_work", "thread_data");
    of_main = truth_plain_phase();
    if (mode == SHORTER) short_threads((int)(1000 * amount), 4);
    if (mode == SHORT) short_threads((int)(100 * amount), 40);
    if (mode == SLEEPING) sleeping_threads((int)(1000 * amount));
    if (mode == BLOCKED) blocked_threads((int)(3000 * amount));
    if (mode == SIGNALS) signals((int)(4500 * amount));
    if (mode == ALLOCATING) allocating_threads((int)(1563 * amount)); /* 4 * 10^7 pairs each */
    truth_print();
    return 0;
}
