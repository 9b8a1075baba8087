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

/* Equal texts are one thing. Of what is left over on both sides, names that differ in their line numbers only
 * (":12") are one thing where no other name of the kind is left over: the source was edited above the line.
 * Rows are numbered by text. *out_labels: by row, the index of a name that can stand for it, of side 1 if it
 * has one; free it. Owns:   nothing of names, which is left in its order. Errors: LS_ERR_NOMEM. */
ls_err an_match_names(struct an_name *names, size_t len, uint32_t *out_rows_len, uint32_t **out_labels);

#endif
