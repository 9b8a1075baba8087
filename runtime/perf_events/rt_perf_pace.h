/* SPDX-License-Identifier: BSD-3-Clause */
/* How many samples the overhead budget allows: gears, each with a period in events. Pure functions.
 *
 * Thread: one at a time for one object.  Signal: safe. */
#ifndef RT_PERF_PACE_H
#define RT_PERF_PACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RT_PERF_GEARS_MAX = 4 };

struct rt_perf_pace {
    double share;                        /* share of wall time; 1 or more: never slower than the first gear */
    uint64_t periods[RT_PERF_GEARS_MAX]; /* events a sample, growing */
    unsigned gears_len, gear;
    uint64_t window_ns, window_spent_ns; /* begin of the window, and total cost up to then */
    double saved_ns;
};

/* Update the pace with the total cost up to now_ns; true when the gear changed. To be called some hundred
 * times a second at most; it looks once a window of 10 ms. */
bool rt_perf_pace_look(struct rt_perf_pace *p, uint64_t now_ns, uint64_t spent_ns);
/* Minimum sleep of the reader between two looks at the rings, by the fill level of the fullest one: each look
 * has a cost, but samples that are not read in time are lost. */
long rt_perf_pace_nap_ns(size_t fullest_permille);
/* Begin to count. */
void rt_perf_pace_begin(struct rt_perf_pace *p, uint64_t now_ns);

/* Rates of events that the kernel takes one at a time (SPE): they cannot be open in several periods, so that
 * slower gears are on for a part of the time only: in one of periods[gear] / periods[0] slots, at random, so
 * that a program with a periodic behaviour is sampled in all its phases. */
enum { RT_PERF_DUTY_SLOT_NS = 20000000 };
bool rt_perf_duty_is_on(const uint64_t *periods, unsigned gear, uint64_t now_ns);

#endif
