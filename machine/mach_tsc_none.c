/* SPDX-License-Identifier: BSD-3-Clause */
/* Processors without a time stamp counter that Loadstone can read. */
#include "machine/mach_tsc.h"

ls_err mach_tsc_hz(uint64_t window_ns, uint64_t *out_hz)
{
    (void)window_ns;
    (void)out_hz;
    return ls_fail(LS_ERR_UNSUPPORTED, "latencies are measured on x86-64 only");
}

uint64_t mach_tsc_read(void)
{
    return 0;
}

uint32_t mach_tsc_step_cycles(void)
{
    return 1;
}

double mach_tsc_issue_width(void)
{
    return 1;
}
