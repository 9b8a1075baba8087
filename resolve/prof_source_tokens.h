/* SPDX-License-Identifier: BSD-3-Clause */
/* Tokens of C-like text and of Fortran: identifiers, numbers, strings, and operators of up to three characters. The
 * functions read text, not programs: they must survive any bytes. */
#ifndef PROF_SOURCE_TOKENS_H
#define PROF_SOURCE_TOKENS_H

#include "resolve/prof_site_names.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum prof_tok_kind { PROF_TOK_NAME, PROF_TOK_NUMBER, PROF_TOK_STRING, PROF_TOK_OP };
struct prof_tok {
    const char *at;
    uint16_t len;
    uint8_t kind;
};
enum { PROF_TOKS_MAX = 400 };
struct prof_toks {
    struct prof_tok rows[PROF_TOKS_MAX];
    size_t len;
};
/* A stretch of tokens: [from, to). */
struct prof_tok_range {
    size_t from, to;
};

bool prof_tok_is(const struct prof_tok *t, const char *text);
bool prof_tok_is_any(const struct prof_tok *t, const char *const *texts); /* NULL ends them */
bool prof_tok_contains(const struct prof_tok *t, const char *part);       /* in any case */
bool prof_tok_is_open(const struct prof_tok *t);
bool prof_tok_is_close(const struct prof_tok *t);
bool prof_tok_is_joint(const struct prof_tok *t);   /* . -> :: % */
bool prof_tok_is_keyword(const struct prof_tok *t); /* cannot be a variable */

void prof_toks_add_line(struct prof_toks *t, const char *line, bool is_fortran);
/* The bracket that closes the one at `at`; to if there is none. */
size_t prof_toks_close_of(const struct prof_toks *t, size_t at, size_t to);
/* The bracket that opens the one at `at`; from if there is none. */
size_t prof_toks_open_of(const struct prof_toks *t, size_t at, size_t from);
/* The end of the template arguments that open at `at`, or at. */
size_t prof_toks_skip_template(const struct prof_toks *t, size_t at, size_t to);
/* Does a statement end with this token? */
bool prof_toks_is_boundary(const struct prof_toks *t, size_t at);
/* The first token of the statement that reaches into the last line, which begins at `line`. */
size_t prof_toks_statement_begin(const struct prof_toks *t, size_t line);
/* The end of the expression that begins at `at`: a comma, semicolon or bracket that is not its own. */
size_t prof_toks_expression_end(const struct prof_toks *t, size_t at, size_t to);
/* Is there a call, or new, in the expression from `at` on? */
bool prof_toks_has_call(const struct prof_toks *t, size_t at, size_t to);
/* The token of the last line, which begins at `line`, that holds this column or the next before it; t->len: none. */
size_t prof_toks_at_column(const struct prof_toks *t, size_t line, const char *text, uint32_t column);

/* The name of a variable. */
struct prof_label {
    char text[PROF_LABEL_BYTES];
    size_t len;
    size_t from; /* its first token */
};
void prof_label_put(struct prof_label *l, const struct prof_tok *t);
/* The variable that ends before `end`: name, or names joined by . -> ::, subscripts left out, `this->` too. */
bool prof_label_before(const struct prof_toks *t, size_t from, size_t end, struct prof_label *out);
/* The variable that begins at `at`, subscripts and indices left out. */
bool prof_label_at(const struct prof_toks *t, size_t at, size_t to, struct prof_label *out);

#endif
