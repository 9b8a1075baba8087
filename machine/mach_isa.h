/* SPDX-License-Identifier: BSD-3-Clause */
/* Instructions of the processor that calibration and the trial of single steps need: a table for each kind of
 * processor.
 *
 * Thread: any.  Signal: tsc_read, flush and the probes are safe, step_end is called in the
 * handler; the others are not safe. */
#ifndef MACH_ISA_H
#define MACH_ISA_H

#include "common/ls_error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mach_isa {
    /* Read the time stamp counter. */
    uint64_t (*tsc_read)(void);
    /* Cycles per second. Measured against CLOCK_MONOTONIC over about window_ns; where CPUID leaf 15H (Intel
     * SDM vol. 2A, CPUID) gives a frequency that agrees with the measurement, that exact one is returned.
     * Errors: LS_ERR_UNSUPPORTED where there is no counter. */
    ls_err (*tsc_hz)(uint64_t window_ns, uint64_t *out_hz);
    /* Greatest common divisor of many differences of the counter: AMD's counter since Zen advances by
     * multiples of its 100 MHz reference. */
    uint32_t (*tsc_step_cycles)(void);
    /* Simple independent integer instructions completed in one cycle of the counter, best of several runs. */
    double (*issue_width)(void);
    double (*core_cycle)(void); /* TSC cycles of one addition in a chain of them */
    /* Write the lines of len_bytes from addr on back, drop them from all caches, and wait until they have left. */
    void (*flush)(const void *addr, size_t len_bytes);
    /* Copy pairs of doubles past the caches, and wait until they are in memory. Both are aligned to a pair. */
    void (*copy_past_caches)(double *to, const double *from, size_t pairs);
    /* See mach_probe_sigsafe.h. */
    uint64_t (*probe_load)(const volatile void *addr);
    uint64_t (*probe_control)(const volatile void *line);
    /* Run a few instructions with the trap flag set; a SIGTRAP handler must be installed. */
    void (*step_try)(void);
    /* Clear the flag in the context of the handler. */
    void (*step_end)(void *ucontext);
    /* Does the kernel let a program set the base of GS, where translated code has its data? */
    bool (*can_set_gs)(void);
};

extern const struct mach_isa mach_isa_x86_64;
/* The table of this processor; NULL: not supported. */
extern const struct mach_isa *const mach_isa;

/* As mach_isa->tsc_hz.  Errors: LS_ERR_UNSUPPORTED, also without a table. */
ls_err mach_tsc_hz(uint64_t window_ns, uint64_t *out_hz);

#endif
