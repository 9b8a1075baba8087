/* SPDX-License-Identifier: BSD-3-Clause */
/* Files whose names could not be read: each is reported once, by name. */
#ifndef PROF_NAMELESS_H
#define PROF_NAMELESS_H

#include "resolve/prof_replay.h"

/* Append an event for each file that was asked for names and gave none, or not all; warn (may be NULL) gets
 * its text.  Errors: LS_ERR_NOMEM. */
ls_err prof_nameless_tell(struct prof_run_state *run, void (*warn)(void *user, const char *text));

#endif
