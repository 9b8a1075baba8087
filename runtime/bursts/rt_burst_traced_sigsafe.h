/* SPDX-License-Identifier: BSD-3-Clause */
/* Is a debugger attached? Its user would see every trap of ours.
 *
 * Thread: any. */
#ifndef RT_BURST_TRACED_SIGSAFE_H
#define RT_BURST_TRACED_SIGSAFE_H

#include "runtime/bursts/rt_burst_engine_sigsafe.h"

/* Return TracerPid of /proc/self/status text; 0 when there is none. */
int rt_burst_tracer_of(const char *status, size_t len_bytes);
/* Return whether there is one; look at /proc/self/status when the last look is max_age_ns old or was
 * used a few times, since a tracer sees each trigger meanwhile. */
bool rt_burst_look_for_tracer(struct rt_burst_engine *e, uint64_t max_age_ns);
/* Count a signal inside a burst as a use of the last look. */
void rt_burst_count_visible_signal(struct rt_burst_engine *e);

#endif
