/* SPDX-License-Identifier: BSD-3-Clause */
/* LOADSTONE_DEBUG=1: incidents as lines of text in DIR/debug.txt of the spool.
 *
 * Thread: any. */
#ifndef RT_DEBUG_SIGSAFE_H
#define RT_DEBUG_SIGSAFE_H

/* "pid: what (errno N)"; does nothing unless asked for.  Signal: safe; errno is kept. */
void rt_debug_note(const char *what, int detail_errno);

#endif
