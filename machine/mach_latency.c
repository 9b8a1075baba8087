/* SPDX-License-Identifier: BSD-3-Clause */
/* Latency of loads in a ring of lines of a given length: each load depends on the one before. */
#include "machine/mach_calibration.h"

#include "common/ls_sorted.h"
#include "machine/mach_probe_sigsafe.h"
#include "machine/mach_isa.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    LINE_BYTES = 64,
    PROBES = 4000,
    WARM_ROUNDS = 3,
    CHASE_STRETCHES = 40,
    CHASE_LOADS = 32768, /* loads per stretch: some 100 us, short enough to escape interrupts */
    CONTROL_SPIN_MAX = 63,
    CONTROL_MOST_CYCLES = 2000, /* more is an interrupt */
};

double mach_latency_typical(uint64_t *latencies_cycles, size_t len, uint32_t tsc_step_cycles)
{
    qsort(latencies_cycles, len, sizeof(*latencies_cycles), ls_compare_u64);
    const double median = (double)latencies_cycles[len / 2], reach = 1.5 * tsc_step_cycles;
    double sum = 0;
    size_t near = 0;
    for (size_t i = 0; i < len; i++) {
        const double distance = (double)latencies_cycles[i] - median;
        if (distance > reach || distance < -reach) continue;
        sum += (double)latencies_cycles[i];
        near++;
    }
    return sum / (double)near;
}

/* Knuth's MMIX generator (The Art of Computer Programming vol. 2, 3.3.4): its upper bits are random enough to
 * defeat a prefetcher. */
static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

static size_t random_line(uint64_t *state, size_t lines)
{
    return next_random(state) % lines;
}

/* Link all lines into one cycle in random order (Sattolo's algorithm), each line pointing to the next. */
static void make_ring(char *base, uint32_t *order, size_t lines)
{
    uint64_t state = 42;
    for (size_t i = 0; i < lines; i++)
        order[i] = (uint32_t)i;
    for (size_t i = lines - 1; i > 0; i--) {
        const size_t j = random_line(&state, i);
        const uint32_t swapped = order[i];
        order[i] = order[j];
        order[j] = swapped;
    }
    for (size_t i = 0; i < lines; i++)
        *(void **)(void *)(base + i * LINE_BYTES) = base + (size_t)order[i] * LINE_BYTES;
}

static double best_stretch_cycles(char *base)
{
    void *volatile *at = (void *volatile *)(void *)base;
    double best = INFINITY;
    for (int s = 0; s < CHASE_STRETCHES; s++) {
        const uint64_t begin = mach_isa->tsc_read();
        for (int i = 0; i < CHASE_LOADS; i += 8) {
            at = *at, at = *at, at = *at, at = *at;
            at = *at, at = *at, at = *at, at = *at;
        }
        best = fmin(best, (double)(mach_isa->tsc_read() - begin) / CHASE_LOADS);
    }
    return best;
}

ls_err mach_latency_chase(uint64_t len_bytes, double *out_cycles)
{
    const size_t lines = len_bytes / LINE_BYTES;
    uint32_t *order = calloc(lines, sizeof(*order));
    char *base = aligned_alloc(LINE_BYTES, lines * LINE_BYTES);
    ls_err e = LS_OK;
    if (order && base) {
        make_ring(base, order, lines);
        *out_cycles = best_stretch_cycles(base);
    } else {
        e = ls_nomem("measuring latencies: %llu bytes are needed for a moment",
                     (unsigned long long)len_bytes);
    }
    free(base);
    free(order);
    return e;
}

double mach_latency_control(void)
{
    uint64_t line = 0, state = 7, sum = 0, len = 0;
    for (int i = 0; i < PROBES; i++) {
        /* start at another phase of the counter's step each time */
        for (volatile uint64_t spin = next_random(&state) & CONTROL_SPIN_MAX; spin > 0;)
            spin = spin - 1;
        const uint64_t reading = mach_isa->probe_control(&line);
        if (reading >= CONTROL_MOST_CYCLES) continue;
        sum += reading;
        len++;
    }
    return len ? (double)sum / (double)len : 0;
}

/* Bring the working set into the nearest caches that hold it, in random order, so that no prefetched line
 * remains. */
static void warm(const volatile char *base, size_t lines)
{
    uint64_t state = 1;
    for (size_t i = 0; i < WARM_ROUNDS * lines; i++)
        (void)base[random_line(&state, lines) * LINE_BYTES];
}

static void flush_lines(const char *base, size_t lines, uint64_t state)
{
    for (int i = 0; i < PROBES; i++)
        mach_isa->flush(base + random_line(&state, lines) * LINE_BYTES, LINE_BYTES);
}

static bool probe_lines(const char *base, size_t lines, uint64_t state, uint64_t *latencies)
{
    for (int i = 0; i < PROBES; i++) {
        latencies[i] = mach_isa->probe_load(base + random_line(&state, lines) * LINE_BYTES);
        if (latencies[i] == MACH_PROBE_FAULTED) return false;
    }
    return true;
}

ls_err mach_latency_measure(const struct mach_working_set *set, uint32_t tsc_step_cycles, double *out_cycles)
{
    ls_err e = LS_OK;
    uint64_t *latencies = calloc(PROBES, sizeof(*latencies));
    char *base = mmap(NULL, set->len_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!latencies || base == MAP_FAILED) {
        e = ls_nomem("measuring latencies: %llu bytes are needed for a moment",
                     (unsigned long long)set->len_bytes);
        goto out;
    }
    memset(base, 1, set->len_bytes);
    const size_t lines = set->len_bytes / LINE_BYTES;
    const uint64_t seed = 20240229;
    if (set->from_memory)
        flush_lines(base, lines, seed);
    else
        warm(base, lines);
    if (!probe_lines(base, lines, seed, latencies)) {
        e = ls_fail(LS_ERR_UNSUPPORTED, "there is no latency probe for this processor");
        goto out;
    }
    *out_cycles = mach_latency_typical(latencies, PROBES, tsc_step_cycles);
out:
    if (base != MAP_FAILED) munmap(base, set->len_bytes);
    free(latencies);
    return e;
}
