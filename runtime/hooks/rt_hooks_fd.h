/* SPDX-License-Identifier: BSD-3-Clause */
/* The hooks of the close family for calls by number.
 *
 * Thread: any. */
#ifndef RT_HOOKS_FD_H
#define RT_HOOKS_FD_H

#include <stdbool.h>

/* Before syscall(number, args...): true, if it would close one of our descriptors, and must not be made. One that is about to
 * put a copy in the place of ours finds it moved. */
bool rt_hooks_fd_spares(long number, const long args[6]);

#endif
