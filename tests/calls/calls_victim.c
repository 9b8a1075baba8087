/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: calls_victim MODE: a program whose call stacks are known. Built with and without frame pointers.
 * Every mode works for CALLS_MS of CPU time at a known call path and prints a checksum. */
#include "common/ls_compat.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum { TABLE_LEN = 1 << 16, ROUND_LEN = 2000, DEPTH = 1000, SMALL_STACK = 1 << 16 };

static uint32_t table[TABLE_LEN];
static volatile uint32_t sum;

static int is_over(void)
{
    static const char *text;
    struct timespec now;
    if (!text) text = getenv("CALLS_MS");
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000 >= (text ? atol(text) : 400);
}

/* The hot function: reads a global table and a local array. */
LS_KEPT_FUNCTION static uint32_t work_here(uint32_t seed)
{
    volatile uint32_t own[64];
    for (unsigned i = 0; i < 64; i++)
        own[i] = seed + i;
    for (unsigned i = 0; i < ROUND_LEN; i++) {
        own[i % 64] += table[(seed + i * 977) % TABLE_LEN];
        seed = seed * 1664525 + own[(i + 7) % 64];
    }
    return seed + own[3];
}

LS_KEPT_FUNCTION static uint32_t work_until_over(void)
{
    uint32_t seed = 1;
    while (!is_over())
        seed = work_here(seed);
    sum = seed;
    return seed;
}

LS_KEPT_FUNCTION static uint32_t middle(uint32_t x)
{
    return work_until_over() + x;
}

LS_KEPT_FUNCTION static uint32_t outer(uint32_t x)
{
    return middle(x + 1) ^ x;
}

static int compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    sum = work_here(x);
    return (x > y) - (x < y);
}

LS_KEPT_FUNCTION static uint32_t sort_it(void)
{
    static uint32_t rows[256];
    while (!is_over()) {
        for (unsigned i = 0; i < 256; i++)
            rows[i] = i * 2654435761u;
        qsort(rows, 256, sizeof rows[0], compare);
    }
    return rows[1];
}

LS_KEPT_FUNCTION static uint32_t descend(unsigned depth)
{
    volatile uint32_t here = depth;
    if (depth == 0) return work_until_over();
    return descend(depth - 1) + here;
}

static void *thread_main(void *arg)
{
    return (void *)(uintptr_t)outer((uint32_t)(uintptr_t)arg);
}

static uint32_t in_threads(void)
{
    pthread_t t[2];
    for (unsigned i = 0; i < 2; i++)
        if (pthread_create(&t[i], NULL, thread_main, (void *)(uintptr_t)i) != 0) abort();
    for (unsigned i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}

static void on_signal(int sig)
{
    sum = work_until_over() + (uint32_t)sig;
}

LS_KEPT_FUNCTION static uint32_t send_it(void)
{
    raise(SIGUSR1);
    return sum;
}

static uint32_t in_handler(void)
{
    const struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGUSR1, &action, NULL);
    return send_it();
}

static ucontext_t main_context, other_context;

static void coroutine(void)
{
    sum = outer(3);
}

static uint32_t in_coroutine(void)
{
    getcontext(&other_context);
    other_context.uc_stack.ss_sp = malloc(SMALL_STACK);
    other_context.uc_stack.ss_size = SMALL_STACK;
    other_context.uc_link = &main_context;
    makecontext(&other_context, coroutine, 0);
    swapcontext(&main_context, &other_context);
    free(other_context.uc_stack.ss_sp);
    return sum;
}

/* A stack that ends with its mapping: memory above it must not be read. */
static uint32_t at_the_edge(void)
{
    char *p = mmap(NULL, 3 * SMALL_STACK, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED || mprotect(p + SMALL_STACK, SMALL_STACK, PROT_READ | PROT_WRITE) != 0) abort();
    getcontext(&other_context);
    other_context.uc_stack.ss_sp = p + SMALL_STACK;
    other_context.uc_stack.ss_size = SMALL_STACK;
    other_context.uc_link = &main_context;
    makecontext(&other_context, coroutine, 0);
    swapcontext(&main_context, &other_context);
    return sum;
}

/* Calls and leaves them by longjmp: their frames are over without a return. */
static jmp_buf back;
LS_KEPT_FUNCTION static void leave(uint32_t x)
{
    volatile uint32_t own[16] = {0};
    own[x % 16] = x;
    sum += own[3];
    longjmp(back, 1);
}

LS_KEPT_FUNCTION static uint32_t jump(void)
{
    volatile uint32_t round = 0;
    while (!is_over()) {
        if (setjmp(back) == 0) leave(round);
        round = round + work_here(round);
    }
    return round;
}

/* Frames of two functions in turn at one address of the stack; one of them calls a third and passes its
 * array. */
LS_KEPT_FUNCTION static uint32_t borrow(volatile uint32_t *theirs)
{
    for (unsigned i = 0; i < 64; i++)
        theirs[i] += i;
    return theirs[5];
}

LS_KEPT_FUNCTION static uint32_t lend(uint32_t x)
{
    volatile uint32_t own[64];
    for (unsigned i = 0; i < 64; i++)
        own[i] = x;
    return borrow(own) + own[3];
}

LS_KEPT_FUNCTION static uint32_t keep(uint32_t x)
{
    volatile uint32_t own[128];
    for (unsigned i = 0; i < 128; i++)
        own[i] = x;
    return own[x % 128];
}

LS_KEPT_FUNCTION static uint32_t take_turns(void)
{
    uint32_t x = 1;
    while (!is_over())
        for (unsigned i = 0; i < 1000; i++)
            x += lend(x) + keep(x);
    return x;
}

/* The kernel's clock page. */
LS_KEPT_FUNCTION static uint32_t read_clock(void)
{
    struct timespec now;
    uint32_t n = 0;
    while (!is_over())
        for (unsigned i = 0; i < 1000; i++) {
            clock_gettime(CLOCK_MONOTONIC, &now);
            n += (uint32_t)now.tv_nsec;
        }
    return n;
}

/* Generated code: the sum of rsi words at rdi; with a frame, as engines keep them. Named for perf when asked. */
static uint32_t in_generated_code(int is_named)
{
    static const unsigned char code[] = {0x55, 0x48, 0x89, 0xe5, 0x31, 0xc0, 0x03, 0x44, 0xb7,
                                         0xfc, 0x48, 0xff, 0xce, 0x75, 0xf7, 0x5d, 0xc3};
    enum { AT = 256, LEN = 4096 };
    uint32_t (*sum_up)(const uint32_t *, uint64_t);
    char *p = mmap(NULL, LEN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char path[64];
    uint32_t n = 0;
    if (p == MAP_FAILED) abort();
    memcpy(p + AT, code, sizeof code);
    if (mprotect(p, LEN, PROT_READ | PROT_EXEC) != 0) abort();
    snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
    FILE *map = is_named ? fopen(path, "we") : NULL;
    if (map) {
        fprintf(map, "%lx %zx JS:*sumUp /app.js:3\n", (unsigned long)(uintptr_t)(p + AT), sizeof code);
        fclose(map);
    }
    *(void **)&sum_up = p + AT;
    while (!is_over())
        n += sum_up(table, TABLE_LEN);
    return n;
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "plain";
    uint32_t result = 0;
    for (unsigned i = 0; i < TABLE_LEN; i++)
        table[i] = i * 7;
    if (strcmp(mode, "plain") == 0) result = outer(1);
    if (strcmp(mode, "sort") == 0) result = sort_it();
    if (strcmp(mode, "deep") == 0) result = descend(DEPTH);
    if (strcmp(mode, "threads") == 0) result = in_threads();
    if (strcmp(mode, "handler") == 0) result = in_handler();
    if (strcmp(mode, "coroutine") == 0) result = in_coroutine();
    if (strcmp(mode, "edge") == 0) result = at_the_edge();
    if (strcmp(mode, "longjmp") == 0) result = jump();
    if (strcmp(mode, "turns") == 0) result = take_turns();
    if (strcmp(mode, "clock") == 0) result = read_clock();
    if (strcmp(mode, "jit") == 0) result = in_generated_code(0);
    if (strcmp(mode, "jit-named") == 0) result = in_generated_code(1);
    sum = result;
    puts(mode);
    return 0;
}
