/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: kernel_victim blocks|reads|lazy|forks|threads|maps: programs with known kernel time. Each prints its
 * result, and its page faults on stderr. */
#include "common/ls_clock.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BLOCK_BYTES = 13 << 20, PAGE_BYTES = 4096 };

static void touch(volatile char *at, size_t len_bytes)
{
    for (size_t i = 0; i < len_bytes; i += PAGE_BYTES)
        at[i] = (char)i; /* the line that faults */
}

/* Allocate as LULESH does: in each iteration, and free everything again. */
static int run_blocks(void)
{
    unsigned sum = 0;
    for (int i = 0; i < 60; i++) {
        char *first = malloc(BLOCK_BYTES);
        char *last = malloc(BLOCK_BYTES);
        if (!first || !last) return 1;
        touch(first, BLOCK_BYTES);
        touch(last, BLOCK_BYTES);
        sum += (unsigned char)last[17 * PAGE_BYTES];
        free(first);
        free(last); /* the line that unmaps */
    }
    printf("blocks %u\n", sum);
    return 0;
}

static int run_reads(void)
{
    static char data[1 << 16];
    const int fd = open("/dev/zero", O_RDONLY);
    long sum = 0;
    for (int i = 0; i < 100000; i++)
        sum += read(fd, data, sizeof(data)); /* the line that reads */
    printf("reads %ld\n", sum);
    return 0;
}

static char *lazy;
static volatile sig_atomic_t lazy_faults, traps;
static void on_fault(int sig, siginfo_t *info, void *context)
{
    (void)sig;
    (void)context;
    char *page = (char *)((uintptr_t)info->si_addr & ~(uintptr_t)(PAGE_BYTES - 1));
    if (mprotect(page, PAGE_BYTES, PROT_READ | PROT_WRITE) != 0) _exit(3);
    lazy_faults++;
}

static void on_trap(int sig)
{
    (void)sig;
    traps++;
}

/* Pages that the program's own handler makes accessible, and a handler for the signal that recording uses. */
static int run_lazy(void)
{
    enum { PAGES = 20000 };
    struct sigaction fault = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO},
                     trap = {.sa_handler = on_trap};
    sigaction(SIGSEGV, &fault, NULL);
    sigaction(SIGTRAP, &trap, NULL);
    lazy = mmap(NULL, (size_t)PAGES * PAGE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (lazy == MAP_FAILED) return 1;
    for (int i = 0; i < PAGES; i++) {
        lazy[(size_t)i * PAGE_BYTES] = (char)i;
        if (i % 1000 == 0) raise(SIGTRAP);
    }
    printf("lazy %d faults, %d traps\n", (int)lazy_faults, (int)traps);
    return 0;
}

/* Children write to memory that the parent has written. */
static int run_forks(void)
{
    char *shared = malloc(BLOCK_BYTES);
    int ended = 0;
    if (!shared) return 1;
    touch(shared, BLOCK_BYTES);
    for (int i = 0; i < 24; i++) {
        const pid_t child = fork();
        if (child == 0) {
            touch(shared, BLOCK_BYTES);
            _exit(shared[PAGE_BYTES] == 0 ? 7 : 8);
        }
        int status = 0;
        if (waitpid(child, &status, 0) == child && WIFEXITED(status)) ended += WEXITSTATUS(status);
    }
    printf("forks %d\n", ended);
    return 0;
}

static void *thread_main(void *unused)
{
    const size_t len_bytes = BLOCK_BYTES / 64;
    char *own = mmap(NULL, len_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (own == MAP_FAILED) abort();
    touch(own, len_bytes);
    munmap(own, len_bytes);
    return unused;
}

static int run_threads(void)
{
    enum { THREADS = 8 };
    pthread_t threads[THREADS];
    for (int round = 0; round < 300; round++) {
        for (int i = 0; i < THREADS; i++)
            if (pthread_create(&threads[i], NULL, thread_main, NULL) != 0) return 1;
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
    }
    printf("threads\n");
    return 0;
}

/* Mappings that take long to end: a call each, whose CPU time is printed on stderr. */
static int run_maps(void)
{
    enum { LEN_BYTES = 8 << 20, ROUNDS = 1000 };
    uint64_t unmap_ns = 0;
    for (int i = 0; i < ROUNDS; i++) {
        char *at = mmap(NULL, LEN_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (at == MAP_FAILED) return 1;
        madvise(at, LEN_BYTES, MADV_NOHUGEPAGE);
        madvise(at, LEN_BYTES, MADV_POPULATE_WRITE); /* faster than by page faults, where the kernel can */
        touch(at, LEN_BYTES);
        const uint64_t begin_ns = ls_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
        munmap(at, LEN_BYTES);
        unmap_ns += ls_clock_read_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns;
    }
    fprintf(stderr, "%" PRIu64 " ns in munmap\n", unmap_ns);
    printf("maps\n");
    return 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(void);
    } modes[] = {{"blocks", run_blocks}, {"reads", run_reads},     {"lazy", run_lazy},
                 {"forks", run_forks},   {"threads", run_threads}, {"maps", run_maps}};
    int result = 2;
    for (size_t i = 0; argc == 2 && i < sizeof(modes) / sizeof(modes[0]); i++)
        if (strcmp(argv[1], modes[i].name) == 0) result = modes[i].run();
    struct rusage self, children;
    getrusage(RUSAGE_SELF, &self);
    getrusage(RUSAGE_CHILDREN, &children);
    fprintf(stderr, "%ld\n", self.ru_minflt + children.ru_minflt);
    return result;
}
