/* SPDX-License-Identifier: BSD-3-Clause */
/* Untrusted texts: tests for valid and for printable characters; and the last part of a path.
 *
 * Thread: any.  Signal: safe. */
#ifndef LS_TEXT_H
#define LS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Length in bytes of the UTF-8 character (RFC 3629) at text, which has `left` bytes; 0: invalid (overlong, a
 * surrogate, cut off, beyond U+10FFFF). */
size_t ls_utf8_len(const char *text, size_t left);

/* The code point of a character of len bytes. */
uint32_t ls_utf8_code(const char *text, size_t len);

/* True for a character that controls a terminal: C0, DEL and C1 (ECMA-48), and the characters that override
 * the direction of text (Unicode Standard Annex 9: U+202A to U+202E, U+2066 to U+2069). */
bool ls_is_control(uint32_t code);

/* Replace each byte of text by '?' that is invalid UTF-8 or belongs to a control character (ls_is_control),
 * except the characters in kept. */
void ls_text_clean(char *text, size_t len_bytes, const char *kept);

/* Paths in profiles are cleaned, so that one may name no file. Return the remedy, to be appended to a message, or ""
 * where no character was replaced. */
const char *ls_text_cleaned_remedy(const char *path);

/* Is this the begin of a pointer of git-lfs, which replaces a large file that was not downloaded? */
bool ls_is_lfs_pointer(const void *begin, size_t len_bytes);
/* The message about it, with the name of the file. */
#define LS_LFS_POINTER "%s is a pointer of git-lfs, not the file itself: run git lfs pull in its repository"

/* The part of path after its last '/', if there is one. */
const char *ls_base_name(const char *path);

#endif
