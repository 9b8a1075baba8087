/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/ls_error.h"
#include "common/ls_compat.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

struct ls_err_row {
    const char *name;
    const char *text;
};

#define LS_ERR_ROW(name, text) {#name, text},
static const struct ls_err_row ls_err_rows[] = {LS_ERR_LIST(LS_ERR_ROW)};
#undef LS_ERR_ROW
_Static_assert(sizeof(ls_err_rows) / sizeof(ls_err_rows[0]) == LS_ERR_COUNT,
               "every error has a name and a text");

static _Thread_local char ls_error_detail[512] __attribute__((tls_model("initial-exec")));

LS_EXPORT const char *ls_err_name(ls_err e)
{
    return (unsigned)e < LS_ERR_COUNT ? ls_err_rows[e].name : "LS_ERR_UNKNOWN";
}

LS_EXPORT const char *ls_err_text(ls_err e)
{
    return (unsigned)e < LS_ERR_COUNT ? ls_err_rows[e].text : "unknown error";
}

LS_EXPORT const char *ls_last_error(void)
{
    return ls_error_detail;
}

ls_err ls_fail(ls_err e, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(ls_error_detail, sizeof(ls_error_detail), format, args);
    va_end(args);
    return e;
}

/* The child process that reads profiles has limited memory. */
static void ls_add_limit(void)
{
    struct rlimit limit;
    const size_t len = strlen(ls_error_detail);
    if (getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
    snprintf(
        ls_error_detail + len, sizeof(ls_error_detail) - len,
        ": data is limited to %llu MiB; LOADSTONE_MEMORY=8G raises the limit for profiles that you trust",
        (unsigned long long)limit.rlim_cur >> 20);
}

ls_err ls_nomem(const char *format, ...)
{
    static const char begin[] = "out of memory for ";
    va_list args;
    memcpy(ls_error_detail, begin, sizeof(begin));
    va_start(args, format);
    vsnprintf(ls_error_detail + sizeof(begin) - 1, sizeof(ls_error_detail) - sizeof(begin) + 1, format, args);
    va_end(args);
    ls_add_limit();
    return LS_ERR_NOMEM;
}

static ls_err ls_err_from_errno(int code)
{
    switch (code) {
    case ENOSPC:
    case EDQUOT:
        return LS_ERR_FULL;
    case EACCES:
    case EPERM:
        return LS_ERR_PERMISSION;
    case EEXIST:
        return LS_ERR_EXISTS;
    case ENOENT:
        return LS_ERR_NOT_FOUND;
    case ENOMEM:
        return LS_ERR_NOMEM;
    default:
        return LS_ERR_IO;
    }
}

ls_err ls_fail_errno(int saved_errno, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int len = vsnprintf(ls_error_detail, sizeof(ls_error_detail), format, args);
    va_end(args);
    if (len >= 0 && (size_t)len < sizeof(ls_error_detail))
        snprintf(ls_error_detail + len, sizeof(ls_error_detail) - (size_t)len, ": %s", strerror(saved_errno));
    return ls_err_from_errno(saved_errno);
}
