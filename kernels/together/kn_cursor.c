/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/together/kn_cursor.h"

static enum kn_piece_kind kind_of(const struct kn_arrays *a, const struct kn_plan_side *s)
{
    const struct kn_plan *p = a->plan;
    if (a->linked) return KN_PIECE_LINKED;
    if (s->inner.len) return KN_PIECE_LEVELS;
    /* as in kn_operation.inc.h */
    const bool is_held = p->element_bytes == 8 && (s->fold.times > 1 || p->len <= KN_HELD_MAX);
    return is_held ? KN_PIECE_ROWS : KN_PIECE_LISTED;
}

/* Advance address by a number of elements. Computed on integers, since the result may be outside of the array
 * for an empty share or after the last row. */
static char *shifted(const struct kn_cursor *c, const char *address, uint64_t elements)
{
    return (char *)((uintptr_t)address + elements * c->element_bytes);
}

/* Short rows are not divided, because a call for each part would take longer than its accesses. */
enum { UNCUT_MAX = 64 };

static void set_units(struct kn_cursor *c, const struct kn_plan *p, const struct kn_fold *fold)
{
    c->by_rows = c->kind == KN_PIECE_ROWS && p->len <= UNCUT_MAX;
    c->units = c->by_rows ? 1 : c->kind == KN_PIECE_ROWS ? fold->times : p->len;
    c->unit_accesses = p->len / c->units;
    c->units_all = (c->end - c->piece.row) * c->units;
    c->piece.offset_len = fold->len;
    c->piece.times = fold->times;
    c->piece.fold_step = fold->step;
}

struct kn_cursor kn_cursor_of(const struct kn_arrays *a, unsigned share, unsigned index_bits)
{
    const struct kn_plan *p = a->plan;
    const struct kn_part *part = &a->parts[share];
    const struct kn_job job = kn_arrays_job(a, index_bits);
    const struct kn_plan_side *s = p->from.used ? &p->from : &p->to;
    struct kn_cursor c = {.kind = kind_of(a, s),
                          .does = p->config->operation,
                          .side = p->from.used ? job.from : job.to,
                          .element_bytes = p->element_bytes,
                          .index_bytes = index_bits / 8,
                          .end = part->end,
                          .step = p->from.used ? part->step_from : part->step_to,
                          .run = p->from.used ? part->run_from : part->run_to};
    const int64_t base = p->from.used ? part->base_from : part->base_to;
    c.row_address = shifted(&c, c.side.base, (uint64_t)base);
    c.piece.row = part->begin;
    c.piece.offset = s->outer.data;
    c.piece.inner = c.side.inner;
    c.move = kn_piece_find(c.kind, p->config->operation, p->element_bytes, index_bits);
    set_units(&c, p, &s->fold);
    if (c.kind == KN_PIECE_LINKED) c.piece.address = shifted(&c, c.row_address, (uint64_t)s->outer.data[0]);
    return c;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Rows from here on that have one step between them; the cursor moves on by rows of them. */
static uint64_t rows_alike(const struct kn_cursor *c)
{
    return c->side.runs_len ? c->run.left : 1;
}

/* Return the elements from the current row to the next one. */
static int64_t row_step(const struct kn_cursor *c)
{
    return c->side.runs_len ? c->side.runs[c->run.run].step : c->side.steps[c->step];
}

static void advance(struct kn_cursor *c, uint64_t rows)
{
    c->row_address = shifted(c, c->row_address, (uint64_t)row_step(c) * rows);
    c->piece.row += rows;
    if (!c->side.runs_len) {
        if (++c->step == c->side.steps_len) c->step = 0;
        return;
    }
    c->run.left -= rows;
    if (c->run.left) return;
    if (++c->run.run == c->side.runs_len) c->run.run = 0;
    c->run.left = c->side.runs[c->run.run].rows;
}

/* Set the piece to the next units, at most `most` with one step between them; return their number. */
static uint64_t prepare(struct kn_cursor *c, uint64_t most)
{
    if (c->by_rows) {
        c->piece.n = least(most, rows_alike(c));
        c->piece.by = row_step(c);
        c->piece.address = c->row_address;
        return c->piece.n;
    }
    const uint64_t n = least(most, c->units - c->unit);
    c->piece.address = c->row_address;
    if (c->kind == KN_PIECE_ROWS) {
        c->piece.n = 1;
        c->piece.times = n;
        c->piece.address = shifted(c, c->row_address, c->unit * (uint64_t)c->piece.fold_step);
    } else {
        c->piece.n = n;
        c->piece.index = (const char *)c->side.index + c->unit * c->index_bytes;
    }
    return n;
}

/* Move the cursor past units that prepare has set. */
static void pass(struct kn_cursor *c, uint64_t units)
{
    if (c->by_rows) {
        advance(c, units);
        return;
    }
    c->unit += units;
    if (c->unit < c->units) return;
    c->unit = 0;
    advance(c, 1);
}

void kn_cursor_move(struct kn_cursor *c, uint64_t units)
{
    if (c->kind == KN_PIECE_LINKED) {
        c->piece.n = units;
        c->move(&c->piece);
        return;
    }
    while (units) {
        const uint64_t n = prepare(c, units);
        c->move(&c->piece);
        pass(c, n);
        units -= n;
    }
}

/* ---- two patterns in turn ---- */

/* A row that is folded more often than once has units inside, but only if it is long. */
static bool has_plain_units(const struct kn_cursor *c)
{
    return !c->by_rows || c->piece.times == 1;
}

static bool is_second(const struct kn_cursor *b)
{
    return b->kind == KN_PIECE_ROWS && b->unit_accesses == 1;
}

static kn_pair_move *pair_move(const struct kn_cursor *a, const struct kn_cursor *b)
{
    return kn_pair_find(a->kind, b->does, 8 * a->index_bytes);
}

bool kn_cursors_pair(const struct kn_cursor *a, const struct kn_cursor *b)
{
    return a->units_all == b->units_all && a->does == PAT_OPERATION_REDUCE && a->element_bytes == 8 &&
           b->element_bytes == 8 && has_plain_units(a) && is_second(b) && pair_move(a, b);
}

/* Set the step from unit to unit. */
static void step_by_unit(struct kn_cursor *c)
{
    if (c->kind == KN_PIECE_ROWS && !c->by_rows) c->piece.by = c->piece.fold_step;
}

/* Return the number of whole rows of equally many units that a and b can move at once, at most the given units; 0: none. */
static uint64_t whole_rows(const struct kn_cursor *a, const struct kn_cursor *b, uint64_t units)
{
    if (a->by_rows || b->by_rows || a->unit || b->unit || a->units != b->units) return 0;
    return least(units / a->units, least(rows_alike(a), rows_alike(b)));
}

/* Move whole rows of a and b. */
static void move_rows(struct kn_cursor *a, struct kn_cursor *b, uint64_t rows, kn_pair_move *move)
{
    struct kn_pair p = {&a->piece, &b->piece, rows, a->units, row_step(a), row_step(b), false};
    prepare(a, a->units);
    prepare(b, b->units);
    step_by_unit(a);
    step_by_unit(b);
    move(&p);
    advance(a, rows);
    advance(b, rows);
}

void kn_cursor_move_pair(struct kn_cursor *a, struct kn_cursor *b, uint64_t units)
{
    kn_pair_move *const move = pair_move(a, b);
    while (units) {
        const uint64_t rows = whole_rows(a, b, units);
        if (rows) {
            move_rows(a, b, rows, move);
            units -= rows * a->units;
            continue;
        }
        const uint64_t most = prepare(a, units), n = prepare(b, most);
        struct kn_pair p = {.a = &a->piece, .b = &b->piece, .rows = 1, .n = n, .counts_units = b->by_rows};
        step_by_unit(a);
        step_by_unit(b);
        move(&p);
        pass(a, n);
        pass(b, n);
        units -= n;
    }
}
