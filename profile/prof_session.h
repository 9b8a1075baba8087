/* SPDX-License-Identifier: BSD-3-Clause */
/* The symbols of one process image, opened once for all who ask: lines, call stacks, names of data. */
#ifndef PROF_SESSION_H
#define PROF_SESSION_H

#include "common/ls_error.h"
#include "profile/prof_survey.h"
#include "symbols/sym_session.h"

/* A session that knows every module the survey saw, and the vdso.
 * Owns:   the caller ends it with sym_session_free.
 * Errors: LS_ERR_NOMEM; files that cannot be read cost their names only. */
ls_err prof_session_open(const struct prof_survey *survey, sym_session **out);

#endif
