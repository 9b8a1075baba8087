/* SPDX-License-Identifier: BSD-3-Clause */
/* What engines on perf_event open: the base of their attributes, what this kernel takes of them, and why not.
 * rt_perf_attr, rt_perf_kernel, rt_perf_probe and rt_perf_why are in rt_perf.h, for the engines.
 *
 * Thread: any, depth > 0.  Signal: not safe. */
#ifndef RT_PERF_PROBE_H
#define RT_PERF_PROBE_H

#include "runtime/perf_events/rt_perf.h"

/* Without the events of slower gears, which stand behind those of the first one. */
void rt_perf_keep_first_gear(struct pe_open_spec *spec);
/* The same events for one thread: they are not inherited, and change their rate by their period. */
void rt_perf_make_by_thread(struct pe_open_spec *spec);
/* Attributes of the first event that samples. */
const struct perf_event_attr *rt_perf_first_sampling(const struct pe_open_spec *spec);

#endif
