/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/together/kn_rows.h"

#include <stdlib.h>
#include <string.h>

static bool fit_16_bits(const struct pat_indices *lengths)
{
    for (size_t i = 0; i < lengths->len; i++)
        if (lengths->data[i] > UINT16_MAX) return false;
    return true;
}

/* Are rows of some elements each at the same distances throughout p? */
static struct kn_row_steps steps_of(const struct kn_plan *p, size_t elements)
{
    const struct kn_plan_side *s = p->from.used ? &p->from : &p->to;
    const int64_t *index = s->outer.data;
    struct kn_row_steps none = {0}, out = {.are_equal = true};
    if (s->inner.len || s->steps_len != 1 || p->len < elements || p->len % elements) return none;
    out.second = index[elements - 1] - index[0];
    out.by = p->len > elements ? index[elements] - index[0] : s->steps[0];
    for (size_t j = 0; j + elements < p->len; j++)
        if (index[j + elements] - index[j] != out.by) return none;
    return p->count > 1 && index[0] + s->steps[0] - index[p->len - elements] != out.by ? none : out;
}

static bool have_equal_lengths(const struct kn_row_role *a, const struct kn_row_role *b)
{
    return a->len == b->len && memcmp(a->lengths, b->lengths, a->len * sizeof(*a->lengths)) == 0;
}

ls_err kn_row_role_init(const struct kn_session *s, struct kn_row_role *roles, size_t k)
{
    const struct pat_config *c = s->plan.config;
    const struct pat_indices *all = &c->row_lengths;
    struct kn_row_role *out = &roles[k];
    *out = (struct kn_row_role){0};
    if (s->plan.threads != 1) return LS_OK;
    for (size_t e = 0; e < KN_ROW_FIXED_MAX; e++)
        out->steps[e] = steps_of(&s->plan, e + 1);
    if (!pat_rows_hold_all(c) || !fit_16_bits(all)) return LS_OK;
    out->waits = c->rows_wait > 0;
    out->lengths = malloc(all->len * sizeof(*out->lengths));
    if (!out->lengths) return ls_nomem("the lengths of %zu rows", all->len);
    out->len = all->len;
    for (size_t i = 0; i < all->len; i++)
        out->lengths[i] = (uint16_t)all->data[i];
    kn_memory_collapse(out->lengths, all->len * sizeof(*out->lengths), s->options->pages);
    for (size_t i = 0; i < k && !out->is_borrowed; i++) {
        if (!roles[i].lengths || !have_equal_lengths(&roles[i], out)) continue;
        free(out->lengths);
        out->lengths = roles[i].lengths;
        out->is_borrowed = true;
    }
    return LS_OK;
}

void kn_row_roles_fini(struct kn_row_role *roles, size_t len)
{
    for (size_t k = 0; k < len; k++)
        if (!roles[k].is_borrowed) free(roles[k].lengths);
}

/* One list of indices, without repetition. */
static bool is_list(const struct kn_cursor *c)
{
    return c->kind == KN_PIECE_LISTED && c->units_all == c->units;
}

static void begin_list(struct kn_cursor *c)
{
    c->piece.address = c->row_address;
    c->piece.index = c->side.index;
}

void kn_rows_begin(struct kn_rows *out, struct kn_cursor *a, const struct kn_row_role *role)
{
    *out = (struct kn_rows){0};
    if (!role->lengths || !is_list(a)) return;
    out->waits = role->waits;
    out->move = kn_rows_find(KN_ROWS_ALONE, a->does, a->element_bytes, 8 * a->index_bytes, role->waits);
    if (!out->move) return;
    begin_list(a);
    out->a = a;
    out->piece.a = &a->piece;
    out->piece.a_len = role->lengths;
    out->len = role->len;
}

static void begin_elements(struct kn_cursor *c)
{
    c->piece.address = (char *)((uintptr_t)c->row_address + (uint64_t)c->piece.offset[0] * c->element_bytes);
}

static bool add_rows(struct kn_rows *r, struct kn_cursor *b, const struct kn_row_role *role,
                     enum kn_rows_way way)
{
    r->move = kn_rows_find(way, r->a->does, r->a->element_bytes, 8 * r->a->index_bytes, r->waits);
    r->piece.b = &b->piece;
    r->piece.b_len = role->lengths;
    r->piece.b_by = role->steps[0].by;
    if (way == KN_ROWS_WITH)
        begin_elements(b);
    else
        begin_list(b);
    return true;
}

/* Return the elements that b has in each row, 0 if their number differs. */
static uint64_t fixed_elements(const struct kn_rows *r, const struct kn_cursor *b)
{
    const uint64_t accesses = b->units_all * b->unit_accesses;
    return accesses % r->len ? 0 : accesses / r->len;
}

static bool add_fixed(struct kn_rows *r, struct kn_cursor *b, const struct kn_row_role *role)
{
    const uint64_t elements = fixed_elements(r, b);
    const bool fills = b->does == PAT_OPERATION_FILL;
    struct kn_rows_fixed *fixed = fills ? &r->piece.fill : &r->piece.load;
    if (elements == 0 || elements > (fills ? 1 : KN_ROW_FIXED_MAX) || fixed->piece) return false;
    const struct kn_row_steps *steps = &role->steps[elements - 1];
    if (!steps->are_equal) return false;
    const uint64_t len = b->units * b->unit_accesses;
    *fixed = (struct kn_rows_fixed){&b->piece, (unsigned)elements, steps->second, steps->by, len, len};
    begin_elements(b);
    return true;
}

bool kn_rows_add(struct kn_rows *r, struct kn_cursor *b, const struct kn_row_role *role)
{
    const struct kn_cursor *a = r->a;
    const bool reduces = b->does == PAT_OPERATION_REDUCE, has_rows = role->lengths && role->len == r->len;
    if (b->element_bytes != a->element_bytes || (!reduces && b->does != PAT_OPERATION_FILL)) return false;
    if (reduces && !r->piece.b && has_rows) {
        if (role->lengths == r->piece.a_len && role->steps[0].are_equal)
            return add_rows(r, b, role, KN_ROWS_WITH);
        if (is_list(b) && b->index_bytes == a->index_bytes) return add_rows(r, b, role, KN_ROWS_THEN);
    }
    return !role->lengths && add_fixed(r, b, role);
}

void kn_rows_run(struct kn_rows *r, uint64_t n)
{
    r->piece.n = n;
    r->move(&r->piece);
}
