/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/write/pat_whole.h"
#include "common/ls_checked.h"
#include "patterns/pat_list.h"
#include "patterns/write/pat_unroll.h"
#include "patterns/write/pat_writers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PAT_WHOLE_NAMED = 6 }; /* patterns that a note names */

static enum pat_side pat_whole_side(const struct pat_found *r)
{
    return r->op == PAT_OP_LOAD ? PAT_SIDE_GATHER : PAT_SIDE_SCATTER;
}

static uint64_t pat_whole_sum(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return ls_add_u64(a, b, &sum) ? sum : UINT64_MAX;
}

/* Without a limit. */
static uint64_t pat_whole_known(const struct pat_found *r)
{
    const uint64_t body = pat_unrolled_len(&r->config, pat_whole_side(r));
    if (r->head.len && r->head.len < r->prologue) return r->head.len;
    return pat_whole_sum(pat_whole_sum(r->head.len, body), r->tail.len);
}

uint64_t pat_whole_len(const struct pat_found *r, uint64_t accesses_max)
{
    const uint64_t known = pat_whole_known(r);
    return known < accesses_max ? known : accesses_max;
}

uint64_t pat_whole_made(const struct pat_found *r)
{
    const uint64_t own = r->threads > 1 ? r->accesses / r->threads : r->accesses;
    const uint64_t here = pat_whole_sum(pat_whole_sum(r->prologue, r->epilogue),
                                        pat_unrolled_len(&r->config, pat_whole_side(r)));
    const bool is_all = r->form == PAT_FORM_EXACT || r->form == PAT_FORM_FULL || r->form == PAT_FORM_PIECES;
    return is_all || own < here ? here : own;
}

static void pat_whole_put(struct pat_list *l, const struct pat_indices *p, uint64_t most)
{
    const size_t room = (size_t)most - l->v.len, len = p->len < room ? p->len : room;
    if (len) memcpy(l->v.data + l->v.len, p->data, len * sizeof(*p->data));
    l->v.len += len;
}

ls_err pat_whole(const struct pat_found *r, uint64_t accesses_max, struct pat_indices *out)
{
    struct pat_list l = {0};
    struct pat_indices body = {0};
    const uint64_t len = pat_whole_len(r, accesses_max);
    *out = (struct pat_indices){0};
    LS_TRY(pat_list_reserve(&l, (size_t)len));
    pat_whole_put(&l, &r->head, len);
    const ls_err err =
        l.v.len < len ? pat_unroll(&r->config, pat_whole_side(r), len - l.v.len, &body) : LS_OK;
    if (err == LS_OK) {
        pat_whole_put(&l, &body, len);
        pat_whole_put(&l, &r->tail, len);
        free(body.data);
        pat_list_take(&l, out);
        pat_normalise(out);
    } else {
        pat_list_fini(&l);
    }
    return err;
}

/* "1 (20 of 27 accesses), 4 (20 of 3000)" */
struct pat_whole_names {
    char text[300];
    size_t len, found;
};

static void pat_whole_name(struct pat_whole_names *n, size_t row, uint64_t written, uint64_t made)
{
    const size_t room = sizeof(n->text) - n->len;
    int len = 0;
    if (n->found < PAT_WHOLE_NAMED && made)
        len = snprintf(n->text + n->len, room, "%s%zu (%" PRIu64 " of %" PRIu64 "%s)", n->found ? ", " : "",
                       row, written, made, n->found ? "" : " accesses");
    else if (n->found < PAT_WHOLE_NAMED)
        len = snprintf(n->text + n->len, room, "%s%zu", n->found ? ", " : "", row);
    else if (n->found == PAT_WHOLE_NAMED)
        len = snprintf(n->text + n->len, room, ", ...");
    n->len += (size_t)len;
    n->found++;
}

void pat_whole_note(const struct pat_findings *f, const struct pat_write_options *o)
{
    struct pat_whole_names cut = {.len = 0}, drawn = {.len = 0};
    for (size_t i = 0; i < f->len; i++) {
        const struct pat_found *r = &f->rows[i];
        const uint64_t written = pat_whole_len(r, pat_write_max(o)), made = pat_whole_made(r);
        if (r->form == PAT_FORM_SYNTHETIC)
            pat_whole_name(&drawn, i, written, 0);
        else if (written < made)
            pat_whole_name(&cut, i, written, made);
    }
    if (cut.found)
        pat_write_note(o, "pattern%s %s: only so many were written; --longest and --memory allow more",
                       cut.found == 1 ? "" : "s", cut.text);
    if (drawn.found)
        pat_write_note(o,
                       "pattern%s %s: drawn from the distribution of distances, not the program's accesses",
                       drawn.found == 1 ? "" : "s", drawn.text);
}
