/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of a text, packed or not; numbers in them. */
#ifndef PAT_LINES_H
#define PAT_LINES_H

#include "patterns/source/pat_input.h"

#include <stdbool.h>

enum { PAT_LINE_MAX = 1 << 20 }; /* bytes; a longer one is damage */

struct pat_lines {
    pat_input *input;
    char *buffer, *at; /* at: start of the bytes after the current line */
    size_t left, room;
    bool has_ended;
    bool last_may_lack_end; /* set by the caller: a longer line is no damage */
    uint64_t number;        /* number of the line, from 1 */
    uint64_t at_bytes;      /* its offset in the text */
};

/* Owns:   the caller ends l with pat_lines_fini, also after a failure.
 * Errors: as pat_input_open, LS_ERR_NOMEM. */
ls_err pat_lines_init(struct pat_lines *l, const char *path);
void pat_lines_fini(struct pat_lines *l);

/* Return the next line without its end; NULL: none is left. The line is valid until the next call.
 * Errors: LS_ERR_TRUNCATED when the text ends inside a line (one without an end, see above), LS_ERR_FORMAT
 * for a line that is too long; as pat_input_read. All name the file and the line. */
ls_err pat_lines_next(struct pat_lines *l, char **out);

/* Read a number at *p and advance *p past it; false: there is none, or it has more than 64 bits. pat_scan_hex
 * accepts a leading 0x. */
bool pat_scan_hex(const char **p, uint64_t *out);
bool pat_scan_decimal(const char **p, uint64_t *out);
/* Advance *p past c if it points at c. */
static inline bool pat_scan_char(const char **p, char c)
{
    if (**p != c) return false;
    ++*p;
    return true;
}
static inline void pat_scan_blanks(const char **p)
{
    while (**p == ' ' || **p == '\t')
        ++*p;
}

#endif
