/* SPDX-License-Identifier: BSD-3-Clause */
/* Cost of a load at each level of this machine, and the level of a given latency; cost of a page fault.
 *
 * Unless noted otherwise: Thread: any.  Signal: not safe. */
#ifndef MACH_CALIBRATION_H
#define MACH_CALIBRATION_H

#include "common/ls_error.h"
#include "machine/mach_cpu.h"

#include <stdbool.h>
#include <stddef.h>
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
    /* between two lines of a sweep that one thread makes through each level, in TSC cycles: the time of a
     * loop that the prefetcher serves; and the same for memory while each of `cpus` CPUs sweeps */
    double line_cycles[MACH_LEVEL_COUNT], line_cycles_all;
    uint32_t cpus;
    double issue_width; /* instructions per TSC cycle sustained by simple code, measured */
    double core_cycle;  /* TSC cycles of a cycle of the core under load */
    double fault_ns, huge_fault_ns, fault_error; /* as in struct mach_fault_costs */
    uint32_t disturbed; /* number of disturbed measurements so far; 0: the last one was undisturbed */
};

enum { MACH_CALIBRATIONS_MOST = 6 }; /* largest number of attempts of a disturbed calibration */

/* Measure here (less than a second).  Errors: LS_ERR_UNSUPPORTED (no TSC), LS_ERR_NOMEM. */
ls_err mach_calibrate(struct mach_calibration *out);
/* Compute limit_cycles from latency_cycles, probe_cost_cycles and tsc_step_cycles: geometric means between
 * neighbours, moved onto the gaps between two readings of the counter, at least one step apart, so that a
 * level that the counter cannot resolve is wrong by at most one level. Where a step is longer than the difference
 * between L1 and L2, both are L1, and their limits are equal. Thread: any. */
void mach_calibration_set_limits(struct mach_calibration *c);
/* Load the calibration from the cache ($XDG_CACHE_HOME/loadstone, keyed by CPU model and cache sizes), else
 * measure and store it there. A cache that cannot be written is no error. A calibration that other programs
 * disturbed is measured again at the next MACH_CALIBRATIONS_MOST - 1 calls, until one was not. */
ls_err mach_calibration_get(struct mach_calibration *out);
enum mach_level mach_level_of_latency(const struct mach_calibration *c, double latency_cycles);

/* --- cache ---
 *
 * The calibration of this processor, kept between runs: $XDG_CACHE_HOME/loadstone/calibration-KEY, a text
 * file. The file is untrusted: a truncated or edited one, or one of another machine, is refused, and the
 * machine is measured again. */

/* Errors: LS_ERR_NOT_FOUND, LS_ERR_FORMAT, LS_ERR_VERSION, LS_ERR_IO; then *out is unchanged. */
ls_err mach_calibration_cache_load(const struct mach_cpu *cpu, struct mach_calibration *out);
/* The file is written under a temporary name and renamed: a reader sees the old file or the new one.
 * Errors: LS_ERR_NOT_FOUND (neither XDG_CACHE_HOME nor HOME is set), LS_ERR_PERMISSION, LS_ERR_FULL,
 * LS_ERR_IO. */
ls_err mach_calibration_cache_store(const struct mach_cpu *cpu, const struct mach_calibration *c);
/* Path of the file.  Errors: LS_ERR_NOT_FOUND, LS_ERR_RANGE (path too long). */
ls_err mach_calibration_cache_path(const struct mach_cpu *cpu, char *out, size_t out_bytes);

/* Path of another small file that is kept between runs; its directory is made.  Errors: LS_ERR_NOT_FOUND,
 * LS_ERR_RANGE. */
ls_err mach_cache_path(const char *name, char *out, size_t out_bytes);

/* --- latencies ---
 *
 * Load latencies of one working set, measured with the probe that the step engine uses.
 *
 * Unless noted otherwise: Thread: any.  Signal: not safe. */

struct mach_working_set {
    uint64_t len_bytes;
    bool from_memory; /* flush the lines out of every cache first */
};

/* Typical latency of probes at random lines of the working set, the probe's cost included.
 * Errors: LS_ERR_NOMEM, LS_ERR_UNSUPPORTED (no probe here).  Thread: any. */
ls_err mach_latency_measure(const struct mach_working_set *set, uint32_t tsc_step_cycles, double *out_cycles);

/* Native latency of a load in a chase over len_bytes, in TSC cycles: the best of many short stretches, since
 * disturbances only add time.  Errors: LS_ERR_NOMEM.  Thread: any. */
ls_err mach_latency_chase(uint64_t len_bytes, double *out_cycles);

/* Mean reading of many probes of a line in L1: the probe's cost plus the latency of L1.  Thread: any. */
double mach_latency_control(void);

/* The median of len latencies (they get sorted), refined where the counter is coarse: the mean of all values
 * within 1.5 steps of it. Readings of a counter that advances in steps fall on two neighbouring multiples, in
 * proportions whose mean is the true time. */
double mach_latency_typical(uint64_t *latencies_cycles, size_t len, uint32_t tsc_step_cycles);

/* --- bandwidth --- */

/* Best time of a line in a sweep over len_bytes, in TSC cycles.  Errors: LS_ERR_NOMEM.  Thread: any. */
ls_err mach_sweep_measure(uint64_t len_bytes, double *out_cycles);
/* Mean time of a line while one thread on each CPU that this process may use sweeps, over total_bytes in
 * total; NAN if the threads or their memory cannot be allocated. Errors: LS_ERR_NOMEM. Thread: any. */
ls_err mach_sweep_measure_all(uint64_t total_bytes, double *out_cycles, uint32_t *out_cpus);

/* --- page faults ---
 *
 * Cost of a page fault in the kernel: the first touch of anonymous memory, by the thread's CPU clock. */

struct mach_fault_costs {
    double page_ns; /* cost for a 4 KiB page; 0: could not be measured */
    double huge_ns; /* cost for a 2 MiB page; 0: the system has no such pages */
    double error;   /* half of the interquartile range of the batches, as a share of page_ns */
};

/* Takes some milliseconds. */
struct mach_fault_costs mach_fault_measure(void);

#endif
