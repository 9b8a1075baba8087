/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/cli/cli_limits.h"

#include <inttypes.h>
#include <stdio.h>

enum { LIMIT_BYTES = 24, LIMIT_TOLD_MAX = 1000000 /* nobody meets one that is larger */ };

/* As it would be written on the command line. */
static const char *limit_text(const struct cli_option *o, uint64_t number, char out[LIMIT_BYTES])
{
    static const char *const units[] = {"", "K", "M", "G"};
    size_t unit = 0;
    for (; o->type == CLI_BYTES && number && number % 1024 == 0 && unit < 3; unit++)
        number /= 1024;
    snprintf(out, LIMIT_BYTES, "%" PRIu64 "%s%s", number, units[unit], o->type == CLI_DURATION ? "ns" : "");
    return out;
}

const char *cli_limits_text(const struct cli_option *o, char out[CLI_LIMITS_BYTES])
{
    char least[LIMIT_BYTES], most[LIMIT_BYTES];
    limit_text(o, o->least, least);
    limit_text(o, o->most, most);
    out[0] = '\0';
    if (o->most && o->most <= LIMIT_TOLD_MAX)
        snprintf(out, CLI_LIMITS_BYTES, "%s to %s", least, most);
    else if (o->least)
        snprintf(out, CLI_LIMITS_BYTES, "%s or more", least);
    return out;
}

ls_err cli_limits_check(const struct cli_option *o, const char *text, uint64_t number)
{
    char limits[CLI_LIMITS_BYTES];
    if (number >= o->least && (!o->most || number <= o->most)) return LS_OK;
    if (number > o->most && o->most > LIMIT_TOLD_MAX)
        return ls_fail(LS_ERR_RANGE, "%s is too much; give %" PRIu64 " or less", text, o->most);
    return ls_fail(LS_ERR_RANGE, "%s is too %s; give %s", text, number < o->least ? "little" : "much",
                   cli_limits_text(o, limits));
}
