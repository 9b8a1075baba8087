/* SPDX-License-Identifier: BSD-3-Clause */
/* The modules that the dynamic linker has loaded: when some are unloaded their addresses are free at once,
 * and each has a number that threads use to find its thread-local storage. Not for handlers: the linker's
 * list has a lock. */
#ifndef RT_MODULES_H
#define RT_MODULES_H

#include "runtime/core/rt_thread.h"

#include <stdbool.h>

/* Modules are about to come.  Signal: safe. */
void rt_modules_mark_stale(void);
bool rt_modules_are_stale(void);

/* Look at the linker's list. Modules unloaded since the last look go to t's file as MUNMAP, new numbers as
 * TLS_MODULES; nothing when t is NULL.  Thread: t is the caller, depth > 0. */
void rt_modules_look(struct rt_thread *t);

#endif
