/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts as JSON and CSV want them, for whatever prints either.
 *
 * Errors: none; those of the stream stay in it.  Thread: one at a time for one stream.
 * Signal: not safe. */
#ifndef LS_PUT_H
#define LS_PUT_H

#include <stdio.h>

/* With its quotes. Whatever bytes text holds, the output is valid UTF-8: what is no character becomes U+FFFD.
 * Control characters (ls_text.h) are escaped, and characters of also (ASCII), as HTML wants it of < and &. */
void ls_put_json(FILE *out, const char *text, const char *also);
/* A field of RFC 4180, quoted where needed. What a spreadsheet would evaluate (=, +, -, @ in front) is quoted
 * and begins with an apostrophe. */
void ls_put_csv(FILE *out, const char *text);

#endif
