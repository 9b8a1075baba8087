/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/bursts/rt_burst_numa_sigsafe.h"

#include "common/ls_compat.h"
#include "spool/spool_put_sigsafe.h"

#include <string.h>

_Static_assert((RT_BURST_NUMA_PAGE_SLOTS & (RT_BURST_NUMA_PAGE_SLOTS - 1)) == 0, "a mask");
_Static_assert(RT_BURST_NUMA_PAGE_BYTES == SPOOL_PAGE_NODE_MASK + 1, "a node fits below a page's address");

static bool take_number(const char **at, const char *end, unsigned *out)
{
    const char *first = *at;
    for (*out = 0; *at < end && **at >= '0' && **at <= '9' && *at - first < 6; ++*at)
        *out = *out * 10 + (unsigned)(**at - '0');
    return *at > first;
}

unsigned rt_burst_numa_nodes(const char *list, size_t len_bytes)
{
    const char *at = list, *end = list + len_bytes;
    unsigned nodes = 0, from, to;
    while (at < end && *at != '\n') {
        if (!take_number(&at, end, &from)) return 0;
        to = from;
        if (at < end && *at == '-' && (at++, !take_number(&at, end, &to))) return 0;
        if (to < from) return 0;
        nodes += to - from + 1;
        if (at < end && *at != ',' && *at != '\n') return 0;
        if (at < end && *at == ',') at++;
    }
    return nodes;
}

void rt_burst_numa_clear(struct rt_burst_numa *p)
{
    if (p->len == 0) return;
    p->len = 0;
    memset(p->slots, 0, sizeof p->slots);
}

void rt_burst_numa_touch(struct rt_burst_numa *p, uint64_t addr)
{
    const uint64_t page = addr & ~(uint64_t)(RT_BURST_NUMA_PAGE_BYTES - 1);
    if (page == 0 || p->len == RT_BURST_NUMA_PAGES_MAX) return;
    size_t at = (size_t)((page * UINT64_C(0x9e3779b97f4a7c15)) >> 40) & (RT_BURST_NUMA_PAGE_SLOTS - 1);
    while (p->slots[at] != 0 && p->slots[at] != page)
        at = (at + 1) & (RT_BURST_NUMA_PAGE_SLOTS - 1);
    if (p->slots[at] == page) return;
    p->slots[at] = p->pages[p->len++] = page;
}

long rt_burst_numa_ask_kernel(size_t len, const uint64_t *pages, int *nodes)
{
    return ls_syscall(SYS_move_pages, 0, len, pages, NULL, nodes, 0);
}

/* Move pages with a node, and their nodes, to the front; return their number. */
static uint32_t merge_answers(struct rt_burst_numa *p)
{
    uint32_t known = 0;
    for (uint32_t i = 0; i < p->len; i++)
        if (p->nodes[i] >= 0 && p->nodes[i] < (int)SPOOL_PAGE_NODE_MASK)
            p->pages[known++] = p->pages[i] | (uint64_t)p->nodes[i];
    return known;
}

void rt_burst_numa_put(struct spool_writer *w, struct rt_burst_numa *p, rt_burst_numa_query *query,
                       uint64_t time_ns)
{
    if (p->len == 0 || query(p->len, p->pages, p->nodes) < 0) return;
    const struct spool_pages r = {.time_ns = time_ns, .pages_len = merge_answers(p)};
    const struct spool_text pages = {p->pages, r.pages_len * (uint32_t)sizeof p->pages[0]};
    if (r.pages_len > 0) spool_put(w, SPOOL_WHAT(PAGES, 0, r), &r, &pages, 1);
}
