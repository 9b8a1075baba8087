/* SPDX-License-Identifier: BSD-3-Clause */
/* Error codes of all Loadstone functions. LS_OK is 0; every other value is a failure.
 *
 * Thread: any.  Signal: ls_err_name and ls_err_text are safe, ls_last_error is not. */
#ifndef LOADSTONE_ERROR_H
#define LOADSTONE_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

/* X(name, text): the list of all errors; text is the message for the user if there is no more precise one. */
#define LS_ERR_LIST(X)                                                         \
    X(LS_OK, "ok")                                                             \
    X(LS_ERR_NOMEM, "out of memory")                                           \
    X(LS_ERR_ARG, "invalid argument")                                          \
    X(LS_ERR_RANGE, "empty, wrapping or out-of-range interval")                \
    X(LS_ERR_OVERLAP, "range overlaps another one without being nested in it") \
    X(LS_ERR_NOT_FOUND, "not found")                                           \
    X(LS_ERR_EXISTS, "already exists")                                         \
    X(LS_ERR_IO, "input/output error")                                         \
    X(LS_ERR_FULL, "no space left")                                            \
    X(LS_ERR_FORMAT, "malformed input")                                        \
    X(LS_ERR_TRUNCATED, "input ends too early")                                \
    X(LS_ERR_VERSION, "format version not supported")                          \
    X(LS_ERR_PERMISSION, "permission denied")                                  \
    X(LS_ERR_UNSUPPORTED, "not supported here")                                \
    X(LS_ERR_BUSY, "in use")                                                   \
    X(LS_ERR_USAGE, "wrong usage")

#define LS_ERR_ENUM(name, text) name,
typedef enum ls_err { LS_ERR_LIST(LS_ERR_ENUM) LS_ERR_COUNT } ls_err;
#undef LS_ERR_ENUM

/* Return the name of e, such as "LS_ERR_RANGE", or "LS_ERR_UNKNOWN". */
const char *ls_err_name(ls_err e);
/* Return the meaning of e in words, never NULL. */
const char *ls_err_text(ls_err e);
/* Return the detailed message of this thread's last failure, which names the cause and the remedy; "" if
 * there was none. */
const char *ls_last_error(void);

#ifdef __cplusplus
}
#endif
#endif
