/* SPDX-License-Identifier: BSD-3-Clause */
/* Capabilities of the terminal. */
#ifndef CLI_TERM_H
#define CLI_TERM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- the terminal ---- */

enum cli_colour { CLI_PLAIN, CLI_BOLD, CLI_DIM, CLI_RED, CLI_GREEN, CLI_YELLOW };

/* Escape sequences, "" unless fd is a terminal that takes them and NO_COLOR is not set. */
const char *cli_colour_begin(int fd, enum cli_colour colour);
const char *cli_colour_end(int fd);
/* Columns: COLUMNS, else the terminal's, else 100 (a file or a pipe). */
int cli_term_width(void);
/* Lines: LINES, else the terminal's, else 0 (a file or a pipe has no end). */
int cli_term_height(void);
/* The locale's encoding is UTF-8: tree lines and signs beyond ASCII may be printed. */
bool cli_term_utf8(void);

/* Columns that text takes: bytes that begin a character. */
int cli_text_width(const char *text);
/* Print text in exactly width columns: filled with blanks, or cut with a sign that something is missing. */
void cli_print_cut(const char *text, int width, FILE *out);

/* The same, but shortened at the end. */
void cli_print_cut_end(const char *text, int width, FILE *out);

/* Print text as lines of at most width columns where its blanks allow it, all but the first after indent
 * blanks; escape sequences take no room. */
void cli_print_folded(const char *text, int indent, int width, FILE *out);

/* ---- numbers for people ---- */

/* Numbers for messages and tables. Each function writes into out and returns it; NAN and missing become "-". */

enum { CLI_CELL_BYTES = 32 };

const char *cli_format_count(char out[CLI_CELL_BYTES], double n);       /* 950, 12.3k, 4.56M */
const char *cli_format_grouped(char out[CLI_CELL_BYTES], uint64_t n);   /* 1,234,567 */
const char *cli_format_time(char out[CLI_CELL_BYTES], double ns);       /* 12.3 ms */
const char *cli_format_bytes(char out[CLI_CELL_BYTES], double bytes);   /* 8.0 KiB */
const char *cli_format_percent(char out[CLI_CELL_BYTES], double share); /* 12.3, without sign */
const char *cli_format_cycles(char out[CLI_CELL_BYTES], double cycles); /* 718, 1.2k */

#endif
