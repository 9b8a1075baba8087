/* SPDX-License-Identifier: BSD-3-Clause */
/* Error reporting: a code for the caller, a text for the user.
 *
 * Unless noted otherwise: Thread: any.  Signal: not safe. */
#ifndef LS_ERROR_H
#define LS_ERROR_H

#include "loadstone/error.h"

/* Remember the formatted text as this thread's last error and return e.
 * The text names the file or object, the place in it, and the remedy.
 * Thread: any.  Signal: not safe (formats). */
ls_err ls_fail(ls_err e, const char *format, ...) __attribute__((format(printf, 2, 3), cold));

/* As ls_fail, with ": <strerror(saved_errno)>" appended; maps ENOSPC, EACCES, EEXIST, ENOENT, ENOMEM to their
 * code and everything else to LS_ERR_IO. */
ls_err ls_fail_errno(int saved_errno, const char *format, ...) __attribute__((format(printf, 2, 3), cold));

/* ls_fail with LS_ERR_NOMEM; the text is "out of memory for " and the purpose of the memory. */
ls_err ls_nomem(const char *format, ...) __attribute__((format(printf, 1, 2), cold));

/* Return a failure to the caller; for functions with nothing to release. */
#define LS_TRY(call)                                \
    do {                                            \
        const ls_err ls_try_err = (call);           \
        if (ls_try_err != LS_OK) return ls_try_err; \
    } while (0)

#endif
