/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/write/pat_writers.h"
#include "common/ls_checked.h"
#include "patterns/pat_list.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct pat_flat {
    const struct pat_indices *indices, *levels; /* levels: positions in indices (multi kernels), or NULL */
    const struct pat_indices *deltas;
    int64_t delta;
};

static struct pat_flat pat_flat_of(const struct pat_config *c, enum pat_side side)
{
    if (c->kernel == PAT_GS)
        return side == PAT_SIDE_GATHER
                   ? (struct pat_flat){&c->gather, NULL, &c->deltas_gather, c->delta_gather}
                   : (struct pat_flat){&c->scatter, NULL, &c->deltas_scatter, c->delta_scatter};
    const struct pat_indices *levels = c->kernel == PAT_MULTIGATHER    ? &c->gather
                                       : c->kernel == PAT_MULTISCATTER ? &c->scatter
                                                                       : NULL;
    return (struct pat_flat){&c->pattern, levels, &c->deltas, c->delta};
}

static size_t pat_flat_len(const struct pat_flat *f)
{
    return f->levels ? f->levels->len : f->indices->len;
}

uint64_t pat_unrolled_len(const struct pat_config *c, enum pat_side side)
{
    const struct pat_flat f = pat_flat_of(c, side);
    uint64_t len;
    return __builtin_mul_overflow((uint64_t)pat_flat_len(&f), c->count, &len) ? UINT64_MAX : len;
}

ls_err pat_unroll(const struct pat_config *c, enum pat_side side, uint64_t accesses_max,
                  struct pat_indices *out)
{
    struct pat_extent reach; /* nothing below can overflow once the extent is known */
    struct pat_list l = {0};
    const struct pat_flat f = pat_flat_of(c, side);
    const size_t row = pat_flat_len(&f);
    const uint64_t all = pat_unrolled_len(c, side), len = all < accesses_max ? all : accesses_max;
    *out = (struct pat_indices){0};
    LS_TRY(pat_extent_of(c, side, &reach));
    LS_TRY(pat_list_reserve(&l, (size_t)len));
    int64_t base = 0;
    for (uint64_t i = 0, n = 0; n < len; i++) {
        for (size_t j = 0; j < row && n < len; j++, n++)
            l.v.data[n] = base + f.indices->data[f.levels ? (size_t)f.levels->data[j] : j];
        base += f.deltas->len ? f.deltas->data[i % f.deltas->len] : f.delta;
    }
    l.v.len = (size_t)len;
    pat_list_take(&l, out);
    return LS_OK;
}

int64_t pat_lowest(const struct pat_indices *p)
{
    int64_t lowest = INT64_MAX;
    for (size_t i = 0; i < p->len; i++)
        if (p->data[i] < lowest) lowest = p->data[i];
    return lowest;
}

void pat_normalise(struct pat_indices *p)
{
    const int64_t lowest = pat_lowest(p);
    for (size_t i = 0; i < p->len; i++)
        p->data[i] = (int64_t)((uint64_t)p->data[i] - (uint64_t)lowest);
}

unsigned pat_replayed_bytes(uint64_t elem_size_bytes)
{
    return elem_size_bytes <= 4 || (elem_size_bytes > 8 && elem_size_bytes % 8 == 4) ? 4 : 8;
}

/* Sizes before and after scaling, in bytes. */
struct pat_scale {
    uint64_t elem_bytes;
    unsigned unit_bytes;
};

static ls_err pat_scale_one(int64_t *n, struct pat_scale by)
{
    __int128 scaled = (__int128)*n * by.elem_bytes;
    /* towards the lower address, also below 0 */
    scaled = scaled >= 0 ? scaled / by.unit_bytes : -((by.unit_bytes - 1 - scaled) / by.unit_bytes);
    if (scaled < INT64_MIN || scaled > INT64_MAX)
        return ls_fail(LS_ERR_RANGE, "index %lld of elements of %llu bytes does not fit 64 bits",
                       (long long)*n, (unsigned long long)by.elem_bytes);
    *n = (int64_t)scaled;
    return LS_OK;
}

static ls_err pat_copy_scaled(const struct pat_indices *from, struct pat_scale by, struct pat_indices *to)
{
    struct pat_list l = {0};
    if (from->len == 0) return LS_OK;
    LS_TRY(pat_list_reserve(&l, from->len));
    memcpy(l.v.data, from->data, from->len * sizeof(*from->data));
    l.v.len = from->len;
    pat_list_take(&l, to);
    for (size_t i = 0; i < to->len && by.elem_bytes > by.unit_bytes; i++)
        LS_TRY(pat_scale_one(&to->data[i], by));
    return LS_OK;
}

ls_err pat_elements_scaled(const struct pat_indices *p, uint64_t elem_size_bytes, unsigned unit_bytes,
                           struct pat_indices *out)
{
    const ls_err err = pat_copy_scaled(p, (struct pat_scale){elem_size_bytes, unit_bytes}, out);
    if (err == LS_OK) return LS_OK;
    free(out->data);
    *out = (struct pat_indices){0};
    return err;
}

static void pat_normalise_negative(struct pat_indices *p)
{
    for (size_t i = 0; i < p->len; i++)
        if (p->data[i] < 0) {
            pat_normalise(p);
            return;
        }
}

/* Scale all lists; the level lists of a multi kernel hold positions, not elements, and keep their values. */
static ls_err pat_scale_lists(const struct pat_config *c, struct pat_scale by, struct pat_config *out)
{
    const bool has_levels = c->kernel == PAT_MULTIGATHER || c->kernel == PAT_MULTISCATTER;
    const struct pat_scale other = has_levels ? (struct pat_scale){1, 1} : by;
    LS_TRY(pat_copy_scaled(&c->pattern, by, &out->pattern));
    LS_TRY(pat_copy_scaled(&c->gather, other, &out->gather));
    LS_TRY(pat_copy_scaled(&c->scatter, other, &out->scatter));
    LS_TRY(pat_copy_scaled(&c->deltas, by, &out->deltas));
    LS_TRY(pat_copy_scaled(&c->deltas_gather, by, &out->deltas_gather));
    LS_TRY(pat_copy_scaled(&c->deltas_scatter, by, &out->deltas_scatter));
    pat_normalise_negative(&out->pattern);
    pat_normalise_negative(&out->gather);
    pat_normalise_negative(&out->scatter);
    return LS_OK;
}

ls_err pat_config_scaled(const struct pat_config *c, uint64_t elem_size_bytes, unsigned unit_bytes,
                         struct pat_config *out)
{
    const struct pat_scale by = {elem_size_bytes, unit_bytes};
    *out = *c;
    out->pattern = out->gather = out->scatter = (struct pat_indices){0};
    out->deltas = out->deltas_gather = out->deltas_scatter = out->row_lengths = out->thread_firsts =
        (struct pat_indices){0};
    out->found_as = out->found_class = out->array = NULL; /* the JSON writer sets them for found patterns */
    out->name = strdup(c->name);
    if (!out->name) return ls_nomem("a name");
    LS_TRY(pat_scale_lists(c, by, out));
    LS_TRY(pat_copy_scaled(&c->row_lengths, (struct pat_scale){1, 1}, &out->row_lengths));
    if (elem_size_bytes <= unit_bytes) return LS_OK;
    LS_TRY(pat_scale_one(&out->delta, by));
    LS_TRY(pat_scale_one(&out->delta_gather, by));
    return pat_scale_one(&out->delta_scatter, by);
}

/* ---- whole patterns ---- */

enum { PAT_WHOLE_NAMED = 6 }; /* largest number of patterns that a note names */

static enum pat_side pat_whole_side(const struct pat_found *r)
{
    return r->op == PAT_OP_LOAD ? PAT_SIDE_GATHER : PAT_SIDE_SCATTER;
}

static uint64_t pat_whole_sum(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return ls_add_u64(a, b, &sum) ? sum : UINT64_MAX;
}

/* Length of all known accesses, without a limit. */
static uint64_t pat_whole_known(const struct pat_found *r)
{
    const uint64_t body = pat_unrolled_len(&r->config, pat_whole_side(r));
    if (r->head.len && r->head.len < r->prologue) return r->head.len;
    return pat_whole_sum(pat_whole_sum(r->head.len, body), r->tail.len);
}

static uint64_t pat_whole_len(const struct pat_found *r, uint64_t accesses_max)
{
    const uint64_t known = pat_whole_known(r);
    return known < accesses_max ? known : accesses_max;
}

/* Return the number of accesses of the program (of one of its threads). */
static uint64_t pat_whole_made(const struct pat_found *r)
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
        pat_write_note(o, "pattern%s %s: only a part was written; --longest and --memory allow more",
                       cut.found == 1 ? "" : "s", cut.text);
    if (drawn.found)
        pat_write_note(o,
                       "pattern%s %s: drawn from the distribution of distances, not the program's accesses",
                       drawn.found == 1 ? "" : "s", drawn.text);
}
