/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolve/prof_source_tokens.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Check whether the expression names something that sounds like an allocator. */
static bool has_allocator(const struct prof_toks *t, size_t at, size_t to)
{
    static const char *const parts[] = {"alloc", "_new", "new_", "dup", "make_", "create", "Vec", NULL};
    for (; at < to && !prof_tok_is(&t->rows[at], ";") && !prof_tok_is(&t->rows[at], ","); at++) {
        if (prof_tok_is(&t->rows[at], "new")) return true;
        for (const char *const *p = parts; *p && t->rows[at].kind == PROF_TOK_NAME; p++)
            if (prof_tok_contains(&t->rows[at], *p)) return true;
    }
    return false;
}

/* --- candidates --- */

enum { CANDIDATES_MAX = 16 };

/* Variables that a line may name, each with the tokens of its declarator or expression: the column of the call
 * chooses one. Without a column several different ones are none, unless all are in one another. */
struct finding {
    const char *callee; /* the called function, "": not known */
    struct candidate {
        struct prof_label label;
        struct prof_tok_range around;
    } rows[CANDIDATES_MAX];
    size_t len;
};

static void finding_add(struct finding *f, const struct prof_label *l, size_t to)
{
    for (size_t i = 0; i < f->len; i++)
        if (strcmp(f->rows[i].label.text, l->text) == 0) {
            if (to > f->rows[i].around.to) f->rows[i].around.to = to;
            return;
        }
    if (f->len < CANDIDATES_MAX) f->rows[f->len++] = (struct candidate){*l, {l->from, to}};
}

/* The innermost candidate around the token. */
static const struct candidate *finding_at(const struct finding *f, size_t token)
{
    const struct candidate *best = NULL;
    for (size_t i = 0; i < f->len; i++) {
        const struct candidate *c = &f->rows[i];
        const bool is_around = token >= c->around.from && token < c->around.to;
        if (is_around && (!best || c->around.from > best->around.from ||
                          (c->around.from == best->around.from && c->around.to < best->around.to)))
            best = c;
    }
    return best;
}

/* The one candidate; the innermost one of several that are in one another. */
static const struct candidate *finding_only(const struct finding *f)
{
    const struct candidate *best = f->len > 0 ? &f->rows[0] : NULL;
    for (size_t i = 1; i < f->len; i++)
        if (f->rows[i].around.from > best->around.from) best = &f->rows[i];
    for (size_t i = 0; i < f->len; i++)
        if (best->around.from < f->rows[i].around.from || best->around.to > f->rows[i].around.to) return NULL;
    return best;
}

/* --- shapes of statements --- */

/* {.x = malloc(n)}: set the label to that of the whole object, .x. `at` is the dot. */
static void label_add_outer(const struct prof_toks *t, struct prof_tok_range r, size_t at,
                            struct prof_label *l)
{
    struct prof_label outer;
    size_t brace = at;
    while (brace > r.from && !prof_tok_is(&t->rows[brace - 1], "{")) {
        brace--;
        if (prof_tok_is_close(&t->rows[brace])) brace = prof_toks_open_of(t, brace, r.from);
    }
    if (brace < r.from + 2) return;
    size_t before = brace - 2; /* the token before the brace */
    if (prof_tok_is(&t->rows[before], ")")) {
        before = prof_toks_open_of(t, before, r.from);
        if (before == r.from) return;
        before--;
    }
    if (!prof_tok_is(&t->rows[before], "=") || !prof_label_before(t, r.from, before, &outer)) return;
    const struct prof_tok dot = {".", 1, PROF_TOK_OP}, inner = {l->text, (uint16_t)l->len, PROF_TOK_NAME};
    struct prof_label whole = outer;
    prof_label_put(&whole, &dot);
    prof_label_put(&whole, &inner);
    whole.from = l->from;
    *l = whole;
}

/* The first argument of realloc(context, old, n) is no memory that grows. */
static bool is_context(const struct prof_toks *t, size_t from, size_t to)
{
    static const char *const names[] = {"db",  "ctx",   "cx",        "context", "pool", "heap", "arena", "L",
                                        "env", "state", "allocator", "alloc",   "mem",  "gc",   NULL};
    return to > from && prof_tok_is_any(&t->rows[to - 1], names);
}

/* new = realloc(old, n): it is still the old one, wherever that is kept. */
static void label_of_grown(const struct prof_toks *t, size_t at, size_t to, struct prof_label *l)
{
    static const char *const none[] = {"NULL", "nullptr", NULL};
    struct prof_label old;
    if (strpbrk(l->text, ".->:%")) return;
    for (; at + 1 < to; at++) {
        if (t->rows[at].kind != PROF_TOK_NAME || !prof_tok_contains(&t->rows[at], "realloc") ||
            !prof_tok_is(&t->rows[at + 1], "("))
            continue;
        size_t from = at + 2, end = prof_toks_expression_end(t, from, to);
        if (is_context(t, from, end) && end + 1 < to && prof_tok_is(&t->rows[end], ",")) {
            from = end + 1;
            end = prof_toks_expression_end(t, from, to);
        }
        if (end > from && !prof_tok_is_any(&t->rows[end - 1], none) &&
            prof_label_before(t, from, end, &old)) {
            memcpy(l->text, old.text, PROF_LABEL_BYTES);
            l->len = old.len;
        }
        return;
    }
}

static void find_assignments(const struct prof_toks *t, struct prof_tok_range r, bool must_allocate,
                             struct finding *f)
{
    for (size_t i = r.from + 1; i + 1 < r.to; i++) {
        struct prof_label l;
        if (!prof_tok_is(&t->rows[i], "=") || !prof_toks_has_call(t, i + 1, r.to)) continue;
        if (must_allocate && !has_allocator(t, i + 1, r.to)) continue;
        if (!prof_label_before(t, r.from, i, &l)) continue;
        const size_t to = prof_toks_expression_end(t, i + 1, r.to);
        label_of_grown(t, i + 1, to, &l);
        if (l.from > r.from + 1 && prof_tok_is(&t->rows[l.from - 1], ".") &&
            (prof_tok_is(&t->rows[l.from - 2], "{") || prof_tok_is(&t->rows[l.from - 2], ",")))
            label_add_outer(t, r, l.from - 1, &l);
        finding_add(f, &l, to);
    }
}

/* posix_memalign(&p, ...), asprintf(&p, ...): the variable is the first argument. */
static void find_out_arguments(const struct prof_toks *t, struct prof_tok_range r, struct finding *f)
{
    static const char *const calls[] = {
        "posix_memalign", "asprintf", "vasprintf", "getline", "getdelim", "MPI_Alloc_mem",
        /* memory of devices */
        "cudaMalloc", "cudaMallocManaged", "cudaMallocHost", "cudaHostAlloc", "cudaMallocPitch",
        "cudaMallocAsync", "cuMemAlloc", "cuMemAlloc_v2", "cuMemAllocManaged", "cuMemAllocHost",
        "cuMemHostAlloc", "cuMemAllocAsync", "hipMalloc", "hipMallocManaged", "hipHostMalloc",
        "hipMallocHost", "hipMallocPitch", "hipMallocAsync", "hipExtMallocWithFlags", NULL};
    for (size_t i = r.from; i + 2 < r.to; i++) {
        struct prof_label l;
        if (!prof_tok_is_any(&t->rows[i], calls) || !prof_tok_is(&t->rows[i + 1], "(")) continue;
        const size_t end = prof_toks_close_of(t, i + 1, r.to);
        size_t comma = prof_toks_expression_end(t, i + 2, end);
        if (prof_tok_is(&t->rows[i], "MPI_Alloc_mem")) comma = end; /* there it is the last one */
        if (!prof_label_before(t, i + 2, comma, &l)) continue;
        l.from = i;
        finding_add(f, &l, end + 1);
    }
}

/* v.resize(n), p.reset(new T): methods after which the object holds memory. */
static void find_methods(const struct prof_toks *t, struct prof_tok_range r, struct finding *f)
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
                                          "insert_or_assign",
                                          "setSize",
                                          "setZero",
                                          "conservativeResize",
                                          NULL};
    for (size_t i = r.from + 2; i + 1 < r.to; i++) {
        struct prof_label l;
        if ((prof_tok_is_any(&t->rows[i], methods) || prof_tok_is(&t->rows[i], f->callee)) &&
            prof_tok_is(&t->rows[i + 1], "(") &&
            (prof_tok_is(&t->rows[i - 1], ".") || prof_tok_is(&t->rows[i - 1], "->")) &&
            prof_label_before(t, r.from, i - 1, &l))
            finding_add(f, &l, prof_toks_close_of(t, i + 1, r.to) + 1);
    }
}

/* `: data(new T[n]), names(n)` of a constructor: members of the list after a colon. */
static void find_initialisers(const struct prof_toks *t, struct prof_tok_range r, struct finding *f)
{
    size_t colon = r.from;
    while (colon < r.to &&
           !(prof_tok_is(&t->rows[colon], ":") && (colon == r.from || prof_tok_is(&t->rows[colon - 1], ")") ||
                                                   prof_tok_is(&t->rows[colon - 1], "noexcept"))))
        colon++;
    for (size_t at = colon + 1; at + 1 < r.to; at++) {
        struct prof_label l = {.from = at};
        if (t->rows[at].kind != PROF_TOK_NAME) return;
        prof_label_put(&l, &t->rows[at++]);
        if (at < r.to && prof_tok_is(&t->rows[at], "<"))
            at = prof_toks_skip_template(t, at, r.to); /* a base class */
        if (at >= r.to || !(prof_tok_is(&t->rows[at], "(") || prof_tok_is(&t->rows[at], "{"))) return;
        at = prof_toks_close_of(t, at, r.to) + 1;
        finding_add(f, &l, at);
        if (at >= r.to || !prof_tok_is(&t->rows[at], ",")) return;
    }
}

/* Members of a list that began further up: `data(new T[n])`. */
static void find_new_members(const struct prof_toks *t, struct prof_tok_range r, struct finding *f)
{
    for (size_t i = r.from; i + 2 < r.to; i++) {
        struct prof_label l;
        if (t->rows[i].kind == PROF_TOK_NAME &&
            (prof_tok_is(&t->rows[i + 1], "(") || prof_tok_is(&t->rows[i + 1], "{")) &&
            prof_tok_is(&t->rows[i + 2], "new") && prof_label_before(t, r.from, i + 1, &l))
            finding_add(f, &l, prof_toks_close_of(t, i + 1, r.to) + 1);
    }
}

/* `std::vector<double> v(n), w(n)`, `Matrix m{n, n}`, `Mesh mesh;`: a type, then names with their arguments. */
static void find_declaration(const struct prof_toks *t, struct prof_tok_range r, bool has_arguments,
                             struct finding *f)
{
    static const char *const before[] = {"static", "const",  "constexpr", "thread_local", "mutable",
                                         "inline", "struct", "class",     "extern",       NULL};
    size_t at = r.from;
    while (at < r.to && prof_tok_is_any(&t->rows[at], before))
        at++;
    if (at >= r.to || t->rows[at].kind != PROF_TOK_NAME || prof_tok_is_keyword(&t->rows[at])) return;
    for (at++; at < r.to; at++) { /* the rest of the type */
        if (prof_tok_is(&t->rows[at], "<")) {
            const size_t end = prof_toks_skip_template(t, at, r.to);
            if (end == at) return;
            at = end - 1;
        } else if (prof_tok_is(&t->rows[at], "::") && at + 1 < r.to && t->rows[at + 1].kind == PROF_TOK_NAME)
            at++;
        else if (!prof_tok_is(&t->rows[at], "*") && !prof_tok_is(&t->rows[at], "&") &&
                 !prof_tok_is(&t->rows[at], "const"))
            break;
    }
    while (at < r.to && t->rows[at].kind == PROF_TOK_NAME && !prof_tok_is_keyword(&t->rows[at])) {
        struct prof_label l = {.from = at};
        prof_label_put(&l, &t->rows[at++]);
        const bool is_made = at < r.to && (prof_tok_is(&t->rows[at], "(") || prof_tok_is(&t->rows[at], "{"));
        if (is_made) at = prof_toks_close_of(t, at, r.to) + 1;
        if (l.len == 0 || (!is_made && (has_arguments || (at < r.to && !prof_tok_is(&t->rows[at], ",")))))
            return;
        finding_add(f, &l, at);
        if (at >= r.to || !prof_tok_is(&t->rows[at], ",")) return;
        at++;
    }
}

static void find_made(const struct prof_toks *t, struct prof_tok_range r, struct finding *f)
{
    find_declaration(t, r, true, f);
}

static void find_declared(const struct prof_toks *t, struct prof_tok_range r, struct finding *f)
{
    find_declaration(t, r, false, f);
}

/* Only a container's operator[] makes memory here. */
static void find_subscripted(const struct prof_toks *t, struct prof_tok_range r, struct finding *f)
{
    for (size_t i = r.from; i + 1 < r.to; i++) {
        struct prof_label l;
        if (strcmp(f->callee, "operator[]") != 0) return;
        if (prof_tok_is(&t->rows[i + 1], "[") && prof_label_before(t, r.from, i + 1, &l))
            finding_add(f, &l, prof_toks_close_of(t, i + 1, r.to) + 1);
    }
}

/* text += other, copy = field, w = a * 2: operators and copies may allocate. */
static void find_values(const struct prof_toks *t, struct prof_tok_range r, struct finding *f)
{
    for (size_t i = r.from + 1; i + 1 < r.to; i++) {
        struct prof_label l;
        if (prof_tok_is_open(&t->rows[i])) i = prof_toks_close_of(t, i, r.to);
        if (i + 1 >= r.to) return;
        const bool is_plain = prof_tok_is(&t->rows[i], "="), is_added = prof_tok_is(&t->rows[i], "+=");
        if ((is_plain || (is_added && !prof_toks_has_call(t, i + 1, r.to))) &&
            prof_label_before(t, r.from, i, &l))
            finding_add(f, &l, prof_toks_expression_end(t, i + 1, r.to));
    }
}

static bool is_base_type(const struct prof_tok *t)
{
    static const char *const types[] = {"char", "short", "int",      "long",   "float", "double",
                                        "void", "bool",  "unsigned", "signed", NULL};
    return prof_tok_is_any(t, types);
}

static bool is_macro(const struct prof_tok *t)
{
    if (t->kind != PROF_TOK_NAME || t->len < 2) return false;
    for (size_t i = 0; i < t->len; i++)
        if (islower((unsigned char)t->at[i])) return false;
    return true;
}

/* ALLOCATE(p, n): a macro that assigns to its first argument. */
static void find_macros(const struct prof_toks *t, struct prof_tok_range r, struct finding *f)
{
    for (size_t i = r.from; i + 2 < r.to; i++) {
        struct prof_label l;
        if (!is_macro(&t->rows[i]) || !prof_tok_is(&t->rows[i + 1], "(")) continue;
        const size_t end = prof_toks_expression_end(t, i + 2, r.to);
        if (!prof_label_before(t, i + 2, end, &l) || is_base_type(&t->rows[l.from])) continue;
        if (l.from > i + 2 && t->rows[l.from - 1].kind == PROF_TOK_NAME) continue; /* struct x */
        l.from = i;
        finding_add(f, &l, prof_toks_close_of(t, i + 1, r.to) + 1);
    }
}

/* Fortran: allocate(a(n), x%b(m), stat=e) names the arrays it allocates. */
static void find_allocates(const struct prof_toks *t, struct prof_tok_range r, struct finding *f)
{
    for (size_t i = r.from; i + 2 < r.to; i++) {
        if (t->rows[i].len != strlen("allocate") ||
            strncasecmp(t->rows[i].at, "allocate", t->rows[i].len) != 0 || !prof_tok_is(&t->rows[i + 1], "("))
            continue;
        const size_t end = prof_toks_close_of(t, i + 1, r.to);
        for (size_t at = i + 2; at < end;) {
            struct prof_label l;
            size_t next = at;
            bool is_option = false;
            for (; next < end && !prof_tok_is(&t->rows[next], ","); next++) {
                is_option |= prof_tok_is(&t->rows[next], "=");
                if (prof_tok_is(&t->rows[next], "::")) at = next + 1; /* skip a type */
                if (prof_tok_is_open(&t->rows[next])) next = prof_toks_close_of(t, next, end);
            }
            if (!is_option && prof_label_at(t, at, next, &l)) finding_add(f, &l, next);
            at = next + 1;
        }
    }
}

typedef void find_fn(const struct prof_toks *t, struct prof_tok_range r, struct finding *f);

static void find_any_assignments(const struct prof_toks *t, struct prof_tok_range r, struct finding *f)
{
    find_assignments(t, r, false, f);
}

static void find_allocating_assignments(const struct prof_toks *t, struct prof_tok_range r, struct finding *f)
{
    find_assignments(t, r, true, f);
}

/* --- statements --- */

/* A source line as tokens, with the lines before it. */
struct statement {
    struct prof_toks toks;
    size_t first; /* start of the statement that extends into the last line */
    size_t last;  /* the first token of the last line */
    size_t call;  /* the token of the column, toks.len: not known */
};

/* False: there is nothing on the line itself. */
static bool statement_read(struct statement *s, const struct prof_source_place *p)
{
    s->toks.len = s->last = 0;
    for (size_t i = 0; i < p->len; i++) {
        s->last = s->toks.len;
        prof_toks_add_line(&s->toks, p->lines[i], p->is_fortran);
    }
    if (s->toks.len == s->last) return false;
    s->call = prof_toks_at_column(&s->toks, s->last, p->lines[p->len - 1], p->column);
    s->first = prof_toks_statement_begin(&s->toks, s->last);
    return true;
}

/* Fortran's lines end with &, which is no token, where they go on. */
static size_t statement_begin_fortran(const struct prof_source_place *p, const struct statement *s)
{
    struct prof_toks one;
    size_t first = s->last;
    for (size_t i = p->len - 1; i-- > 0;) {
        const char *line = p->lines[i], *end = strchr(line, '!');
        size_t len = end ? (size_t)(end - line) : strlen(line);
        while (len > 0 && isspace((unsigned char)line[len - 1]))
            len--;
        if (len == 0 || line[len - 1] != '&') break;
        one.len = 0;
        prof_toks_add_line(&one, line, true);
        first -= one.len < first ? one.len : first;
    }
    return first;
}

/* Apply one search to the statement of the call, or to all statements of the line. */
static void find_by(const struct statement *s, find_fn *find, bool is_whole_line, struct finding *f)
{
    const struct prof_toks *t = &s->toks;
    f->len = 0;
    for (size_t from = s->first, to; from < t->len; from = to + 1) {
        for (to = from; to < t->len && !prof_toks_is_boundary(t, to); to++)
            ;
        if (is_whole_line || (s->call >= from && s->call <= to))
            find(t, (struct prof_tok_range){from, to}, f);
    }
}

static bool statement_returns(const struct statement *s)
{
    const struct prof_toks *t = &s->toks;
    size_t from = s->call < t->len ? s->call : s->last;
    while (from > s->first && !prof_toks_is_boundary(t, from - 1))
        from--;
    static const char *const before[] = {"else", "case", "default", "do", NULL};
    while (from < t->len && prof_tok_is_any(&t->rows[from], before))
        from++;
    if (from + 1 < t->len && prof_tok_is(&t->rows[from], "if") && prof_tok_is(&t->rows[from + 1], "("))
        from = prof_toks_close_of(t, from + 1, t->len) + 1;
    return from < t->len && prof_tok_is(&t->rows[from], "return");
}

static void name_set(struct prof_source_name *out, const struct candidate *c)
{
    memcpy(out->text, c->label.text, PROF_LABEL_BYTES);
    out->parts = 1;
}

/* Return all of them if only the order of their allocations can distinguish them. */
static bool name_all(struct prof_source_name *out, const struct finding *f)
{
    size_t len = 0;
    for (size_t i = 0; i < f->len; i++) {
        const char *const text = f->rows[i].label.text;
        if (len + strlen(text) + 3 > PROF_LABEL_BYTES) return false;
        len += (size_t)sprintf(out->text + len, "%s%s", i > 0 ? ", " : "", text);
    }
    out->parts = (unsigned)f->len;
    return f->len > 0;
}

/* The first search with a result decides. */
static bool find_name(const struct statement *s, find_fn *const *searches, struct finding *f,
                      struct prof_source_name *out)
{
    for (find_fn *const *find = searches; *find; find++) {
        const struct candidate *only;
        find_by(s, *find, s->call == s->toks.len, f);
        if (s->call < s->toks.len) {
            only = finding_at(f, s->call);
            if (!only && f->len == 1) only = &f->rows[0];
            if (!only) continue;
        } else if (f->len == 0)
            continue;
        else
            only = finding_only(f);
        if (only) name_set(out, only);
        return only != NULL;
    }
    return false;
}

enum prof_source_result prof_source_find_name(const struct prof_source_place *p, struct prof_source_name *out)
{
    static find_fn *const in_c[] = {find_out_arguments,   find_subscripted, find_allocating_assignments,
                                    find_any_assignments, find_methods,     find_new_members,
                                    find_initialisers,    find_made,        find_macros,
                                    find_values,          find_declared,    NULL};
    static find_fn *const in_fortran[] = {find_any_assignments, find_values, NULL};
    struct statement s;
    struct finding f = {.callee = p->callee};
    *out = (struct prof_source_name){.parts = 0};
    if (p->len == 0 || !statement_read(&s, p)) return PROF_SOURCE_NOTHING;
    if (p->is_fortran) {
        s.call = s.toks.len; /* its columns do not distinguish arrays */
        s.first = statement_begin_fortran(p, &s);
        find_by(&s, find_allocates, true, &f);
        if (name_all(out, &f)) return PROF_SOURCE_NAMED;
        return find_name(&s, in_fortran, &f, out) ? PROF_SOURCE_NAMED : PROF_SOURCE_NOTHING;
    }
    if (s.call < s.toks.len && statement_returns(&s)) return PROF_SOURCE_RETURNED;
    if (find_name(&s, in_c, &f, out)) return PROF_SOURCE_NAMED;
    return statement_returns(&s) ? PROF_SOURCE_RETURNED : PROF_SOURCE_NOTHING;
}

bool prof_is_fortran(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (dot[1] == 'f' || dot[1] == 'F') &&
           (dot[2] == '\0' || isdigit((unsigned char)dot[2]) || strcasecmp(dot, ".for") == 0 ||
            strcasecmp(dot, ".fpp") == 0);
}
