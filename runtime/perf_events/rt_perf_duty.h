/* SPDX-License-Identifier: BSD-3-Clause */
/* Rates of events of which the kernel takes one at a time (SPE): they cannot lie ready in several periods, so
 * that slower gears are on for a part of the time only. Pure.
 *
 * Thread: any.  Signal: safe. */
#ifndef RT_PERF_DUTY_H
#define RT_PERF_DUTY_H

#include <stdbool.h>
#include <stdint.h>

enum { RT_PERF_DUTY_SLOT_NS = 20000000 };

/* In gear the events are on in one of so many slots: periods[gear] / periods[0], at random, so that programs
 * that do things in turns are met at all of them. */
bool rt_perf_duty_is_on(const uint64_t *periods, unsigned gear, uint64_t now_ns);

#endif
