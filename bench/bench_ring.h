/* SPDX-License-Identifier: BSD-3-Clause */
/* A ring of cache lines in random order, for pointer chases. */
#ifndef BENCH_RING_H
#define BENCH_RING_H

#include <stddef.h>
#include <stdint.h>

enum { BENCH_LINE_BYTES = 64 };

/* Make base[0, len_bytes) one cycle over all its lines, random by Sattolo's algorithm. Returns 0, or -1
 * without memory. */
int bench_ring_make(char *base, size_t len_bytes);
/* Follow the ring from p for steps loads (a multiple of 16). */
void *bench_ring_walk(void *p, size_t steps);
double bench_now_s(void);
uint64_t bench_random(uint64_t *state);

#endif
