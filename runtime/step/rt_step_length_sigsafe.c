/* SPDX-License-Identifier: BSD-3-Clause */
/* Was a step as long as steps are here? A trap takes 2 us on most machines, and up to 50 in some virtual ones. */
#include "runtime/step/rt_step_sigsafe.h"

enum {
    USUAL_US = 8,        /* the bounds of a machine whose steps take 2 us */
    INTERRUPTED_US = 50, /* a tick of the kernel inside a handler takes some 30 */
    USUAL_TIMES = 4,     /* and of a slower one, in times of the typical step */
    INTERRUPTED_TIMES = 8,
    ADAPT_SHIFT = 5,
};

struct rt_step_lengths rt_step_lengths;

/* Half of the steps are longer than the typical one: each moves it by a fixed share, up or down. */
static uint64_t adapt(uint64_t typical_cycles, uint64_t took_cycles)
{
    const uint64_t change_cycles = (typical_cycles >> ADAPT_SHIFT) + 1;
    if (took_cycles > typical_cycles) return typical_cycles + change_cycles;
    return typical_cycles > change_cycles ? typical_cycles - change_cycles : 1;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

void rt_step_lengths_begin(struct rt_step_lengths *l, uint64_t took_cycles)
{
    __atomic_store_n(&l->typical_cycles, took_cycles, __ATOMIC_RELAXED);
}

enum rt_step_length rt_step_judge(struct rt_step_lengths *l, uint64_t took_cycles, uint64_t cycles_per_us)
{
    const uint64_t typical_cycles = __atomic_load_n(&l->typical_cycles, __ATOMIC_RELAXED);
    if (!typical_cycles) {
        rt_step_lengths_begin(l, took_cycles);
        return RT_STEP_LONG;
    }
    __atomic_store_n(&l->typical_cycles, adapt(typical_cycles, took_cycles), __ATOMIC_RELAXED);
    if (took_cycles > larger(INTERRUPTED_US * cycles_per_us, INTERRUPTED_TIMES * typical_cycles))
        return RT_STEP_INTERRUPTED;
    return took_cycles > larger(USUAL_US * cycles_per_us, USUAL_TIMES * typical_cycles) ? RT_STEP_LONG
                                                                                        : RT_STEP_USUAL;
}
