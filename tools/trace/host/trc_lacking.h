/* SPDX-License-Identifier: BSD-3-Clause */
/* System calls that a program made and QEMU does not have, in words.
 *
 * Thread: the main one.  Signal: not safe. */
#ifndef TRC_LACKING_H
#define TRC_LACKING_H

#include "tools/trace/trc_ring.h"

#include <stddef.h>

/* List the system calls in ring that may have made a program of this machine (EM_* of elf.h) fail:
 * "io_uring_setup (425), system call 999". Calls that the C library only tries are left out.
 * Returns their number. */
size_t trc_lacking_names(const struct trc_ring *ring, unsigned elf_machine, char *out, size_t room);

#endif
