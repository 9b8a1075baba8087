/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts and numbers in the syntax of XML, CSV and DOT; JSON and texts of CSV: common/ls_put.h.
 *
 * Errors: none; write errors stay in the stream.  Thread: one at a time for one stream. */
#ifndef VX_TEXT_H
#define VX_TEXT_H

#include <stdint.h>
#include <stdio.h>

/* In attributes and elements; control characters, which XML cannot hold, become spaces. */
void vx_put_xml(FILE *out, const char *text);
/* With its quotes. */
void vx_put_dot(FILE *out, const char *text);

/* ",NUMBER" with all its digits; a number that is not finite leaves the field empty. */
void vx_csv_double(FILE *out, double number);
void vx_csv_u64(FILE *out, uint64_t number);

#endif
