/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's vdso is an ELF image without a file: its bytes go to the spool, so that resolve can name its
 * functions and unwind through them, on any machine. */
#ifndef RT_VDSO_SIGSAFE_H
#define RT_VDSO_SIGSAFE_H

#include "runtime/core/rt_thread.h"

enum { RT_VDSO_BYTES_MAX = 32768 };

/* Bytes of the 64-bit ELF image at base, of which room_bytes may be read: up to its last section header. 0:
 * it is none, or larger.  Thread: any.  Signal: safe. */
uint32_t rt_vdso_len_bytes(const void *base, uint32_t room_bytes);

/* Write the image of rt_state.vdso_base into t's file; nothing without one.  Thread: t's own.  Signal: safe. */
void rt_vdso_put(struct rt_thread *t, uint64_t time_ns);

#endif
