/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts and numbers in the syntax of XML, CSV and DOT; JSON and texts of CSV: common/ls_put.h.
 *
 * Errors: none; write errors stay in the stream.  Thread: one at a time for one stream. */
#ifndef VX_TEXT_H
#define VX_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- syntax ---- */

/* Write text in attributes and elements of XML; control characters, which XML cannot hold, become spaces. */
void vx_put_xml(FILE *out, const char *text);
/* Write a string of Graphviz with its quotes. */
void vx_put_dot(FILE *out, const char *text);

/* ",NUMBER" with all its digits; a number that is not finite leaves the field empty. */
void vx_csv_double(FILE *out, double number);
void vx_csv_u64(FILE *out, uint64_t number);

/* ---- base64 ---- */

/* Bytes as text by RFC 4648, section 4, piece by piece. */

/* State of an encoder; begins with all members 0 except out. */
struct vx_base64 {
    FILE *out;
    uint32_t bits;
    int held; /* bytes in bits */
};

/* The caller checks the stream for errors. */
void vx_base64_put(struct vx_base64 *b, const void *from, size_t len);
/* Write the pending bytes, padded; b can begin again. */
void vx_base64_end(struct vx_base64 *b);

#endif
