/* SPDX-License-Identifier: BSD-3-Clause */
/* Table of the actions of `loadstone patterns`. A single operand is always the input, whatever its name. If
 * there are several, the first one names the action, or all are files of one input. */
#ifndef PTN_ACTIONS_H
#define PTN_ACTIONS_H

#include "tools/cli/cli_command.h"

/* Rows of the command's option table. */
enum ptn_option {
    PTN_FORMAT,
    PTN_BINARY,
    PTN_ARRAYS,
    PTN_MEMORY,
    PTN_BY_THREAD,
    PTN_MODE,
    PTN_TOP,
    PTN_MIN_ACCESSES,
    PTN_MIN_DISTANCES,
    PTN_MIN_FAR,
    PTN_FAR,
    PTN_WINDOW_ROWS,
    PTN_WINDOW_BYTES,
    PTN_TRIVIAL,
    PTN_LONGEST,
    PTN_NO_SYMBOLS,
    PTN_LOADER,
    PTN_NO_JOIN,
    PTN_NO_INDEX_LOADS,
    PTN_SEED,
    PTN_CONFIG,
    PTN_COMPRESS,
    PTN_WITHIN,
    PTN_BY_DISTANCE,
    PTN_MEMBERS,
    PTN_OUTPUT,
    PTN_TO,
    PTN_PICTURE,
    PTN_PLOT,
    PTN_JSON,
    PTN_CSV,
    PTN_FORCE,
    PTN_OPTIONS
};

/* Sets of options. */
#define PTN_BIT(option) (UINT64_C(1) << (option))
#define PTN_BITS_FIND (PTN_BIT(PTN_CONFIG) - 1) /* rows above that: how patterns are found in an input */
_Static_assert(PTN_OPTIONS <= 64, "a bit for each option");

struct ptn_action {
    struct cli_action about; /* options without an effect are refused */
    size_t operands_min, operands_max;
    /* operands: operands after the name, ended by NULL; returns the exit status */
    int (*run)(const struct cli_value *v, char **operands, size_t operands_len);
};

extern const struct ptn_action ptn_action_extract, ptn_action_show, ptn_action_diff, ptn_action_groups,
    ptn_action_sectors;

#endif
