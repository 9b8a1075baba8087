/* SPDX-License-Identifier: BSD-3-Clause */
/* Time the loads of an instruction, and a control load of known latency beside them. */
#include "runtime/step/rt_step_sigsafe.h"

#include "machine/mach_probe_sigsafe.h"
#include "runtime/bursts/rt_burst_sigsafe.h"

enum { CONTROL_MOST_CYCLES = 2000 }; /* more is an interrupt */

void rt_step_probe_begin(struct rt_step_probe *p)
{
    rt_step_lines_clear(&p->lines);
    p->control_cycles = 0;
    p->control_len = 0;
}

/* The control warms the probe's code and measures its present cost. */
static uint16_t measure_load(struct rt_step_probe *p, const struct rt_burst_access *a,
                             uint32_t *reading_cycles)
{
    if (!rt_burst_devices_may_probe(&rt_burst_engine.devices, a->addr)) return SPOOL_ACCESS_NO_PROBE;
    const uint64_t control = mach_probe_control(&p->control_line);
    if (control < CONTROL_MOST_CYCLES) {
        p->control_cycles += control;
        p->control_len++;
    }
    const uint64_t cycles = mach_probe_load((const void *)(uintptr_t)a->addr);
    if (cycles == MACH_PROBE_FAULTED) return SPOOL_ACCESS_FAULTED;
    if (rt_burst_took_longer(cycles, RT_BURST_PREEMPTED_US)) return 0;
    *reading_cycles = (uint32_t)cycles;
    return SPOOL_ACCESS_LATENCY_VALID;
}

uint16_t rt_step_probe_access(struct rt_step_probe *p, const struct rt_burst_access *a, bool measure,
                              uint32_t *reading_cycles)
{
    uint16_t flags = rt_step_lines_touch(&p->lines, a->addr, a->size_bytes) ? SPOOL_ACCESS_LINE_SEEN : 0;
    if (measure && a->op == SPOOL_OP_LOAD) flags |= measure_load(p, a, reading_cycles);
    return flags;
}
