/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines that would be in L1 if the program ran without traps. */
#include "runtime/step/rt_step_sigsafe.h"

#include <string.h>

enum { PROBES = 8 };
#define CLOCK_LAST (UINT32_MAX - (1u << 24)) /* before it wraps; no burst is that long */

void rt_step_lines_clear(struct rt_step_lines *l)
{
    if (l->clock > CLOCK_LAST) memset(l, 0, sizeof *l);
    l->begin = ++l->clock;
}

static bool touch_line(struct rt_step_lines *l, uint64_t line)
{
    const uint32_t first = (uint32_t)(line * UINT64_C(0x9e3779b97f4a7c15) >> 40);
    const uint32_t now = ++l->clock;
    for (uint32_t i = 0; i < PROBES; i++) {
        const uint32_t slot = (first + i) % RT_STEP_LINES_SLOTS;
        const uint32_t touched = l->slots[slot].touched;
        const bool is_empty = touched < l->begin;
        if (!is_empty && l->slots[slot].line != line) continue;
        l->slots[slot].line = line;
        l->slots[slot].touched = now;
        return !is_empty && now - touched <= RT_STEP_LINES_RECENT;
    }
    return false;
}

bool rt_step_lines_touch(struct rt_step_lines *l, uint64_t addr, uint32_t size_bytes)
{
    const uint64_t last = (addr + (size_bytes ? size_bytes - 1 : 0)) / RT_STEP_LINE_BYTES;
    bool seen = true;
    for (uint64_t line = addr / RT_STEP_LINE_BYTES; line <= last; line++)
        seen &= touch_line(l, line);
    return seen;
}
