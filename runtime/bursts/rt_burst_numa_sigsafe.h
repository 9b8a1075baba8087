/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory nodes of the pages that a burst accessed, on machines with several nodes: one query to the
 * kernel per burst. On machines with one node nothing is kept or queried. */
#ifndef RT_BURST_NUMA_SIGSAFE_H
#define RT_BURST_NUMA_SIGSAFE_H

#include "spool/spool_writer_sigsafe.h"

enum {
    RT_BURST_NUMA_PAGES_MAX = 128, /* pages per burst; others stay unknown, so that the query stays short */
    RT_BURST_NUMA_PAGE_BYTES = 4096,
    RT_BURST_NUMA_PAGE_SLOTS = 512, /* a power of two, twice the pages and more */
};

/* Pages of the current burst. */
struct rt_burst_numa {
    uint32_t len;
    uint64_t pages[RT_BURST_NUMA_PAGES_MAX];  /* addresses */
    uint64_t slots[RT_BURST_NUMA_PAGE_SLOTS]; /* hash of them */
    int nodes[RT_BURST_NUMA_PAGES_MAX];       /* answers */
};

/* Count the memory nodes in a list such as "0-1,3" (sysfs, Documentation/admin-guide/mm/numaperf.rst); 0:
 * none. */
unsigned rt_burst_numa_nodes(const char *list, size_t len_bytes);

void rt_burst_numa_clear(struct rt_burst_numa *p);
/* Note the page of an access; an access that crosses pages counts for the page where it begins. */
void rt_burst_numa_touch(struct rt_burst_numa *p, uint64_t addr);

/* Write the nodes of len pages to nodes, negative where there is none; 0 or -errno. */
typedef long rt_burst_numa_query(size_t len, const uint64_t *pages, int *nodes);
/* By move_pages(2), which moves nothing when no node is wanted. */
long rt_burst_numa_ask_kernel(size_t len, const uint64_t *pages, int *nodes);

/* Query the nodes, and write the known ones as a PAGES record; none known: no record.  Thread: the owner of
 * w. */
void rt_burst_numa_put(struct spool_writer *w, struct rt_burst_numa *p, rt_burst_numa_query *query,
                       uint64_t time_ns);

#endif
