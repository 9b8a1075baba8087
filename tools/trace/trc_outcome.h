/* SPDX-License-Identifier: BSD-3-Clause */
/* What a traced run came to, in words.
 *
 * Thread: the main one.  Signal: not safe. */
#ifndef TRC_OUTCOME_H
#define TRC_OUTCOME_H

#include "tools/record/rec_launch.h"
#include "tools/tracer/trc_ring.h"

/* 0: the program ran as it does. Otherwise the trace is refused, the reason and the alternative have been
 * printed, and this is our exit status. */
int trc_outcome_refused(const struct trc_ring *ring, const struct rec_outcome *o, const char *program);
/* Warnings of what is missing in the trace. */
void trc_outcome_warn(const struct trc_ring *ring);

#endif
