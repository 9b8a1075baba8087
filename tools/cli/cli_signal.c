/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "tools/cli/cli_signal.h"
#include "common/ls_quantity.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

ls_err cli_signal_parse(const char *text, uint64_t *out)
{
    const char *name = strncasecmp(text, "SIG", 3) == 0 ? text + 3 : text;
    for (int s = 1; s < NSIG; s++) {
        const char *known = sigabbrev_np(s);
        if (known && strcasecmp(known, name) == 0) {
            *out = (uint64_t)s;
            return LS_OK;
        }
    }
    if (ls_parse_u64(text, out) != LS_OK || *out == 0 || *out > (uint64_t)SIGRTMAX)
        return ls_fail(LS_ERR_ARG, "'%s' is no signal; write a name such as USR2 or a number", text);
    return LS_OK;
}
