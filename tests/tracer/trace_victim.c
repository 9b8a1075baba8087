/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs with known accesses. usage: trace_victim WHAT; TRACE_ALONE: without Loadstone's library. */
#ifndef TRACE_ALONE
#include <loadstone/loadstone.h>
#include <loadstone/smr.h>
#endif

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static long amount = 1; /* second argument */
enum { N = 1000, THREADS = 4, ROUNDS = 10 };
/* volatile: the compiler shall not join accesses */
volatile double table[N];
uint8_t text[64], copy[64];

/* Loads 0, 7, 14, ... modulo N of heap, and of table in order. */
static __attribute__((noinline)) double gather(const volatile double *heap)
{
    double sum = 0;
    for (long i = 0; i < N; i++)
        sum += heap[i * 7 % N] * table[i];
    return sum;
}

static int loops(void)
{
    volatile double *heap = malloc(N * sizeof(*heap));
    for (long i = 0; i < N; i++)
        heap[i] = (double)i;
    printf("%g\n", gather(heap));
    free((void *)(uintptr_t)heap);
    return 3;
}

/* Two blocks at one address, one after the other. */
static int reuse(void)
{
    char *volatile first = malloc(5000);
    for (int i = 0; i < 100; i++)
        first[i] = 1;
    const uintptr_t before = (uintptr_t)first;
    free(first);
    char *volatile second = malloc(5000);
    for (int i = 0; i < 200; i++)
        second[i] = 1;
    printf("%s\n", before == (uintptr_t)second ? "reused" : "moved");
    free(second);
    return 0;
}

static void *work(void *p)
{
    volatile long *mine = malloc(100 * sizeof(*mine));
    long sum = 0;
    for (long i = 0; i < 100; i++)
        mine[i] = i + (long)(intptr_t)p;
    for (long i = 0; i < 100; i++)
        sum += mine[i];
    free((void *)(uintptr_t)mine);
    return (void *)(intptr_t)sum;
}

static int threads(void)
{
    long sum = 0;
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t ids[THREADS];
        for (long i = 0; i < THREADS; i++)
            pthread_create(&ids[i], NULL, work, (void *)(intptr_t)i);
        for (int i = 0; i < THREADS; i++) {
            void *part;
            pthread_join(ids[i], &part);
            sum += (long)(intptr_t)part;
        }
    }
    printf("%ld\n", sum);
    return 0;
}

static void touch(int from, int to)
{
    for (int i = from; i < to; i++)
        table[i] = 1;
}

/* 800 stores, 7 elements from one to the next. */
static __attribute__((noinline)) void touch_wide(void)
{
    for (int i = 0; i < 800; i++)
        table[100 + i * 7 % 800] = 1;
}

#ifndef TRACE_ALONE
static int phases(void)
{
    touch(0, 100);
    loadstone_phase_begin("solve");
    touch(100, 150);
    loadstone_phase_end("solve");
    touch(150, 300);
    loadstone_phase_begin("solve");
    touch(300, 301);
    loadstone_phase_end("solve");
    return 0;
}

static int ranges(void)
{
    smr_tree *tree;
    smr_node *node;
    const struct smr_spec spec = {
        .label = "grid", .start = table + 100, .end = table + 200, .elem_size_bytes = sizeof(double)};
    if (smr_tree_new(&tree) != LS_OK || smr_tree_insert(tree, &spec, &node) != LS_OK) return 1;
    touch(50, 150);
    smr_node_remove(node);
    touch(100, 120);
    smr_tree_free(tree);
    return 0;
}

/* Register ranges as time steps do: a range for a while, then another node of the same name, separately in
 * each group. */
static int steps_of(smr_node *const *groups, smr_tree *tree)
{
    const struct smr_spec spec = {
        .label = "grid", .start = table + 100, .end = table + 900, .elem_size_bytes = sizeof(double)};
    for (int step = 0; step < 10; step++) {
        smr_node *node;
        if (smr_tree_insert(tree, &spec, &node) != LS_OK) return 1;
        touch_wide();
        if (groups && smr_node_add_member(groups[step % 2], node) != LS_OK) return 1;
        if (groups) touch_wide();
        smr_node_remove(node);
    }
    smr_tree_free(tree);
    return 0;
}

static int steps(void)
{
    smr_tree *tree;
    return smr_tree_new(&tree) == LS_OK ? steps_of(NULL, tree) : 1;
}

static int members(void)
{
    smr_tree *tree;
    smr_node *groups[2];
    if (smr_tree_new(&tree) != LS_OK || smr_tree_insert_group(tree, "coarse", &groups[0]) != LS_OK ||
        smr_tree_insert_group(tree, "fine", &groups[1]) != LS_OK)
        return 1;
    return steps_of(groups, tree);
}
#else
static int phases(void)
{
    return 77;
}
static int steps(void)
{
    return 77;
}
static int members(void)
{
    return 77;
}
static int ranges(void)
{
    return 77;
}
#endif

#if defined(__x86_64__)
/* Operations on text and copy: 16 bytes in QEMU's two halves, two loads, load and store. */
static int wide(void)
{
    for (int i = 0; i < 10; i++)
        __asm__ volatile("movups (%0), %%xmm1\n\tmovups %%xmm1, (%1)" ::"r"(text), "r"(copy)
                         : "xmm1", "memory");
    for (int i = 0; i < 5; i++)
        __asm__ volatile("lock addl $1, (%0)" ::"r"(text) : "memory", "cc");
    const void *from = text;
    void *to = copy;
    size_t left = 4;
    __asm__ volatile("rep movsq" : "+S"(from), "+D"(to), "+c"(left)::"memory");
    from = text;
    to = copy;
    left = 32;
    __asm__ volatile("repe cmpsb" : "+S"(from), "+D"(to), "+c"(left)::"memory", "cc");
    return 0;
}

/* QEMU 7.2 computes wrong addresses for it. */
static int bad_gather(void)
{
    printf("before\n");
    fflush(stdout);
    __asm__ volatile("vpxor %%xmm4, %%xmm4, %%xmm4\n\tvpcmpeqd %%ymm0, %%ymm0, %%ymm0\n\t"
                     "vgatherdpd %%ymm0, (%0,%%xmm4,8), %%ymm1" ::"r"(table)
                     : "xmm0", "xmm1", "xmm4", "memory");
    printf("behind\n");
    return 0;
}

static int in_child(int (*what)(void))
{
    int status = 0;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) _exit(what());
    waitpid(child, &status, 0);
    printf("child %d\n", WEXITSTATUS(status));
    return 0;
}

static int bad_gather_in_child(void)
{
    touch(0, 10);
    return in_child(bad_gather);
}

static int avx512(void)
{
    printf("before\n");
    fflush(stdout);
    __asm__ volatile(".byte 0x62,0xf1,0x7c,0x48,0x10,0x00" ::"a"(table) : "xmm0"); /* vmovups (%rax), %zmm0 */
    return 0;
}

/* An instruction that a program compiled for Sapphire Rapids may execute first. */
static int mask(void)
{
    __asm__ volatile(".byte 0xc5,0xf9,0x92,0xc8" ::"a"(1)); /* kmovb %eax, %k1 */
    return 0;
}
static int tile(void)
{
    __asm__ volatile(".byte 0xc4,0xe2,0x78,0x49,0x00" ::"a"(table)); /* ldtilecfg (%rax) */
    return 0;
}
static int direct(void)
{
    __asm__ volatile(".byte 0x66,0x0f,0x38,0xf8,0x01" ::"a"(table), "c"(table)
                     : "memory"); /* movdir64b (%rcx), %rax */
    return 0;
}

/* An instruction of a set that neither QEMU nor trace supports. */
static int odd_instruction(void)
{
    touch(0, 10);
    __asm__ volatile(".byte 0xf3,0x0f,0x01,0xee"); /* clui */
    return 0;
}

static int trap(void)
{
    touch(0, 10);
    __builtin_trap();
}
#else
static int odd_instruction(void)
{
    return 77;
}
static int trap(void)
{
    return 77;
}
static int mask(void)
{
    return 77;
}
static int tile(void)
{
    return 77;
}
static int direct(void)
{
    return 77;
}
static int wide(void)
{
    return 77;
}
static int bad_gather(void)
{
    return 77;
}
static int bad_gather_in_child(void)
{
    return 77;
}
static int avx512(void)
{
    return 77;
}
#endif

/* Loads at distances that do not repeat. */
static __attribute__((noinline)) double shuffled(void)
{
    double sum = 0;
    for (uint64_t i = 0; i < 5000; i++)
        sum += table[(i * i * 2654435761u >> 7) % N];
    return sum;
}

static int shuffle(void)
{
    printf("%g\n", shuffled());
    return 0;
}

/* Repeat one load and some slow arithmetic: much time, few accesses. */
volatile uint64_t divisors[N];
static __attribute__((noinline)) uint64_t divide(long rounds)
{
    uint64_t x = UINT64_MAX;
    for (long i = 0; i < rounds; i++) {
        const uint64_t by = divisors[i * 7 % N] | 3;
        for (uint64_t k = 0; k < 8; k++)
            x = UINT64_MAX - x / (by + k);
    }
    return x;
}

static int hot(void)
{
    touch(0, 100);
    printf("%d\n", divide(amount) != 0);
    return 0;
}

/* No emulator supports it. */
static int odd_call(void)
{
    enum { IO_URING_SETUP = 425 };
    touch(0, 10);
    return syscall(IO_URING_SETUP, 1, NULL) < 0 ? 9 : 0;
}

static int aborts(void)
{
    touch(0, 10);
    printf("dying\n");
    fflush(stdout);
    raise(SIGTERM);
    return 0;
}

static int raises_ill(void)
{
    touch(0, 10);
    raise(SIGILL);
    return 0;
}

static sigjmp_buf asked;
static void on_ill(int signal)
{
    (void)signal;
    siglongjmp(asked, 1);
}

/* Test whether an instruction is supported, as programs do. */
static int handles_ill(void)
{
    signal(SIGILL, on_ill);
    if (sigsetjmp(asked, 1)) return 6;
    return amount > 1 ? raises_ill() : odd_instruction();
}

static int killed(void)
{
    touch(0, 700);
    kill(getpid(), SIGKILL);
    return 0;
}

static int forks(void)
{
    touch(0, 10);
    const pid_t child = fork();
    if (child == 0) {
        touch(10, 500);
        _exit(5);
    }
    int status = 0;
    waitpid(child, &status, 0);
    touch(500, 520);
    printf("child %d\n", WEXITSTATUS(status));
    return 0;
}

struct two_blocks {
    volatile char *one, *other;
};

/* An inlined call is another call on the same line. */
static inline __attribute__((always_inline)) char *make_block(void)
{
    return malloc(16384);
}

static void fill_block(volatile char *block, int len)
{
    for (int i = 0; i < len; i++)
        block[i] = 1;
}

/* Several blocks a line: large ones, and one beside a small one. */
static int sites(void)
{
    struct two_blocks both = {malloc(16384), malloc(16384)};
    struct two_blocks mixed = {malloc(64), malloc(16384)};
    char *inlined[3] = {make_block(), make_block(), make_block()};
    fill_block(both.one, 10);
    fill_block(both.other, 11);
    fill_block(mixed.one, 12);
    fill_block(mixed.other, 13);
    for (int i = 0; i < 3; i++)
        fill_block(inlined[i], 14 + i);
    return 0;
}

static const struct {
    const char *name;
    int (*run)(void);
} rows[] = {{"loops", loops},
            {"reuse", reuse},
            {"threads", threads},
            {"phases", phases},
            {"ranges", ranges},
            {"steps", steps},
            {"members", members},
            {"wide", wide},
            {"bad-gather", bad_gather},
            {"hot", hot},
            {"shuffle", shuffle},
            {"odd-call", odd_call},
            {"avx512", avx512},
            {"mask", mask},
            {"tile", tile},
            {"direct", direct},
            {"aborts", aborts},
            {"odd-instruction", odd_instruction},
            {"trap", trap},
            {"raises-ill", raises_ill},
            {"handles-ill", handles_ill},
            {"killed", killed},
            {"forks", forks},
            {"bad-gather-in-child", bad_gather_in_child},
            {"sites", sites}};

int main(int argc, char **argv)
{
    if (argc > 2) amount = atol(argv[2]);
    for (size_t i = 0; argc > 1 && i < sizeof(rows) / sizeof(rows[0]); i++)
        if (strcmp(rows[i].name, argv[1]) == 0) return rows[i].run();
    return 2;
}
