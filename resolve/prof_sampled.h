/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples that represent themselves: hardware, page-fault and breakpoint samples of all threads, in the file
 * of the collector. Each becomes a burst of one sample. */
#ifndef PROF_SAMPLED_H
#define PROF_SAMPLED_H

#include "resolve/prof_replay_state.h"
#include "spool/spool_merge.h"

/* Take a record of a kind that is sampled (SAMPLE, CHAIN, SAMPLING, COST, WATCH, and STACK after a SAMPLE);
 * others change nothing.  Errors: LS_ERR_NOMEM, and as of prof_writer_add. */
ls_err prof_sampled_take(struct prof_replay *r, struct prof_lane *lane, const struct spool_item *item);
/* Set op and locked from the flags of an ACCESS or a SAMPLE. */
void prof_sampled_flags(uint16_t flags, struct prof_sample *out);

#endif
