/* SPDX-License-Identifier: BSD-3-Clause */
/* The modules of one process image, opened for unwinding call stacks. */
#ifndef PROF_SESSION_H
#define PROF_SESSION_H

#include "common/ls_error.h"
#include "resolve/prof_modules.h"
#include "symbols/sym_session.h"

/* A session that knows every module whose unwinding tables are sound.
 * Owns:   the caller ends it with sym_session_free.
 * Errors: LS_ERR_NOMEM; other files are left out. */
ls_err prof_session_open(const struct prof_modules *modules, sym_session **out);

#endif
