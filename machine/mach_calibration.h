/* SPDX-License-Identifier: BSD-3-Clause */
/* Cost of a load at each level of this machine, and the level of a given latency; cost of a page fault.
 *
 * Unless noted otherwise: Thread: any.  Signal: not safe. */
#ifndef MACH_CALIBRATION_H
#define MACH_CALIBRATION_H

#include "common/ls_error.h"

#include <stdint.h>

enum mach_level { MACH_L1, MACH_L2, MACH_L3, MACH_DRAM, MACH_LEVEL_COUNT };

struct mach_calibration {
    uint64_t tsc_hz;
    uint32_t tsc_step_cycles; /* the counter advances in steps of this many cycles: 1 on most Intel, 20-40 on
                                 recent AMD */
    double probe_cost_cycles; /* mean reading of a probe whose load takes no time; to be subtracted */
    double latency_cycles[MACH_LEVEL_COUNT]; /* typical, of dependent random loads inside each level: L1 and
                                                L2 timed natively, the others probed */
    double limit_cycles[MACH_LEVEL_COUNT];   /* below limit[l]: level l or nearer; the last is INFINITY */
    uint64_t cache_bytes[MACH_LEVEL_COUNT];  /* capacity of L1d, L2, L3; DRAM: 0 */
    double issue_width; /* instructions per TSC cycle sustained by simple code, measured */
    double fault_ns, huge_fault_ns, fault_error; /* as in mach_fault.h */
};

/* Measure here (about half a second).  Errors: LS_ERR_UNSUPPORTED (no TSC), LS_ERR_NOMEM. */
ls_err mach_calibrate(struct mach_calibration *out);
/* Compute limit_cycles from latency_cycles, probe_cost_cycles and tsc_step_cycles: geometric means between
 * neighbours, moved onto the gaps between two readings of the counter, at least one step apart, so that a
 * level that the counter cannot resolve is wrong by at most one level. Thread: any. */
void mach_calibration_set_limits(struct mach_calibration *c);
/* Load the calibration from the cache ($XDG_CACHE_HOME/loadstone, keyed by CPU model and cache sizes), else
 * measure and store it there. A cache that cannot be written is no error. */
ls_err mach_calibration_get(struct mach_calibration *out);
enum mach_level mach_level_of_latency(const struct mach_calibration *c, double latency_cycles);

#endif
