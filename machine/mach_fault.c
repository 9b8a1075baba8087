/* SPDX-License-Identifier: BSD-3-Clause */
/* Measure the cost of page faults: small and huge pages, first touch. */
#include "machine/mach_calibration.h"

#include "common/ls_clock.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum {
    PAGE_BYTES = 4096,
    HUGE_BYTES = 2 << 20,
    BATCHES = 15,
    BATCH_PAGES = 64,
    HUGE_BATCHES = 7,
};

static long faults_so_far(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_minflt : 0;
}

/* Time for each page that a touch of [at, at + len) faults in; NAN unless there is exactly one fault each
 * step. */
static double touch_ns(volatile char *at, uint64_t len_bytes, uint64_t step_bytes)
{
    const long before = faults_so_far();
    const uint64_t begin_ns = ls_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
    for (uint64_t i = 0; i < len_bytes; i += step_bytes)
        at[i] = 1;
    const uint64_t spent_ns = ls_clock_read_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns;
    const uint64_t touches = len_bytes / step_bytes;
    return faults_so_far() - before == (long)touches ? (double)spent_ns / (double)touches : NAN;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sort the values in front, without NANs; returns the number of values. */
static int sorted(double *values, int len)
{
    int kept = 0;
    for (int i = 0; i < len; i++)
        if (!isnan(values[i])) values[kept++] = values[i];
    qsort(values, (size_t)kept, sizeof(*values), by_value);
    return kept;
}

static void measure_pages(struct mach_fault_costs *c)
{
    const uint64_t batch_bytes = BATCH_PAGES * PAGE_BYTES, all_bytes = BATCHES * batch_bytes;
    double ns[BATCHES];
    char *at = (char *)mmap(NULL, all_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) return;
    madvise(at, all_bytes, MADV_NOHUGEPAGE);
    for (int i = 0; i < BATCHES; i++)
        ns[i] = touch_ns(at + (uint64_t)i * batch_bytes, batch_bytes, PAGE_BYTES);
    munmap(at, all_bytes);
    const int len = sorted(ns, BATCHES);
    if (len < BATCHES / 2) return;
    c->page_ns = ns[len / 2];
    c->error = (ns[3 * len / 4] - ns[len / 4]) / (2 * c->page_ns);
}

static void measure_huge_pages(struct mach_fault_costs *c)
{
    const uint64_t all_bytes = (HUGE_BATCHES + 1) * (uint64_t)HUGE_BYTES;
    double ns[HUGE_BATCHES];
    char *at = (char *)mmap(NULL, all_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) return;
    char *first = at + (-(uintptr_t)at & (HUGE_BYTES - 1));
    madvise(first, HUGE_BATCHES * (uint64_t)HUGE_BYTES, MADV_HUGEPAGE);
    for (int i = 0; i < HUGE_BATCHES; i++) { /* a page made of small ones has more than one fault */
        volatile char *page = first + (uint64_t)i * HUGE_BYTES;
        const long before = faults_so_far();
        ns[i] = touch_ns(page, HUGE_BYTES, HUGE_BYTES);
        page[HUGE_BYTES / 2] = 1;
        if (faults_so_far() - before != 1) ns[i] = NAN;
    }
    munmap(at, all_bytes);
    const int len = sorted(ns, HUGE_BATCHES);
    if (len > 0) c->huge_ns = ns[len / 2];
}

struct mach_fault_costs mach_fault_measure(void)
{
    struct mach_fault_costs c = {.page_ns = 0};
    measure_pages(&c);
    measure_huge_pages(&c);
    return c;
}
