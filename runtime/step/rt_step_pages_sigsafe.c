/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/step/rt_step_pages_sigsafe.h"

#include <cpuid.h>
#include <string.h>

enum { PAGE_SHIFT = 12 };

/* AMD64 Architecture Programmer's Manual vol. 3, CPUID Fn8000_0005_EBX, L1DTlb4KSize; zero in Intel's. */
uint32_t rt_step_pages_entries(void)
{
    enum { L1_TLB_LEAF = 0x80000005, SIZE_SHIFT = 16, SIZE_MASK = 0xff };
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    const int told = __get_cpuid(L1_TLB_LEAF, &eax, &ebx, &ecx, &edx);
    const uint32_t entries = ebx >> SIZE_SHIFT & SIZE_MASK;
    if (!told || entries == 0) return RT_STEP_PAGES_USUAL;
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
