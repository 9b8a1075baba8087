/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/samplers/rt_step_probe_sigsafe.h"

#include "machine/mach_probe_sigsafe.h"

void rt_step_probe_begin(struct rt_step_probe *p)
{
    rt_step_lines_clear(&p->lines);
    rt_step_pages_clear(&p->pages);
    p->control_cycles = 0;
    p->control_len = 0;
}

/* The control warms the probe's code and says what it costs here and now. Then the translation comes back that
 * the program still had, by way of a line that the burst has touched already: no other line comes nearer. */
static uint16_t measure_load(struct rt_step_probe *p, const struct rt_step_access *a, uint64_t neighbour,
                             uint32_t *reading_cycles)
{
    if (!rt_step_devices_may_probe(&rt_step_engine.devices, a->addr)) return SPOOL_ACCESS_NO_PROBE;
    p->control_cycles += mach_probe_control(&p->control_line);
    p->control_len++;
    if (neighbour) (void)mach_probe_load((const void *)(uintptr_t)neighbour);
    const uint64_t cycles = mach_probe_load((const void *)(uintptr_t)a->addr);
    if (cycles == MACH_PROBE_FAULTED) return SPOOL_ACCESS_FAULTED;
    *reading_cycles = cycles < UINT32_MAX ? (uint32_t)cycles : UINT32_MAX;
    return SPOOL_ACCESS_LATENCY_VALID;
}

uint16_t rt_step_probe_access(struct rt_step_probe *p, const struct rt_step_access *a, bool measure,
                              uint32_t *reading_cycles)
{
    const uint64_t neighbour = rt_step_pages_touch(&p->pages, a->addr);
    uint16_t flags = rt_step_lines_touch(&p->lines, a->addr, a->size_bytes) ? SPOOL_ACCESS_LINE_SEEN : 0;
    if (measure && a->op == SPOOL_OP_LOAD) flags |= measure_load(p, a, neighbour, reading_cycles);
    return flags;
}
