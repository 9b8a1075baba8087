/* SPDX-License-Identifier: BSD-3-Clause */
/* Time of a line in a sweep: the rate of caches and memory when the prefetcher knows where a loop goes. */
#include "machine/mach_calibration.h"

#include "common/ls_clock.h"
#include "machine/mach_isa.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    LINE_BYTES = 64,
    SWEEPS_LEAST = 4,
    SWEEP_LINES = 1 << 18, /* bytes in all sweeps of a small set, which take a few milliseconds */
    THREADS_MOST = 256,
};
#define THREAD_BYTES_LEAST (UINT64_C(8) << 20)

static void *map_touched(uint64_t len_bytes)
{
    char *base = mmap(NULL, len_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED) return NULL;
    (void)madvise(base, len_bytes, MADV_HUGEPAGE);
    memset(base, 1, len_bytes);
    return base;
}

static double sweep_cycles(const volatile char *base, size_t lines)
{
    const uint64_t begin = mach_isa->tsc_read();
    for (size_t i = 0; i < lines; i++)
        (void)base[i * LINE_BYTES];
    return (double)(mach_isa->tsc_read() - begin) / (double)lines;
}

ls_err mach_sweep_measure(uint64_t len_bytes, double *out_cycles)
{
    const size_t lines = len_bytes / LINE_BYTES, sweeps = SWEEP_LINES / lines + SWEEPS_LEAST;
    char *base = map_touched(len_bytes);
    if (!base)
        return ls_nomem("measuring bandwidth: %llu bytes are needed for a moment",
                        (unsigned long long)len_bytes);
    double best = INFINITY;
    for (size_t s = 0; s < sweeps; s++)
        best = fmin(best, sweep_cycles(base, lines));
    munmap(base, len_bytes);
    *out_cycles = best;
    return LS_OK;
}

enum { WAIT, GO, GIVE_UP };

struct sweeper {
    pthread_t thread;
    const uint32_t *signal; /* WAIT, GO or GIVE_UP */
    uint32_t *ready;        /* threads with their memory */
    uint64_t len_bytes;
    double cycles; /* NAN: no memory */
};

static void *sweep_beside_others(void *arg)
{
    struct sweeper *s = arg;
    uint32_t signal;
    char *base = map_touched(s->len_bytes);
    __atomic_add_fetch(s->ready, 1, __ATOMIC_ACQ_REL);
    while ((signal = __atomic_load_n(s->signal, __ATOMIC_ACQUIRE)) == WAIT)
        sched_yield();
    double sum = base && signal == GO ? 0 : NAN;
    const uint64_t begin_ns = ls_clock_mono_ns(), begin_cpu_ns = ls_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < SWEEPS_LEAST && sum == sum; i++)
        sum += sweep_cycles(base, s->len_bytes / LINE_BYTES);
    const uint64_t cpu_ns = ls_clock_read_ns(CLOCK_THREAD_CPUTIME_ID) - begin_cpu_ns;
    const uint64_t wall_ns = ls_clock_mono_ns() - begin_ns;
    if (base) munmap(base, s->len_bytes);
    const double on_cpu =
        wall_ns > cpu_ns ? (double)cpu_ns / (double)wall_ns : 1; /* the rest is time of other programs */
    s->cycles = on_cpu * sum / SWEEPS_LEAST;
    return NULL;
}

static unsigned usable_cpus(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
    const int count = CPU_COUNT(&set);
    return count > THREADS_MOST ? THREADS_MOST : (unsigned)count;
}

static double sweep_together(struct sweeper *sweepers, unsigned len, uint64_t len_bytes)
{
    uint32_t signal = WAIT, ready = 0;
    unsigned made = 0;
    double sum = 0;
    for (; made < len; made++) {
        sweepers[made] = (struct sweeper){.signal = &signal, .ready = &ready, .len_bytes = len_bytes};
        if (pthread_create(&sweepers[made].thread, NULL, sweep_beside_others, &sweepers[made]) != 0) break;
    }
    while (made == len && __atomic_load_n(&ready, __ATOMIC_ACQUIRE) < len)
        sched_yield();
    __atomic_store_n(&signal, made == len ? GO : GIVE_UP, __ATOMIC_RELEASE);
    for (unsigned i = 0; i < made; i++) {
        pthread_join(sweepers[i].thread, NULL);
        sum += sweepers[i].cycles;
    }
    return made == len ? sum / len : NAN;
}

ls_err mach_sweep_measure_all(uint64_t total_bytes, double *out_cycles, uint32_t *out_cpus)
{
    const unsigned cpus = usable_cpus();
    const uint64_t share_bytes = total_bytes / cpus;
    struct sweeper *sweepers = calloc(cpus, sizeof(*sweepers));
    if (!sweepers) return ls_nomem("measuring bandwidth: %u threads", cpus);
    *out_cycles =
        sweep_together(sweepers, cpus, share_bytes > THREAD_BYTES_LEAST ? share_bytes : THREAD_BYTES_LEAST);
    *out_cpus = cpus;
    free(sweepers);
    return LS_OK;
}
