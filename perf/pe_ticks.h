/* SPDX-License-Identifier: BSD-3-Clause */
/* Convert the counter that time stamps of SPE packets come from (CNTVCT_EL0) to CLOCK_MONOTONIC.
 *
 * Thread: any.  Signal: safe. */
#ifndef PE_TICKS_H
#define PE_TICKS_H

#include <stdint.h>

/* One instant on both clocks. Taken again for each drain, so that adjustments of the clock do not add up. */
struct pe_ticks {
    uint64_t hz; /* 0: the counter cannot be read */
    uint64_t ticks, time_ns;
};

/* Read both clocks now. Without such a counter (any machine but Arm's), ticks are CLOCK_MONOTONIC in ns. */
struct pe_ticks pe_ticks_now(void);

/* Time at which the counter was at ticks, before or after t. */
uint64_t pe_ticks_time_ns(const struct pe_ticks *t, uint64_t ticks);

#endif
