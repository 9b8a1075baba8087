/* SPDX-License-Identifier: BSD-3-Clause */
/* A growing list of indices, for readers and generators. Large ones grow in place (mremap), so that memory
 * use stays near the size of the indices. */
#ifndef PAT_LIST_H
#define PAT_LIST_H

#include "patterns/pat_config.h"

struct pat_list {
    struct pat_indices v;
    size_t capacity;
    size_t limit; /* largest number of indices; 0: limited by memory */
};

/* Make room for at least len indices.
 * Owns:   l; the caller ends it with pat_list_take or pat_list_fini.
 * Errors: LS_ERR_NOMEM, with the memory needed and the memory of the machine; l keeps its contents. */
ls_err pat_list_reserve(struct pat_list *l, size_t len);

/* Hand the indices over, without spare room; l is empty afterwards. The old contents of out are freed. */
void pat_list_take(struct pat_list *l, struct pat_indices *out);

void pat_list_fini(struct pat_list *l);

/* Append one index.
 * Errors: as pat_list_reserve. */
static inline ls_err pat_list_push(struct pat_list *l, int64_t index)
{
    if (l->v.len == l->capacity) LS_TRY(pat_list_reserve(l, l->v.len + 1));
    l->v.data[l->v.len++] = index;
    return LS_OK;
}

/* ---- integers and lists of them as pattern files write them ---- */

/* All of text[0, len) as a decimal integer of at least minimum, blanks around it allowed; 125.0 and 1e3 are
 * integers, too.
 * Errors: LS_ERR_ARG when it is none, LS_ERR_RANGE when it does not fit or is less; *out is unchanged. */
ls_err pat_integer_parse_from(const char *text, size_t len, int64_t minimum, int64_t *out);

/* Parse "0,4, 8" and append it to l; each element at least minimum.
 * Errors: as above, naming the element's position; LS_ERR_ARG for an empty element; LS_ERR_NOMEM. l keeps
 * the elements read before. */
ls_err pat_integers_parse(const char *text, size_t len, int64_t minimum, struct pat_list *l);

#endif
