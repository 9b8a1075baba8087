/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether sampling is wanted now: LOADSTONE_DELAY, _DURATION, _PAUSED, the control signal, loadstone_start
 * and _stop. */
#ifndef RT_CONTROL_SIGSAFE_H
#define RT_CONTROL_SIGSAFE_H

#include <stdbool.h>
#include <stdint.h>

/* Return whether sampling is wanted now, and write SAMPLING_BEGIN or SAMPLING_END when the answer has changed
 * since the last call of any thread. An engine calls it at each trigger, and now and then in a burst, and
 * begins none while it is false. Thread: any, depth > 0. Keeps errno. */
bool rt_control_update(uint64_t now_ns);

/* The same, without writing anything. Whether the process is recorded does not count. */
bool rt_control_wants(uint64_t now_ns);

/* Return the latest answer. */
bool rt_control_was_sampling(void);

/* loadstone_start(), loadstone_stop(), the control signal. */
void rt_control_set(bool on);
void rt_control_toggle(void);

/* Begin of the process (or of a fork child, which inherits the switch but not the clock). */
void rt_control_init(uint64_t now_ns);

#endif
