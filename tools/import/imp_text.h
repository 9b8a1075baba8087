/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines and fields of text files of other tools, packed as a whole or not. */
#ifndef IMP_TEXT_H
#define IMP_TEXT_H

#include "patterns/source/pat_lines.h"

struct imp_text {
    const char *path;
    char *line; /* the line without its end, valid until the next one; NULL: end of the text */
    struct pat_lines lines;
};

/* Owns:   the caller ends out with imp_text_close, also after a failure; path stays the caller's.
 * Errors: as pat_lines_init. */
ls_err imp_text_open(const char *path, struct imp_text *out);
void imp_text_close(struct imp_text *t);
/* Start again from the beginning.  Errors: as imp_text_open. */
ls_err imp_text_rewind(struct imp_text *t);
/* Read the next line to t->line; the last one may have no end of line.
 * Errors: as pat_lines_next but LS_ERR_TRUNCATED of a whole file. */
ls_err imp_text_next(struct imp_text *t);

/* Cut line into its fields, in place, with quotes as in RFC 4180. Returns the number of fields; at most
 * fields_max of them are in fields. */
size_t imp_text_fields(char *line, char *fields[], size_t fields_max);

/* LS_ERR_FORMAT with "PATH:LINE: " in front. */
ls_err imp_text_bad(const struct imp_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
