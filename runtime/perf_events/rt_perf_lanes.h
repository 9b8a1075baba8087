/* SPDX-License-Identifier: BSD-3-Clause */
/* All lanes of a process: one a CPU or one a thread, within a share of what the program may have of
 * descriptors.
 *
 * Thread: one at a time for one object, depth > 0.  Signal: not safe. */
#ifndef RT_PERF_LANES_H
#define RT_PERF_LANES_H

#include "perf/pe_open.h"

enum { RT_PERF_LANES_MAX = 4096 };

struct rt_perf_lanes {
    struct pe_lane *rows; /* RT_PERF_LANES_MAX; those with events_len 0 are free */
    unsigned len;         /* used up to here */
};

/* May so many more events be open? A quarter of the limit of descriptors is ours. */
bool rt_perf_lanes_have_room(const struct rt_perf_lanes *t, size_t events);
/* The same for all events of spec on each CPU. */
bool rt_perf_lanes_have_room_for_cpus(const struct rt_perf_lanes *t, const struct pe_open_spec *spec);

/* One lane a CPU that is there, all of them with the same sizes: spec's, halved until they find room in the
 * allowance of locked memory; spec has what it came to. 0 or an errno; then none is open. */
int rt_perf_lanes_open_cpus(struct rt_perf_lanes *t, struct pe_open_spec *spec);
/* One lane for a thread; its sizes may be smaller. 0 or an errno. */
int rt_perf_lanes_open_thread(struct rt_perf_lanes *t, const struct pe_open_spec *spec, int tid,
                              struct pe_lane **out);
/* The open lane of a thread, NULL: none. */
struct pe_lane *rt_perf_lanes_of_thread(const struct rt_perf_lanes *t, int tid);
void rt_perf_lanes_close_all(struct rt_perf_lanes *t);

#endif
