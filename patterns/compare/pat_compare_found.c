/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/compare/pat_compare_found.h"

#include <stdlib.h>
#include <string.h>

static ls_err pat_found_walk(const struct pat_found *f, const struct pat_sequences *s, struct pat_walk *out)
{
    const enum pat_side side = f->op == PAT_OP_LOAD ? PAT_SIDE_GATHER : PAT_SIDE_SCATTER;
    if (f->sequence >= s->len || s->rows[f->sequence].indices.len == 0)
        return pat_walk_config(&f->config, side, out);
    const struct pat_sequence *const q = &s->rows[f->sequence];
    *out = pat_walk_list(&q->indices, q->breaks, q->breaks_len);
    return LS_OK;
}

/* The accesses of one instruction as they were seen; of those that are a pattern together, what was made of
 * them. */
static ls_err pat_found_walks(const struct pat_found *f, const struct pat_sequences *s, struct pat_item *item)
{
    if (f->members_len > 0) return pat_item_set_config(item, &f->config);
    item->kind = f->op == PAT_OP_LOAD ? PAT_KIND_READS : PAT_KIND_WRITES;
    item->walks_len = 1;
    return pat_found_walk(f, s, &item->walks[0]);
}

static ls_err pat_items_add_found(const struct pat_found *f, const struct pat_sequences *s,
                                  struct pat_items *items)
{
    char name[PAT_FOUND_KEY_BYTES], key[PAT_FOUND_KEY_BYTES];
    struct pat_item *item;
    pat_found_label(f, name);
    pat_found_key(f, key);
    LS_TRY(pat_items_add(items, name, key, &item));
    item->threads = f->threads;
    item->share = f->cost_share;
    free(item->thread);
    item->thread = strdup(f->thread ? f->thread : "");
    if (!item->thread) return ls_nomem("the names of patterns");
    return pat_found_walks(f, s, item);
}

ls_err pat_items_add_findings(const struct pat_findings *f, const struct pat_sequences *s,
                              struct pat_items *items)
{
    for (size_t i = 0; i < f->len; i++)
        LS_TRY(pat_items_add_found(&f->rows[i], s, items));
    return LS_OK;
}
