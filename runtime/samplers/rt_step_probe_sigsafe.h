/* SPDX-License-Identifier: BSD-3-Clause */
/* Timing one load of the program under the conditions it has natively. */
#ifndef RT_STEP_PROBE_SIGSAFE_H
#define RT_STEP_PROBE_SIGSAFE_H

#include "runtime/samplers/rt_step_engine_sigsafe.h"

/* Forget what the last burst touched.  Thread: the owner of p.  Signal: safe. */
void rt_step_probe_begin(struct rt_step_probe *p);

/* Of a step. Usual: longer ones are looked into. Preempted: something else had the processor, also where the
 * kernel does not know, as when a hypervisor took it; a tick of the kernel inside a step takes some 30. */
enum { RT_STEP_USUAL_US = 8, RT_STEP_PREEMPTED_US = 50 };

/* Are so many TSC cycles more than us?  Thread: any.  Signal: safe. */
bool rt_step_took_longer(uint64_t cycles, unsigned us);

/* Every access of a burst passes here in order. measure: time it if it is a load. Returns flags of
 * spool_access (LINE_SEEN, LATENCY_VALID, FAULTED, NO_PROBE; none of the last three when the probe was
 * preempted); *reading_cycles: the probe's reading, its own cost included, written with LATENCY_VALID. Needs
 * the fault handler of the engine. Thread: the owner of p.  Signal: safe. */
uint16_t rt_step_probe_access(struct rt_step_probe *p, const struct rt_step_access *a, bool measure,
                              uint32_t *reading_cycles);

#endif
