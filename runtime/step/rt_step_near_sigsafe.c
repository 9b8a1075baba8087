/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/step/rt_step_sigsafe.h"

#include <cpuid.h>
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
        const uint32_t place = (first + i) % RT_STEP_LINES_PLACES;
        const uint32_t touched = l->places[place].touched;
        const bool is_empty = touched < l->begin;
        if (!is_empty && l->places[place].line != line) continue;
        l->places[place].line = line;
        l->places[place].touched = now;
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

enum { PAGE_SHIFT = 12 };

/* AMD64 Architecture Programmer's Manual vol. 3, CPUID Fn8000_0005_EBX, L1DTlb4KSize; zero in Intel's. */
uint32_t rt_step_pages_entries(void)
{
    enum { L1_TLB_LEAF = 0x80000005, SIZE_SHIFT = 16, SIZE_MASK = 0xff };
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    const int has_leaf = __get_cpuid(L1_TLB_LEAF, &eax, &ebx, &ecx, &edx);
    const uint32_t entries = ebx >> SIZE_SHIFT & SIZE_MASK;
    if (!has_leaf || entries == 0) return RT_STEP_PAGES_USUAL;
    return entries < RT_STEP_PAGES_MAX ? entries : RT_STEP_PAGES_MAX;
}

void rt_step_pages_clear(struct rt_step_pages *p)
{
    p->len = 0;
}

/* Move to front: the order is that of the last use, as in a TLB that replaces the least recently used. */
uint64_t rt_step_pages_touch(struct rt_step_pages *p, uint64_t addr)
{
    uint32_t at = 0;
    while (at < p->len && p->addrs[at] >> PAGE_SHIFT != addr >> PAGE_SHIFT)
        at++;
    const uint64_t before = at < p->len ? p->addrs[at] : 0;
    if (at == p->len && p->len < p->len_max) p->len++;
    const uint32_t moved = at < p->len ? at : p->len - 1;
    memmove(p->addrs + 1, p->addrs, moved * sizeof p->addrs[0]);
    p->addrs[0] = addr;
    return before;
}
