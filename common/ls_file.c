/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/ls_file.h"

#include "common/ls_compat.h"

#include <fcntl.h>

size_t ls_file_read(const char *path, char *out, size_t out_bytes)
{
    size_t len = 0;
    out[0] = '\0';
    const int fd = (int)ls_syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    while (len + 1 < out_bytes) {
        const long got = ls_syscall(SYS_read, fd, out + len, out_bytes - 1 - len);
        if (got <= 0) break;
        len += (size_t)got;
    }
    ls_syscall(SYS_close, fd);
    out[len] = '\0';
    return len;
}

bool ls_file_number(const char *path, int64_t *out)
{
    char text[32];
    if (ls_file_read(path, text, sizeof(text)) == 0) return false;
    const char *at = text + (text[0] == '-');
    int64_t value = 0;
    if (*at < '0' || *at > '9') return false;
    for (; *at >= '0' && *at <= '9'; at++)
        if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, *at - '0', &value))
            return false;
    *out = text[0] == '-' ? -value : value;
    return true;
}

/* --- lists of CPUs --- */

enum { LS_CPUS_DIGITS_MAX = 6 };

static bool cpus_number(const char **at, unsigned *out)
{
    const char *begin = *at;
    for (*out = 0; **at >= '0' && **at <= '9' && *at - begin < LS_CPUS_DIGITS_MAX; ++*at)
        *out = *out * 10 + (unsigned)(**at - '0');
    return *at > begin && !(**at >= '0' && **at <= '9');
}

static bool cpus_is_end(char c)
{
    return c == '\0' || c == '\n';
}

bool ls_cpus_next(const char **at, unsigned *first, unsigned *last)
{
    const char *piece = *at;
    if (cpus_is_end(**at) || !cpus_number(at, first)) goto wrong;
    *last = *first;
    if (**at == '-' && (++*at, !cpus_number(at, last))) goto wrong;
    if (*last < *first || (**at != ',' && !cpus_is_end(**at))) goto wrong;
    if (**at == ',') ++*at;
    return true;
wrong:
    *at = piece;
    return false;
}
