/* SPDX-License-Identifier: BSD-3-Clause */
/* Which cache lines a burst has touched: natively a second touch is an L1 hit. */
#ifndef RT_STEP_LINES_SIGSAFE_H
#define RT_STEP_LINES_SIGSAFE_H

#include <stdbool.h>
#include <stdint.h>

enum { RT_STEP_LINE_BYTES = 64, RT_STEP_LINES_PLACES = 4096 };

struct rt_step_lines {
    uint32_t generation; /* entries of another one are empty */
    struct {
        uint64_t line;
        uint32_t generation;
    } places[RT_STEP_LINES_PLACES];
};

/* Forget all lines. */
void rt_step_lines_clear(struct rt_step_lines *l);
/* True when [addr, addr + size_bytes) lies in lines touched before; touches them. A full neighbourhood
 * forgets: then false. Thread: the owner of l.  Signal: safe. */
bool rt_step_lines_touch(struct rt_step_lines *l, uint64_t addr, uint32_t size_bytes);

#endif
