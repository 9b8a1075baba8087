/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a plan samples here: found by sampling. Its events are opened for the calling thread, their ring
 * (and AUX area) is mapped, they are switched on while something is done, and what they wrote is read; then
 * all is closed.
 *
 * Thread: any; some 80 KiB of stack.  Signal: not safe. */
#ifndef PE_TRY_H
#define PE_TRY_H

#include "perf/pe_advice.h"
#include "perf/pe_encode.h"

struct pe_tried {
    bool opens;          /* and all that comes behind it */
    int error;           /* errno of the first call that failed */
    enum pe_place place; /* which call that was */
    unsigned encoding, attr;
    unsigned weak;                /* 1 << enum pe_weakening: what this kernel does without (pe_open.h) */
    size_t ring_bytes, aux_bytes; /* that were mapped */
    bool is_halved;               /* less than wished for: no more memory may be locked */
    uint64_t samples;             /* that were read */
    struct pe_advice advice;      /* cause and remedy, also where it is_halved; else empty when it opens */
};

/* What makes samples, while the events are on; run may be NULL. */
struct pe_try_work {
    void (*run)(void *user);
    void *user;
};

/* The plan as it is recorded with: without what this kernel does not take and does not need, on a CPU of each
 * PMU. */
void pe_try_plan(const struct pe_plan *plan, const struct mach_privilege *machine,
                 const struct pe_try_work *work, struct pe_tried *out);

/* These events, in one ring, exactly as they are; all sample, with one layout. pmu is their name for
 * messages. */
void pe_try_attrs(const struct perf_event_attr *attrs, unsigned attrs_len, const char *pmu,
                  const struct mach_privilege *machine, const struct pe_try_work *work, struct pe_tried *out);

#endif
