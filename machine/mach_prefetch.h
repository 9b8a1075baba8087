/* SPDX-License-Identifier: BSD-3-Clause */
/* The hardware prefetchers of Intel processors, switched off and on by MSR 0x1a4 (Intel, Disclosure of H/W
 * Prefetcher Control on Some Intel Processors): streamer and adjacent line of L2, next line and instruction
 * pointer of L1.
 *
 * Thread: one at a time.  Signal: not safe. */
#ifndef MACH_PREFETCH_H
#define MACH_PREFETCH_H

#include "common/ls_error.h"

#include <stdbool.h>

typedef struct mach_prefetch mach_prefetch;

/* Open the register of each processor that this process may run on: folder/N/msr, where folder is /dev/cpu.
 * Until the end, and also if this process is killed, a child process waits to restore them.
 * Owns:   the caller frees *out.
 * Errors: LS_ERR_UNSUPPORTED or LS_ERR_PERMISSION with the reason and the remedy; LS_ERR_NOMEM, LS_ERR_IO. */
ls_err mach_prefetch_new(const char *folder, mach_prefetch **out);
/* Restore the registers. NULL-safe. */
void mach_prefetch_free(mach_prefetch *p);

/* Switch all prefetchers on or off, and check that the registers keep it.
 * Errors: as above; some processors may then be switched. */
ls_err mach_prefetch_switch(mach_prefetch *p, bool on);

#endif
