/* SPDX-License-Identifier: BSD-3-Clause */
/* Which natural-domain function is running, in a record of the collector's file that is changed in place: a
 * process that crashes in it leaves the name of the culprit.
 *
 * Where nothing else is said: Thread: the collector, depth > 0.  Signal: not safe. */
#ifndef RT_CALL_MARKER_H
#define RT_CALL_MARKER_H

#include <stdint.h>

/* Around a call; the record is written before the first. */
void rt_call_marker_enter(uint32_t node, uint64_t function, uint64_t argument);
void rt_call_marker_leave(void);
/* The file is about to be closed, or is not ours any more: the next call writes another record. */
void rt_call_marker_close(void);
/* The process ends otherwise than by the call that is running.  Thread: any.  Signal: safe. */
void rt_call_marker_give_up(void);

#endif
