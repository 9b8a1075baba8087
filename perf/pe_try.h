/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a plan opens here: found by opening it, for the calling thread, and closing it at once.
 *
 * Thread: any.  Signal: not safe. */
#ifndef PE_TRY_H
#define PE_TRY_H

#include "perf/pe_advice.h"
#include "perf/pe_encode.h"

struct pe_tried {
    bool opens;
    int error;               /* errno of the first call that failed */
    unsigned encoding, attr; /* what failed */
    struct pe_advice advice; /* cause and remedy, empty when it opens */
};

/* Open every group of plan once, disabled. */
void pe_try_plan(const struct pe_plan *plan, const struct mach_privilege *machine, struct pe_tried *out);

/* The same for one event. pmu is its name for messages. */
void pe_try_attr(const struct perf_event_attr *attr, const char *pmu, const struct mach_privilege *machine,
                 struct pe_tried *out);

#endif
