/* SPDX-License-Identifier: BSD-3-Clause */
/* The hook of mmap for calls by number.
 *
 * Thread: any. */
#ifndef RT_HOOKS_MAP_H
#define RT_HOOKS_MAP_H

/* Map memory for syscall(SYS_mmap, args...), which caller called, and record it. Returns its result: an address, or -1 with errno
 * set. */
long rt_hooks_mmap_call(const long args[6], void *caller);

#endif
