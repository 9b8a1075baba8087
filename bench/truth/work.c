/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/truth/work.h"

#include "bench/bench_ring.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define RING_BYTES ((size_t)64 << 20)
#define TABLE_LEN ((uint32_t)1 << 24)
#define MODULO_LEN 16000057u

static char chase_ring[RING_BYTES];
static uint32_t gather_table[TABLE_LEN], modulo_table[MODULO_LEN];
static double stream_table[(size_t)1 << 23];

/* The results go here, so that the work is not removed. */
static volatile double sink_double;
static volatile uint64_t sink;
static void *chase_at = chase_ring;

void work_prepare(void (*work)(void))
{
    if (work == work_chase && bench_ring_make(chase_ring, RING_BYTES) != 0) exit(1);
    if (work == work_gather) memset(gather_table, 1, sizeof(gather_table));
    if (work == work_modulo) memset(modulo_table, 1, sizeof(modulo_table));
    if (work == work_stream) memset(stream_table, 0, sizeof(stream_table));
}

__attribute__((noinline)) void work_chain(void)
{
    double x = 1.5;
    for (int i = 0; i < 300000; i++)
        x = x * 0.99999 + 1e-5;
    sink_double = x;
}

__attribute__((noinline)) void work_divide(void)
{
    uint64_t x = UINT64_MAX - 58, divisor = 3;
    for (int i = 0; i < 60000; i++) {
        x = UINT64_MAX / divisor - x % divisor;
        divisor = (x & 0xffff) | 3;
    }
    sink = x;
}

__attribute__((noinline)) void work_modulo(void)
{
    static uint64_t state = 1;
    uint64_t sum = 0, s = state;
    /* read through a volatile: the divisor is not a constant to the compiler */
    static volatile uint64_t modulus = MODULO_LEN;
    const uint64_t m = modulus;
    for (int i = 0; i < 30000; i++) {
        s = s * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        sum += modulo_table[s % m];
    }
    state = s;
    sink = sum;
}

__attribute__((noinline)) void work_chase(void)
{
    void *p = chase_at;
    for (int i = 0; i < 4000; i++)
        p = *(void *volatile *)p;
    chase_at = p;
}

__attribute__((noinline)) void work_gather(void)
{
    static uint64_t state = 1;
    uint64_t s = state;
    for (int i = 0; i < 30000; i++) {
        s = s * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        gather_table[s >> 40]++;
    }
    state = s;
}

__attribute__((noinline)) void work_stream(void)
{
    static size_t at;
    for (size_t i = at; i < at + 262144; i++)
        stream_table[i] = stream_table[i] * 0.5 + 1.0;
    at = (at + 262144) % ((size_t)1 << 23);
}
