/* SPDX-License-Identifier: BSD-3-Clause */
/* How many samples the overhead budget allows: gears, each of which takes one of so many events. Pure.
 *
 * Thread: one at a time for one object.  Signal: safe. */
#ifndef RT_PERF_PACE_H
#define RT_PERF_PACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RT_PERF_GEARS_MAX = 4 };

struct rt_perf_pace {
    double share;                        /* of wall time; 1 or more: never slower than the first gear */
    uint64_t periods[RT_PERF_GEARS_MAX]; /* events a sample, growing */
    unsigned gears_len, gear;
    uint64_t window_ns, window_spent_ns; /* begin of the window, and what was spent up to then */
    double saved_ns;
};

/* What was spent in all up to now_ns; true when the gear changed. To be called some hundred times a second
 * at most; it looks once a window of 10 ms. */
bool rt_perf_pace_look(struct rt_perf_pace *p, uint64_t now_ns, uint64_t spent_ns);
/* How long the reader sleeps at least between two looks at the rings, by how full it found the fullest one: a
 * look has its price whatever it finds, but what is not read in time is lost. */
long rt_perf_pace_nap_ns(size_t fullest_permille);
/* Begin to count. */
void rt_perf_pace_begin(struct rt_perf_pace *p, uint64_t now_ns);

#endif
