/* SPDX-License-Identifier: BSD-3-Clause */
/* The hooks of mmap and munmap for calls by number. Neither calls the function of the next library, which may itself
 * call syscall() (tcmalloc's and Open MPI's do); such a call, inside one that a hook made, is not recorded again.
 *
 * Thread: any. */
#ifndef RT_HOOKS_MAP_H
#define RT_HOOKS_MAP_H

/* Map memory for syscall(SYS_mmap, args...), which caller called, and record it. Returns its result: an address, or -1 with errno
 * set. */
long rt_hooks_mmap_call(const long args[6], void *caller);
/* The same for SYS_munmap; 0, or -1 with errno set. */
long rt_hooks_munmap_call(const long args[6], void *caller);

#endif
