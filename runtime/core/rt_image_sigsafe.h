/* SPDX-License-Identifier: BSD-3-Clause */
/* The directory p<pid>.<image> of this process in the spool and its file of all threads, made with its first
 * record. */
#ifndef RT_IMAGE_SIGSAFE_H
#define RT_IMAGE_SIGSAFE_H

#include "runtime/core/rt_thread.h"

/* Return whether there is a directory to open files in. The first call makes it and sets *first: the caller
 * then writes the records that describe the process. False: not available now or later (the debug text has
 * errno and the remedy). Thread: any, depth > 0. */
bool rt_image_open(bool *first);

/* Write PROCESS into the file of t. Uses t->scratch. */
void rt_image_put_process(struct rt_thread *t);

/* In a fork child: forget the parent's directory. */
void rt_image_forget(void);

/* With LOADSTONE_DEBUG=1, add a line "pid: TEXT (errno N)" to DIR/debug.txt in the spool. Keeps errno. */
void rt_debug_note(const char *what, int detail_errno);

#endif
