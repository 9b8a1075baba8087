/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts of strangers: what of them is a character, and what may be printed; the last part of a path.
 *
 * Thread: any.  Signal: safe. */
#ifndef LS_TEXT_H
#define LS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the UTF-8 character (RFC 3629) at text, of which left are there; 0: it is none (overlong, a
 * surrogate, cut off, beyond U+10FFFF). */
size_t ls_utf8_len(const char *text, size_t left);

/* The code point of a character of len bytes. */
uint32_t ls_utf8_code(const char *text, size_t len);

/* A character that a terminal obeys: C0, DEL and C1 (ECMA-48), and those that override the direction of text
 * (Unicode Standard Annex 9: U+202A to U+202E, U+2066 to U+2069). */
bool ls_is_control(uint32_t code);

/* Each byte of text that is no UTF-8, or of a character that a terminal obeys, becomes '?'. Those of kept
 * stay. */
void ls_text_clean(char *text, size_t len_bytes, const char *kept);

/* The part of path after its last '/', if there is one. */
const char *ls_base_name(const char *path);

#endif
