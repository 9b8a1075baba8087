/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolve/prof_source_file.h"
#include "resolve/prof_source_tokens.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* Lines of a function before and after a call. */
enum { BEFORE_MAX = 400, AFTER_MAX = 300, HEADER_LINES_MAX = 16 };

/* --- names of functions --- */

/* The end of the name and its class: the arguments follow. */
static size_t name_end(const char *function)
{
    int depth = 0;
    const char *operator_at = strstr(function, "operator");
    for (size_t i = 0; function[i]; i++) {
        if (operator_at == function + i) { /* operator<, operator() */
            const char *arguments = operator_at + strlen("operator");
            if (strncmp(arguments, "()", 2) == 0) arguments += 2;
            arguments = strchr(arguments, '(');
            return arguments ? (size_t)(arguments - function) : strlen(function);
        }
        depth += function[i] == '<';
        depth -= function[i] == '>';
        if (function[i] == '(' && depth == 0) {
            if (strncmp(function + i, "(anonymous", strlen("(anonymous")) != 0) return i;
            while (function[i + 1] && function[i] != ')')
                i++;
        }
    }
    return strlen(function);
}

/* The begin of its last part: after the last :: outside of template arguments. */
static size_t last_part(const char *function, size_t end)
{
    int depth = 0;
    size_t begin = 0;
    for (size_t i = 0; i + 1 < end; i++) {
        depth += function[i] == '<';
        depth -= function[i] == '>';
        if (depth == 0 && (function[i] == ' ' || function[i] == ':')) begin = i + 1;
        if (depth == 0 && strncmp(function + i, "operator", strlen("operator")) == 0) return i;
    }
    return begin;
}

void prof_plain_function(const char *function, char out[PROF_LABEL_BYTES])
{
    const size_t end = name_end(function), begin = last_part(function, end);
    size_t len = end - begin;
    if (len >= PROF_LABEL_BYTES) len = PROF_LABEL_BYTES - 1;
    memcpy(out, function + begin, len);
    out[len] = '\0';
    char *arguments = strncmp(out, "operator", strlen("operator")) == 0 ? NULL : strchr(out, '<');
    if (arguments) *arguments = '\0'; /* arguments of a template */
}

bool prof_is_of_template(const char *function)
{
    const size_t begin = last_part(function, name_end(function));
    return begin > 3 && strncmp(function + begin - 3, ">::", 3) == 0;
}

/* --- the function's head --- */

static const char *line_at(const struct prof_source_function *f, uint32_t line)
{
    return prof_source_file_line(f->file, f->author, line);
}

/* Is there a word of this text in the line? */
static bool has_word(const char *line, const char *word, bool is_fortran)
{
    const size_t len = strlen(word);
    for (const char *at = line; len > 0 && *at; at++) {
        if ((is_fortran ? strncasecmp(at, word, len) : strncmp(at, word, len)) != 0) continue;
        const bool is_begin = at == line || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
        if (is_begin && !isalnum((unsigned char)at[len]) && at[len] != '_') return true;
    }
    return false;
}

static bool is_name(const struct prof_tok *t, const char *name, bool is_fortran)
{
    return t->len == strlen(name) &&
           (is_fortran ? strncasecmp(t->at, name, t->len) : strncmp(t->at, name, t->len)) == 0;
}

/* The brackets after a name, NAME<...>(; t->len: none. */
static size_t arguments_of(const struct prof_toks *t, size_t from, const char *name, bool is_fortran)
{
    for (size_t i = from; i + 1 < t->len; i++) {
        size_t at = i + 1;
        if (!is_name(&t->rows[i], name, is_fortran)) continue;
        if (prof_tok_is(&t->rows[at], "<")) at = prof_toks_skip_template(t, at, t->len);
        if (at < t->len && prof_tok_is(&t->rows[at], "(")) return at;
    }
    return t->len;
}

/* Does the line define the function? Then *open is the bracket before its parameters. */
static bool is_head(const struct prof_source_function *f, uint32_t line, struct prof_toks *t, size_t *open)
{
    t->len = 0;
    for (uint32_t i = line; i < line + HEADER_LINES_MAX && i <= f->line; i++) {
        const char *text = line_at(f, i);
        if (!text) break;
        prof_toks_add_line(t, text, f->is_fortran);
        *open = arguments_of(t, 0, f->name, f->is_fortran);
        if (*open == t->len) return false; /* the name is on the first line, its bracket too */
        const size_t close = prof_toks_close_of(t, *open, t->len);
        if (close + 1 < t->len || (f->is_fortran && close < t->len)) {
            if (f->is_fortran)
                return has_word(text, "subroutine", true) || has_word(line_at(f, line), "subroutine", true) ||
                       has_word(line_at(f, line), "function", true);
            static const char *const after[] = {"{", ":", "const", "noexcept", "->", "override", NULL};
            return prof_tok_is_any(&t->rows[close + 1], after);
        }
    }
    return false;
}

/* Number of the parameter with this name, if the function can change the caller's variable through it. */
static int parameter_of(const struct prof_source_function *f, const struct prof_toks *t, size_t open,
                        const char *variable)
{
    const size_t close = prof_toks_close_of(t, open, t->len);
    int number = 0;
    for (size_t at = open + 1; at < close; number++) {
        size_t end = at, stars = 0;
        const struct prof_tok *last = NULL;
        bool is_shared = f->is_fortran;
        for (; end < close && !prof_tok_is(&t->rows[end], ",") && !prof_tok_is(&t->rows[end], "="); end++) {
            if (prof_tok_is(&t->rows[end], "<")) {
                const size_t skipped = prof_toks_skip_template(t, end, close);
                if (skipped > end) end = skipped - 1;
                continue;
            }
            stars += prof_tok_is(&t->rows[end], "*");
            is_shared |= prof_tok_is(&t->rows[end], "&") || stars > 1;
            if (t->rows[end].kind == PROF_TOK_NAME) last = &t->rows[end];
        }
        if (last && is_shared && is_name(last, variable, f->is_fortran)) return number;
        end = prof_toks_expression_end(t, end, close);
        while (end < close && !prof_tok_is(&t->rows[end], ","))
            end++;
        at = end + 1;
    }
    return -1;
}

/* --- the function's end --- */

static size_t indentation(const char *line)
{
    size_t n = 0;
    while (line[n] == ' ' || line[n] == '\t')
        n++;
    return n;
}

/* A header of so many objects, or bytes if the pointer is cast. */
static struct prof_source_use header_of(const struct prof_tok *number, bool is_cast)
{
    struct prof_source_use use = {.is_behind = true};
    if (is_cast || !number || number->len > 4) return use;
    for (size_t i = 0; i < number->len; i++)
        use.header_len =
            isdigit((unsigned char)number->at[i]) ? use.header_len * 10 + (uint32_t)(number->at[i] - '0') : 0;
    return use;
}

/* p++; between the call and the end: a header of one object. */
static bool advances(const struct prof_toks *t, const char *variable)
{
    for (size_t i = 0; i + 1 < t->len; i++)
        if (prof_tok_is(&t->rows[i], "++") &&
            ((i > 0 && prof_tok_is(&t->rows[i - 1], variable) && prof_tok_is(&t->rows[i + 1], ";")) ||
             (prof_tok_is(&t->rows[i + 1], variable) && (i == 0 || prof_tok_is(&t->rows[i - 1], ";")))))
            return true;
    return false;
}

/* return p; return (T *)p; return static_cast<T *>(p); return std::move(p). Behind a header: return p + 1; return &p[1]. */
static bool returns(const struct prof_toks *t, const char *variable, struct prof_source_use *out)
{
    for (size_t i = 0; i + 1 < t->len; i++) {
        if (!prof_tok_is(&t->rows[i], "return")) continue;
        size_t at = i + 1, end = at;
        while (end < t->len && !prof_tok_is(&t->rows[end], ";"))
            end++;
        static const char *const casts[] = {"static_cast", "reinterpret_cast", NULL};
        while (at < end) {
            if (prof_tok_is(&t->rows[at], "(")) {
                const size_t close = prof_toks_close_of(t, at, end);
                if (close + 1 >= end) { /* (p) */
                    at++;
                    end = close;
                } else
                    at = close + 1;
            } else if (prof_tok_is_any(&t->rows[at], casts) && at + 1 < end)
                at = prof_toks_skip_template(t, at + 1, end);
            else if (at + 3 < end && prof_tok_is(&t->rows[at], "std") &&
                     prof_tok_is(&t->rows[at + 2], "move"))
                at += 3;
            else
                break;
        }
        const bool is_cast = prof_tok_is(&t->rows[at - 1], ")");
        const bool is_address =
            at + 2 < end && prof_tok_is(&t->rows[at], "&") && prof_tok_is(&t->rows[at + 2], "[");
        at += is_address;
        if (at >= end || !prof_tok_is(&t->rows[at], variable)) continue;
        const bool is_behind = is_address || (at + 2 < end && prof_tok_is(&t->rows[at + 1], "+"));
        if (is_behind) *out = header_of(at + 2 < end ? &t->rows[at + 2] : NULL, is_cast);
        if (at + 1 == end || is_behind) return true;
    }
    return false;
}

static bool is_returned(const struct prof_source_function *f, uint32_t head, const char *variable,
                        struct prof_source_use *out)
{
    const char *text = head ? line_at(f, head) : NULL;
    const size_t level = text ? indentation(text) : 0;
    bool has_advanced = false;
    struct prof_toks t;
    for (uint32_t line = f->line; line < f->line + AFTER_MAX && (text = line_at(f, line)) != NULL; line++) {
        if (line > f->line && text[indentation(text)] == '}' && indentation(text) <= level) return false;
        if (!has_word(text, variable, false)) continue;
        t.len = 0;
        prof_toks_add_line(&t, text, false);
        has_advanced = has_advanced || advances(&t, variable);
        if (!has_word(text, "return", false) || !returns(&t, variable, out)) continue;
        if (has_advanced) *out = (struct prof_source_use){.is_behind = true, .header_len = 1};
        return true;
    }
    return false;
}

/* Fortran's functions return the variable of their name, or the one in result(...). */
static bool is_result(const struct prof_toks *t, const struct prof_source_function *f, const char *variable)
{
    const size_t result = arguments_of(t, 0, "result", true);
    if (result + 1 < t->len) return is_name(&t->rows[result + 1], variable, true);
    return strcasecmp(variable, f->name) == 0;
}

struct prof_source_use prof_source_find_use(const struct prof_source_function *f, const char *variable)
{
    struct prof_source_use use = {.parameter = -1};
    struct prof_toks t;
    size_t open;
    uint32_t head = 0;
    for (uint32_t line = f->line; line > 0 && line + BEFORE_MAX > f->line && !head; line--) {
        const char *text = line_at(f, line);
        if (!text) return use;
        if (has_word(text, f->name, f->is_fortran) && is_head(f, line, &t, &open)) head = line;
    }
    const int parameter = head ? parameter_of(f, &t, open, variable) : -1;
    const bool is_found =
        f->is_fortran ? head && is_result(&t, f, variable) : is_returned(f, head, variable, &use);
    use.is_returned = is_found;
    use.parameter = parameter;
    return use;
}

/* --- the caller's side --- */

bool prof_source_argument(const struct prof_source_place *p, int number, char out[PROF_LABEL_BYTES])
{
    struct prof_toks t = {.len = 0};
    struct prof_label l;
    size_t last = 0;
    for (size_t i = 0; i < p->len; i++) {
        last = t.len;
        prof_toks_add_line(&t, p->lines[i], p->is_fortran);
    }
    size_t at = arguments_of(&t, p->is_fortran ? last : prof_toks_statement_begin(&t, last), p->callee,
                             p->is_fortran);
    if (at == t.len) return false;
    const size_t close = prof_toks_close_of(&t, at, t.len);
    for (at++; number > 0 && at < close; number--)
        at = prof_toks_expression_end(&t, at, close) + 1;
    if (at >= close || !prof_label_before(&t, at, prof_toks_expression_end(&t, at, close), &l)) return false;
    memcpy(out, l.text, PROF_LABEL_BYTES);
    return true;
}
