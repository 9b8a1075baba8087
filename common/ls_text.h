/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts of strangers: what of them is a character, and what may be printed.
 *
 * Owns: nothing.  Errors: none.  Thread: any.  Signal: safe. */
#ifndef LS_TEXT_H
#define LS_TEXT_H

#include <stddef.h>

/* Bytes of the UTF-8 character (RFC 3629) at text, of which left are there; 0: it is none (overlong, a
 * surrogate, cut off, beyond U+10FFFF). */
size_t ls_utf8_len(const char *text, size_t left);

/* Each byte of text that is no UTF-8, or of a control character (ECMA-48: C0, DEL, C1), becomes '?': a
 * terminal would obey them. Those of kept stay. */
void ls_text_clean(char *text, size_t len_bytes, const char *kept);

#endif
