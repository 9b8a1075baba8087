/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/ls_cpus.h"

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
