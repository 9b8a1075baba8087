/* SPDX-License-Identifier: BSD-3-Clause */
/* The single tries of mach_capability.h; each runs in a separate child process.
 *
 * Thread: one at a time, it forks.  Signal: not safe. */
#ifndef MACH_CAPABILITY_TRY_H
#define MACH_CAPABILITY_TRY_H

#include "machine/mach_capability.h"

/* Result of a try: the first errno, and the number of signals (steps, triggers) that arrived. */
struct mach_seen {
    int error;
    int signals;
};

/* Try id in a child process, which ends after 5 s at the latest.
 * Owns:   nothing; the child is waited for.  Errors: in the result: EIO when there was no child or it sent no
 *         result, otherwise the try's own errno, 0 for none.
 * Thread: one at a time, and none that holds a lock which a fork child needs.  Signal: not safe. */
struct mach_seen mach_try_run(enum mach_try_id id);

#endif
