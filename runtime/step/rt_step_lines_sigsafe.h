/* SPDX-License-Identifier: BSD-3-Clause */
/* Which cache lines a burst has touched lately: natively another touch is an L1 hit. */
#ifndef RT_STEP_LINES_SIGSAFE_H
#define RT_STEP_LINES_SIGSAFE_H

#include <stdbool.h>
#include <stdint.h>

/* RECENT: touches after which a line may have left L1 again, the lines of the smallest usual one (32 KiB). */
enum { RT_STEP_LINE_BYTES = 64, RT_STEP_LINES_PLACES = 4096, RT_STEP_LINES_RECENT = 512 };

struct rt_step_lines {
    uint32_t clock; /* touches so far */
    uint32_t begin; /* entries from before are empty */
    struct {
        uint64_t line;
        uint32_t touched; /* clock of the last touch; 0: never */
    } places[RT_STEP_LINES_PLACES];
};

/* Forget all lines.  Thread: the owner of l.  Signal: safe. */
void rt_step_lines_clear(struct rt_step_lines *l);
/* True when [addr, addr + size_bytes) lies in lines touched not more than RT_STEP_LINES_RECENT touches
 * before; touches them. A full neighbourhood forgets: then false.  Thread: the owner of l.  Signal: safe. */
bool rt_step_lines_touch(struct rt_step_lines *l, uint64_t addr, uint32_t size_bytes);

#endif
