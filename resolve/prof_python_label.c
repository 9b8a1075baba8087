/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolve/prof_scripts.h"
#include "resolve/prof_site_names.h"

#include <ctype.h>
#include <string.h>

/* A statement of Python up to the expression whose value was allocated. */
struct python_statement {
    const char *text;
    size_t len;              /* up to the expression */
    size_t begin;            /* the statement begins there */
    size_t target_end;       /* end of the targets of the assignment, 0: there is none */
    size_t value;            /* begin of the value, as far as it may be the expression */
    size_t bracket;          /* outermost one that is open */
    unsigned commas;         /* values before the expression */
    unsigned depth, wrapped; /* open brackets; the brackets that only wrap the value */
    bool is_annotated, is_augmented;
};

static bool python_is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static bool python_is_blank(const char *text, size_t from, size_t to)
{
    while (from < to && (isspace((unsigned char)text[from]) || text[from] == '\\'))
        from++;
    return from >= to;
}

static size_t python_skip_blanks(const char *text, size_t from, size_t to)
{
    while (from < to && (text[from] == ' ' || text[from] == '\t' || text[from] == '\n'))
        from++;
    return from;
}

/* The end of a string literal that begins at `at`, or of the text. */
static size_t python_skip_string(const char *text, size_t at, size_t len)
{
    const char quote = text[at++];
    for (; at < len && text[at] != quote; at++)
        if (text[at] == '\\') at++;
    return at < len ? at : len - 1;
}

/* Is the part of the statement before a colon the target of an annotation, not the head of a compound statement? */
static bool python_is_annotated(const struct python_statement *s, size_t colon)
{
    static const char *const heads[] = {"else", "try", "finally"};
    const size_t begin = python_skip_blanks(s->text, s->begin, colon);
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
        if (colon - begin == strlen(heads[i]) && memcmp(s->text + begin, heads[i], colon - begin) == 0)
            return false;
    for (size_t i = begin; i < colon; i++)
        if (!python_is_word(s->text[i]) && s->text[i] != '.') return false;
    return colon > begin;
}

/* Does the text end in front of the last operand of `a if c else ...`, `a or ...` or `a and ...`? */
static bool python_is_alternative(const char *text, size_t from, size_t to)
{
    static const char *const words[] = {"else", "or", "and"};
    while (to > from && strchr(" \t\n", text[to - 1]))
        to--;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        const size_t len = strlen(words[i]);
        if (to - from > len && memcmp(text + to - len, words[i], len) == 0 &&
            !python_is_word(text[to - len - 1]))
            return true;
    }
    return false;
}

/* Is nothing else in front of the value at `at`, or only alternatives to it? */
static bool python_is_value(const struct python_statement *s, size_t at)
{
    return python_is_blank(s->text, s->value, at) || python_is_alternative(s->text, s->value, at);
}

static void python_open(struct python_statement *s, size_t at)
{
    if (s->target_end && s->depth == s->wrapped && s->text[at] == '(' && python_is_value(s, at)) {
        s->wrapped++;
        s->value = at + 1;
    }
    if (s->depth == 0) s->bracket = at;
    s->depth++;
}

static void python_close(struct python_statement *s)
{
    if (s->depth > 0) s->depth--;
    if (s->wrapped > s->depth) s->wrapped = s->depth;
}

static void python_assign(struct python_statement *s, size_t at)
{
    const char before = at > 0 ? s->text[at - 1] : '\0', after = at + 1 < s->len ? s->text[at + 1] : '\0';
    if (after == '=' || at == 0 || strchr("=!<>:", before)) return;
    if (s->target_end == 0) {
        s->target_end = at;
        s->is_augmented = strchr("+-*/%&|^@", before) != NULL;
    }
    s->value = at + 1;
    s->commas = 0;
}

static void python_begin(struct python_statement *s, size_t at)
{
    *s = (struct python_statement){.text = s->text, .len = s->len, .begin = at};
}

/* Read one character outside of strings and comments. */
static void python_read(struct python_statement *s, size_t at)
{
    const bool is_outside = s->depth == s->wrapped;
    switch (s->text[at]) {
    case '(':
    case '[':
    case '{':
        python_open(s, at);
        return;
    case ')':
    case ']':
    case '}':
        python_close(s);
        return;
    case '=':
        if (s->depth == 0) python_assign(s, at);
        return;
    case ',':
        if (!is_outside || !s->target_end) return;
        s->commas++;
        s->value = at + 1;
        return;
    case ';':
        if (s->depth == 0) python_begin(s, at + 1);
        return;
    case ':':
        if (s->depth > 0 || s->target_end || s->text[at + 1] == '=') return;
        if (python_is_annotated(s, at))
            s->is_annotated = true;
        else
            python_begin(s, at + 1);
        return;
    }
}

static void python_scan(struct python_statement *s)
{
    for (size_t i = s->begin; i < s->len; i++) {
        const char c = s->text[i];
        if (c == '"' || c == '\'')
            i = python_skip_string(s->text, i, s->len);
        else if (c == '#')
            i += strcspn(s->text + i, "\n") - 1;
        else
            python_read(s, i);
    }
}

/* --- targets --- */

/* Write a target without the subscript at its end. False: it is no simple one. */
static bool python_put_target(const char *text, size_t len, char *out)
{
    const size_t skipped = python_skip_blanks(text, 0, len);
    text += skipped;
    len -= skipped;
    while (len > 0 && strchr(" \t\n*+-/%&|^@<>", text[len - 1])) /* also the operator of += */
        len--;
    while (len > 0 && text[len - 1] == ']') {
        unsigned depth = 0;
        do
            depth += (text[len - 1] == ']') - (text[len - 1] == '[');
        while (--len > 0 && depth > 0);
    }
    while (len > 0 && strchr("(* ", *text)) {
        text++;
        len--;
    }
    if (len > 0 && text[len - 1] == ')') len--;
    if (len == 0 || len >= PROF_LABEL_BYTES || isdigit((unsigned char)*text)) return false;
    for (size_t i = 0; i < len; i++)
        if (!python_is_word(text[i]) && !strchr(".,[] \"'", text[i])) return false;
    memcpy(out, text, len);
    out[len] = '\0';
    return true;
}

/* Target number `wanted` of several, or all of them. */
static bool python_put_targets(const char *text, size_t len, unsigned wanted, bool is_one, char *out)
{
    unsigned depth = 0, number = 0;
    size_t begin = 0;
    for (size_t i = 0; i <= len && is_one; i++) {
        depth += i < len && text[i] == '[';
        depth -= i < len && text[i] == ']' && depth > 0;
        if (i < len && (text[i] != ',' || depth > 0)) continue;
        if (number++ == wanted && (number > 1 || i < len))
            return python_put_target(text + begin, i - begin, out);
        begin = i + 1;
    }
    return python_put_target(text, len, out);
}

/* Does the text end in `.append(` or the like, with the expression as an argument? Returns the length of the container. */
static size_t python_container(const char *text, size_t len)
{
    static const char *const methods[] = {".append", ".appendleft", ".extend", ".add",
                                          ".update", ".insert",     ".put"};
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
        const size_t method_len = strlen(methods[i]);
        if (len > method_len && memcmp(text + len - method_len, methods[i], method_len) == 0)
            return len - method_len;
    }
    return 0;
}

/* --- the expression --- */

/* The end of a bracket that begins at `text`, or of the text. */
static const char *python_skip_bracket(const char *text)
{
    unsigned depth = 0;
    for (; *text; text++) {
        depth += strchr("([{", *text) != NULL;
        depth -= strchr(")]}", *text) && depth > 0;
        if (depth == 0) return text + 1;
    }
    return text;
}

/* The length of `.name` where that returns another view of the same memory, 0: it does not. */
static size_t python_view_len(const char *text)
{
    static const char *const views[] = {".reshape", ".view",      ".ravel",   ".T",
                                        ".squeeze", ".transpose", ".swapaxes"};
    for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
        const size_t len = strlen(views[i]);
        if (strncmp(text, views[i], len) == 0 && !python_is_word(text[len])) return len;
    }
    return 0;
}

static const char *python_skip_views(const char *after)
{
    for (size_t len; (len = python_view_len(after)) > 0;) {
        after += len;
        if (*after == '(') after = python_skip_bracket(after);
    }
    return after;
}

/* Is the value of the expression that of the whole right side? Only closing brackets, a comma of a tuple or the end follow. */
static bool python_ends(const char *after)
{
    after = python_skip_views(after);
    while (*after == ' ' || *after == ')' || *after == '\t')
        after++;
    return *after == '\0' || *after == '#' || *after == ';' || *after == ',' || *after == '\\' ||
           *after == '\n' || strncmp(after, "if ", 3) == 0;
}

/* The expression begins its statement: it is stored to, or calls a method of a container. */
static bool python_label_at_begin(const char *text, char *out)
{
    unsigned depth = 0;
    for (size_t i = 0; text[i] && text[i] != '#' && text[i] != '\n'; i++) {
        if (depth == 0 && text[i] == '=' && text[i + 1] != '=' && i > 0 && !strchr("=!<>:", text[i - 1]))
            return python_put_target(text, i, out);
        if (depth == 0 && text[i] == '(') return python_put_target(text, python_container(text, i), out);
        depth += strchr("([{", text[i]) != NULL;
        depth -= strchr(")]}", text[i]) && depth > 0;
    }
    return false;
}

static bool python_is_return(const struct python_statement *s)
{
    static const char word[] = "return";
    const size_t begin = python_skip_blanks(s->text, s->begin, s->len), len = sizeof(word) - 1;
    if (s->len - begin < len || memcmp(s->text + begin, word, len) != 0) return false;
    for (size_t i = begin + len; i < s->len; i++)
        if (!strchr(" \t\n(", s->text[i])) return false;
    return true;
}

/* Elements of a comprehension are in the caller's value. */
static bool python_is_comprehension(const char *function)
{
    const size_t len = strlen(function);
    static const char *const ends[] = {"<listcomp>", "<setcomp>", "<dictcomp>"};
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
        if (len >= strlen(ends[i]) && strcmp(function + len - strlen(ends[i]), ends[i]) == 0) return true;
    return false;
}

/* The target of `(name := value)`, the value being the expression. */
static bool python_put_inner_target(const struct python_statement *s, char *out)
{
    size_t end = s->len;
    while (end > s->begin && strchr(" \t\n(", s->text[end - 1]))
        end--;
    if (end < s->begin + 2 || s->text[end - 1] != '=' || s->text[end - 2] != ':') return false;
    for (end -= 2; end > s->begin && s->text[end - 1] == ' ';)
        end--;
    size_t begin = end;
    while (begin > s->begin && python_is_word(s->text[begin - 1]))
        begin--;
    return python_put_target(s->text + begin, end - begin, out);
}

static enum prof_python_use python_use(const struct python_statement *s, const char *after, char *out)
{
    const char *rest = s->text + s->len;
    const size_t begin = python_skip_blanks(s->text, s->begin, s->len);
    if (begin == s->len) return python_label_at_begin(rest, out) ? PROF_PYTHON_NAMED : PROF_PYTHON_OTHER;
    if (*after == ')' && python_put_inner_target(s, out)) return PROF_PYTHON_NAMED;
    if (!python_ends(after)) return PROF_PYTHON_OTHER;
    if (python_is_return(s)) return PROF_PYTHON_RETURN;
    if (s->target_end) {
        if (s->depth != s->wrapped || s->is_augmented || !python_is_value(s, s->len))
            return PROF_PYTHON_OTHER;
        size_t end = s->target_end;
        if (s->is_annotated) end = begin + strcspn(s->text + begin, ":");
        const bool is_one = s->commas > 0 || *(after + strspn(after, " ")) == ',';
        return python_put_targets(s->text + begin, end - begin, s->commas, is_one, out) ? PROF_PYTHON_NAMED
                                                                                        : PROF_PYTHON_OTHER;
    }
    if (s->depth != 1 || s->text[s->bracket] != '(' || !python_is_blank(s->text, s->bracket + 1, s->len))
        return PROF_PYTHON_OTHER;
    return python_put_target(s->text + begin, python_container(s->text + begin, s->bracket - begin), out)
               ? PROF_PYTHON_NAMED
               : PROF_PYTHON_OTHER;
}

enum prof_python_use prof_python_label(const char *const *lines, size_t len, const struct prof_script *script,
                                       const char *after, char *out)
{
    enum { TEXT_BYTES = 2048 };
    char text[TEXT_BYTES] = "";
    if (python_is_comprehension(script->function)) return PROF_PYTHON_RETURN;
    if (len == 0 || script->column == 0 || script->end_column == 0) return PROF_PYTHON_OTHER;
    const char *line = lines[len - 1], *before = len > 1 ? lines[len - 2] : "";
    const size_t line_len = strlen(line), column = script->column - 1u;
    if (column > line_len) return PROF_PYTHON_OTHER;
    /* an expression that begins its line may belong to the statement before */
    const size_t before_len = strlen(before);
    const bool goes_on =
        before_len > 0 && strchr("(\\", before[before_len - 1]) && python_is_blank(line, 0, column);
    const size_t head_len = goes_on ? before_len + 1 : 0;
    if (head_len + line_len >= sizeof(text)) return PROF_PYTHON_OTHER;
    if (goes_on) {
        memcpy(text, before, before_len);
        text[before_len] = '\n';
    }
    memcpy(text + head_len, line, line_len + 1);
    if (script->end_line == script->line) {
        const size_t end = script->end_column - 1u;
        after = end <= line_len ? line + end : "";
    }
    struct python_statement s = {.text = text, .len = head_len + column};
    python_scan(&s);
    return python_use(&s, after ? after : "", out);
}
