/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes texts in the syntax of JSON and CSV.
 *
 * Errors: none; an error of the stream stays in the stream.  Thread: one at a time for one stream.
 * Signal: not safe. */
#ifndef LS_PUT_H
#define LS_PUT_H

#include <stdbool.h>
#include <stdio.h>

/* Write a JSON string with its quotes. The output is valid UTF-8 for any bytes: invalid ones become U+FFFD.
 * Control characters (ls_text.h) are escaped, and the ASCII characters in `also`, such as < and & for
 * HTML. */
void ls_put_json(FILE *out, const char *text, const char *also);
/* True when a spreadsheet would evaluate the text: it begins with =, +, - or @, after blanks or not, or with a
 * tab or an end of line, and is not just a number. */
bool ls_is_formula(const char *text);
/* Write a field of RFC 4180, quoted where needed, also for readers that separate fields by semicolons or
 * tabs. A text that a spreadsheet would evaluate is quoted and begins with an apostrophe. */
void ls_put_csv(FILE *out, const char *text);

#endif
