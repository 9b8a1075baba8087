/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolve/prof_source_tokens.h"

#include <stdio.h>
#include <string.h>

/* Tokens [from, to) as one text: a blank between names, subscripts as []. */
static void text_of(const struct prof_toks *t, struct prof_tok_range r, struct prof_label *out)
{
    *out = (struct prof_label){.len = 0};
    for (size_t i = r.from; i < r.to; i++) {
        static const struct prof_tok subscript = {"[]", 2, PROF_TOK_OP}, blank = {" ", 1, PROF_TOK_OP};
        const bool is_name = t->rows[i].kind == PROF_TOK_NAME;
        if (is_name && i > r.from && t->rows[i - 1].kind == PROF_TOK_NAME) prof_label_put(out, &blank);
        if (t->rows[i].len == 1 && t->rows[i].at[0] == '[') {
            i = prof_toks_close_of(t, i, r.to);
            prof_label_put(out, &subscript);
        } else
            prof_label_put(out, &t->rows[i]);
    }
}

/* Note the text in out; several different ones are none. */
static void clue_add(char out[PROF_LABEL_BYTES], const struct prof_label *l, unsigned *len)
{
    if (l->len == 0 || (*len > 0 && strcmp(out, l->text) == 0)) return;
    memcpy(out, l->text, PROF_LABEL_BYTES);
    if (++*len > 1) out[0] = '\0';
}

/* The end of the type that begins at `at`: before its arguments, extents or initialiser. */
static size_t type_end(const struct prof_toks *t, size_t at, size_t to)
{
    for (; at < to; at++) {
        if (prof_tok_is(&t->rows[at], "<")) {
            const size_t end = prof_toks_skip_template(t, at, to);
            if (end == at) return at;
            at = end - 1;
        } else if (t->rows[at].kind != PROF_TOK_NAME && !prof_tok_is(&t->rows[at], "::") &&
                   !prof_tok_is(&t->rows[at], "*"))
            return at;
    }
    return at;
}

static void find_made(const struct prof_toks *t, struct prof_tok_range r, char out[PROF_LABEL_BYTES],
                      unsigned *len)
{
    for (size_t i = r.from; i + 1 < r.to; i++) {
        struct prof_label l;
        if (!prof_tok_is(&t->rows[i], "new")) continue;
        size_t at = i + 1;
        if (prof_tok_is(&t->rows[at], "("))
            at = prof_toks_close_of(t, at, r.to) + 1; /* placement, or nothrow */
        if (at >= r.to) return;
        text_of(t, (struct prof_tok_range){at, type_end(t, at, r.to)}, &l);
        clue_add(out, &l, len);
    }
}

/* The end of the expression that begins at `at`: stars, names, joints, subscripts. */
static size_t operand_end(const struct prof_toks *t, size_t at, size_t to)
{
    while (at < to && prof_tok_is(&t->rows[at], "*"))
        at++;
    for (; at < to; at++) {
        if (t->rows[at].len == 1 && t->rows[at].at[0] == '[')
            at = prof_toks_close_of(t, at, to);
        else if (t->rows[at].kind != PROF_TOK_NAME && !prof_tok_is_joint(&t->rows[at]))
            return at;
    }
    return at;
}

static void find_measured(const struct prof_toks *t, struct prof_tok_range r, char out[PROF_LABEL_BYTES],
                          unsigned *len)
{
    for (size_t i = r.from; i + 1 < r.to; i++) {
        struct prof_label l;
        if (!prof_tok_is(&t->rows[i], "sizeof")) continue;
        const bool is_bracketed = prof_tok_is(&t->rows[i + 1], "(");
        const size_t from = is_bracketed ? i + 2 : i + 1;
        const size_t to = is_bracketed ? prof_toks_close_of(t, i + 1, r.to) : operand_end(t, from, r.to);
        text_of(t, (struct prof_tok_range){from, to}, &l);
        clue_add(out, &l, len);
    }
}

/* The variable before `end`, with subscripts, and with the stars that begin a statement. */
static bool pointer_before(const struct prof_toks *t, struct prof_tok_range r, struct prof_label *out)
{
    size_t at = r.to;
    while (at > r.from) {
        while (at > r.from && t->rows[at - 1].len == 1 && t->rows[at - 1].at[0] == ']')
            at = prof_toks_open_of(t, at - 1, r.from);
        if (at == r.from || t->rows[at - 1].kind != PROF_TOK_NAME || prof_tok_is_keyword(&t->rows[at - 1]))
            break;
        at--;
        if (at == r.from || !prof_tok_is_joint(&t->rows[at - 1])) break;
        at--;
    }
    if (at < r.to && prof_tok_is_joint(&t->rows[at])) return false; /* (*p)->x, f().x */
    if (at + 2 < r.to && prof_tok_is(&t->rows[at], "this") && prof_tok_is(&t->rows[at + 1], "->")) at += 2;
    size_t stars = at;
    while (stars > r.from && prof_tok_is(&t->rows[stars - 1], "*"))
        stars--;
    text_of(t, (struct prof_tok_range){stars == r.from ? stars : at, r.to}, out);
    return out->len > 0;
}

struct clue {
    char *text; /* PROF_LABEL_BYTES */
    unsigned *len;
};

/* In a part of the statement r. */
static void find_assigned(const struct prof_toks *t, struct prof_tok_range r, struct prof_tok_range part,
                          struct clue found)
{
    static const struct prof_tok star = {"*", 1, PROF_TOK_OP};
    for (size_t i = part.from; i + 1 < part.to; i++) {
        struct prof_label l, target = {.len = 0};
        if (prof_tok_is(&t->rows[i], "=") && prof_toks_has_call(t, i + 1, r.to) &&
            pointer_before(t, (struct prof_tok_range){r.from, i}, &l))
            clue_add(found.text, &l, found.len);
        if (!prof_tok_is(&t->rows[i], "posix_memalign") || !prof_tok_is(&t->rows[i + 1], "(")) continue;
        size_t comma = i + 2;
        for (; comma < r.to && !prof_tok_is(&t->rows[comma], ","); comma++)
            if (prof_tok_is_open(&t->rows[comma])) comma = prof_toks_close_of(t, comma, r.to);
        if (comma >= r.to || !pointer_before(t, (struct prof_tok_range){i + 2, comma}, &l)) continue;
        bool has_address = false;
        for (size_t k = i + 2; k < comma; k++)
            has_address |= prof_tok_is(&t->rows[k], "&");
        if (!has_address) prof_label_put(&target, &star);
        prof_label_put(&target, &(struct prof_tok){l.text, (uint16_t)l.len, PROF_TOK_NAME});
        clue_add(found.text, &target, found.len);
    }
}

/* a%b is a.b, and an array's element is measured. */
static void find_fortran(const struct prof_source_place *p, struct prof_source_clues *out)
{
    struct prof_source_name name;
    const struct prof_source_place place = {
        .lines = p->lines, .len = p->len, .is_fortran = true, .callee = ""};
    if (prof_source_find_name(&place, &name) != PROF_SOURCE_NAMED || name.parts != 1) return;
    snprintf(out->measured, PROF_LABEL_BYTES, "%.90s[]", name.text);
    for (char *at = out->measured; *at; at++)
        if (*at == '%') *at = '.';
}

/* The part of the statement around the call, between commas outside of brackets. */
static struct prof_tok_range part_around(const struct prof_toks *t, struct prof_tok_range r, size_t call)
{
    struct prof_tok_range part = {r.from, r.to};
    if (call < r.from || call >= r.to) return part;
    for (size_t at = r.from; at < r.to; at++) {
        if (prof_tok_is_open(&t->rows[at])) {
            at = prof_toks_close_of(t, at, r.to);
        } else if (prof_tok_is(&t->rows[at], "<")) {
            const size_t end = prof_toks_skip_template(t, at, r.to);
            if (end > at) at = end - 1;
        } else if (prof_tok_is(&t->rows[at], ",")) {
            if (at >= call) {
                part.to = at;
                return part;
            }
            part.from = at + 1;
        }
    }
    return part;
}

void prof_source_find_clues(const struct prof_source_place *p, struct prof_source_clues *out)
{
    struct prof_toks t = {.len = 0};
    size_t last = 0;
    unsigned made = 0, measured = 0, assigned = 0;
    *out = (struct prof_source_clues){.is_return = false};
    for (size_t i = 0; i < p->len; i++) {
        last = t.len;
        prof_toks_add_line(&t, p->lines[i], p->is_fortran);
    }
    if (t.len == last) return;
    if (p->is_fortran) {
        find_fortran(p, out);
        return;
    }
    const size_t call = prof_toks_at_column(&t, last, p->lines[p->len - 1], p->column);
    for (size_t from = prof_toks_statement_begin(&t, last), to; from < t.len; from = to + 1) {
        for (to = from; to < t.len && !prof_toks_is_boundary(&t, to); to++)
            ;
        if (call < t.len && (call < from || call > to)) continue;
        const struct prof_tok_range r = {from, to}, part = part_around(&t, r, call);
        find_made(&t, part, out->made, &made);
        find_measured(&t, part, out->measured, &measured);
        find_assigned(&t, r, part, (struct clue){out->assigned, &assigned});
        out->is_return |= prof_tok_is(&t.rows[from], "return");
    }
}
