/* SPDX-License-Identifier: BSD-3-Clause */
/* Pass samples to natural-domain callbacks: beside the spool, each thread has a ring from its sampler to the
 * collector thread. Without a callback there are no rings, and a sampler looks at one pointer. Samplers wait
 * with the next burst until there is room for it, as long as the collector lives; without a collector,
 * samples that find no room are counted as lost.
 *
 * Rings belong to the blocks of threads (rt_thread.h) and, like those, are never unmapped: samples of an
 * ended thread are still taken.
 *
 * Unless noted otherwise: Thread: the sampled one.  Signal: safe. */
#ifndef RT_TAP_SIGSAFE_H
#define RT_TAP_SIGSAFE_H

#include "runtime/core/rt_thread.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    RT_TAP_ROWS = 1 << 14,
    RT_TAP_BURST_ROWS = RT_TAP_ROWS / 2, /* free before a burst may begin */
    RT_TAP_LEAST_ROWS = 512,             /* free before an instruction may execute: more than any accesses */
    RT_TAP_BELL_ROWS = RT_TAP_ROWS / 4,  /* taken when the collector is called before its time */
};

/* An access as in the spool, and its position there. */
struct rt_tap_sample {
    uint64_t burst_ns, ip, addr;
    uint32_t tsc_delta, latency_cycles;
    uint32_t tid, burst, access;
    uint16_t flags; /* of ACCESS */
    uint16_t
        is_plain; /* the latency is one, not a reading of the probe; the sample has no burst but its time */
};

struct rt_tap {
    uint32_t put, taken; /* counted on for ever */
    struct rt_tap_sample rows[RT_TAP_ROWS];
};

/* Are there rings? Then every access that is in the spool goes through rt_tap_put, too. */
static inline bool rt_tap_is_open(const struct rt_thread *t)
{
    return __builtin_expect(__atomic_load_n(&t->tap, __ATOMIC_RELAXED) != NULL, 0);
}
void rt_tap_put(struct rt_thread *t, const struct rt_tap_sample *s);
/* Free rows; RT_TAP_ROWS when nobody listens. */
uint32_t rt_tap_room(const struct rt_thread *t);
/* True: fewer than `rows` are free, and the collector, which is called, will change that. */
bool rt_tap_call_for_room(const struct rt_thread *t, uint32_t rows);
/* Are there callbacks at all? Otherwise nothing is put, and nothing is lost.  Thread: any. */
void rt_tap_want(bool wanted);
/* Return the number of samples without room since the last call.  Thread: any. */
uint64_t rt_tap_take_lost(void);

/* Add a burst's readings of the probe at a line in L1: they measure the cost of the probe. */
void rt_tap_add_controls(uint64_t cycles, uint32_t len);
/* Sum of all so far.  Thread: any. */
void rt_tap_controls(uint64_t *out_cycles, uint64_t *out_len);

/* A ring for t, if it has none yet.  Thread: any.  Signal: not safe. */
void rt_tap_open(struct rt_thread *t);
/* A copy of the oldest sample; false: none.  Thread: the collector. */
bool rt_tap_take(struct rt_thread *t, struct rt_tap_sample *out);
/* Drop the ring's samples in a fork child: they are the parent's. */
void rt_tap_forget(struct rt_thread *t);

#endif
