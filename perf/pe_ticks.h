/* SPDX-License-Identifier: BSD-3-Clause */
/* The counter that time stamps of SPE packets are read from (CNTVCT_EL0), as times of CLOCK_MONOTONIC.
 *
 * Thread: any.  Signal: safe. */
#ifndef PE_TICKS_H
#define PE_TICKS_H

#include <stdint.h>

/* One instant on both clocks. Taken anew for each drain, so that a clock that is steered does not run away. */
struct pe_ticks {
    uint64_t hz; /* 0: the counter cannot be read */
    uint64_t ticks, time_ns;
};

/* Now. Where there is no such counter (any machine but Arm's) it is CLOCK_MONOTONIC itself, in ns. */
struct pe_ticks pe_ticks_now(void);

/* When the counter stood at ticks, before or after t. */
uint64_t pe_ticks_time_ns(const struct pe_ticks *t, uint64_t ticks);

#endif
