/* SPDX-License-Identifier: BSD-3-Clause */
/* What `loadstone patterns` does: a row each. The first operand names the row when there are more operands
 * than one; a single operand is always the input to extract from, whatever the file is called.
 *
 * Thread: the main one.  Signal: not safe. */
#ifndef PTN_ACTIONS_H
#define PTN_ACTIONS_H

#include "tools/cli_command.h"

/* Rows of the command's option table. */
enum ptn_option { PTN_CONFIG, PTN_COMPRESS, PTN_PLOT, PTN_OUTPUT, PTN_JSON, PTN_FORCE, PTN_OPTIONS };

struct ptn_action {
    const char *name;
    const char *operands; /* "FILE.json", behind the name */
    size_t operands_min, operands_max;
    /* operands: those behind the name, ended by NULL; returns the exit status */
    int (*run)(const struct cli_value *v, char **operands, size_t operands_len);
};

extern const struct ptn_action ptn_action_show;

#endif
