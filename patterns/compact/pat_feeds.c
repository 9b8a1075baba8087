/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/compact/pat_feeds.h"

#include <stdlib.h>

/* A replay reads its indices in order: a load that jumps about is not what it does instead. */
static bool feeds_in_order(const struct pat_found *f)
{
    return f->op == PAT_OP_LOAD && f->members_len == 0 && f->class == PAT_CLASS_UNIFORM && f->stride == 1;
}

static bool feeds(const struct pat_sequence *index, const struct pat_sequence *of)
{
    return index != of && of->index_site == index->site && of->index_home == index->home &&
           of->thread == index->thread && index->accesses <= of->accesses;
}

static bool feeds_any(const struct pat_findings *f, const struct pat_sequences *s, size_t row)
{
    for (size_t i = 0; i < f->len; i++)
        if (feeds(&s->rows[f->rows[row].sequence], &s->rows[f->rows[i].sequence])) return true;
    return false;
}

ls_err pat_feeds_drop(struct pat_findings *f, const struct pat_sequences *s, size_t *out_dropped)
{
    size_t kept = 0;
    bool *goes = calloc(f->len + 1, sizeof(*goes));
    if (!goes) return ls_nomem("%zu patterns", f->len);
    for (size_t i = 0; i < f->len; i++)
        goes[i] = feeds_in_order(&f->rows[i]) && feeds_any(f, s, i);
    for (size_t i = 0; i < f->len; i++) {
        if (goes[i])
            pat_found_fini(&f->rows[i]);
        else
            f->rows[kept++] = f->rows[i];
    }
    *out_dropped = f->len - kept;
    f->len = kept;
    free(goes);
    return LS_OK;
}
