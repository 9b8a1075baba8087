/* SPDX-License-Identifier: BSD-3-Clause */
/* How `loadstone record --pid` reaches the runtime in a running process (doc/attach.md). The launcher makes a
 * spool with a request in it, and sends a signal whose value is the descriptor of that directory.
 *
 * Constants.  Thread: any.  Signal: safe. */
#ifndef LS_ATTACH_H
#define LS_ATTACH_H

#include <stdint.h>

/* The last but one real-time signal of Linux: the timer that starts bursts has the last. */
enum { LS_ATTACH_SIGNAL = 63 };

/* Upper half of the signal's value: the lower half is a descriptor of the sender (LS_ATTACH_REQUEST), or
 * nothing: the receiving thread is to be sampled (LS_ATTACH_ADOPT). */
#define LS_ATTACH_REQUEST UINT64_C(0x4c6f6164)
#define LS_ATTACH_ADOPT UINT64_C(0x73746f6e)

/* The name of the mapping that marks a process as ready, as /proc/PID/maps shows it. */
#define LS_ATTACH_MARK "loadstone-idle"
#define LS_ATTACH_MARK_IN_MAPS "/memfd:" LS_ATTACH_MARK

/* Files in the spool's directory. */
#define LS_ATTACH_REQUEST_FILE "attach.request" /* the LOADSTONE_* settings, NAME=VALUE, a line each */
#define LS_ATTACH_STATE_FILE "attach.state"     /* lines of the process: attached, failed REASON, detached */
#define LS_ATTACH_LIBRARY "attach.so"           /* a link to the runtime, for a process that has to load it */
#define LS_ATTACH_STOP_FILE "attach.stop"       /* the launcher asks for the end */

enum { LS_ATTACH_REQUEST_BYTES = 16384 };

#endif
