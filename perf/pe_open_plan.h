/* SPDX-License-Identifier: BSD-3-Clause */
/* The events of a channel from a plan of encodings, in gears of growing periods.
 *
 * Thread: any.  Signal: safe. */
#ifndef PE_OPEN_PLAN_H
#define PE_OPEN_PLAN_H

#include "perf/pe_encode.h"
#include "perf/pe_open.h"

enum { PE_PLAN_GEAR_FACTOR = 4 }; /* ratio of the periods of two successive gears */

/* Fill out with the sampling events of plan (each after its leader, if any), once for each gear, as many
 * gears as fit, up to gears_max; with a frequency there is one gear. periods gets the gears' periods. base
 * gives inheritance, clock, call stacks and page sizes. All sampling events get one layout. tag is the row of
 * plan's encodings; events of a PMU that not all CPUs have may be missing.
 * Where samples come through an AUX area, out has the events of the first gear only: the caller switches them
 * on and off (periods are then the events that each sample represents). Returns the number of gears, 0 when
 * plan does not fit. */
unsigned pe_open_plan(const struct pe_plan *plan, const struct perf_event_attr *base, unsigned gears_max,
                      struct pe_open_spec *out, uint64_t *periods);

#endif
