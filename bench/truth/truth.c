/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* memfd_create */
#include "bench/truth/truth.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { PHASES_MAX = 8, NAME_BYTES = 128 };

struct truth_phase {
    char name[NAME_BYTES], data[NAME_BYTES];
    enum truth_kind kind;
    _Atomic int64_t all_ns; /* its slices */
};

static struct truth_phase *phases;

/* Map the phases: a file in memory that children inherit and that programs started by exec find again by
 * TRUTH_FD. */
static struct truth_phase *map_phases(void)
{
    const size_t len_bytes = PHASES_MAX * sizeof(struct truth_phase);
    const char *inherited = getenv("TRUTH_FD");
    const int fd = inherited ? atoi(inherited) : memfd_create("truth", 0);
    char number[16];
    if (fd < 0 || (!inherited && ftruncate(fd, (off_t)len_bytes) != 0)) return NULL;
    snprintf(number, sizeof(number), "%d", fd);
    setenv("TRUTH_FD", number, 1);
    void *p = mmap(NULL, len_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return p == MAP_FAILED ? NULL : p;
}

struct truth_phase *truth_phase_new(enum truth_kind kind, const char *name, const char *data)
{
    if (!phases) phases = map_phases();
    for (int i = 0; phases && i < PHASES_MAX; i++) {
        struct truth_phase *p = &phases[i];
        if (strcmp(p->name, name) == 0) return p;
        if (p->name[0]) continue;
        snprintf(p->name, sizeof(p->name), "%s", name);
        snprintf(p->data, sizeof(p->data), "%s", data ? data : "");
        p->kind = kind;
        return p;
    }
    fprintf(stderr, "truth: no memory for the phase %s\n", name);
    exit(1);
}

static int64_t cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void truth_slice(struct truth_phase *phase, void (*work)(void))
{
    static _Thread_local volatile int64_t slices_ns; /* all finished slices of the thread */
    const int64_t before_ns = slices_ns, begin_ns = cpu_ns();
    work();
    const int64_t handlers_ns = slices_ns - before_ns; /* slices in signal handlers */
    const int64_t took_ns = cpu_ns() - begin_ns - handlers_ns;
    slices_ns += took_ns;
    atomic_fetch_add(&phase->all_ns, took_ns);
}

void truth_slices(struct truth_phase *phase, void (*work)(void), int count)
{
    for (int i = 0; i < count; i++)
        truth_slice(phase, work);
}

static double usage_ns(const struct timeval *a, const struct timeval *b)
{
    return (double)(a->tv_sec + b->tv_sec) * 1e9 + (double)(a->tv_usec + b->tv_usec) * 1e3;
}

void truth_print(void)
{
    static const char *const kinds[] = {"function", "other", "kernel"};
    struct rusage own, children;
    getrusage(RUSAGE_SELF, &own);
    getrusage(RUSAGE_CHILDREN, &children);
    for (int i = 0; phases && i < PHASES_MAX && phases[i].name[0]; i++) {
        struct truth_phase *p = &phases[i];
        const double ns = (double)atomic_load(&p->all_ns);
        printf("truth %s %s %.0f\n", kinds[p->kind], p->name, ns);
        if (p->data[0]) printf("truth data %s %.0f\n", p->data, ns);
    }
    printf("truth total %.0f %.0f\n", usage_ns(&own.ru_utime, &children.ru_utime),
           usage_ns(&own.ru_stime, &children.ru_stime));
}

double truth_scale(int argc, char **argv, int index)
{
    return argc > index ? strtod(argv[index], NULL) : 1;
}

int truth_mode(int argc, char **argv, const char *const *modes)
{
    for (int i = 0; argc > 1 && modes[i]; i++)
        if (strcmp(argv[1], modes[i]) == 0) return i;
    fprintf(stderr, "usage: %s", argv[0]);
    for (int i = 0; modes[i]; i++)
        fprintf(stderr, "%s%s", i ? "|" : " ", modes[i]);
    fprintf(stderr, " [AMOUNT]\n");
    exit(2);
}

static volatile unsigned truth_plain_data[1024];

struct truth_phase *truth_plain_phase(void)
{
    return truth_phase_new(TRUTH_FUNCTION, "truth_plain", "truth_plain_data");
}

__attribute__((noinline)) void truth_plain(void)
{
    for (unsigned round = 0; round < 1400; round++)
        for (unsigned i = 0; i < 1024; i++)
            truth_plain_data[i] += round;
}
