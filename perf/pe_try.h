/* SPDX-License-Identifier: BSD-3-Clause */
/* Test by sampling whether a plan works here. Its events are opened for the calling thread, their ring (and
 * AUX area) is mapped, they are on while the work runs, and the samples are read; then all is closed.
 *
 * Thread: any; some 80 KiB of stack.  Signal: not safe. */
#ifndef PE_TRY_H
#define PE_TRY_H

#include "perf/pe_advice.h"
#include "perf/pe_encode.h"

struct pe_tried {
    bool opens;        /* all events opened, and all later steps worked */
    int error;         /* errno of the first call that failed */
    enum pe_call call; /* which call that was */
    unsigned encoding, attr;
    unsigned weak;                /* 1 << enum pe_weakening: features that this kernel lacks (pe_open.h) */
    size_t ring_bytes, aux_bytes; /* sizes that were mapped */
    bool is_halved;               /* less than requested: no more memory may be locked */
    uint64_t samples;             /* number of samples read */
    struct pe_advice advice;      /* cause and remedy, also where it is_halved; else empty when it opens */
};

/* The work that makes samples while the events are on; run may be NULL. */
struct pe_try_work {
    void (*run)(void *user);
    void *user;
};

/* Try the plan as recording uses it, without the features that this kernel refuses and recording can spare,
 * on a CPU of each PMU. */
void pe_try_plan(const struct pe_plan *plan, const struct mach_privilege *machine,
                 const struct pe_try_work *work, struct pe_tried *out);

/* Try these events, in one ring, unchanged; all sample, with one layout. pmu is their name in messages. */
void pe_try_attrs(const struct perf_event_attr *attrs, unsigned attrs_len, const char *pmu,
                  const struct mach_privilege *machine, const struct pe_try_work *work, struct pe_tried *out);

#endif
