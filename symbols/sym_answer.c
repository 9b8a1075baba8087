/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/sym_answer.h"

#include "common/ls_hash.h"
#include "common/ls_checked.h"
#include "common/ls_span.h"
#include "common/ls_vector.h"

#include <stdlib.h>
#include <string.h>

#define SYM_ROW_BYTES(kind, row) [SYM_ROW_##kind] = sizeof(row),
static const size_t sym_row_bytes[SYM_ROW_COUNT] = {SYM_ROW_LIST(SYM_ROW_BYTES)};
enum { SYM_ROW_MAX_BYTES = 64 };

/* Head of an answer as it is transferred; the rows of each kind and the texts follow. */
struct sym_wire_head {
    uint64_t lens[SYM_ROW_COUNT];
    uint64_t text_len;
};

void *sym_draft_row(struct sym_draft *d, enum sym_row_kind kind)
{
    static _Alignas(8) uint8_t scratch[SYM_ROW_MAX_BYTES];
    struct sym_rows *r = &d->rows[kind];
    if (ls_grow(&r->rows, &r->room, r->len + 1, sym_row_bytes[kind]) != LS_OK) {
        d->is_short = true;
        return memset(scratch, 0, sizeof(scratch));
    }
    void *row = (uint8_t *)r->rows + r->len++ * sym_row_bytes[kind];
    return memset(row, 0, sym_row_bytes[kind]);
}

/* Offset 0 is the empty text. */
static bool sym_text_append(struct sym_draft *d, const char *text, uint32_t *out)
{
    const size_t at = d->text_len ? d->text_len : 1, need = at + strlen(text) + 1;
    if (need > UINT32_MAX || LS_GROW(d->text, d->text_room, need) != LS_OK) return false;
    if (d->text_len == 0) d->text[0] = '\0';
    strcpy(d->text + at, text);
    d->text_len = need;
    *out = (uint32_t)at;
    return true;
}

uint32_t sym_draft_text(struct sym_draft *d, const char *text)
{
    uint32_t at;
    if (!text || !*text) return 0;
    const uint64_t key = ls_hash_text(LS_HASH_BEGIN, text);
    for (size_t step = 0; ls_index_next(&d->by_text, key, &step, &at);)
        if (strcmp(d->text + at, text) == 0) return at;
    if (sym_text_append(d, text, &at) && ls_index_put(&d->by_text, key, at) == LS_OK) return at;
    d->is_short = true;
    return 0;
}

void sym_draft_fini(struct sym_draft *d)
{
    for (int kind = 0; kind < SYM_ROW_COUNT; kind++)
        free(d->rows[kind].rows);
    free(d->text);
    ls_index_fini(&d->by_text);
    *d = (struct sym_draft){0};
}

ls_err sym_draft_pack(const struct sym_draft *d, uint8_t **out_bytes, size_t *out_len)
{
    struct sym_wire_head head = {.text_len = d->text_len};
    size_t len = sizeof(head) + d->text_len;
    for (int kind = 0; kind < SYM_ROW_COUNT; kind++) {
        head.lens[kind] = d->rows[kind].len;
        len += d->rows[kind].len * sym_row_bytes[kind];
    }
    uint8_t *bytes = d->is_short ? NULL : malloc(len);
    if (!bytes) return ls_nomem("the symbols of a file");
    uint8_t *at = memcpy(bytes, &head, sizeof(head));
    at += sizeof(head);
    for (int kind = 0; kind < SYM_ROW_COUNT; kind++) {
        const size_t part = d->rows[kind].len * sym_row_bytes[kind];
        if (part > 0) memcpy(at, d->rows[kind].rows, part);
        at += part;
    }
    if (d->text_len > 0) memcpy(at, d->text, d->text_len);
    *out_bytes = bytes;
    *out_len = len;
    return LS_OK;
}

static bool sym_is_text(const struct sym_answer *a, uint32_t offset)
{
    return offset == 0 || offset < a->text_len;
}

static bool sym_check_heads(const struct sym_answer *a)
{
    for (size_t i = 0; i < a->heads_len; i++)
        if (!sym_is_text(a, a->heads[i].build_id) || !sym_is_text(a, a->heads[i].problem)) return false;
    return a->heads_len <= 1;
}

static bool sym_check_sections(const struct sym_answer *a)
{
    for (size_t i = 0; i < a->sections_len; i++)
        if (!sym_is_text(a, a->sections[i].name)) return false;
    return true;
}

static bool sym_check_variables(const struct sym_answer *a)
{
    for (size_t i = 0; i < a->variables_len; i++) {
        const struct sym_variable *v = &a->variables[i];
        const bool is_after =
            i == 0 || v[-1].is_tls < v->is_tls || (v[-1].is_tls == v->is_tls && v[-1].base <= v->base);
        if (!sym_is_text(a, v->name) || v->base >= v->end || v->is_tls > 1 || !is_after) return false;
        if (v->around != SYM_NONE && v->around >= i) return false;
    }
    return true;
}

static bool sym_check_routines(const struct sym_answer *a)
{
    for (size_t i = 0; i < a->routines_len; i++) {
        const struct sym_routine *r = &a->routines[i];
        if (!sym_is_text(a, r->symbol) || !sym_is_text(a, r->function) || r->base >= r->end) return false;
        if (i > 0 && r[-1].base >= r->base) return false;
    }
    return true;
}

static bool sym_check_lines(const struct sym_answer *a)
{
    for (size_t i = 0; i < a->lines_len; i++) {
        const struct sym_line *l = &a->lines[i];
        if (!sym_is_text(a, l->function) || !sym_is_text(a, l->symbol) || !sym_is_text(a, l->file))
            return false;
        if (l->first_inline > a->inlines_len || l->inlines_len > a->inlines_len - l->first_inline)
            return false;
    }
    return true;
}

static bool sym_check_inlines(const struct sym_answer *a)
{
    for (size_t i = 0; i < a->inlines_len; i++)
        if (!sym_is_text(a, a->inlines[i].function) || !sym_is_text(a, a->inlines[i].file)) return false;
    return true;
}

static bool sym_check_member(const struct sym_answer *a, const struct sym_member *m, uint32_t row)
{
    if (!sym_is_text(a, m->path) || !sym_is_text(a, m->type_name) || m->kind >= SYM_MEMBER_KINDS)
        return false;
    return m->offset_bytes + m->len_bytes >= m->offset_bytes &&
           (row == 0 ? m->parent == SYM_NONE && m->kind == SYM_MEMBER_WHOLE : m->parent < row);
}

static bool sym_check_types(const struct sym_answer *a)
{
    for (size_t i = 0; i < a->types_len; i++) {
        const struct sym_type *t = &a->types[i];
        if (!sym_is_text(a, t->name) || t->kind >= SYM_TYPE_KINDS || t->members_len == 0) return false;
        if (t->first_member > a->members_len || t->members_len > a->members_len - t->first_member)
            return false;
        for (uint32_t m = 0; m < t->members_len; m++)
            if (!sym_check_member(a, &a->members[t->first_member + m], m)) return false;
    }
    for (size_t i = 0; i < a->typings_len; i++)
        if ((a->typings[i].type != SYM_NONE && a->typings[i].type >= a->types_len) ||
            a->typings[i].how >= SYM_HOW_COUNT)
            return false;
    return true;
}

static bool sym_check_slots(const struct sym_answer *a)
{
    for (size_t i = 0; i < a->slots_len; i++) {
        const struct sym_slot *s = &a->slots[i];
        if (s->type >= a->types_len || s->question >= a->typings_len || s->len_bytes == 0) return false;
        if (i > 0 && s[-1].question > s->question) return false;
    }
    return true;
}

static bool sym_answer_is_good(const struct sym_answer *a)
{
    if (a->text_len > 0 && (a->text[0] != '\0' || a->text[a->text_len - 1] != '\0')) return false;
    return sym_check_heads(a) && sym_check_sections(a) && sym_check_variables(a) && sym_check_routines(a) &&
           sym_check_lines(a) && sym_check_inlines(a) && sym_check_types(a) && sym_check_slots(a);
}

/* The next len rows of the bytes. */
static bool sym_take_rows(struct ls_cursor *c, uint64_t len, size_t row_bytes, void **out_rows,
                          size_t *out_len)
{
    uint64_t part;
    if (!ls_mul_u64(len, row_bytes, &part) || part > ls_cursor_left(c)) return false;
    /* the bytes are from malloc and all rows are multiples of 8 bytes long */
    *out_rows = (void *)(uintptr_t)ls_cursor_take(c, (size_t)part);
    *out_len = (size_t)len;
    return true;
}

static bool sym_answer_split(struct sym_answer *a, size_t len_bytes)
{
    struct ls_cursor c = ls_cursor_over(a->bytes, len_bytes);
    struct sym_wire_head head;
    if (!ls_cursor_read(&c, &head, sizeof(head))) return false;
#define SYM_TAKE(kind, row)                                                                        \
    _Static_assert(sizeof(row) % 8 == 0 && sizeof(row) <= SYM_ROW_MAX_BYTES, "rows stay aligned"); \
    void *kind##_rows;                                                                             \
    if (!sym_take_rows(&c, head.lens[SYM_ROW_##kind], sizeof(row), &kind##_rows, &a->kind##_len))  \
        return false;                                                                              \
    a->kind = kind##_rows;
    SYM_ROW_LIST(SYM_TAKE)
#undef SYM_TAKE
    if (head.text_len != ls_cursor_left(&c)) return false;
    a->text_len = (size_t)head.text_len;
    a->text = a->text_len ? (const char *)ls_cursor_take(&c, a->text_len) : NULL;
    return true;
}

ls_err sym_answer_unpack(uint8_t *bytes, size_t len_bytes, struct sym_answer *out)
{
    struct sym_answer a = {.bytes = bytes};
    if (!sym_answer_split(&a, len_bytes) || !sym_answer_is_good(&a)) {
        free(bytes);
        return ls_fail(LS_ERR_FORMAT, "the reader of symbols sent %zu bytes that make no sense", len_bytes);
    }
    *out = a;
    return LS_OK;
}

void sym_answer_fini(struct sym_answer *a)
{
    free(a->bytes);
    *a = (struct sym_answer){0};
}
