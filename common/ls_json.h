/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes JSON: commas, indentation and escapes. Texts are untrusted: for any bytes the output is valid UTF-8.
 * Numbers that JSON cannot represent become null.
 *
 * Errors: none; an error of the stream stays in the stream.  Thread: one at a time for one object.
 * Signal: not safe. */
#ifndef LS_JSON_H
#define LS_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { LS_JSON_INDENT = 2 }; /* for human readers */
#define LS_JSON_IN_HTML "<>&\"\\"

struct ls_json {
    FILE *out;
    int indent;          /* blanks a level; 0: all on one line, without blanks and without an end of line */
    const char *escaped; /* further ASCII characters to escape besides the ones of JSON; NULL: none */
    int depth;
    bool filled; /* the open object or array has a member */
};

/* key is NULL inside arrays and for the outermost value. */
void ls_json_open(struct ls_json *j, const char *key, char bracket);
void ls_json_close(struct ls_json *j, char bracket);
void ls_json_text(struct ls_json *j, const char *key, const char *text); /* NULL: an empty text */
void ls_json_u64(struct ls_json *j, const char *key, uint64_t number);
void ls_json_i64(struct ls_json *j, const char *key, int64_t number);
void ls_json_double(struct ls_json *j, const char *key, double number); /* nine digits */
void ls_json_number(struct ls_json *j, const char *key, double number); /* whole ones below 2^53 exactly */
void ls_json_bool(struct ls_json *j, const char *key, bool value);
/* A whole value that was written by another ls_json with the same characters to escape. */
void ls_json_value(struct ls_json *j, const char *key, const char *json);

#endif
