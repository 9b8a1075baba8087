/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/compare/pat_compare_found.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAT_KEY_BYTES = 1024 };

static const char *pat_text_or(const char *text, const char *other)
{
    return text && *text ? text : other;
}

/* "load x[col] in spmv"; "load in spmv" where the data is not known */
static void pat_found_key(const struct pat_found *f, char out[PAT_KEY_BYTES])
{
    const char *const home = pat_text_or(f->home, ""), *const index = pat_text_or(f->index_home, "");
    snprintf(out, PAT_KEY_BYTES, "%s%s%s%s%s%s in %s", f->op == PAT_OP_LOAD ? "load" : "store",
             *home ? " " : "", home, *index ? "[" : "", index, *index ? "]" : "",
             pat_text_or(f->function, pat_text_or(f->module, "code without a name")));
}

static ls_err pat_found_walk(const struct pat_found *f, const struct pat_sequences *s, struct pat_walk *out)
{
    const enum pat_side side = f->op == PAT_OP_LOAD ? PAT_SIDE_GATHER : PAT_SIDE_SCATTER;
    if (f->sequence >= s->len || s->rows[f->sequence].indices.len == 0)
        return pat_walk_config(&f->config, side, out);
    const struct pat_sequence *const q = &s->rows[f->sequence];
    *out = pat_walk_list(&q->indices, q->breaks, q->breaks_len);
    return LS_OK;
}

static ls_err pat_items_add_found(const struct pat_found *f, const struct pat_sequences *s,
                                  struct pat_items *items)
{
    char key[PAT_KEY_BYTES];
    struct pat_item *item;
    pat_found_key(f, key);
    /* nothing in it says what it is: distance has to */
    const bool is_known = (f->home && *f->home) || (f->function && *f->function);
    LS_TRY(pat_items_add(items, key, is_known ? key : "", &item));
    item->kind = f->op == PAT_OP_LOAD ? PAT_KIND_READS : PAT_KIND_WRITES;
    item->threads = f->threads;
    item->share = f->cost_share;
    free(item->thread);
    item->thread = strdup(pat_text_or(f->thread, ""));
    if (!item->thread) return ls_fail(LS_ERR_NOMEM, "no memory for the names of patterns");
    LS_TRY(pat_found_walk(f, s, &item->walks[0]));
    item->walks_len = 1;
    return LS_OK;
}

ls_err pat_items_add_findings(const struct pat_findings *f, const struct pat_sequences *s,
                              struct pat_items *items)
{
    for (size_t i = 0; i < f->len; i++)
        LS_TRY(pat_items_add_found(&f->rows[i], s, items));
    return LS_OK;
}
