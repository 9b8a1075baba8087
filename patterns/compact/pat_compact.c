/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/compact/pat_compact.h"
#include "common/ls_checked.h"
#include "common/ls_text.h"
#include "patterns/compact/pat_class.h"
#include "patterns/compact/pat_compact_parts.h"
#include "patterns/compact/pat_measure.h"
#include "smrtree/smr_array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- rounds that advance ---- */

/* Measures of a folded sequence whose rounds move on treat two rounds as if they were the whole. Therefore
 * several rounds are combined to one that moves by whole pages (so that it touches lines and pages in the
 * same arrangement as the one before), overlaps with the one before it and with no earlier one, and is longer
 * than any window that measures look back through. */
struct moved {
    struct pat_stream stream; /* its pieces are of indices */
    struct pat_indices indices;
    bool is_part; /* such rounds would be too long: these are the first accesses, without rounds */
};

enum {
    MOVED_PAGE = 4096,
    MOVED_LEAST = 64,    /* accesses: PAT_SPATIAL_WINDOW and more */
    MOVED_MOST = 1 << 23 /* indices */
};

/* Return the greatest common divisor of this number and a page. */
static uint64_t moved_common(uint64_t bytes)
{
    const uint64_t power = bytes & -bytes;
    return power < MOVED_PAGE ? power : MOVED_PAGE;
}

/* Bytes from the first to the last one that a round touches, at most UINT64_MAX. */
static uint64_t moved_extent(const struct pat_stream *s)
{
    const int64_t *data = s->pieces.sequence->data;
    int64_t low = data[0], high = data[0];
    for (size_t i = 1; i < s->fold.period; i++) {
        if (data[i] < low) low = data[i];
        if (data[i] > high) high = data[i];
    }
    const __int128 bytes = ((__int128)high - low) * s->elem_size_bytes + s->access_size_bytes;
    return bytes > (__int128)UINT64_MAX ? UINT64_MAX : (uint64_t)bytes;
}

/* Number of rounds to combine; 0: too many. */
static size_t moved_rounds(const struct pat_stream *s)
{
    const uint64_t shift = s->fold.shift < 0 ? -(uint64_t)s->fold.shift : (uint64_t)s->fold.shift;
    const uint64_t most = MOVED_MOST / 2 / s->fold.period, extent = moved_extent(s);
    uint64_t step_bytes, reach_bytes;
    if (!ls_mul_u64(shift, s->elem_size_bytes, &step_bytes) || !ls_add_u64(extent, MOVED_PAGE, &reach_bytes))
        return 0;
    /* rounds - 1 steps and a reach must be less than twice as many steps as rounds */
    const uint64_t aligned = MOVED_PAGE / moved_common(step_bytes), apart = reach_bytes / step_bytes,
                   least = MOVED_LEAST / s->fold.period + 1, wanted = apart > least ? apart : least;
    if (wanted > most || aligned > most) return 0;
    const uint64_t rounds = (wanted + aligned - 1) / aligned * aligned;
    return rounds <= most ? (size_t)rounds : 0;
}

/* Length of two combined rounds, if there are as many; else of all accesses, up to the limit. */
static size_t moved_len(const struct pat_stream *s, size_t rounds)
{
    const size_t all = s->fold.len;
    if (rounds && 2 * rounds * s->fold.period <= all) return 2 * rounds * s->fold.period;
    return all < MOVED_MOST ? all : MOVED_MOST;
}

/* Return the number of indices that moved_of makes. */
static size_t moved_indices(const struct pat_stream *s)
{
    return moved_len(s, moved_rounds(s));
}

/* Combine the rounds of a stream whose fold has a shift. The caller frees out->indices.data; out->stream
 * points into *out, which must stay in place. */
static ls_err moved_of(const struct pat_stream *s, struct moved *out)
{
    const size_t rounds = moved_rounds(s), len = moved_len(s, rounds), round = rounds * s->fold.period;
    *out = (struct moved){.stream = *s, .indices = {smr_array_alloc(len * sizeof(int64_t)), len}};
    if (!out->indices.data) return ls_nomem("the measures of %zu accesses", len);
    for (size_t i = 0; i < len; i++)
        out->indices.data[i] = pat_fold_index(&s->fold, s->pieces.sequence->data, i);
    const bool is_folded = round && 2 * round == len && len < s->fold.len;
    out->is_part = !is_folded && len < s->fold.len;
    out->stream.pieces = (struct pat_pieces){.sequence = &out->indices};
    out->stream.fold = (struct pat_fold){0};
    if (is_folded)
        out->stream.fold = (struct pat_fold){round, s->fold.len, (int64_t)((uint64_t)s->fold.shift * rounds)};
    return LS_OK;
}

/* ---- sequences to patterns ---- */

/* Two sequences of the default length of extraction; processing takes some 14 bytes per index. */
#define PAT_INDICES_AT_WORK (UINT64_C(1) << 26)
enum { PAT_INDICES_A_THREAD = 4096 };

/* Shared by all rows. */
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

/* Set all fields that do not depend on the indices. */
/* The width of the indices that site loads, or 0. */
static unsigned pat_index_bits(const struct pat_tables *t, uint32_t site)
{
    const unsigned bytes = site < t->sites_len ? t->sites[site].size_bytes : 0;
    return bytes == 4 || bytes == 8 ? 8 * bytes : 0;
}

/* Copy the places of the threads. */
static ls_err pat_set_apart(const struct pat_sequence *s, struct pat_found *f)
{
    int64_t *to = s->threads_apart ? malloc(s->threads * sizeof(*to)) : NULL;
    if (!s->threads_apart) return LS_OK;
    if (!to) return ls_nomem("%u threads", s->threads);
    f->threads_apart = (struct pat_indices){to, s->threads};
    for (uint32_t t = 0; t < s->threads; t++)
        to[t] = s->threads_apart[t] / (int64_t)f->elem_size_bytes;
    return LS_OK;
}

static ls_err pat_begin_row(const struct pat_compaction *c, const struct pat_sequence *s, struct pat_found *f)
{
    const struct pat_tables *t = c->tables;
    const struct pat_site *site = &t->sites[s->site];
    const uint32_t module = site->module;
    LS_TRY(pat_config_init(&f->config));
    f->op = (enum pat_op)site->op;
    f->config.kernel = f->op == PAT_OP_STORE ? PAT_SCATTER : PAT_GATHER;
    f->config.index_bits = pat_index_bits(t, s->index_site);
    f->elem_size_bytes = s->elem_size_bytes ? s->elem_size_bytes : 1;
    f->object_bytes = s->home < t->homes_len ? t->homes[s->home].elem_size_bytes : 0;
    f->is_heap = s->home < t->homes_len && t->homes[s->home].kind == PAT_HOME_HEAP;
    f->ip = site->ip;
    f->linked_ip = site->ip - (module < t->modules_len ? t->modules[module].bias : 0);
    f->module_row = module < t->modules_len ? module : PAT_NONE;
    f->source_line = site->line;
    f->threads = s->threads;
    LS_TRY(pat_set_apart(s, f));
    f->accesses = s->accesses;
    f->access_share = c->all->accesses ? (double)s->accesses / (double)c->all->accesses : 0;
    f->window_share = s->window_share;
    f->rank = s->rank;
    f->cost_share = c->all->cost > 0 ? s->cost / c->all->cost : 0;
    f->module = strdup(module < t->modules_len && t->modules[module].path ? t->modules[module].path : "");
    f->function = strdup("");
    f->file = strdup("");
    f->home = strdup(pat_label(t, s->home));
    f->ranges_print = s->ranges_print;
    f->index_home = strdup(pat_label(t, s->index_home));
    f->thread = strdup(s->thread < t->threads_len ? t->threads[s->thread].label : "");
    if (f->module) ls_text_clean(f->module, strlen(f->module), ""); /* other names are already clean */
    if (f->module && f->function && f->file && f->home && f->index_home && f->thread) return LS_OK;
    return ls_nomem("the names of patterns");
}

/* Bursts are measured one by one; a trace is measured across its breaks, because after leaving a region the
 * thread returned to data it had touched before. */
static struct pat_stream pat_stream_of(const struct pat_compaction *c, const struct pat_sequence *s)
{
    const uint64_t elem = s->elem_size_bytes ? s->elem_size_bytes : 1;
    return (struct pat_stream){.pieces = {.sequence = &s->indices,
                                          .breaks = s->breaks,
                                          .breaks_len = c->options->is_sampled ? s->breaks_len : 0},
                               .fold = s->fold,
                               .elem_size_bytes = elem,
                               .access_size_bytes = pat_access_bytes(&c->tables->sites[s->site], elem),
                               .limit = PAT_MEASURE_LIMIT};
}

static struct pat_shares pat_counted(const struct pat_sequence *s)
{
    return pat_measure_shares_counted(s->distances, s->distances_len, s->accesses ? s->accesses - 1 : 0,
                                      s->distances_unique);
}

/* Are its distances counted by weight? */
static bool pat_is_weighted(const struct pat_compaction *c, const struct pat_sequence *s)
{
    return c->options->is_sampled && s->distances_seen;
}

static struct pat_shares pat_weighted(const struct pat_sequence *s)
{
    struct pat_shares shares =
        pat_measure_shares_counted(s->distances, s->distances_len, s->distances_seen, s->distances_unique);
    shares.entropy_bits = s->distances_entropy_bits;
    return shares;
}

/* Classify a sequence. Distances across a break are not counted, because they are not distances of the
 * program. */
static ls_err pat_find_class(const struct pat_compaction *c, const struct pat_sequence *s,
                             const struct pat_basis *basis, struct pat_found *f)
{
    struct pat_stream stream = pat_stream_of(c, s);
    struct pat_shares shares;
    stream.pieces.breaks_len = s->breaks_len;
    if (pat_is_weighted(c, s))
        shares = pat_weighted(s);
    else if (s->indices.len == 0)
        shares = pat_counted(s);
    else
        LS_TRY(pat_measure_shares(&stream, &shares));
    const struct pat_evidence e = {.shares = &shares,
                                   .points = basis->points,
                                   .points_len = basis->len,
                                   .delta = basis->delta,
                                   .outer = basis->outer,
                                   .span = stream.access_size_bytes / stream.elem_size_bytes,
                                   .index_is_own = s->index_site != PAT_NONE && s->index_site == s->site,
                                   .index_is_of_the_home =
                                       s->index_home != PAT_NONE && s->index_home == s->home};
    f->class = pat_classify(&e);
    f->stride = f->class == PAT_CLASS_UNIFORM ? shares.top : 0;
    return LS_OK;
}

/* A row that is being made from one sequence or from several joined ones. */
struct pat_making {
    const struct pat_sequence *s;
    const struct pat_join *join; /* NULL: the row has one sequence */
    struct pat_sequence joined;
    struct pat_basis basis;
    bool is_formed;
};
struct pat_workshop {
    const struct pat_compaction *c;
    struct pat_found *rows; /* as many as there are in making */
    struct pat_making *making;
    size_t len;
};

/* Memory was short and the order was not kept: measures that depend on it are unknown. */
static struct pat_measures pat_unmeasured(const struct pat_sequence *s)
{
    return (struct pat_measures){.spatial = NAN,
                                 .temporal = NAN,
                                 .delta_entropy_bits = s->distances_len ? pat_counted(s).entropy_bits : NAN,
                                 .line_utilisation = NAN,
                                 .page_utilisation = NAN,
                                 .footprint_bytes = s->lines * 64};
}

/* Measure a sequence whose rounds move on. */
static ls_err pat_measure_moved(const struct pat_stream *stream, struct pat_measures *m)
{
    struct moved moved;
    LS_TRY(moved_of(stream, &moved));
    const ls_err e = pat_measure(&moved.stream, m);
    if (moved.is_part) m->part = moved.indices.len;
    free(moved.indices.data);
    return e;
}

static ls_err pat_measure_row(const struct pat_workshop *w, size_t i)
{
    const struct pat_sequence *s = w->making[i].s;
    const struct pat_stream stream = pat_stream_of(w->c, s);
    struct pat_measures *m = &w->rows[i].measures;
    if (s->indices.len == 0) {
        *m = pat_unmeasured(s);
        return LS_OK;
    }
    LS_TRY(s->fold.shift ? pat_measure_moved(&stream, m) : pat_measure(&stream, m));
    if (pat_is_weighted(w->c, s)) m->delta_entropy_bits = s->distances_entropy_bits;
    if (!s->is_whole && !m->part) m->part = pat_sequence_len(s);
    if (m->part && s->lines * 64 > m->footprint_bytes)
        m->footprint_bytes = s->lines * 64; /* this value is known for all accesses */
    return LS_OK;
}

/* Measure a row (even jobs) or find its period (odd jobs); the two do not depend on each other. */
static ls_err pat_job_look(void *user, size_t job)
{
    const struct pat_workshop *w = user;
    const size_t i = job / 2;
    if (job % 2 == 0) return pat_measure_row(w, i);
    return pat_form_repeating(w->making[i].s, w->c->options, &w->rows[i], &w->making[i].basis,
                              &w->making[i].is_formed);
}

/* The program's use of the values does not matter: if it stored the loaded values, the stores are a separate
 * pattern. So loads end in a register, and stores come from one. */
static enum pat_operation pat_operation_of(const struct pat_found *f, const struct pat_join *join)
{
    if (join && join->is_update) return PAT_OPERATION_UPDATE;
    if (f->class == PAT_CLASS_CHASE && f->op == PAT_OP_LOAD) return PAT_OPERATION_CHASE;
    return f->op == PAT_OP_LOAD ? PAT_OPERATION_REDUCE : PAT_OPERATION_FILL;
}

static ls_err pat_job_finish(void *user, size_t i)
{
    const struct pat_workshop *w = user;
    const struct pat_sequence *s = w->making[i].s;
    struct pat_found *f = &w->rows[i];
    struct pat_basis *basis = &w->making[i].basis;
    if (!w->making[i].is_formed) LS_TRY(pat_form_other(s, w->c->options, f, basis));
    LS_TRY(pat_find_class(w->c, s, basis, f));
    f->config.operation = pat_operation_of(f, w->making[i].join);
    return LS_OK;
}

static uint64_t pat_weigh_look(const void *user, size_t job)
{
    const struct pat_workshop *w = user;
    const struct pat_sequence *s = w->making[job / 2].s;
    const struct pat_stream stream = pat_stream_of(w->c, s);
    return s->fold.shift ? moved_indices(&stream) : s->indices.len;
}

static uint64_t pat_weigh_finish(const void *user, size_t i)
{
    return pat_weigh_look(user, 2 * i);
}

static ls_err pat_work(struct pat_workshop *w)
{
    const struct pat_jobs look = {2 * w->len, pat_job_look,        pat_weigh_look, PAT_INDICES_AT_WORK,
                                  w,          PAT_INDICES_A_THREAD};
    const struct pat_jobs finish = {w->len, pat_job_finish,      pat_weigh_finish, PAT_INDICES_AT_WORK,
                                    w,      PAT_INDICES_A_THREAD};
    LS_TRY(pat_parallel(&look));
    return pat_parallel(&finish);
}

/* ---- instructions that take turns ---- */

/* True if the configuration gives the accesses themselves. */
static bool pat_gives_accesses(enum pat_form f)
{
    return f == PAT_FORM_EXACT || f == PAT_FORM_FULL || f == PAT_FORM_PERIODIC;
}

static ls_err pat_put_members(const struct pat_compaction *c, const struct pat_join *j, struct pat_found *f)
{
    f->members = calloc(j->len, sizeof(*f->members));
    if (!f->members) return ls_nomem("the instructions of a pattern");
    f->members_len = j->len;
    for (size_t m = 0; m < j->len; m++) {
        const struct pat_site *site = &c->tables->sites[c->all->rows[j->members[m]].site];
        f->members[m] = (struct pat_member){site->ip, (enum pat_op)site->op};
    }
    return LS_OK;
}

/* Begin the next row, from the given sequence or from m->join. */
static ls_err pat_begin_making(const struct pat_compaction *c, struct pat_making *m, uint32_t sequence,
                               struct pat_found *f)
{
    *f = (struct pat_found){.sequence = sequence};
    m->s = &c->all->rows[sequence];
    if (m->join) {
        LS_TRY(pat_join_sequence(c->all, c->tables, m->join, &m->joined));
        m->s = &m->joined;
        LS_TRY(pat_put_members(c, m->join, f));
    }
    return pat_begin_row(c, m->s, f);
}

/* Keep an update as one pattern even if not every access can be written; its store then represents both. */
static bool pat_stays_update(const struct pat_join *j)
{
    return j->is_update && j->len == 2;
}

static ls_err pat_begin_update(const struct pat_compaction *c, struct pat_making *m, const struct pat_join *j,
                               struct pat_found *f)
{
    const struct pat_sequence *a = &c->all->rows[j->members[0]], *b = &c->all->rows[j->members[1]];
    const bool is_first = c->tables->sites[a->site].op == PAT_OP_STORE;
    *f = (struct pat_found){.sequence = j->members[0]};
    m->s = is_first ? a : b;
    m->join = j;
    LS_TRY(pat_put_members(c, j, f));
    LS_TRY(pat_begin_row(c, m->s, f));
    f->accesses = a->accesses + b->accesses;
    f->access_share = c->all->accesses ? (double)f->accesses / (double)c->all->accesses : 0;
    f->cost_share = c->all->cost > 0 ? (a->cost + b->cost) / c->all->cost : 0;
    return LS_OK;
}

/* Drop joins in which all members are companions: the filters excluded these. */
static void pat_drop_companions(const struct pat_sequences *s, struct pat_joins *joins)
{
    size_t len = 0;
    for (size_t i = 0; i < joins->len; i++) {
        const struct pat_join *j = &joins->rows[i];
        bool has_own = false;
        for (size_t m = 0; m < j->len; m++)
            has_own |= !s->rows[j->members[m]].is_companion;
        if (has_own) joins->rows[len++] = *j;
    }
    joins->len = len;
}

/* Undo joins that could only be written cut: remove their rows; kept[i] is true for joins that stay. */
static size_t pat_drop_cut(struct pat_findings *out, const struct pat_joins *joins, bool *kept)
{
    size_t len = 0;
    for (size_t i = 0; i < joins->len; i++) {
        kept[i] = joins->rows[i].len == 1 || pat_gives_accesses(out->rows[i].form);
        if (kept[i])
            out->rows[len++] = out->rows[i];
        else
            pat_found_fini(&out->rows[i]);
    }
    return len;
}

/* Make one row for each join; if undone is given, make rows for the joins that it has as false instead: one
 * for each member, or one for an update. */
static ls_err pat_make_round(const struct pat_compaction *c, const struct pat_joins *joins,
                             const bool *undone, struct pat_findings *out)
{
    struct pat_workshop w = {c, out->rows + out->len, calloc(c->all->len + 1, sizeof(*w.making)), 0};
    ls_err e = w.making ? LS_OK : ls_nomem("%zu patterns", c->all->len);
    for (size_t i = 0; e == LS_OK && i < joins->len; i++) {
        const struct pat_join *j = &joins->rows[i];
        const bool is_update = undone && pat_stays_update(j);
        if (undone && undone[i]) continue;
        const size_t rows = undone && !is_update ? j->len : 1;
        for (size_t m = 0; e == LS_OK && m < rows; m++) {
            struct pat_making *making = &w.making[w.len];
            if (rows > 1 && c->all->rows[j->members[m]].is_companion) continue;
            making->join = rows == 1 && j->len > 1 ? j : NULL;
            out->len++;
            e = is_update ? pat_begin_update(c, making, j, &w.rows[w.len])
                          : pat_begin_making(c, making, j->members[m], &w.rows[w.len]);
            w.len++;
        }
    }
    if (e == LS_OK) e = pat_work(&w);
    for (size_t i = 0; w.making && i < w.len; i++) {
        free(w.making[i].basis.points);
        if (!w.making[i].join) continue;
        free(w.making[i].joined.indices.data);
        free(w.making[i].joined.breaks);
    }
    free(w.making);
    return e;
}

/* Order: by rank in the published modes, then by cost, then by the order of the sequences. */
static int pat_by_cost(const void *a, const void *b)
{
    const struct pat_found *x = a, *y = b;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    if (x->cost_share != y->cost_share) return x->cost_share > y->cost_share ? -1 : 1;
    return x->sequence < y->sequence ? -1 : 1;
}

/* Order: gathers before scatters. */
static int pat_by_kind(const void *a, const void *b)
{
    const struct pat_found *x = a, *y = b;
    return x->op != y->op ? (x->op < y->op ? -1 : 1) : pat_by_cost(a, b);
}

static ls_err pat_make_rows(const struct pat_compaction *c, struct pat_findings *out)
{
    struct pat_joins joins;
    const bool joins_any = !c->options->no_join && !c->options->is_sampled;
    LS_TRY(joins_any ? pat_join_find(c->all, c->tables, &joins) : pat_join_none(c->all, &joins));
    pat_drop_companions(c->all, &joins);
    bool *kept = calloc(joins.len + 1, sizeof(*kept));
    ls_err e = kept ? pat_make_round(c, &joins, NULL, out) : ls_nomem("%zu patterns", joins.len);
    if (e == LS_OK) {
        out->len = pat_drop_cut(out, &joins, kept);
        memset(&out->rows[out->len], 0, (c->all->len - out->len) * sizeof(*out->rows));
        e = pat_make_round(c, &joins, kept, out);
    }
    free(kept);
    pat_joins_fini(&joins);
    return e;
}

static ls_err pat_make(const struct pat_compaction *c, struct pat_findings *out)
{
    LS_TRY(pat_make_rows(c, out));
    if (out->len)
        qsort(out->rows, out->len, sizeof(*out->rows), c->options->by_kind ? pat_by_kind : pat_by_cost);
    if (!c->options->no_symbols) LS_TRY(pat_names_read(out, c->tables));
    return pat_names_write(out, c->tables);
}

ls_err pat_compact(const struct pat_sequences *s, const struct pat_tables *t,
                   const struct pat_compact_options *o, struct pat_findings *out)
{
    static const struct pat_compact_options defaults;
    const struct pat_compaction c = {s, t, o ? o : &defaults};
    *out = (struct pat_findings){.rows = calloc(s->len + 1, sizeof(*out->rows))};
    if (!out->rows) return ls_nomem("%zu patterns", s->len);
    const ls_err e = pat_make(&c, out);
    if (e != LS_OK) pat_findings_fini(out);
    return e;
}
