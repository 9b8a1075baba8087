/* SPDX-License-Identifier: BSD-3-Clause */
/* Outcomes of natural-domain callbacks, as rows of /events. */
#ifndef PROF_CALLBACKS_H
#define PROF_CALLBACKS_H

#include "resolve/prof_replay_state.h"

/* Take a CALLBACK record.  Errors: LS_ERR_NOMEM. */
ls_err prof_callback_take(struct prof_replay *r, const struct spool_callback *rec);

#endif
