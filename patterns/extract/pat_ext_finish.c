/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/extract/pat_ext_engine.h"
#include "config.h"
#include "common/ls_checked.h"
#include "common/ls_text.h"
#include "patterns/extract/pat_ext_counts.h"
#include "patterns/extract/pat_ext_filter.h"
#include "patterns/extract/pat_indirect.h"
#include "smrtree/smr_array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FINISH_DISTANCES = 64, FINISH_SINGLES = 256 };
/* Runs of two threads that are compared, and the largest distance of their places that a replay gets. */
enum { FINISH_COMPARED = 1 << 16, FINISH_APART_BYTES = 1 << 30 };
/* In longer sequences with many runs, struct pat_ext_repetition would have noticed rounds. */
enum { FINISH_SEARCHED = 1 << 20, FINISH_SEARCHED_PART = 4, FINISH_WATCHED_PARTS = 8 };
/* A sequence with trivial distances is shown if its share of the cost is at least this. */
#define FINISH_COSTLY_SHARE 0.01

/* A row that may become a sequence. */
struct finish_row {
    struct pat_ext_row *row;
    size_t order;
    uint64_t unit_bytes;
    unsigned unit_twos;       /* its binary logarithm; 64: not a power of two */
    struct pat_ext_seen seen; /* published modes */
    uint32_t rank;            /* published modes: rank among the loads or the stores, from 0 */
    double window_share;      /* published modes: of the appearances of all loads or stores */
    uint32_t threads;
    int64_t *threads_apart; /* as in struct pat_sequence, which takes it */
    bool is_out, is_companion;
    struct pat_ext_measured measured;
};

/* ---- units ---- */

static bool finish_divides(uint64_t unit, uint64_t all)
{
    return unit && all % unit == 0; /* 0: all offsets are 0 */
}

/* Return the access size; if the source does not give it: words of 8 bytes, or the largest that all offsets
 * allow. */
static uint64_t finish_size_bytes(const struct pat_ext *e, const struct pat_ext_row *r, uint64_t all)
{
    const uint64_t word = all | 8;
    return e->tables->sites[r->site].size_bytes ? r->len_less + 1 : word & -word;
}

/* Return the home's element size if all offsets are multiples of it, else the access size, else their common
 * divisor. */
static uint64_t finish_unit(const struct pat_ext *e, const struct pat_ext_row *r)
{
    const bool is_ranged = r->home != PAT_NONE && !r->is_pool;
    const uint64_t all = ls_gcd_u64(r->tally.gcd.value, is_ranged ? r->offset_gcd : r->cross_gcd);
    const uint64_t elem_bytes = r->home == PAT_NONE ? 0 : e->tables->homes[r->home].elem_size_bytes;
    if (finish_divides(elem_bytes, all)) return elem_bytes;
    const uint64_t size_bytes = finish_size_bytes(e, r, all);
    return finish_divides(size_bytes, all) ? size_bytes : all;
}

/* ---- measures ---- */

static uint64_t finish_magnitude(int64_t v)
{
    return v < 0 ? -(uint64_t)v : (uint64_t)v;
}

/* Return a sum of weights as a number of accesses, at least 1 if there are any. */
static uint64_t finish_unweigh(const struct pat_ext *e, uint64_t weighted)
{
    const uint64_t rounded = (weighted + e->usual / 2) / e->usual;
    return rounded || !weighted ? rounded : 1;
}

/* Measure the properties that the filters test; unique is counted as the mode requires. */
static struct pat_ext_measured finish_measure(const struct pat_ext *e, const struct finish_row *f)
{
    const struct pat_ext_row *r = f->row;
    const struct pat_ext_tally *t = &r->tally;
    struct pat_ext_measured m = {.accesses = pat_ext_row_accesses(r),
                                 .weighted =
                                     e->usual > 1 ? finish_unweigh(e, r->weighted) : pat_ext_row_accesses(r),
                                 .is_trivial = !t->is_pruned && !r->has_tally_gap};
    bool ahead = false, behind = false, up = false, down = false;
    uint64_t near = 0;
    for (size_t i = 0; i < pat_ext_ways_cap(t->log2_cap); i++) {
        const int64_t distance = (int64_t)t->slots[i].key;
        const uint64_t count = t->slots[i].value;
        if (!count) continue;
        const uint64_t elements = finish_magnitude(distance) / f->unit_bytes;
        const bool is_far = elements >= e->options->far_elements;
        m.is_trivial = m.is_trivial && elements <= 1;
        m.far += is_far ? count : 0;
        near += !is_far;
        up = up || distance > 0;
        down = down || distance < 0;
        ahead = ahead || (is_far && distance > 0);
        behind = behind || (is_far && distance < 0);
    }
    m.is_one_way = up != down && !t->is_pruned && !r->has_tally_gap;
    if (t->is_pruned || r->has_tally_gap) m.far = r->far;
    m.far = finish_unweigh(e, m.far);
    m.unique = pat_ext_is_published(e) ? near + ahead + behind : t->unique;
    m.has_source = e->tables->modules_len == 0 || e->tables->sites[r->site].module != PAT_NONE;
    return m;
}

static double finish_cost(const struct pat_ext *e, const struct pat_ext_row *r)
{
    return (double)r->cost_parts / PAT_EXT_COST_PARTS / e->usual;
}

/* ---- merging threads that behave alike ---- */

static int finish_by_site(const void *a, const void *b)
{
    const struct finish_row *x = a, *y = b;
    const struct pat_ext_row *r = x->row, *s = y->row;
    if (r->site != s->site) return r->site < s->site ? -1 : 1;
    if (r->home != s->home) return r->home < s->home ? -1 : 1;
    if (x->unit_bytes != y->unit_bytes) return x->unit_bytes < y->unit_bytes ? -1 : 1;
    if (r->thread != s->thread) return r->thread < s->thread ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static bool finish_same_site(const struct finish_row *a, const struct finish_row *b)
{
    return a->row->site == b->row->site && a->row->home == b->row->home && a->unit_bytes == b->unit_bytes;
}

/* Add the counts of `from` to `to`. */
static void finish_join(struct pat_ext *e, struct pat_ext_row *to, struct pat_ext_row *from)
{
    to->before_run += pat_ext_row_accesses(from);
    to->weighted += from->weighted;
    to->cost_parts += from->cost_parts;
    to->far += from->far;
    to->has_tally_gap = to->has_tally_gap || from->has_tally_gap;
    if (from->range_bytes > to->range_bytes) to->range_bytes = from->range_bytes;
    if (!pat_ext_tally_join(&to->tally, &from->tally, &e->counts)) to->has_tally_gap = true;
    pat_ext_pages_join(&to->pages, &from->pages, &e->counts);
    pat_ext_row_drop(e, from);
}

/* The places that a row's kept accesses use, as addresses. */
struct finish_span {
    uint64_t low, high, first; /* first: the first access */
    uint32_t range;            /* its range, PAT_NONE: not known */
};

static void finish_widen(struct finish_span *s, uint64_t addr)
{
    if (addr < s->low) s->low = addr;
    if (addr > s->high) s->high = addr;
}

static struct finish_span finish_span_of(const struct pat_ext_row *r)
{
    struct pat_ext_reader reader = pat_ext_stream_read(&r->stream);
    struct pat_ext_token t;
    struct finish_span s = {.low = UINT64_MAX, .range = PAT_NONE};
    uint64_t addr = 0, done = 0;
    int64_t distances[FINISH_SINGLES];
    for (;; done += t.count) {
        for (size_t n; (n = pat_ext_stream_singles(&reader, distances, FINISH_SINGLES)) > 0; done += n)
            for (size_t i = 0; i < n; i++)
                finish_widen(&s, addr += (uint64_t)distances[i]);
        done += pat_ext_stream_pass(&reader, addr, done, UINT64_MAX);
        if (!pat_ext_stream_next(&reader, &t)) break;
        addr = t.kind == PAT_EXT_JUMP ? t.addr : addr + (uint64_t)t.distance * t.count;
        if (done == 0) s.first = addr, s.range = t.range;
        finish_widen(&s, addr); /* a run has one direction, from the address before it */
    }
    return s;
}

/* Does b make the accesses of a, but `by` bytes away, as far as both were kept? */
static bool finish_is_moved(const struct pat_ext_row *a, const struct pat_ext_row *b, uint64_t by)
{
    struct pat_ext_reader readers[2] = {pat_ext_stream_read(&a->stream), pat_ext_stream_read(&b->stream)};
    struct pat_ext_token t[2] = {{.count = 0}, {.count = 0}};
    for (size_t done = 0; done < FINISH_COMPARED; done++) {
        for (int i = 0; i < 2; i++)
            if (!t[i].count && !pat_ext_stream_next(&readers[i], &t[i])) return done > 1;
        if (t[0].kind != t[1].kind) return false;
        if (t[0].kind == PAT_EXT_JUMP ? t[1].addr - t[0].addr != by : t[0].distance != t[1].distance)
            return false;
        const uint64_t both = t[0].count < t[1].count ? t[0].count : t[1].count;
        t[0].count -= both;
        t[1].count -= both;
    }
    return true;
}

/* A thread's row in a group, and its places. */
struct finish_thread {
    const struct pat_ext_row *row;
    struct finish_span span;
};

/* Set the distance in bytes from the places of a to the places of b: that of their first accesses if the others
 * follow alike, else that of their lowest addresses if their spans do not overlap, else 0. False: it is not known, so far
 * that no replay needs it, or from one block to another, where the allocator decides and not the program. */
static bool finish_distance(const struct finish_thread *a, const struct finish_thread *b, uint64_t unit_bytes,
                            int64_t *out)
{
    const struct finish_span *x = &a->span, *y = &b->span;
    if (!a->row->kept || !b->row->kept || x->range != y->range) return false;
    uint64_t by = y->first - x->first;
    if (!finish_is_moved(a->row, b->row, by)) by = x->high < y->low || y->high < x->low ? y->low - x->low : 0;
    *out = (int64_t)by;
    return finish_magnitude(*out) <= FINISH_APART_BYTES && finish_magnitude(*out) % unit_bytes == 0;
}

/* Find how far the threads of rows[0, len) are from the thread of `to`; nothing is set if all use the same places.
 * Errors: LS_ERR_NOMEM. */
static ls_err finish_apart(const struct finish_row *rows, size_t len, struct finish_row *to)
{
    const struct finish_thread own = {to->row, finish_span_of(to->row)};
    int64_t *apart = malloc(len * sizeof(*apart));
    size_t threads = 0;
    bool is_known = true, is_apart = false;
    if (!apart) return ls_nomem("%zu threads", len);
    for (size_t i = 0, next; is_known && i < len; i = next) {
        const struct pat_ext_row *most = rows[i].row;
        for (next = i + 1; next < len && rows[next].row->thread == most->thread; next++)
            if (pat_ext_row_accesses(rows[next].row) > pat_ext_row_accesses(most)) most = rows[next].row;
        const struct finish_thread one = {most, finish_span_of(most)};
        is_known = finish_distance(&own, &one, to->unit_bytes, &apart[threads]);
        is_apart = is_apart || apart[threads];
        threads++;
    }
    if (is_known && is_apart)
        to->threads_apart = apart;
    else
        free(apart);
    return LS_OK;
}

/* Merge rows[0, len): the same site, home and unit, sorted by thread. */
static ls_err finish_merge_group(struct pat_ext *e, struct finish_row *rows, size_t len)
{
    size_t longest = 0;
    for (size_t i = 1; i < len; i++)
        if (pat_ext_row_accesses(rows[i].row) > pat_ext_row_accesses(rows[longest].row)) longest = i;
    struct finish_row *to = &rows[longest];
    if (rows[0].row->thread == rows[len - 1].row->thread) return LS_OK;
    LS_TRY(finish_apart(rows, len, to));
    for (size_t i = 0; i < len; i++) {
        if (rows[i].row->thread == to->row->thread) continue;
        to->threads += i == 0 || rows[i].row->thread != rows[i - 1].row->thread;
        finish_join(e, to->row, rows[i].row);
        rows[i].is_out = true;
    }
    return LS_OK;
}

/* Merge the threads of all rows; *rows_len becomes smaller. Errors: LS_ERR_NOMEM. */
static ls_err finish_merge(struct pat_ext *e, struct finish_row *rows, size_t *rows_len)
{
    const size_t len = *rows_len;
    qsort(rows, len, sizeof(*rows), finish_by_site);
    for (size_t from = 0, to; from < len; from = to) {
        for (to = from + 1; to < len && finish_same_site(&rows[from], &rows[to]); to++)
            ;
        LS_TRY(finish_merge_group(e, &rows[from], to - from));
    }
    *rows_len = 0;
    for (size_t i = 0; i < len; i++) {
        const struct finish_row one = rows[i];
        rows[i].threads_apart = NULL; /* the list moves along */
        if (!one.is_out) rows[(*rows_len)++] = one;
    }
    return LS_OK;
}

/* ---- filters and ranks ---- */

static int finish_by_cost(const void *a, const void *b)
{
    const struct finish_row *x = a, *y = b;
    if (x->seen.count != y->seen.count) return x->seen.count > y->seen.count ? -1 : 1;
    if (x->seen.order != y->seen.order) return x->seen.order < y->seen.order ? -1 : 1;
    if (x->row->cost_parts != y->row->cost_parts) return x->row->cost_parts > y->row->cost_parts ? -1 : 1;
    if (x->measured.accesses != y->measured.accesses)
        return x->measured.accesses > y->measured.accesses ? -1 : 1;
    return finish_by_site(a, b);
}

/* Leave out sites without a source line, as GS Patterns does, unless there is none with one: the program may have
 * no debugging information. Errors: LS_ERR_NOMEM. */
static ls_err finish_ask_lines(const struct pat_ext *e, struct finish_row *rows, size_t len)
{
    uint32_t *sites = malloc((len + 1) * sizeof(*sites));
    bool *known = calloc(len + 1, sizeof(*known)), any = false;
    size_t asked = 0;
    for (size_t i = 0; sites && i < len; i++)
        if (rows[i].seen.count && rows[i].measured.has_source) sites[asked++] = rows[i].row->site;
    const ls_err err = sites && known ? e->options->lines(e->tables, sites, asked, known)
                                      : ls_nomem("the lines of %zu instructions", len);
    for (size_t i = 0; i < asked; i++)
        any = any || known[i];
    for (size_t i = 0, k = 0; err == LS_OK && any && i < len; i++)
        if (rows[i].seen.count && rows[i].measured.has_source) rows[i].measured.has_source = known[k++];
    free(sites);
    free(known);
    return err;
}

/* Filter ranked rows: the best `top` of loads and of stores among those with a symbol, then the other
 * filters. */
static void finish_filter_published(const struct pat_ext *e, struct finish_row *rows, size_t len)
{
    uint32_t taken[2] = {0, 0}, last[2] = {PAT_NONE, PAT_NONE};
    uint64_t all[2] = {0, 0};
    for (size_t i = 0; i < len; i++) {
        struct finish_row *r = &rows[i];
        const int op = r->row->is_store;
        const bool is_next = r->measured.has_source && r->row->site != last[op]; /* threads share a rank */
        if (is_next) last[op] = r->row->site;
        taken[op] += is_next;
        all[op] += is_next ? r->seen.count : 0;
        r->rank = taken[op] ? taken[op] - 1 : 0;
        r->is_out = !r->seen.count || taken[op] > e->options->top ||
                    !pat_ext_published_keeps(e->options, &r->measured);
    }
    for (size_t i = 0; i < len; i++) {
        const uint64_t whole = all[rows[i].row->is_store];
        rows[i].window_share = whole ? (double)rows[i].seen.count / (double)whole : 0;
    }
}

/* Return the first of all rows ahead, or the row itself (struct pat_ext_turns). */
static const struct pat_ext_row *finish_leader(const struct pat_ext_row *r)
{
    return r->turns.ahead ? r->turns.first : r;
}

/* Return an identifier of the row's group: rows that may take turns have the same one; a single row is a
 * group by itself. */
static const void *finish_group(const struct pat_ext_row *r)
{
    const struct pat_ext_row *leader = finish_leader(r);
    return r->home != PAT_NONE && pat_ext_row_accesses(r) == pat_ext_row_accesses(leader) ? leader : r;
}

/* Does the row belong to the dynamic loader, and are such rows left out? Short programs have many of them.
 * glibc and musl have these names. */
static bool finish_leaves_out(const struct pat_ext *e, const struct pat_ext_row *r)
{
    const uint32_t module = e->tables->sites[r->site].module;
    if (e->options->keep_loader || module >= e->tables->modules_len || !e->tables->modules[module].path)
        return false;
    const char *name = ls_base_name(e->tables->modules[module].path);
    return strncmp(name, "ld-", 3) == 0 || strncmp(name, "ld.so", 5) == 0 || strncmp(name, "ld64.so", 7) == 0;
}

/* Return why the row is left out; PAT_LEFT_OUT_CHEAP: it is kept if it is costly enough. */
static enum pat_left_out finish_reason(const struct pat_ext *e, const struct finish_row *f, double cost)
{
    const struct pat_extract_options *o = e->options;
    const struct pat_ext_measured *m = &f->measured;
    if (finish_leaves_out(e, f->row)) return PAT_LEFT_OUT_LOADER;
    if (m->accesses < o->accesses_min) return PAT_LEFT_OUT_SHORT;
    if (m->is_trivial && !o->keep_trivial && finish_cost(e, f->row) < FINISH_COSTLY_SHARE * cost)
        return PAT_LEFT_OUT_TRIVIAL;
    if (!o->unique_min && !(o->far_share_min > 0)) return PAT_LEFT_OUT_CHEAP;
    const double share = (double)m->far / (double)m->weighted;
    return (o->unique_min && m->unique >= o->unique_min) ||
                   (o->far_share_min > 0 && share >= o->far_share_min)
               ? PAT_LEFT_OUT_CHEAP
               : PAT_LEFT_OUT_FILTERED;
}

static void finish_note(const struct pat_ext *e, const struct finish_row *f, struct pat_left_out_row *out)
{
    out->len++;
    out->accesses += f->measured.weighted;
    out->cost += finish_cost(e, f->row);
}

/* --top is a number of patterns. Rows that take turns with a chosen one are included even if filtered:
 * otherwise --top would decide how much of a stencil is visible. */
static ls_err finish_filter(const struct pat_ext *e, struct finish_row *rows, size_t len,
                            struct pat_sequences *out)
{
    struct pat_ext_candidate *c = calloc(len + 1, sizeof(*c));
    const bool by_group = e->options->with_companions;
    ls_err err = c ? LS_OK : ls_nomem("%zu sequences", len);
    for (size_t i = 0; err == LS_OK && i < len; i++)
        c[i] =
            (struct pat_ext_candidate){.group = by_group ? finish_group(rows[i].row) : rows[i].row,
                                       .cost = finish_cost(e, rows[i].row),
                                       .passes = finish_reason(e, &rows[i], out->cost) == PAT_LEFT_OUT_CHEAP};
    if (err == LS_OK) err = pat_ext_choose(c, len, e->options->top);
    for (size_t i = 0; err == LS_OK && i < len; i++) {
        rows[i].is_out = !c[i].is_chosen || !c[i].passes;
        const enum pat_left_out reason = finish_reason(e, &rows[i], out->cost);
        rows[i].is_companion = c[i].is_chosen && !c[i].passes && reason != PAT_LEFT_OUT_LOADER;
        if (rows[i].is_out && !rows[i].is_companion) finish_note(e, &rows[i], &out->left_out[reason]);
    }
    free(c);
    return err;
}

/* ---- indices ---- */

struct finish_position {
    uint64_t base, addr;
    size_t len, most; /* indices: number so far, and number requested */
};

/* Offsets are multiples of the unit, which usually is a power of two. */
static inline int64_t finish_index(const struct finish_row *f, uint64_t offset_bytes)
{
    return (int64_t)(f->unit_twos < 64 ? offset_bytes >> f->unit_twos : offset_bytes / f->unit_bytes);
}

static void finish_jump(const struct pat_ext *e, const struct finish_row *f, struct pat_sequence *s,
                        const struct pat_ext_token *t, struct finish_position *at)
{
    const struct pat_ext_row *r = f->row;
    if (at->len && (t->is_break || !r->is_pool)) s->breaks[s->breaks_len++] = at->len;
    if (t->range != PAT_NONE && !r->is_pool) at->base = e->tables->ranges[t->range].start;
    if (t->range != PAT_NONE && !r->is_pool) s->ranges_print = pat_ext_hash(s->ranges_print + at->base);
    at->addr = t->addr;
    s->indices.data[at->len++] = finish_index(f, at->addr - at->base);
}

/* Expand accesses with single distances. */
static bool finish_singles(const struct finish_row *f, struct pat_ext_reader *reader, struct pat_sequence *s,
                           struct finish_position *at)
{
    int64_t distances[FINISH_SINGLES];
    const size_t left = at->most - at->len;
    const size_t n = pat_ext_stream_singles(reader, distances, left < FINISH_SINGLES ? left : FINISH_SINGLES);
    for (size_t i = 0; i < n; i++) {
        at->addr += (uint64_t)distances[i];
        s->indices.data[at->len++] = finish_index(f, at->addr - at->base);
    }
    return n > 0;
}

/* Expand single distances, or else the next run or jump. Return false at the end. */
static bool finish_next(const struct pat_ext *e, const struct finish_row *f, struct pat_ext_reader *reader,
                        struct pat_sequence *s, struct finish_position *at)
{
    struct pat_ext_token t;
    if (finish_singles(f, reader, s, at)) return true;
    if (!pat_ext_stream_next(reader, &t)) return false;
    if (t.kind == PAT_EXT_JUMP) {
        finish_jump(e, f, s, &t, at);
        return true;
    }
    for (uint64_t i = 0; i < t.count && at->len < at->most; i++) {
        at->addr += (uint64_t)t.distance;
        s->indices.data[at->len++] = finish_index(f, at->addr - at->base);
    }
    return true;
}

/* Return whether struct pat_ext_repetition would have noticed a round. In a sequence that consists of at least four rounds it
 * does so within three of them, wherever it began to look, if the accesses before that are a small part
 * (pat_ext_row.h); but it may have been busy with inner rounds. */
static bool finish_was_watched(const struct pat_ext_row *r)
{
    const bool saw_nothing = r->repetition && !r->repetition->round;
    return r->kept > FINISH_SEARCHED ||
           (saw_nothing && r->kept >= FINISH_WATCHED_PARTS * r->repetition->begun);
}

/* Represent a row that repeats itself by two rounds, however long it is, if `most` indices suffice for
 * them. */
static bool finish_fold(const struct pat_ext *e, const struct finish_row *f, size_t most,
                        struct pat_sequence *s)
{
    const struct pat_ext_row *r = f->row;
    struct pat_ext_reader reader = pat_ext_stream_read(&r->stream);
    struct pat_ext_token t;
    const uint64_t round = r->repetition ? r->repetition->round : 0;
    if (!e->options->fold_min || r->kept < e->options->fold_min || r->jumps != 1) return false;
    /* one-way sequences with many runs usually have no period */
    const bool is_searched = (!finish_was_watched(r) && !f->measured.is_one_way) ||
                             r->stream.len_bytes <= r->kept / FINISH_SEARCHED_PART;
    if (!round && !is_searched) return false;
    if (!pat_ext_stream_next(&reader, &t) || t.kind != PAT_EXT_JUMP) return false;
    const bool has_range = t.range != PAT_NONE && !r->is_pool;
    struct pat_fold_ask ask = {.unit_bytes = f->unit_bytes, .len = r->kept, .round = round, .room = most};
    if (r->home == PAT_NONE || r->is_pool) ask.base = finish_span_of(r).low;
    if (has_range) ask.base = e->tables->ranges[t.range].start;
    bool is_folded = round && pat_fold_stream(&r->stream, &ask, &s->indices, &s->fold);
    ask.round = 0; /* the round that was noticed may be the inner one of two */
    is_folded = is_folded || (is_searched && pat_fold_stream(&r->stream, &ask, &s->indices, &s->fold));
    if (!is_folded) return false;
    if (has_range) s->ranges_print = pat_ext_hash(ask.base);
    s->base = ask.base;
    return true;
}

/* Expand up to `most` indices of the row. */
static ls_err finish_expand(struct pat_ext *e, const struct finish_row *f, size_t most,
                            struct pat_sequence *s)
{
    struct pat_ext_row *r = f->row;
    s->is_whole = !r->is_cut;
    if (finish_fold(e, f, most, s)) return LS_OK;
    if (most > e->kept_max) most = e->kept_max;
    s->is_whole = !r->is_cut && most == r->kept;
    s->indices.data = smr_array_alloc((most ? most : 1) * sizeof(int64_t));
    s->breaks = malloc((r->jumps + 1) * sizeof(size_t));
    if (!s->indices.data || !s->breaks) return ls_nomem("%zu indices", most);
    struct pat_ext_reader reader = pat_ext_stream_read(&r->stream);
    struct finish_position at = {.base = r->home == PAT_NONE || r->is_pool ? finish_span_of(r).low : 0,
                                 .most = most};
    while (at.len < at.most && finish_next(e, f, &reader, s, &at))
        if (!r->has_repeats && reader.position.block != r->stream.first) /* its memory is reused for the next
                                                                         indices */
            pat_ext_stream_give_before(&r->stream, &e->budget, reader.position.block);
    s->indices.len = at.len;
    s->base = at.base;
    return LS_OK;
}

static int finish_by_count(const void *a, const void *b)
{
    const struct pat_ext_way *x = a, *y = b;
    if (x->value != y->value) return x->value > y->value ? -1 : 1;
    return ((int64_t)x->key > (int64_t)y->key) - ((int64_t)x->key < (int64_t)y->key);
}

/* Count the distances of a tally that is exact: their number, and the entropy of their shares. */
static void finish_shares(const struct pat_ext *e, const struct pat_ext_row *r, struct pat_sequence *s)
{
    const struct pat_ext_tally *t = &r->tally;
    uint64_t all = 0;
    if (t->is_pruned || r->has_tally_gap) return;
    for (size_t i = 0; i < pat_ext_ways_cap(t->log2_cap); i++)
        all += t->slots[i].value;
    for (size_t i = 0; i < pat_ext_ways_cap(t->log2_cap); i++) {
        const double share = all ? (double)t->slots[i].value / (double)all : 0;
        s->distances_entropy_bits -= share > 0 ? share * log2(share) : 0;
    }
    s->distances_seen = finish_unweigh(e, all);
}

static ls_err finish_distances(const struct pat_ext *e, const struct finish_row *f, struct pat_sequence *s)
{
    const struct pat_ext_tally *t = &f->row->tally;
    struct pat_ext_way *counts = malloc((t->len + 1) * sizeof(*counts));
    s->distances = malloc(FINISH_DISTANCES * sizeof(*s->distances));
    if (!counts || !s->distances) {
        free(counts);
        return ls_nomem("%u distances", t->len);
    }
    size_t len = 0;
    for (size_t i = 0; i < pat_ext_ways_cap(t->log2_cap); i++)
        if (t->slots[i].value) counts[len++] = t->slots[i];
    qsort(counts, len, sizeof(*counts), finish_by_count);
    for (size_t i = 0; i < len && i < FINISH_DISTANCES; i++)
        s->distances[s->distances_len++] = (struct pat_distance){
            (int64_t)counts[i].key / (int64_t)f->unit_bytes, finish_unweigh(e, counts[i].value)};
    free(counts);
    return LS_OK;
}

static ls_err finish_sequence(struct pat_ext *e, struct finish_row *f, struct pat_sequence *s)
{
    struct pat_ext_row *r = f->row;
    *s = (struct pat_sequence){.site = r->site,
                               .home = r->home,
                               .thread = r->thread,
                               .threads = f->threads,
                               .threads_apart = f->threads_apart,
                               .elem_size_bytes = f->unit_bytes,
                               .accesses = f->measured.weighted,
                               .is_companion = f->is_companion,
                               .is_pool = r->is_pool,
                               .range_elements = r->is_pool ? 0 : r->range_bytes / f->unit_bytes,
                               .distances_unique = r->tally.unique,
                               .distances_far = f->measured.far,
                               .lines = pat_ext_pages_lines(&r->pages),
                               .pages = pat_ext_pages_count(&r->pages),
                               .cost = finish_cost(e, r),
                               .index_site = PAT_NONE,
                               .index_home = PAT_NONE,
                               .order = r->number,
                               .ahead = r->turns.ahead ? r->turns.ahead->number : PAT_NONE,
                               .first = r->turns.ahead ? r->turns.first->number : PAT_NONE,
                               .turns = r->turns.len,
                               .rank = f->rank,
                               .window_share = f->window_share};
    f->threads_apart = NULL;
    LS_TRY(finish_distances(e, f, s));
    finish_shares(e, r, s);
    pat_ext_tally_fini(&r->tally, &e->counts);
    const uint64_t held = e->held_bytes + r->jumps * sizeof(size_t);
    const uint64_t left = held < e->options->memory_bytes ? e->options->memory_bytes - held : 0;
    const uint64_t most = r->kept < left / sizeof(int64_t) ? r->kept : left / sizeof(int64_t);
    LS_TRY(finish_expand(e, f, most, s));
    pat_ext_row_drop(e, r);
    e->held_bytes += s->indices.len * sizeof(int64_t) + s->breaks_len * sizeof(size_t) +
                     FINISH_DISTANCES * sizeof(*s->distances);
    return LS_OK;
}

/* ---- all together ---- */

/* For each site: its accesses, the home of its row with the most accesses, and whether its address ever
 * changes. */
struct finish_sites {
    uint64_t *accesses, *most;
    uint32_t *homes;
    bool *moves;
};

static void finish_sites_fini(struct finish_sites *s)
{
    free(s->accesses);
    free(s->most);
    free(s->homes);
    free(s->moves);
}

static ls_err finish_sites_init(const struct pat_ext *e, struct pat_ext_row *const *rows,
                                struct finish_sites *s)
{
    const size_t len = e->tables->sites_len;
    s->accesses = calloc(len + 1, sizeof(*s->accesses));
    s->most = calloc(len + 1, sizeof(*s->most));
    s->homes = calloc(len + 1, sizeof(*s->homes));
    s->moves = calloc(len + 1, sizeof(*s->moves));
    if (!s->accesses || !s->most || !s->homes || !s->moves) return ls_nomem("%zu sites", len);
    for (size_t i = 0; i < e->rows_len; i++) {
        const uint64_t accesses = pat_ext_row_accesses(rows[i]);
        const uint32_t site = rows[i]->site;
        s->accesses[site] += accesses;
        s->moves[site] = s->moves[site] || rows[i]->tally.gcd.value || rows[i]->switches;
        if (accesses <= s->most[site]) continue;
        s->most[site] = accesses;
        s->homes[site] = rows[i]->home;
    }
    return LS_OK;
}

/* NULL: this build reads no machine code. */
static ls_err (*const finish_indirect)(const struct pat_tables *t, const uint64_t *accesses,
                                       struct pat_sequence *rows, size_t len) =
#ifdef HAVE_STEP
    pat_indirect;
#else
    NULL;
#endif

/* Find the loads that give the indices. A load that always reads the same address provides an array's base or
 * length (in unoptimised code, a descriptor, an object) and is ignored. */
static ls_err finish_indices(const struct pat_ext *e, const struct finish_sites *sites,
                             struct pat_sequences *out)
{
    if (finish_indirect) LS_TRY(finish_indirect(e->tables, sites->accesses, out->rows, out->len));
    for (size_t i = 0; i < out->len; i++) {
        struct pat_sequence *s = &out->rows[i];
        if (s->index_site != PAT_NONE && !sites->moves[s->index_site]) s->index_site = PAT_NONE;
        if (s->index_site != PAT_NONE) s->index_home = sites->homes[s->index_site];
    }
    return LS_OK;
}

static void finish_prepare(const struct pat_ext *e, struct pat_ext_row *const *rows, struct finish_row *f)
{
    for (size_t i = 0; i < e->rows_len; i++) {
        const uint64_t unit = finish_unit(e, rows[i]);
        f[i] = (struct finish_row){
            .row = rows[i],
            .order = i,
            .threads = 1,
            .unit_bytes = unit,
            .unit_twos = unit && (unit & (unit - 1)) == 0 ? (unsigned)__builtin_ctzll(unit) : 64,
        };
        if (rows[i]->site < e->appearances.len) f[i].seen = e->appearances.sites[rows[i]->site];
    }
}

static int finish_rank(const struct finish_row *f)
{
    return f->is_companion ? 1 : f->is_out ? 2 : 0;
}

static int finish_by_rank(const void *a, const void *b)
{
    const int x = finish_rank(a), y = finish_rank(b);
    return x != y ? x - y : finish_by_cost(a, b);
}

/* Move the chosen rows to the front, companions after the others; drop the rest. */
static size_t finish_keep(struct pat_ext *e, struct finish_row *f, size_t len, struct pat_sequences *out)
{
    size_t kept = 0;
    qsort(f, len, sizeof(*f), finish_by_rank);
    while (kept < len && finish_rank(&f[kept]) < 2)
        kept++;
    for (size_t i = kept; i < len; i++) {
        out->accesses_filtered += f[i].measured.weighted;
        pat_ext_row_drop(e, f[i].row);
    }
    return kept;
}

static ls_err finish_rows(struct pat_ext *e, struct finish_row *f, size_t len, struct pat_sequences *out)
{
    if (e->options->merge_threads) LS_TRY(finish_merge(e, f, &len));
    for (size_t i = 0; i < len; i++)
        f[i].measured = finish_measure(e, &f[i]);
    qsort(f, len, sizeof(*f), finish_by_cost);
    if (pat_ext_is_published(e) && e->options->lines && e->tables->modules_len)
        LS_TRY(finish_ask_lines(e, f, len));
    if (pat_ext_is_published(e))
        finish_filter_published(e, f, len);
    else
        LS_TRY(finish_filter(e, f, len, out));
    const size_t kept = finish_keep(e, f, len, out);
    out->rows = calloc(kept ? kept : 1, sizeof(*out->rows));
    if (!out->rows) return ls_nomem("%zu sequences", kept);
    for (size_t i = 0; i < kept; i++) {
        out->len = i + 1;
        LS_TRY(finish_sequence(e, &f[i], &out->rows[i]));
    }
    return LS_OK;
}

ls_err pat_ext_finish(struct pat_ext *e, struct pat_sequences *out)
{
    struct pat_ext_row **rows = pat_ext_rows(e);
    struct finish_row *f = calloc(e->rows_len + 1, sizeof(*f));
    struct finish_sites sites = {0};
    ls_err err = rows && f ? LS_OK : ls_nomem("%zu sequences", e->rows_len);
    *out = (struct pat_sequences){.accesses = e->accesses, .accesses_unplaced = e->unplaced};
    /* memory that rows release from now on may stay in the process, so it counts as used */
    e->held_bytes = e->budget.used_bytes + e->counts.used_bytes;
    if (err == LS_OK) err = finish_sites_init(e, rows, &sites);
    for (size_t i = 0; err == LS_OK && i < e->rows_len; i++)
        out->cost += finish_cost(e, rows[i]);
    for (size_t i = 0; err == LS_OK && i < e->tables->sites_len; i++)
        out->sites += sites.accesses[i] > 0;
    if (err == LS_OK) {
        finish_prepare(e, rows, f);
        err = finish_rows(e, f, e->rows_len, out);
    }
    if (err == LS_OK) err = finish_indices(e, &sites, out);
    finish_sites_fini(&sites);
    for (size_t i = 0; f && i < e->rows_len; i++)
        free(f[i].threads_apart);
    free(f);
    free(rows);
    return err;
}
