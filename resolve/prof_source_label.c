/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolve/prof_site_names.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Tokens of C-like text: identifiers, numbers, strings, and operators of up to three characters. */
enum tok_kind { TOK_NAME, TOK_NUMBER, TOK_STRING, TOK_OP };
struct tok {
    const char *at;
    uint16_t len;
    uint8_t kind;
};
enum { TOKS_MAX = 400 };
struct toks {
    struct tok rows[TOKS_MAX];
    size_t len;
};

static bool tok_is(const struct tok *t, const char *text)
{
    return strlen(text) == t->len && memcmp(t->at, text, t->len) == 0;
}

static bool tok_is_any(const struct tok *t, const char *const *texts)
{
    for (; *texts; texts++)
        if (tok_is(t, *texts)) return true;
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

static void toks_add_line(struct toks *t, const char *line, bool is_fortran)
{
    for (line += span_blank(line, is_fortran); *line && t->len < TOKS_MAX;
         line += span_blank(line, is_fortran)) {
        enum tok_kind kind = TOK_OP;
        size_t len = 0;
        if (isdigit((unsigned char)*line)) {
            kind = TOK_NUMBER;
            len = span_number(line);
        } else if (is_name_char(*line)) {
            kind = TOK_NAME;
            len = span_name(line);
        } else if (*line == '"' || *line == '\'') {
            kind = TOK_STRING;
            len = span_string(line);
        } else if (!is_fortran || *line != '&') /* & continues a Fortran line */
            len = span_op(line);
        if (len == 0) {
            line++;
            continue;
        }
        t->rows[t->len++] = (struct tok){line, len < UINT16_MAX ? (uint16_t)len : UINT16_MAX, (uint8_t)kind};
        line += len;
    }
}

/* A stretch of tokens: [from, to). */
struct range {
    size_t from, to;
};

static bool is_open(const struct tok *t)
{
    return t->len == 1 && strchr("([{", t->at[0]);
}

static bool is_close(const struct tok *t)
{
    return t->len == 1 && strchr(")]}", t->at[0]);
}

/* Return the bracket that closes the one at `at`; to if there is none. */
static size_t close_of(const struct toks *t, size_t at, size_t to)
{
    int depth = 0;
    for (; at < to; at++) {
        depth += is_open(&t->rows[at]);
        depth -= is_close(&t->rows[at]);
        if (depth == 0) return at;
    }
    return to;
}

/* Return the bracket that opens the one at `at`; from if there is none. */
static size_t open_of(const struct toks *t, size_t at, size_t from)
{
    int depth = 0;
    for (;; at--) {
        depth += is_close(&t->rows[at]);
        depth -= is_open(&t->rows[at]);
        if (depth == 0 || at == from) return at;
    }
}

static bool is_joint(const struct tok *t)
{
    static const char *const joints[] = {".", "->", "::", "%", NULL};
    return tok_is_any(t, joints);
}

/* Cannot be a variable. */
static bool is_keyword(const struct tok *t)
{
    static const char *const words[] = {
        "return", "new",    "delete", "else",   "case",    "throw", "if",     "while",    "for",
        "switch", "sizeof", "do",     "goto",   "typedef", "using", "struct", "class",    "enum",
        "union",  "call",   "const",  "static", "auto",    "void",  "await",  "co_await", NULL};
    return t->kind == TOK_NAME && tok_is_any(t, words);
}

struct label {
    char text[PROF_LABEL_BYTES];
    size_t len;
};

static void label_put(struct label *l, const struct tok *t)
{
    if (l->len + t->len >= PROF_LABEL_BYTES) return;
    memcpy(l->text + l->len, t->at, t->len);
    l->len += t->len;
    l->text[l->len] = '\0';
}

/* The variable that ends before `end`: name, or names joined by . -> ::, subscripts left out, `this->` too. */
static bool label_before(const struct toks *t, size_t from, size_t end, struct label *out)
{
    size_t parts[16], parts_len = 0, at = end; /* tokens of the label, last one first */
    while (at > from && parts_len + 2 <= sizeof(parts) / sizeof(parts[0])) {
        while (at > from && t->rows[at - 1].len == 1 && t->rows[at - 1].at[0] == ']')
            at = open_of(t, at - 1, from);
        if (at == from || t->rows[at - 1].kind != TOK_NAME || is_keyword(&t->rows[at - 1])) break;
        parts[parts_len++] = --at;
        if (at == from || !is_joint(&t->rows[at - 1])) break;
        parts[parts_len++] = --at;
    }
    /* Nothing precedes this joint: label (*p)->x as x. */
    if (parts_len > 0 && is_joint(&t->rows[parts[parts_len - 1]])) parts_len--;
    while (parts_len > 2 && tok_is(&t->rows[parts[parts_len - 1]], "this"))
        parts_len -= 2;
    *out = (struct label){.len = 0};
    for (size_t i = parts_len; i-- > 0;)
        label_put(out, &t->rows[parts[i]]);
    return out->len > 0;
}

/* The variable that begins at `at`, subscripts and indices left out. */
static bool label_at(const struct toks *t, size_t at, size_t to, struct label *out)
{
    *out = (struct label){.len = 0};
    while (at < to && t->rows[at].kind == TOK_NAME) {
        label_put(out, &t->rows[at++]);
        while (at < to && is_open(&t->rows[at]))
            at = close_of(t, at, to) + 1;
        if (at + 1 >= to || !is_joint(&t->rows[at])) break;
        label_put(out, &t->rows[at++]);
    }
    return out->len > 0;
}

/* Is there a call, or new, in the expression from `at` on? */
static bool has_call(const struct toks *t, size_t at, size_t to)
{
    for (; at < to; at++) {
        if (tok_is(&t->rows[at], ",") || tok_is(&t->rows[at], ";") || is_close(&t->rows[at])) return false;
        if (tok_is(&t->rows[at], "new")) return true;
        if (t->rows[at].kind == TOK_NAME && at + 1 < to &&
            (tok_is(&t->rows[at + 1], "(") || tok_is(&t->rows[at + 1], "{") ||
             tok_is(&t->rows[at + 1], "<") || tok_is(&t->rows[at + 1], "!")) &&
            !tok_is(&t->rows[at], "sizeof"))
            return true;
        if (is_open(&t->rows[at])) {
            const size_t end = close_of(t, at, to);
            if (has_call(t, at + 1, end)) return true;
            at = end;
        }
    }
    return false;
}

static bool tok_contains(const struct tok *t, const char *part)
{
    for (size_t i = 0; i + strlen(part) <= t->len; i++)
        if (strncasecmp(t->at + i, part, strlen(part)) == 0) return true;
    return false;
}

/* Check whether the expression names something that sounds like an allocator. */
static bool has_allocator(const struct toks *t, size_t at, size_t to)
{
    static const char *const parts[] = {"alloc", "_new", "new_", "dup", "make_", "create", "Vec", NULL};
    for (; at < to && !tok_is(&t->rows[at], ";") && !tok_is(&t->rows[at], ","); at++) {
        if (tok_is(&t->rows[at], "new")) return true;
        for (const char *const *p = parts; *p && t->rows[at].kind == TOK_NAME; p++)
            if (tok_contains(&t->rows[at], *p)) return true;
    }
    return false;
}

/* Labels found so far: several different ones count as none. */
struct finding {
    struct label label;
    unsigned len;
};

static void finding_add(struct finding *f, const struct label *l)
{
    if (f->len > 0 && strcmp(f->label.text, l->text) == 0) return;
    f->label = *l;
    f->len++;
}

static void find_assignments(const struct toks *t, struct range r, bool must_allocate, struct finding *f)
{
    for (size_t i = r.from + 1; i + 1 < r.to; i++) {
        struct label l;
        if (!tok_is(&t->rows[i], "=") || !has_call(t, i + 1, r.to)) continue;
        if (must_allocate && !has_allocator(t, i + 1, r.to)) continue;
        if (label_before(t, r.from, i, &l)) finding_add(f, &l);
    }
}

/* posix_memalign(&p, ...), asprintf(&p, ...): the variable is the first argument. */
static void find_out_arguments(const struct toks *t, struct range r, struct finding *f)
{
    static const char *const calls[] = {"posix_memalign", "asprintf",   "vasprintf",     "getline",
                                        "getdelim",       "cudaMalloc", "MPI_Alloc_mem", NULL};
    for (size_t i = r.from; i + 2 < r.to; i++) {
        struct label l;
        if (!tok_is_any(&t->rows[i], calls) || !tok_is(&t->rows[i + 1], "(")) continue;
        const size_t end = close_of(t, i + 1, r.to);
        size_t comma = i + 2;
        for (; comma < end && !tok_is(&t->rows[comma], ","); comma++)
            if (is_open(&t->rows[comma])) comma = close_of(t, comma, end);
        if (tok_is(&t->rows[i], "MPI_Alloc_mem")) comma = end; /* there it is the last one */
        if (label_before(t, i + 2, comma, &l)) finding_add(f, &l);
    }
}

/* v.resize(n), p.reset(new T): methods after which the object holds memory. */
static void find_methods(const struct toks *t, struct range r, struct finding *f)
{
    static const char *const methods[] = {"resize",
                                          "reserve",
                                          "push_back",
                                          "emplace_back",
                                          "assign",
                                          "insert",
                                          "emplace",
                                          "push_front",
                                          "reset",
                                          "append",
                                          "push",
                                          "swap",
                                          "shrink_to_fit",
                                          "emplace_front",
                                          "try_emplace",
                                          "setSize",
                                          "setZero",
                                          "conservativeResize",
                                          NULL};
    for (size_t i = r.from + 2; i + 1 < r.to; i++) {
        struct label l;
        if (tok_is_any(&t->rows[i], methods) && tok_is(&t->rows[i + 1], "(") &&
            (tok_is(&t->rows[i - 1], ".") || tok_is(&t->rows[i - 1], "->")) &&
            label_before(t, r.from, i - 1, &l))
            finding_add(f, &l);
    }
}

/* `: data(new T[n])` in a constructor. */
static void find_initialisers(const struct toks *t, struct range r, struct finding *f)
{
    for (size_t i = r.from; i + 2 < r.to; i++) {
        struct label l;
        if (t->rows[i].kind == TOK_NAME && (tok_is(&t->rows[i + 1], "(") || tok_is(&t->rows[i + 1], "{")) &&
            tok_is(&t->rows[i + 2], "new") && label_before(t, r.from, i + 1, &l))
            finding_add(f, &l);
    }
}

/* The end of the template arguments that open at `at`, or at. */
static size_t skip_template(const struct toks *t, size_t at, size_t to)
{
    int depth = 0;
    for (size_t i = at; i < to; i++) {
        depth += tok_is(&t->rows[i], "<");
        depth -= tok_is(&t->rows[i], ">");
        if (depth == 0) return i + 1;
        if (tok_is(&t->rows[i], ";")) break;
    }
    return at;
}

/* `std::vector<double> v(n)`, `Matrix m{n, n}`: a type, then a name, then its constructor's arguments. */
static void find_declaration(const struct toks *t, struct range r, struct finding *f)
{
    static const char *const before[] = {"static", "const",  "constexpr", "thread_local", "mutable",
                                         "inline", "struct", "class",     "extern",       NULL};
    size_t at = r.from;
    while (at < r.to && tok_is_any(&t->rows[at], before))
        at++;
    if (at >= r.to || t->rows[at].kind != TOK_NAME || is_keyword(&t->rows[at])) return;
    for (at++; at < r.to; at++) { /* the rest of the type */
        if (tok_is(&t->rows[at], "<")) {
            const size_t end = skip_template(t, at, r.to);
            if (end == at) return;
            at = end - 1;
        } else if (tok_is(&t->rows[at], "::") && at + 1 < r.to && t->rows[at + 1].kind == TOK_NAME)
            at++;
        else if (!tok_is(&t->rows[at], "*") && !tok_is(&t->rows[at], "&") && !tok_is(&t->rows[at], "const"))
            break;
    }
    if (at + 1 >= r.to || t->rows[at].kind != TOK_NAME || is_keyword(&t->rows[at])) return;
    struct label l = {.len = 0};
    const struct tok *next = &t->rows[at + 1];
    label_put(&l, &t->rows[at]);
    if (l.len == 0 || !(tok_is(next, "(") || tok_is(next, "{"))) return;
    const size_t end = close_of(t, at + 1, r.to);
    if (end + 1 < r.to && tok_is(&t->rows[end + 1], ",")) return; /* several variables */
    finding_add(f, &l);
}

/* Fortran: allocate(a(n), x%b(m), stat=e) names the arrays it allocates. */
static void find_allocates(const struct toks *t, struct range r, struct finding *f)
{
    for (size_t i = r.from; i + 2 < r.to; i++) {
        if (t->rows[i].len != strlen("allocate") ||
            strncasecmp(t->rows[i].at, "allocate", t->rows[i].len) != 0 || !tok_is(&t->rows[i + 1], "("))
            continue;
        struct label all = {.len = 0};
        const size_t end = close_of(t, i + 1, r.to);
        for (size_t at = i + 2; at < end;) {
            struct label l;
            size_t next = at;
            bool is_option = false;
            for (; next < end && !tok_is(&t->rows[next], ","); next++) {
                is_option |= tok_is(&t->rows[next], "=");
                if (tok_is(&t->rows[next], "::")) at = next + 1; /* skip a type */
                if (is_open(&t->rows[next])) next = close_of(t, next, end);
            }
            if (!is_option && label_at(t, at, next, &l)) {
                const size_t room = PROF_LABEL_BYTES - all.len;
                const int n = snprintf(all.text + all.len, room, "%s%s", all.len ? ", " : "", l.text);
                if (n > 0 && (size_t)n < room) all.len += (size_t)n;
                all.text[all.len] = '\0';
            }
            at = next + 1;
        }
        if (all.len > 0) finding_add(f, &all);
    }
}

static bool is_end_of_statement(const struct tok *t)
{
    return t->len == 1 && strchr(";{}", t->at[0]);
}

/* Braces of an initialiser do not end a statement: these follow a name, a >, a ) or an =. */
static bool is_boundary(const struct toks *t, size_t at)
{
    if (!is_end_of_statement(&t->rows[at])) return false;
    if (t->rows[at].at[0] == ';') return true;
    if (t->rows[at].at[0] == '}')
        return at + 1 >= t->len || !(tok_is(&t->rows[at + 1], ";") || tok_is(&t->rows[at + 1], ")") ||
                                     tok_is(&t->rows[at + 1], ","));
    if (at == 0) return true;
    const struct tok *before = &t->rows[at - 1];
    const bool is_value = tok_is(before, "=") || tok_is(before, ">") || tok_is(before, "(") ||
                          tok_is(before, ",") ||
                          (before->kind == TOK_NAME && !is_keyword(before) && at >= 2 &&
                           (t->rows[at - 2].kind == TOK_NAME || tok_is(&t->rows[at - 2], ">") ||
                            tok_is(&t->rows[at - 2], "::") || tok_is(&t->rows[at - 2], "=")));
    return !is_value;
}

typedef void find_fn(const struct toks *t, struct range r, struct finding *f);

static void find_any_assignments(const struct toks *t, struct range r, struct finding *f)
{
    find_assignments(t, r, false, f);
}

static void find_allocating_assignments(const struct toks *t, struct range r, struct finding *f)
{
    find_assignments(t, r, true, f);
}

/* Apply one search to all statements of the line; the first search with a result decides. */
static bool find_by(const struct toks *t, size_t first, find_fn *find, struct finding *f)
{
    for (size_t from = first, to; from < t->len; from = to + 1) {
        for (to = from; to < t->len && !is_boundary(t, to); to++)
            ;
        find(t, (struct range){from, to}, f);
    }
    return f->len > 0;
}

/* Index of the first token of the statement that reaches into the last line, which begins at `line`. */
static size_t statement_begin(const struct toks *t, size_t line)
{
    size_t at = line;
    while (at > 0 && !is_boundary(t, at - 1))
        at--;
    return at;
}

bool prof_source_label(const char *const *lines, size_t len, bool is_fortran, char out[PROF_LABEL_BYTES])
{
    static find_fn *const in_c[] = {find_out_arguments,
                                    find_allocating_assignments,
                                    find_any_assignments,
                                    find_methods,
                                    find_initialisers,
                                    find_declaration,
                                    NULL};
    static find_fn *const in_fortran[] = {find_allocates, find_any_assignments, NULL};
    struct toks t = {.len = 0};
    size_t last = 0;
    for (size_t i = 0; i < len; i++) {
        last = t.len;
        toks_add_line(&t, lines[i], is_fortran);
    }
    if (t.len == last) return false; /* nothing on the line itself */
    const size_t first = is_fortran ? last : statement_begin(&t, last);
    for (find_fn *const *find = is_fortran ? in_fortran : in_c; *find; find++) {
        struct finding f = {.len = 0};
        if (!find_by(&t, first, *find, &f)) continue;
        if (f.len == 1) memcpy(out, f.label.text, PROF_LABEL_BYTES);
        return f.len == 1;
    }
    return false;
}

/* --- the type of the memory --- */

/* Tokens [from, to) as one text: a blank between names, subscripts as []. */
static void text_of(const struct toks *t, struct range r, struct label *out)
{
    *out = (struct label){.len = 0};
    for (size_t i = r.from; i < r.to; i++) {
        static const struct tok subscript = {"[]", 2, TOK_OP}, blank = {" ", 1, TOK_OP};
        const bool is_name = t->rows[i].kind == TOK_NAME;
        if (is_name && i > r.from && t->rows[i - 1].kind == TOK_NAME) label_put(out, &blank);
        if (t->rows[i].len == 1 && t->rows[i].at[0] == '[') {
            i = close_of(t, i, r.to);
            label_put(out, &subscript);
        } else
            label_put(out, &t->rows[i]);
    }
}

/* Note the text in out; several different ones are none. */
static void clue_add(char out[PROF_LABEL_BYTES], const struct label *l, unsigned *len)
{
    if (l->len == 0 || (*len > 0 && strcmp(out, l->text) == 0)) return;
    memcpy(out, l->text, PROF_LABEL_BYTES);
    if (++*len > 1) out[0] = '\0';
}

/* The end of the type that begins at `at`: before its arguments, extents or initialiser. */
static size_t type_end(const struct toks *t, size_t at, size_t to)
{
    for (; at < to; at++) {
        if (tok_is(&t->rows[at], "<")) {
            const size_t end = skip_template(t, at, to);
            if (end == at) return at;
            at = end - 1;
        } else if (t->rows[at].kind != TOK_NAME && !tok_is(&t->rows[at], "::") && !tok_is(&t->rows[at], "*"))
            return at;
    }
    return at;
}

static void find_made(const struct toks *t, struct range r, char out[PROF_LABEL_BYTES], unsigned *len)
{
    for (size_t i = r.from; i + 1 < r.to; i++) {
        struct label l;
        if (!tok_is(&t->rows[i], "new")) continue;
        size_t at = i + 1;
        if (tok_is(&t->rows[at], "(")) at = close_of(t, at, r.to) + 1; /* placement, or nothrow */
        if (at >= r.to) return;
        text_of(t, (struct range){at, type_end(t, at, r.to)}, &l);
        clue_add(out, &l, len);
    }
}

/* The end of the expression that begins at `at`: stars, names, joints, subscripts. */
static size_t operand_end(const struct toks *t, size_t at, size_t to)
{
    while (at < to && tok_is(&t->rows[at], "*"))
        at++;
    for (; at < to; at++) {
        if (t->rows[at].len == 1 && t->rows[at].at[0] == '[')
            at = close_of(t, at, to);
        else if (t->rows[at].kind != TOK_NAME && !is_joint(&t->rows[at]))
            return at;
    }
    return at;
}

static void find_measured(const struct toks *t, struct range r, char out[PROF_LABEL_BYTES], unsigned *len)
{
    for (size_t i = r.from; i + 1 < r.to; i++) {
        struct label l;
        if (!tok_is(&t->rows[i], "sizeof")) continue;
        const bool is_bracketed = tok_is(&t->rows[i + 1], "(");
        const size_t from = is_bracketed ? i + 2 : i + 1;
        const size_t to = is_bracketed ? close_of(t, i + 1, r.to) : operand_end(t, from, r.to);
        text_of(t, (struct range){from, to}, &l);
        clue_add(out, &l, len);
    }
}

/* The variable before `end`, with subscripts, and with the stars that begin a statement. */
static bool pointer_before(const struct toks *t, struct range r, struct label *out)
{
    size_t at = r.to;
    while (at > r.from) {
        while (at > r.from && t->rows[at - 1].len == 1 && t->rows[at - 1].at[0] == ']')
            at = open_of(t, at - 1, r.from);
        if (at == r.from || t->rows[at - 1].kind != TOK_NAME || is_keyword(&t->rows[at - 1])) break;
        at--;
        if (at == r.from || !is_joint(&t->rows[at - 1])) break;
        at--;
    }
    if (at < r.to && is_joint(&t->rows[at])) return false; /* (*p)->x, f().x */
    if (at + 2 < r.to && tok_is(&t->rows[at], "this") && tok_is(&t->rows[at + 1], "->")) at += 2;
    size_t stars = at;
    while (stars > r.from && tok_is(&t->rows[stars - 1], "*"))
        stars--;
    text_of(t, (struct range){stars == r.from ? stars : at, r.to}, out);
    return out->len > 0;
}

static void find_assigned(const struct toks *t, struct range r, char out[PROF_LABEL_BYTES], unsigned *len)
{
    static const struct tok star = {"*", 1, TOK_OP};
    for (size_t i = r.from; i + 1 < r.to; i++) {
        struct label l, target = {.len = 0};
        if (tok_is(&t->rows[i], "=") && has_call(t, i + 1, r.to) &&
            pointer_before(t, (struct range){r.from, i}, &l))
            clue_add(out, &l, len);
        if (!tok_is(&t->rows[i], "posix_memalign") || !tok_is(&t->rows[i + 1], "(")) continue;
        size_t comma = i + 2;
        for (; comma < r.to && !tok_is(&t->rows[comma], ","); comma++)
            if (is_open(&t->rows[comma])) comma = close_of(t, comma, r.to);
        if (comma >= r.to || !pointer_before(t, (struct range){i + 2, comma}, &l)) continue;
        bool has_address = false;
        for (size_t k = i + 2; k < comma; k++)
            has_address |= tok_is(&t->rows[k], "&");
        if (!has_address) label_put(&target, &star);
        label_put(&target, &(struct tok){l.text, (uint16_t)l.len, TOK_NAME});
        clue_add(out, &target, len);
    }
}

/* a%b is a.b, and an array's element is measured. */
static void find_fortran(const struct toks *t, struct prof_source_clues *out)
{
    struct finding f = {.len = 0};
    if (!find_by(t, 0, find_allocates, &f) || f.len != 1 || strchr(f.label.text, ',')) return;
    snprintf(out->measured, PROF_LABEL_BYTES, "%.90s[]", f.label.text);
    for (char *at = out->measured; *at; at++)
        if (*at == '%') *at = '.';
}

void prof_source_find_clues(const char *const *lines, size_t len, bool is_fortran,
                            struct prof_source_clues *out)
{
    struct toks t = {.len = 0};
    size_t last = 0;
    unsigned made = 0, measured = 0, assigned = 0;
    *out = (struct prof_source_clues){.is_return = false};
    for (size_t i = is_fortran && len > 0 ? len - 1 : 0; i < len; i++) {
        last = t.len;
        toks_add_line(&t, lines[i], is_fortran);
    }
    if (t.len == last) return;
    if (is_fortran) {
        find_fortran(&t, out);
        return;
    }
    for (size_t from = statement_begin(&t, last), to; from < t.len; from = to + 1) {
        for (to = from; to < t.len && !is_boundary(&t, to); to++)
            ;
        const struct range r = {from, to};
        find_made(&t, r, out->made, &made);
        find_measured(&t, r, out->measured, &measured);
        find_assigned(&t, r, out->assigned, &assigned);
        out->is_return |= tok_is(&t.rows[from], "return");
    }
}

bool prof_is_fortran(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (dot[1] == 'f' || dot[1] == 'F') &&
           (dot[2] == '\0' || isdigit((unsigned char)dot[2]) || strcasecmp(dot, ".for") == 0 ||
            strcasecmp(dot, ".fpp") == 0);
}
