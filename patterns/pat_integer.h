/* SPDX-License-Identifier: BSD-3-Clause */
/* Integers and lists of them as pattern files write them. */
#ifndef PAT_INTEGER_H
#define PAT_INTEGER_H

#include "patterns/pat_list.h"

/* All of text[0, len) as a decimal integer, blanks around it allowed.
 * Errors: LS_ERR_ARG when it is none, LS_ERR_RANGE when it does not fit; *out is unchanged. */
ls_err pat_integer_parse(const char *text, size_t len, int64_t *out);

/* As pat_integer_parse, and at least minimum.
 * Errors: also LS_ERR_RANGE below it. */
ls_err pat_integer_parse_from(const char *text, size_t len, int64_t minimum, int64_t *out);

/* "0,4, 8" appended to l; each element at least minimum.
 * Errors: as above, naming the element by its place; LS_ERR_ARG for an empty element; LS_ERR_NOMEM. l keeps
 * what was read before. */
ls_err pat_integers_parse(const char *text, size_t len, int64_t minimum, struct pat_list *l);

#endif
