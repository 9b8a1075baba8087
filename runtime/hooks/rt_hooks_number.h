/* SPDX-License-Identifier: BSD-3-Clause */
/* The hooks of mappings and descriptors for calls by number. Hooks of mappings do not call the function of the next library,
 * which may itself call syscall() (tcmalloc's and Open MPI's do); such a call, inside one that a hook made, is not
 * recorded again.
 *
 * Thread: any. */
#ifndef RT_HOOKS_NUMBER_H
#define RT_HOOKS_NUMBER_H

#include <stdbool.h>

/* Map memory for syscall(SYS_mmap, args...), which caller called, and record it. Returns its result: an address, or -1 with errno
 * set. */
long rt_hooks_mmap_call(const long args[6], void *caller);
/* The same for SYS_munmap; 0, or -1 with errno set. */
long rt_hooks_munmap_call(const long args[6], void *caller);
/* Before syscall(number, args...) of the close family. True: it would close one of our descriptors, and must not be made. Where
 * it would replace one of ours, ours has another number afterwards. */
bool rt_hooks_fd_spares(long number, const long args[6]);

#endif
