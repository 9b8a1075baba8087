/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/compact/pat_compact.h"
#include "patterns/compact/pat_class.h"
#include "patterns/compact/pat_form.h"
#include "patterns/compact/pat_names.h"

#include <stdlib.h>
#include <string.h>

/* What all rows are made with. */
struct pat_compaction {
    const struct pat_sequences *all;
    const struct pat_tables *tables;
    const struct pat_compact_options *options;
};

static uint64_t pat_access_bytes(const struct pat_site *site, uint64_t elem_size_bytes)
{
    if (site->size_bytes) return site->size_bytes;
    return elem_size_bytes < 64 ? elem_size_bytes : 64;
}

static const char *pat_label(const struct pat_tables *t, uint32_t home)
{
    return home < t->homes_len && t->homes[home].label ? t->homes[home].label : "";
}

/* Everything that is known before a look at the indices. */
static ls_err pat_begin_row(const struct pat_compaction *c, const struct pat_sequence *s, struct pat_found *f)
{
    const struct pat_tables *t = c->tables;
    const struct pat_site *site = &t->sites[s->site];
    const uint32_t module = site->module;
    LS_TRY(pat_config_init(&f->config));
    f->op = (enum pat_op)site->op;
    f->config.kernel = f->op == PAT_OP_STORE ? PAT_SCATTER : PAT_GATHER;
    f->elem_size_bytes = s->elem_size_bytes ? s->elem_size_bytes : 1;
    f->ip = site->ip;
    f->module_row = module < t->modules_len ? module : PAT_NONE;
    f->threads = s->threads;
    f->accesses = s->accesses;
    f->access_share = c->all->accesses ? (double)s->accesses / (double)c->all->accesses : 0;
    f->cost_share = c->all->cost > 0 ? s->cost / c->all->cost : 0;
    f->module = strdup(module < t->modules_len && t->modules[module].path ? t->modules[module].path : "");
    f->function = strdup("");
    f->file = strdup("");
    f->home = strdup(pat_label(t, s->home));
    f->index_home = strdup(pat_label(t, s->index_home));
    f->thread = strdup(s->thread < t->threads_len ? t->threads[s->thread].label : "");
    if (f->module && f->function && f->file && f->home && f->index_home && f->thread) return LS_OK;
    return ls_fail(LS_ERR_NOMEM, "no memory for the names of patterns");
}

/* Bursts are measured one by one; a trace that left a region came back to what it had touched before. */
static struct pat_stream pat_stream_of(const struct pat_compaction *c, const struct pat_sequence *s)
{
    const uint64_t elem = s->elem_size_bytes ? s->elem_size_bytes : 1;
    return (struct pat_stream){.pieces = {.sequence = &s->indices,
                                          .breaks = s->breaks,
                                          .breaks_len = c->options->is_sampled ? s->breaks_len : 0},
                               .elem_size_bytes = elem,
                               .access_size_bytes = pat_access_bytes(&c->tables->sites[s->site], elem),
                               .limit = PAT_MEASURE_LIMIT};
}

/* Distances across a break are none that the program made. */
static ls_err pat_find_class(const struct pat_sequence *s, struct pat_stream stream,
                             const struct pat_basis *basis, struct pat_found *f)
{
    struct pat_shares shares;
    stream.pieces.breaks_len = s->breaks_len;
    LS_TRY(pat_measure_shares(&stream, &shares));
    const struct pat_evidence e = {.shares = &shares,
                                   .points = basis->points,
                                   .points_len = basis->len,
                                   .delta = basis->delta,
                                   .index_is_own = s->index_site != PAT_NONE && s->index_site == s->site,
                                   .index_is_of_the_home =
                                       s->index_home != PAT_NONE && s->index_home == s->home};
    f->class = pat_classify(&e);
    f->stride = f->class == PAT_CLASS_UNIFORM ? shares.top : 0;
    return LS_OK;
}

static ls_err pat_make_row(const struct pat_compaction *c, size_t i, struct pat_found *f)
{
    const struct pat_sequence *s = &c->all->rows[i];
    const struct pat_stream stream = pat_stream_of(c, s);
    struct pat_basis basis = {0};
    *f = (struct pat_found){.sequence = (uint32_t)i};
    LS_TRY(pat_begin_row(c, s, f));
    LS_TRY(pat_measure(&stream, &f->measures));
    /* of a part that was kept the measures are its own, but how much was touched is known of all */
    if (!s->is_whole && s->lines * 64 > f->measures.footprint_bytes)
        f->measures.footprint_bytes = s->lines * 64;
    ls_err e = pat_form_choose(s, c->options, f, &basis);
    if (e == LS_OK) e = pat_find_class(s, stream, &basis, f);
    free(basis.points);
    return e;
}

/* Gathers first, then the costliest, then as the sequences were. */
static int pat_found_order(const void *a, const void *b)
{
    const struct pat_found *x = a, *y = b;
    if (x->op != y->op) return x->op < y->op ? -1 : 1;
    if (x->cost_share != y->cost_share) return x->cost_share > y->cost_share ? -1 : 1;
    return x->sequence < y->sequence ? -1 : 1;
}

static ls_err pat_make_rows(const struct pat_compaction *c, struct pat_findings *out)
{
    for (size_t i = 0; i < c->all->len; i++) {
        out->len = i + 1;
        LS_TRY(pat_make_row(c, i, &out->rows[i]));
    }
    if (out->len) qsort(out->rows, out->len, sizeof(*out->rows), pat_found_order);
    if (!c->options->no_symbols) LS_TRY(pat_names_read(out, c->tables));
    return pat_names_write(out, c->tables);
}

ls_err pat_compact(const struct pat_sequences *s, const struct pat_tables *t,
                   const struct pat_compact_options *o, struct pat_findings *out)
{
    static const struct pat_compact_options defaults;
    const struct pat_compaction c = {s, t, o ? o : &defaults};
    *out = (struct pat_findings){.rows = calloc(s->len + 1, sizeof(*out->rows))};
    if (!out->rows) return ls_fail(LS_ERR_NOMEM, "no memory for %zu patterns", s->len);
    const ls_err e = pat_make_rows(&c, out);
    if (e != LS_OK) pat_findings_fini(out);
    return e;
}
