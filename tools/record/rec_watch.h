/* SPDX-License-Identifier: BSD-3-Clause */
/* record --watch NAME[INDEX] where NAME is a global or static variable of the program: found in its file
 * before it starts, handed to the runtime as a place in the file. */
#ifndef REC_WATCH_H
#define REC_WATCH_H

#include "common/ls_error.h"

/* Set LOADSTONE_WATCH_AT if watch ("NAME[INDEX]") is an element of a variable of program. Otherwise the
 * runtime waits for a range of that name; this is no error, and a note names the reason.
 * Errors: LS_ERR_USAGE: watch has another form (the text shows the form). */
ls_err rec_watch_prepare(const char *watch, const char *program);

#endif
