/* SPDX-License-Identifier: BSD-3-Clause */
/* A recording that begins late, in a process that was idle (runtime/attach/).
 *
 * Thread: one of Loadstone's own, the same from begin to end, with rt_tls.depth > 0; the settings are taken
 * (rt_setting.h). */
#ifndef RT_INIT_H
#define RT_INIT_H

struct rt_thread;

/* Begin to record. 0 or an errno, with *out_why a text where there is more to say. */
int rt_init_late(struct rt_thread **out_own, const char **out_why);
/* End it in an orderly way, or let go of it if it has ended already; the process is idle afterwards and may
 * be recorded again. */
void rt_init_end_late(struct rt_thread *own);

#endif
