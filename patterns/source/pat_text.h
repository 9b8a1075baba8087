/* SPDX-License-Identifier: BSD-3-Clause */
/* Sources that are lines of text: a format gives the function that reads one line. */
#ifndef PAT_TEXT_H
#define PAT_TEXT_H

#include "patterns/source/pat_collect.h"
#include "patterns/source/pat_lines.h"

struct pat_text;

struct pat_text_format {
    /* Report the line's contents to t->collect; *is_known false: it does not concern memory, or it is no line
     * of this format (it is counted). Errors: as pat_collect_*, LS_ERR_FORMAT for impossible values. */
    ls_err (*line)(struct pat_text *t, const char *line, bool *is_known);
    const char *expects;               /* "lines as 'pc,r,8,address'" */
    ls_err (*end)(struct pat_text *t); /* called after the last line; may be NULL. Errors: as line */
};

struct pat_text {
    struct pat_lines lines;
    struct pat_collect collect;
    const struct pat_text_format *format;
    struct pat_source_options options;
    /* for the formats */
    uint32_t thread;
    uint64_t ip, id;
    uint64_t periods; /* sum of the periods that the lines give */
    bool was_noted;
};

/* Implement open for a row of struct pat_source_format.
 * Owns:   the caller ends *out with pat_text_close; f and the objects of o are borrowed.
 * Errors: as pat_lines_init and pat_collect_binaries, LS_ERR_NOMEM. */
ls_err pat_text_open(const char *path, const struct pat_source_options *o, const struct pat_text_format *f,
                     void **out);
/* next of such a row.
 * Owns:   *b is self's, until the next call.
 * Errors: as pat_lines_next and the format; LS_ERR_FORMAT for a text without any access. */
ls_err pat_text_next(void *self, struct pat_batch *b);
/* tables of such a row.  Owns: they are self's. */
const struct pat_tables *pat_text_tables(const void *self);
/* counts of such a row. */
struct pat_source_counts pat_text_counts(const void *self);
/* close of such a row; frees self. */
void pat_text_close(void *self);
#define PAT_TEXT_ROW \
    .next = pat_text_next, .tables = pat_text_tables, .counts = pat_text_counts, .close = pat_text_close

/* Pass text to the options' note function, once per source. */
void pat_text_note(struct pat_text *t, const char *text);

/* Count the whole lines among the bytes that is_line accepts; *lines: all of them. */
size_t pat_text_count(const void *bytes, size_t len, bool (*is_line)(const char *line), size_t *lines);

#endif
