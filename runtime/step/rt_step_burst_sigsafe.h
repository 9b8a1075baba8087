/* SPDX-License-Identifier: BSD-3-Clause */
/* A burst of single-stepped instructions: one a trap, until a reason to stop. The consumer of decoded
 * accesses does not know how the thread was stopped before the instruction.
 *
 * Thread: see struct rt_burst_method.  Signal: safe. */
#ifndef RT_STEP_BURST_SIGSAFE_H
#define RT_STEP_BURST_SIGSAFE_H

#include "runtime/bursts/rt_burst_engine_sigsafe.h"

extern const struct rt_burst_method rt_step_method;

/* By atomics: instructions stepped in place, by mnemonic. */
extern uint64_t rt_step_in_place[ZYDIS_MNEMONIC_MAX_VALUE + 1];

#endif
