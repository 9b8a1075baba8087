/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolve/prof_source_tokens.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

bool prof_tok_is(const struct prof_tok *t, const char *text)
{
    return strlen(text) == t->len && memcmp(t->at, text, t->len) == 0;
}

bool prof_tok_is_any(const struct prof_tok *t, const char *const *texts)
{
    for (; *texts; texts++)
        if (prof_tok_is(t, *texts)) return true;
    return false;
}

static bool is_name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static size_t span_name(const char *at)
{
    size_t n = 0;
    while (is_name_char(at[n]))
        n++;
    return n;
}

static size_t span_number(const char *at)
{
    size_t n = 0;
    while (is_name_char(at[n]) || at[n] == '.')
        n++;
    return n;
}

static size_t span_string(const char *at)
{
    size_t n = 1;
    while (at[n] && at[n] != at[0])
        n += at[n] == '\\' && at[n + 1] ? 2 : 1;
    return at[n] ? n + 1 : n;
}

static size_t span_op(const char *at)
{
    static const char *const ops[] = {
        "<<=", ">>=", "->*", "...", "<=>", "->", "::", "==", "!=", "<=", ">=", "+=", "-=",
        "*=",  "/=",  "%=",  "&=",  "|=",  "^=", "&&", "||", "++", "--", "<<", "=>", NULL};
    if (!at[1] || !strchr("=<>-+.:&|", at[1]))
        return 1; /* no operator of the list has this second character */
    for (const char *const *op = ops; *op; op++)
        if (strncmp(at, *op, strlen(*op)) == 0) return strlen(*op);
    return 1;
}

/* Bytes of white space and comments at `at`; a comment that does not end takes the rest. */
static size_t span_blank(const char *at, bool is_fortran)
{
    size_t n = 0;
    for (;;) {
        if (at[n] && isspace((unsigned char)at[n])) {
            n++;
        } else if ((at[n] == '/' && at[n + 1] == '/' && !is_fortran) || (at[n] == '!' && is_fortran)) {
            return n + strlen(at + n);
        } else if (at[n] == '/' && at[n + 1] == '*' && !is_fortran) {
            const char *end = strstr(at + n + 2, "*/");
            if (!end) return n + strlen(at + n);
            n = (size_t)(end + 2 - at);
        } else
            return n;
    }
}

void prof_toks_add_line(struct prof_toks *t, const char *line, bool is_fortran)
{
    for (line += span_blank(line, is_fortran); *line && t->len < PROF_TOKS_MAX;
         line += span_blank(line, is_fortran)) {
        enum prof_tok_kind kind = PROF_TOK_OP;
        size_t len = 0;
        if (isdigit((unsigned char)*line)) {
            kind = PROF_TOK_NUMBER;
            len = span_number(line);
        } else if (is_name_char(*line)) {
            kind = PROF_TOK_NAME;
            len = span_name(line);
        } else if (*line == '"' || *line == '\'') {
            kind = PROF_TOK_STRING;
            len = span_string(line);
        } else if (!is_fortran || *line != '&') /* & continues a Fortran line */
            len = span_op(line);
        if (len == 0) {
            line++;
            continue;
        }
        t->rows[t->len++] =
            (struct prof_tok){line, len < UINT16_MAX ? (uint16_t)len : UINT16_MAX, (uint8_t)kind};
        line += len;
    }
}

bool prof_tok_is_open(const struct prof_tok *t)
{
    return t->len == 1 && strchr("([{", t->at[0]);
}

bool prof_tok_is_close(const struct prof_tok *t)
{
    return t->len == 1 && strchr(")]}", t->at[0]);
}

size_t prof_toks_close_of(const struct prof_toks *t, size_t at, size_t to)
{
    int depth = 0;
    for (; at < to; at++) {
        depth += prof_tok_is_open(&t->rows[at]);
        depth -= prof_tok_is_close(&t->rows[at]);
        if (depth == 0) return at;
    }
    return to;
}

size_t prof_toks_open_of(const struct prof_toks *t, size_t at, size_t from)
{
    int depth = 0;
    for (;; at--) {
        depth += prof_tok_is_close(&t->rows[at]);
        depth -= prof_tok_is_open(&t->rows[at]);
        if (depth == 0 || at == from) return at;
    }
}

bool prof_tok_is_joint(const struct prof_tok *t)
{
    static const char *const joints[] = {".", "->", "::", "%", NULL};
    return prof_tok_is_any(t, joints);
}

bool prof_tok_is_keyword(const struct prof_tok *t)
{
    static const char *const words[] = {
        "return", "new",    "delete", "else",   "case",    "throw", "if",     "while",    "for",
        "switch", "sizeof", "do",     "goto",   "typedef", "using", "struct", "class",    "enum",
        "union",  "call",   "const",  "static", "auto",    "void",  "await",  "co_await", NULL};
    return t->kind == PROF_TOK_NAME && prof_tok_is_any(t, words);
}

void prof_label_put(struct prof_label *l, const struct prof_tok *t)
{
    if (l->len + t->len >= PROF_LABEL_BYTES) return;
    memcpy(l->text + l->len, t->at, t->len);
    l->len += t->len;
    l->text[l->len] = '\0';
}

/* (*name) before `end`, the declarator of a pointer to arrays. */
static bool label_in_brackets(const struct prof_toks *t, size_t from, size_t end, struct prof_label *out)
{
    if (end < from + 4 || !prof_tok_is(&t->rows[end - 1], ")") || !prof_tok_is(&t->rows[end - 3], "*") ||
        !prof_tok_is(&t->rows[end - 4], "(") || t->rows[end - 2].kind != PROF_TOK_NAME ||
        prof_tok_is_keyword(&t->rows[end - 2]))
        return false;
    prof_label_put(out, &t->rows[end - 2]);
    out->from = end - 4;
    return out->len > 0;
}

/* x.at(i) before `end`: where it leaves only x. */
static size_t before_element(const struct prof_toks *t, size_t from, size_t end)
{
    static const char *const methods[] = {"at", "front", "back", "get", NULL};
    if (end < from + 5 || !prof_tok_is(&t->rows[end - 1], ")")) return end;
    const size_t open = prof_toks_open_of(t, end - 1, from);
    return open > from + 2 && prof_tok_is_any(&t->rows[open - 1], methods) &&
                   prof_tok_is_joint(&t->rows[open - 2])
               ? open - 2
               : end;
}

bool prof_label_before(const struct prof_toks *t, size_t from, size_t end, struct prof_label *out)
{
    size_t parts[16], parts_len = 0, at = end; /* tokens of the label, last one first */
    *out = (struct prof_label){.len = 0};
    while (at > from && parts_len + 2 <= sizeof(parts) / sizeof(parts[0])) {
        while (at > from && t->rows[at - 1].len == 1 && t->rows[at - 1].at[0] == ']')
            at = prof_toks_open_of(t, at - 1, from);
        if (parts_len == 0 && label_in_brackets(t, from, at, out)) return true;
        at = before_element(t, from, at);
        if (at == from || t->rows[at - 1].kind != PROF_TOK_NAME || prof_tok_is_keyword(&t->rows[at - 1]))
            break;
        parts[parts_len++] = --at;
        if (at == from || !prof_tok_is_joint(&t->rows[at - 1])) break;
        parts[parts_len++] = --at;
    }
    /* Nothing precedes this joint: label (*p)->x as x. */
    if (parts_len > 0 && prof_tok_is_joint(&t->rows[parts[parts_len - 1]])) parts_len--;
    while (parts_len > 2 && prof_tok_is(&t->rows[parts[parts_len - 1]], "this"))
        parts_len -= 2;
    for (size_t i = parts_len; i-- > 0;)
        prof_label_put(out, &t->rows[parts[i]]);
    if (parts_len > 0) out->from = parts[parts_len - 1];
    return out->len > 0;
}

bool prof_label_at(const struct prof_toks *t, size_t at, size_t to, struct prof_label *out)
{
    *out = (struct prof_label){.from = at};
    while (at < to && t->rows[at].kind == PROF_TOK_NAME) {
        prof_label_put(out, &t->rows[at++]);
        while (at < to && prof_tok_is_open(&t->rows[at]))
            at = prof_toks_close_of(t, at, to) + 1;
        if (at + 1 >= to || !prof_tok_is_joint(&t->rows[at])) break;
        prof_label_put(out, &t->rows[at++]);
    }
    return out->len > 0;
}

bool prof_tok_contains(const struct prof_tok *t, const char *part)
{
    for (size_t i = 0; i + strlen(part) <= t->len; i++)
        if (strncasecmp(t->at + i, part, strlen(part)) == 0) return true;
    return false;
}

size_t prof_toks_skip_template(const struct prof_toks *t, size_t at, size_t to)
{
    int depth = 0;
    for (size_t i = at; i < to; i++) {
        depth += prof_tok_is(&t->rows[i], "<");
        depth -= prof_tok_is(&t->rows[i], ">");
        if (depth == 0) return i + 1;
        if (prof_tok_is(&t->rows[i], ";")) break;
    }
    return at;
}

static bool is_end_of_statement(const struct prof_tok *t)
{
    return t->len == 1 && strchr(";{}", t->at[0]);
}

/* (struct x){...}: a value, where a condition would follow a name. */
static bool is_literal(const struct prof_toks *t, size_t at)
{
    static const char *const before[] = {"=", "(", ",", "return", "&", NULL};
    if (at == 0 || !prof_tok_is(&t->rows[at - 1], ")")) return false;
    const size_t open = prof_toks_open_of(t, at - 1, 0);
    return open > 0 && prof_tok_is_any(&t->rows[open - 1], before);
}

/* Braces of an initialiser do not end a statement: these follow a name, a >, a ) or an =. */
bool prof_toks_is_boundary(const struct prof_toks *t, size_t at)
{
    if (!is_end_of_statement(&t->rows[at])) return false;
    if (t->rows[at].at[0] == ';') return true;
    if (t->rows[at].at[0] == '}')
        return at + 1 >= t->len ||
               !(prof_tok_is(&t->rows[at + 1], ";") || prof_tok_is(&t->rows[at + 1], ")") ||
                 prof_tok_is(&t->rows[at + 1], ","));
    if (at == 0) return true;
    const struct prof_tok *before = &t->rows[at - 1];
    const bool is_value = is_literal(t, at) || prof_tok_is(before, "=") || prof_tok_is(before, ">") ||
                          prof_tok_is(before, "(") || prof_tok_is(before, ",") ||
                          (before->kind == PROF_TOK_NAME && !prof_tok_is_keyword(before) && at >= 2 &&
                           (t->rows[at - 2].kind == PROF_TOK_NAME || prof_tok_is(&t->rows[at - 2], ">") ||
                            prof_tok_is(&t->rows[at - 2], "::") || prof_tok_is(&t->rows[at - 2], "=")));
    return !is_value;
}

size_t prof_toks_statement_begin(const struct prof_toks *t, size_t line)
{
    size_t at = line;
    while (at > 0 && !prof_toks_is_boundary(t, at - 1))
        at--;
    return at;
}

size_t prof_toks_expression_end(const struct prof_toks *t, size_t at, size_t to)
{
    for (; at < to; at++) {
        if (prof_tok_is_open(&t->rows[at]))
            at = prof_toks_close_of(t, at, to);
        else if (prof_tok_is_close(&t->rows[at]) || prof_tok_is(&t->rows[at], ",") ||
                 prof_tok_is(&t->rows[at], ";"))
            return at;
    }
    return to;
}

size_t prof_toks_at_column(const struct prof_toks *t, size_t line, const char *text, uint32_t column)
{
    size_t found = t->len;
    for (size_t i = line; i < t->len && (size_t)(t->rows[i].at - text) < column; i++)
        found = i;
    return column > 0 ? found : t->len;
}

bool prof_toks_has_call(const struct prof_toks *t, size_t at, size_t to)
{
    for (; at < to; at++) {
        if (prof_tok_is(&t->rows[at], ",") || prof_tok_is(&t->rows[at], ";") ||
            prof_tok_is_close(&t->rows[at]))
            return false;
        if (prof_tok_is(&t->rows[at], "new")) return true;
        if (t->rows[at].kind == PROF_TOK_NAME && at + 1 < to &&
            (prof_tok_is(&t->rows[at + 1], "(") || prof_tok_is(&t->rows[at + 1], "{") ||
             prof_tok_is(&t->rows[at + 1], "<") || prof_tok_is(&t->rows[at + 1], "!")) &&
            !prof_tok_is(&t->rows[at], "sizeof"))
            return true;
        if (prof_tok_is_open(&t->rows[at])) {
            const size_t end = prof_toks_close_of(t, at, to);
            if (prof_toks_has_call(t, at + 1, end)) return true;
            at = end;
        }
    }
    return false;
}
