/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines and fields of text files that other tools wrote.
 *
 * Thread: one at a time for one object.  Signal: not safe. */
#ifndef IMP_TEXT_H
#define IMP_TEXT_H

#include "common/ls_error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct imp_text {
    const char *path;
    FILE *file;
    char *line; /* without its end */
    size_t room;
    uint64_t number; /* of the line, from 1 */
};

/* Errors: LS_ERR_NOT_FOUND, LS_ERR_PERMISSION, LS_ERR_IO. */
ls_err imp_text_open(const char *path, struct imp_text *out);
void imp_text_close(struct imp_text *t);
/* False at the end of the file. */
bool imp_text_next(struct imp_text *t);

/* Cut line into its fields, in place; quotes as RFC 4180 has them. Returns how many there are, of which at
 * most fields_max are in fields. */
size_t imp_text_fields(char *line, char *fields[], size_t fields_max);

/* LS_ERR_FORMAT with "PATH:LINE: " in front. */
ls_err imp_text_bad(const struct imp_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
