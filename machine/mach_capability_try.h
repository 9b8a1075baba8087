/* SPDX-License-Identifier: BSD-3-Clause */
/* The single tries behind mach_capability.h; each runs in a child of its own.
 *
 * Thread: one at a time, it forks.  Signal: not safe. */
#ifndef MACH_CAPABILITY_TRY_H
#define MACH_CAPABILITY_TRY_H

#include "machine/mach_capability.h"

/* What a try saw: the first errno, and how many signals (steps, triggers) arrived. */
struct mach_seen {
    int error;
    int signals;
};

struct mach_seen mach_try_run(enum mach_try_id id);

#endif
