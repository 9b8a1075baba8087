/* SPDX-License-Identifier: BSD-3-Clause */
/* A plan of encodings as the events of a lane, in gears of growing periods.
 *
 * Thread: any.  Signal: safe. */
#ifndef PE_OPEN_PLAN_H
#define PE_OPEN_PLAN_H

#include "perf/pe_encode.h"
#include "perf/pe_open.h"

enum { PE_PLAN_GEAR_FACTOR = 4 }; /* between the periods of two gears */

/* Fill out with the sampling events of plan (each behind the leader it needs), once for each gear, as many
 * gears as find room up to gears_max; with a frequency there is one gear. periods gets the gears' periods.
 * The way of opening (inheritance, clock, call stacks, page sizes) is base's. All sampling events get one
 * layout. tag is the row of plan's encodings; events of a PMU that not all CPUs have may be missing. Returns
 * the number of gears, 0 when plan does not fit. Where samples come through an AUX area the events are those
 * of the first gear: the caller switches them on and off (periods are then what a sample stands for). */
unsigned pe_open_plan(const struct pe_plan *plan, const struct perf_event_attr *base, unsigned gears_max,
                      struct pe_open_spec *out, uint64_t *periods);

#endif
