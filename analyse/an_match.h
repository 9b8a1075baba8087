/* SPDX-License-Identifier: BSD-3-Clause */
/* Which names of two runs mean the same thing. */
#ifndef AN_MATCH_H
#define AN_MATCH_H

#include "common/ls_error.h"

#include <stddef.h>
#include <stdint.h>

struct an_name {
    const char *text;
    uint32_t side; /* 0 or 1 */
    uint32_t row;  /* out: names with one row are one thing */
};

/* Match names of two sides. Equal texts are one row. Among the unmatched names of both sides, names that
 * differ only in their line numbers (":12") are one row if no other name of the kind is unmatched: the source
 * was edited above the line. Rows are numbered by text. *out_labels: by row, the index of a name that
 * represents it, of side 1 if it has one; free it.
 * Owns:   nothing of names, whose order is unchanged.
 * Errors: LS_ERR_NOMEM. */
ls_err an_match_names(struct an_name *names, size_t len, uint32_t *out_rows_len, uint32_t **out_labels);

#endif
