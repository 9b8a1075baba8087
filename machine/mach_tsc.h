/* SPDX-License-Identifier: BSD-3-Clause */
/* The time stamp counter: its frequency, its step, and the processor's instructions in one of its cycles.
 *
 * Unless noted otherwise: Thread: any.  Signal: mach_tsc_read is safe, the others are not. */
#ifndef MACH_TSC_H
#define MACH_TSC_H

#include "common/ls_error.h"

#include <stdint.h>

/* Read the counter; 0 where there is none.  Thread: any. */
uint64_t mach_tsc_read(void);

/* Cycles per second. Measured against CLOCK_MONOTONIC over about window_ns; where CPUID leaf 15H (Intel SDM
 * vol. 2A, CPUID) gives a frequency that agrees with the measurement, that exact one is returned.
 * Errors: LS_ERR_UNSUPPORTED where there is no counter.  Thread: any. */
ls_err mach_tsc_hz(uint64_t window_ns, uint64_t *out_hz);

/* Greatest common divisor of many differences of the counter: AMD's counter since Zen advances by multiples
 * of its 100 MHz reference. */
uint32_t mach_tsc_step_cycles(void);

/* Simple independent integer instructions completed in one cycle of the counter, best of several runs. */
double mach_tsc_issue_width(void);

#endif
