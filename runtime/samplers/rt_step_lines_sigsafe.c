/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/samplers/rt_step_lines_sigsafe.h"

#include <string.h>

enum { PROBES = 8 };

void rt_step_lines_clear(struct rt_step_lines *l)
{
    if (++l->generation) return;
    memset(l->places, 0, sizeof l->places);
    l->generation = 1;
}

static bool touch_line(struct rt_step_lines *l, uint64_t line)
{
    const uint32_t first = (uint32_t)(line * UINT64_C(0x9e3779b97f4a7c15) >> 40);
    for (uint32_t i = 0; i < PROBES; i++) {
        const uint32_t place = (first + i) % RT_STEP_LINES_PLACES;
        if (l->places[place].generation != l->generation) {
            l->places[place].generation = l->generation;
            l->places[place].line = line;
            return false;
        }
        if (l->places[place].line == line) return true;
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
