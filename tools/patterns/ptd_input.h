/* SPDX-License-Identifier: BSD-3-Clause */
/* Patterns to compare, from any file that has some: a pattern file, or what they can be extracted from. */
#ifndef PTD_INPUT_H
#define PTD_INPUT_H

#include "patterns/compare/pat_compare.h"
#include "tools/patterns/ptn_read.h"

struct ptd_input {
    const char *path;
    struct pat_items items;
    struct pat_suite suite; /* of a pattern file */
    struct ptn_found found; /* of anything else */
};

/* Has path patterns already? A file whose first sign is [ has, also when it is packed.
 * Errors: those of reading it. */
ls_err ptd_is_pattern_file(const char *path, bool *out);
/* The patterns of a pattern file, or those that are extracted from anything else.
 * Owns:   the caller ends *out with ptd_input_fini, also after a failure; path is borrowed.
 * Errors: those of pat_json_read_file and ptn_read; LS_ERR_FORMAT for a file without patterns. */
ls_err ptd_input_read(const char *path, const struct ptn_settings *s, struct ptd_input *out);
void ptd_input_fini(struct ptd_input *in);

#endif
