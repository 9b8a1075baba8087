/* SPDX-License-Identifier: BSD-3-Clause */
/* Incidents as rows of /events.
 *
 * Thread: one at a time for one run. */
#ifndef PROF_EVENTS_H
#define PROF_EVENTS_H

#include "resolve/prof_jit.h"
#include "resolve/prof_replay.h"
#include "spool/spool_format.h"

/* Append event, of this process (row of /processes).
 * Owns:   its texts are borrowed from run->names or constant.  Errors: LS_ERR_NOMEM. */
ls_err prof_event_put(struct prof_run_state *run, uint32_t process, struct prof_event event);

/* Append an event of the process's spool, and count it in run; an unknown kind counts as a lost record.
 * Errors: LS_ERR_NOMEM. */
ls_err prof_event_take(struct prof_run_state *run, uint32_t process, const struct spool_event *e);

/* Append how much generated code got names, from which source, and how much got none.  Errors:
 * LS_ERR_NOMEM. */
ls_err prof_event_generated(struct prof_run_state *run, uint32_t process, const struct prof_jit_counts *n);

#endif
