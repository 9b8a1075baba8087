/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of one process image in the form that libdwfl needs for unwinding. Only files that a reading
 * process found sound (sym_file_unwinds) belong here: broken tables would break this process. */
#ifndef SYM_SESSION_H
#define SYM_SESSION_H

#include "common/ls_error.h"

#include <stddef.h>
#include <stdint.h>

typedef struct sym_session sym_session;

/* Errors: LS_ERR_NOMEM. */
ls_err sym_session_new(sym_session **out);
void sym_session_free(sym_session *s); /* NULL-safe */

/* path is mapped, bias (address minus linked address) off the file's own view. A file that cannot be opened
 * is left out. Call before sym_session_dwfl.  Errors: LS_ERR_NOMEM. */
ls_err sym_session_add(sym_session *s, const char *path, uint64_t bias);

/* For the other files of symbols/: nothing is added any more. */
struct Dwfl *sym_session_dwfl(sym_session *s);

#endif
