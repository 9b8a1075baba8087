/* SPDX-License-Identifier: BSD-3-Clause */
/* Patterns to compare, read from a pattern file or extracted from any other input. */
#ifndef PTN_INPUT_H
#define PTN_INPUT_H

#include "patterns/compare/pat_compare.h"
#include "tools/patterns/ptn_read.h"

struct ptn_input {
    const char *path;
    struct pat_items items;
    struct pat_suite suite; /* set if the input is a pattern file */
    struct ptn_found found; /* set for any other input */
};

/* Set *out if path is a pattern file: its first character is [, after unpacking.
 * Errors: as reading it. */
ls_err ptn_is_pattern_file(const char *path, bool *out);
/* Read the patterns of a pattern file, or extract them from any other input.
 * Owns:   the caller ends *out with ptn_input_fini, also after a failure; path is borrowed.
 * Errors: as pat_json_read_file and ptn_read; LS_ERR_FORMAT for a file without patterns. */
ls_err ptn_input_read(const char *path, const struct ptn_settings *s, struct ptn_input *out);
void ptn_input_fini(struct ptn_input *in);

#endif
