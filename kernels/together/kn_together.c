/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/together/kn_together.h"

#include "common/ls_checked.h"
#include "kernels/together/kn_cursor.h"
#include "kernels/together/kn_rows.h"
#include "kernels/kn_result.h"
#include "kernels/kn_backend.h"
#include "kernels/replay/kn_trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- arrays that several patterns use ---- */

/* A session by the name of its array, of equal ones by its number. */
struct named {
    const char *array;
    size_t session;
};

enum { ELEMENT_BYTES_MAX = 8 };

/* Sessions of one array: a run of the sorted names. */
struct users {
    const struct named *rows;
    size_t len;
    int64_t low,
        end; /* bytes of the array; a session's elements may be of another size than the next one's */
    uint64_t bytes;
};

static int compare_named(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    const int order = strcmp(x->array, y->array);
    return order ? order : (x->session > y->session) - (x->session < y->session);
}

/* Bytes [low, end) of the array that a session touches. */
static bool reach_of(const struct kn_session *s, int64_t *low, int64_t *end)
{
    const struct kn_plan_side *side = s->plan.from.used ? &s->plan.from : &s->plan.to;
    const uint64_t first = s->plan.config->first;
    const int64_t bytes = s->plan.element_bytes;
    return first <= INT64_MAX / 2 && !__builtin_add_overflow((int64_t)first, side->extent.low, low) &&
           !__builtin_add_overflow((int64_t)first, side->extent.high, end) &&
           !__builtin_add_overflow(*end, 1, end) && !__builtin_mul_overflow(*low, bytes, low) &&
           !__builtin_mul_overflow(*end, bytes, end);
}

static ls_err measure_users(const struct kn_session *sessions, struct users *u)
{
    const char *array = u->rows[0].array;
    u->low = INT64_MAX;
    u->end = INT64_MIN;
    for (size_t i = 0; i < u->len; i++) {
        int64_t low, end;
        if (!reach_of(&sessions[u->rows[i].session], &low, &end))
            return ls_fail(LS_ERR_RANGE,
                           "array %s: its elements do not fit 63 bits; lower first, count or delta", array);
        if (low < u->low) u->low = low;
        if (end > u->end) u->end = end;
    }
    u->low &= ~(int64_t)(ELEMENT_BYTES_MAX - 1);
    u->bytes = (uint64_t)u->end - (uint64_t)u->low;
    if (u->bytes > INT64_MAX)
        return ls_fail(LS_ERR_RANGE, "array %s does not fit 63 bits of bytes; lower first, count or delta",
                       array);
    return LS_OK;
}

/* Call use for each array that two sessions or more are of. */
static ls_err each_array(const struct kn_session *sessions, size_t len,
                         ls_err (*use)(void *user, const struct kn_session *sessions, const struct users *u),
                         void *user)
{
    ls_err err = LS_OK;
    size_t named_len = 0;
    struct named *named = calloc(len + 1, sizeof(*named));
    if (!named) return ls_nomem("the arrays of %zu patterns", len);
    for (size_t k = 0; k < len; k++)
        if (sessions[k].plan.config->array)
            named[named_len++] = (struct named){sessions[k].plan.config->array, k};
    qsort(named, named_len, sizeof(*named), compare_named);
    for (size_t i = 0, n; i < named_len && err == LS_OK; i += n) {
        for (n = 1; i + n < named_len && strcmp(named[i + n].array, named[i].array) == 0;)
            n++;
        struct users u = {.rows = named + i, .len = n};
        if (n < 2) continue;
        err = measure_users(sessions, &u);
        if (err == LS_OK) err = use(user, sessions, &u);
    }
    free(named);
    return err;
}

/* Return the bytes that the plan counted for the array of a session with one sparse array. */
static uint64_t touched_bytes_of(const struct kn_session *s)
{
    const struct kn_plan *p = &s->plan;
    const uint64_t indices = p->from.outer.len + p->from.inner.len + p->to.outer.len + p->to.inner.len;
    return p->need.memory_bytes - indices * sizeof(int64_t);
}

static ls_err add_spared(void *user, const struct kn_session *sessions, const struct users *u)
{
    uint64_t *spared = user, apart = 0;
    for (size_t i = 0; i < u->len; i++)
        apart += touched_bytes_of(&sessions[u->rows[i].session]);
    if (apart > u->bytes) *spared += apart - u->bytes;
    return LS_OK;
}

/* Store the bytes that shared arrays save over an array per session (kn_plan.need).
 * Errors: as for kn_shared_arrays_init. */
static ls_err kn_shared_arrays_spared(const struct kn_session *sessions, size_t len, uint64_t *out_bytes)
{
    *out_bytes = 0;
    return each_array(sessions, len, add_spared, out_bytes);
}

struct mapping {
    struct kn_shared_arrays *shared;
    enum kn_pages pages;
};

static ls_err map_array(void *user, const struct kn_session *sessions, const struct users *u)
{
    const struct mapping *m = user;
    struct kn_block *block = &m->shared->blocks[u->rows[0].session];
    LS_TRY(kn_block_init(block, u->bytes, m->pages));
    for (size_t i = 0; i < u->len; i++) {
        const size_t k = u->rows[i].session;
        int64_t low = 0, end = 0;
        reach_of(&sessions[k], &low, &end);
        m->shared->parts[k].base = (char *)block->base + (size_t)(low - u->low);
        m->shared->parts[k].len_bytes = (size_t)(end - low);
    }
    return LS_OK;
}

ls_err kn_shared_arrays_init(struct kn_shared_arrays *out, const struct kn_session *sessions, size_t len,
                             enum kn_pages pages)
{
    struct mapping m = {out, pages};
    *out =
        (struct kn_shared_arrays){calloc(len, sizeof(*out->blocks)), calloc(len, sizeof(*out->parts)), len};
    if (!out->blocks || !out->parts) return ls_nomem("the arrays of %zu patterns", len);
    return each_array(sessions, len, map_array, &m);
}

void kn_shared_arrays_fini(struct kn_shared_arrays *c)
{
    for (size_t k = 0; c->blocks && k < c->len; k++)
        kn_block_fini(&c->blocks[k]);
    free(c->blocks);
    free(c->parts);
    *c = (struct kn_shared_arrays){NULL, NULL, 0};
}

const struct kn_block *kn_shared_arrays_part(const struct kn_shared_arrays *c, size_t k)
{
    return c->parts[k].base ? &c->parts[k] : NULL;
}

/* Return the bytes of all arrays that are in huge pages, as reported by the kernel. */
static uint64_t kn_shared_arrays_huge_bytes(const struct kn_shared_arrays *c)
{
    uint64_t bytes = 0;
    for (size_t k = 0; k < c->len; k++)
        bytes += kn_block_huge_bytes(&c->blocks[k]);
    return bytes;
}

/* ---- configurations in turn ---- */

/* Accesses per turn, of all patterns together: with 256, calls and mispredicted ends of pieces cost a tenth
 * to a third of a loop's time; with 2048 almost nothing (doc/fidelity.md's loops). */
static const uint64_t turn_accesses = 2048;

struct group {
    const struct kn_options *options;
    const struct kn_backend *backend;
    unsigned threads;
    struct kn_session *sessions; /* [len] */
    size_t len;
    struct kn_shared_arrays shared;
    struct kn_row_role *row_roles; /* [len] */
    struct taker *takers;          /* [threads * len] */
};

/* Per-pattern schedule: `units` of its cursor per turn, plus one whenever the accumulated remainder reaches a
 * whole turn. Aligned to separate cache lines: other threads write theirs. */
struct taker {
    struct kn_cursor cursor;
    uint64_t units, rest, rests;
    struct kn_rows rows;  /* rows.a: they are its units */
    struct taker *second; /* its units follow this one's, one by one; NULL: none */
    bool is_second;
} __attribute__((aligned(64)));

static void begin_share(const struct group *g, struct taker *takers, unsigned share)
{
    for (size_t k = 0; k < g->len; k++)
        takers[k].cursor = kn_cursor_of(&g->sessions[k].arrays, share, g->sessions[k].variant->index_bits);
}

/* Patterns that have rows are moved by rows, with the others of the same iterations. */
static void pair_rows_up(struct taker *takers, const struct kn_row_role *roles, size_t len)
{
    for (size_t a = 0; a < len; a++) {
        if (takers[a].is_second) continue;
        kn_rows_begin(&takers[a].rows, &takers[a].cursor, &roles[a]);
        for (size_t b = 0; b < len && takers[a].rows.a; b++)
            if (b != a && !takers[b].is_second && !takers[b].rows.a &&
                kn_rows_add(&takers[a].rows, &takers[b].cursor, &roles[b]))
                takers[b].is_second = true;
    }
}

static bool is_alone(const struct taker *t)
{
    return !t->second && !t->is_second && !t->rows.a;
}

/* Patterns with as many units as another one are of the same iterations: their accesses alternate, as in the loop. */
static void pair_up(struct taker *takers, const struct kn_row_role *roles, size_t len)
{
    for (size_t k = 0; k < len; k++) {
        takers[k].second = NULL;
        takers[k].rows = (struct kn_rows){0};
        takers[k].is_second = false;
    }
    pair_rows_up(takers, roles, len);
    for (size_t a = 0; a < len; a++)
        for (size_t b = 0; b < len && is_alone(&takers[a]); b++)
            if (b != a && is_alone(&takers[b]) && kn_cursors_pair(&takers[a].cursor, &takers[b].cursor)) {
                takers[a].second = &takers[b];
                takers[b].is_second = true;
            }
}

/* Set the units of a turn; return the number of turns: 1 where all patterns alternate unit by unit. */
static uint64_t turns_of(struct taker *takers, size_t len)
{
    uint64_t accesses = 0;
    size_t leaders = 0;
    for (size_t k = 0; k < len; k++) {
        accesses += takers[k].cursor.units_all * takers[k].cursor.unit_accesses;
        leaders += !takers[k].is_second;
    }
    const uint64_t turns = leaders == 1 ? 1 : accesses / turn_accesses + 1;
    for (size_t k = 0; k < len; k++) {
        const uint64_t units = takers[k].rows.a ? takers[k].rows.len : takers[k].cursor.units_all;
        takers[k].units = units / turns;
        takers[k].rest = units % turns;
        takers[k].rests = 0;
    }
    return turns;
}

static void take_turn(struct taker *t, uint64_t turns)
{
    uint64_t units = t->units;
    t->rests += t->rest;
    if (t->rests >= turns) {
        t->rests -= turns;
        units++;
    }
    if (units && t->rows.a)
        kn_rows_run(&t->rows, units);
    else if (units && t->second)
        kn_cursor_move_pair(&t->cursor, &t->second->cursor, units);
    else if (units)
        kn_cursor_move(&t->cursor, units);
}

static void run_share(void *arg, unsigned share)
{
    const struct group *g = arg;
    struct taker *takers = g->takers + share * g->len;
    begin_share(g, takers, share);
    pair_up(takers, g->row_roles, g->len);
    const uint64_t turns = turns_of(takers, g->len);
    for (uint64_t t = 0; t < turns; t++)
        for (size_t k = 0; k < g->len; k++)
            if (!takers[k].is_second) take_turn(&takers[k], turns);
    if (g->options->fence) __atomic_thread_fence(__ATOMIC_RELEASE);
    for (size_t k = 0; k < g->len; k++)
        *g->sessions[k].arrays.parts[share].sum = takers[k].cursor.piece.sum;
}

static struct kn_span time_group(void *arg, struct kn_turn turn)
{
    const struct group *g = arg;
    return kn_backend_time(g->backend, g->threads, turn, run_share, arg);
}

static ls_err check_operation(const struct pat_config *c, size_t number)
{
    if (c->operation != PAT_OPERATION_COPY) return LS_OK;
    return ls_fail(
        LS_ERR_UNSUPPORTED,
        "configuration %zu%s%s%s copies through a dense buffer; patterns take turns that have another "
        "operation (reduce, chase, fill, update), as those have that loadstone patterns writes",
        number, *c->name ? " (" : "", c->name, *c->name ? ")" : "");
}

/* Compute the needs without allocating data. An array of several patterns counts once. */
static ls_err plan_all(struct group *g, const struct pat_config *rows, struct kn_replay_need *out)
{
    uint64_t spared;
    *out = (struct kn_replay_need){0};
    for (size_t k = 0; k < g->len; k++) {
        const struct kn_replay_need *n = &g->sessions[k].plan.need;
        LS_TRY(check_operation(&rows[k], k));
        LS_TRY(kn_session_init(&g->sessions[k], &rows[k], g->options, g->backend, g->threads));
        if (!ls_add_u64(out->bytes, n->bytes, &out->bytes) ||
            !ls_add_u64(out->iterations, n->iterations, &out->iterations) ||
            !ls_add_u64(out->memory_bytes, n->memory_bytes, &out->memory_bytes))
            return ls_fail(LS_ERR_RANGE, "all patterns together do not fit 64 bits: run fewer");
    }
    LS_TRY(kn_shared_arrays_spared(g->sessions, g->len, &spared));
    out->memory_bytes -= spared;
    return LS_OK;
}

/* Is there a pattern that is moved by rows? */
static bool has_rows(const struct group *g)
{
    bool found = false;
    for (size_t k = 0; k < g->len && !found; k++) {
        struct kn_rows rows;
        struct kn_cursor c = kn_cursor_of(&g->sessions[k].arrays, 0, g->sessions[k].variant->index_bits);
        kn_rows_begin(&rows, &c, &g->row_roles[k]);
        found = rows.a != NULL;
    }
    return found;
}

static ls_err fill_all(struct group *g, struct kn_result *r)
{
    LS_TRY(kn_shared_arrays_init(&g->shared, g->sessions, g->len, g->options->pages));
    for (size_t k = 0; k < g->len; k++) {
        struct kn_session *s = &g->sessions[k];
        LS_TRY(kn_session_fill(s, kn_shared_arrays_part(&g->shared, k)));
        LS_TRY(kn_session_choose(s, r));
        r->trials_len = 0; /* counts of one pattern */
        LS_TRY(kn_row_role_init(s, g->row_roles, k));
        r->bytes_with_indices += kn_session_bytes_with_indices(s);
        if (s->variant->index_bits > r->index_bits) r->index_bits = s->variant->index_bits;
    }
    r->method = KN_METHOD_SCALAR;
    r->stores = KN_STORES_REGULAR;
    snprintf(r->variant, sizeof(r->variant), "scalar, %sturns of %u accesses", has_rows(g) ? "rows, " : "",
             (unsigned)turn_accesses);
    return LS_OK;
}

static unsigned runs_of(const struct group *g)
{
    unsigned most = 1;
    for (size_t k = 0; k < g->len; k++)
        if (kn_session_runs(&g->sessions[k]) > most) most = kn_session_runs(&g->sessions[k]);
    return most;
}

static uint64_t huge_bytes_of(const struct group *g)
{
    uint64_t bytes = kn_shared_arrays_huge_bytes(&g->shared);
    for (size_t k = 0; k < g->len; k++)
        if (!kn_shared_arrays_part(&g->shared, k)) bytes += kn_session_huge_bytes(&g->sessions[k]);
    return bytes;
}

/* Run one pattern alone, by the same pieces. */
static void run_alone_share(void *arg, unsigned share)
{
    const struct kn_session *s = arg;
    struct kn_cursor c = kn_cursor_of(&s->arrays, share, s->variant->index_bits);
    for (uint64_t left = c.units_all; left;) {
        const uint64_t units = left < turn_accesses ? left : turn_accesses;
        kn_cursor_move(&c, units);
        left -= units;
    }
    *s->arrays.parts[share].sum = c.piece.sum;
}

/* Validate patterns with a private array in place; patterns that share an array would see each other's
 * stores, so each is replayed alone first. */
static void validate_all(const struct group *g, struct kn_result *r)
{
    r->valid = true;
    for (size_t k = 0; k < g->len && r->valid; k++) {
        struct kn_session *s = &g->sessions[k];
        if (kn_shared_arrays_part(&g->shared, k)) {
            kn_arrays_fill(&s->arrays);
            g->backend->parallel(g->threads, run_alone_share, s);
        }
        kn_validate(&s->arrays, r);
        if (r->valid) continue;
        char why[KN_ADVICE_BYTES];
        snprintf(why, sizeof(why), "%s", r->invalid);
        snprintf(r->invalid, sizeof(r->invalid), "configuration %zu: %.280s", k, why);
    }
}

static ls_err measure(struct group *g, struct kn_result *r)
{
    const struct kn_options *o = g->options;
    LS_TRY(fill_all(g, r));
    g->takers = aligned_alloc(_Alignof(struct taker), g->threads * g->len * sizeof(*g->takers));
    if (!g->takers) return ls_nomem("%zu patterns on %u threads", g->len, g->threads);
    LS_TRY(kn_measure(time_group, g, o, runs_of(g), r));
    r->huge_bytes = huge_bytes_of(g);
    validate_all(g, r);
    return LS_OK;
}

static ls_err run(struct group *g, struct kn_result *r)
{
    LS_TRY(kn_memory_check("all patterns together", r->memory_bytes, g->options->memory_bytes));
    kn_pins *pins = NULL;
    LS_TRY(kn_pin(g->backend, g->threads, g->options->pin, &pins));
    r->pin = kn_pinned(pins);
    const ls_err err = measure(g, r);
    for (size_t k = 0; k < g->len; k++)
        kn_arrays_fini(&g->sessions[k].arrays);
    kn_shared_arrays_fini(&g->shared);
    kn_unpin(pins);
    return err;
}

static ls_err group_init(struct group *g, const struct pat_config *rows, size_t len,
                         const struct kn_options *o, struct kn_replay_need *out)
{
    *g = (struct group){.options = o, .len = len};
    LS_TRY(kn_backend_choose(o, &g->backend, &g->threads));
    if (g->backend->device)
        return ls_fail(LS_ERR_UNSUPPORTED, "--together runs on threads: take another backend than %s",
                       g->backend->name);
    g->sessions = calloc(len + 1, sizeof(*g->sessions));
    g->row_roles = calloc(len + 1, sizeof(*g->row_roles));
    if (!g->sessions || !g->row_roles) return ls_nomem("%zu patterns", len);
    return plan_all(g, rows, out);
}

static void group_fini(struct group *g)
{
    if (g->row_roles) kn_row_roles_fini(g->row_roles, g->len);
    free(g->row_roles);
    free(g->sessions);
    free(g->takers);
}

ls_err kn_together_need(const struct pat_config *rows, size_t len, const struct kn_options *o,
                        struct kn_replay_need *out)
{
    struct group g;
    const ls_err err = group_init(&g, rows, len, o, out);
    group_fini(&g);
    return err;
}

/* Return the bytes of all elements, 0 where they differ. */
static unsigned element_bytes_of(const struct group *g)
{
    for (size_t k = 1; k < g->len; k++)
        if (g->sessions[k].plan.element_bytes != g->sessions[0].plan.element_bytes) return 0;
    return g->sessions[0].plan.element_bytes;
}

ls_err kn_together_run(const struct pat_config *rows, size_t len, const struct kn_options *o,
                       struct kn_result *out)
{
    struct group g;
    struct kn_replay_need need;
    memset(out, 0, sizeof(*out));
    ls_err err = group_init(&g, rows, len, o, &need);
    if (err == LS_OK) {
        out->threads = g.threads;
        out->bytes = need.bytes;
        out->memory_bytes = need.memory_bytes;
        out->element_bytes = element_bytes_of(&g);
        snprintf(out->backend, sizeof(out->backend), "%s", g.backend->name);
        err = run(&g, out);
    }
    group_fini(&g);
    return err;
}
