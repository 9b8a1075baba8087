/* SPDX-License-Identifier: BSD-3-Clause */
/* Signals by name. */
#ifndef CLI_SIGNAL_H
#define CLI_SIGNAL_H

#include "common/ls_error.h"

#include <stdint.h>

/* "USR1", "SIGUSR1" or "10".  Errors: LS_ERR_ARG. */
ls_err cli_signal_parse(const char *text, uint64_t *out);

#endif
