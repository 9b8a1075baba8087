/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/source/pat_text.h"

#include <stdlib.h>
#include <string.h>

ls_err pat_text_open(const char *path, const struct pat_source_options *o, const struct pat_text_format *f,
                     void **out)
{
    struct pat_text *t = calloc(1, sizeof(*t));
    if (!t) return ls_nomem("reading %s", path);
    t->format = f;
    t->options = *o;
    t->thread = PAT_NONE;
    t->collect.counts.scale = 1;
    ls_err err = pat_lines_init(&t->lines, path);
    if (err == LS_OK) err = pat_collect_binaries(&t->collect, o->binaries);
    if (err != LS_OK) {
        pat_text_close(t);
        return err;
    }
    *out = t;
    return LS_OK;
}

static ls_err text_end(struct pat_text *t)
{
    if (t->format->end) LS_TRY(t->format->end(t));
    LS_TRY(pat_collect_end(&t->collect));
    if (t->collect.counts.accesses == 0)
        return ls_fail(LS_ERR_FORMAT, "%s: none of %llu lines is an access; expected %s",
                       pat_input_name(t->lines.input), (unsigned long long)t->lines.number,
                       t->format->expects);
    return LS_OK;
}

static ls_err read_line(void *self, bool *has_ended)
{
    struct pat_text *t = self;
    char *line;
    bool is_known = true;
    LS_TRY(pat_lines_next(&t->lines, &line));
    *has_ended = !line;
    if (!line) return text_end(t);
    LS_TRY(t->format->line(t, line, &is_known));
    t->collect.counts.skipped += !is_known;
    return LS_OK;
}

ls_err pat_text_next(void *self, struct pat_batch *b)
{
    struct pat_text *t = self;
    return pat_collect_next(&t->collect, read_line, t, b);
}

const struct pat_tables *pat_text_tables(const void *self)
{
    return &((const struct pat_text *)self)->collect.tables;
}

struct pat_source_counts pat_text_counts(const void *self)
{
    return ((const struct pat_text *)self)->collect.counts;
}

void pat_text_close(void *self)
{
    struct pat_text *t = self;
    pat_lines_fini(&t->lines);
    pat_collect_fini(&t->collect);
    free(t);
}

void pat_text_note(struct pat_text *t, const char *text)
{
    if (!t->was_noted && t->options.note) t->options.note(t->options.user, text);
    t->was_noted = true;
}

size_t pat_text_count(const void *bytes, size_t len, bool (*is_line)(const char *line), size_t *lines)
{
    char *text = malloc(len + 1);
    size_t found = 0;
    *lines = 0;
    if (!text) return 0;
    memcpy(text, bytes, len);
    text[len] = '\0';
    for (char *line = text, *end; (end = memchr(line, '\n', len - (size_t)(line - text))); line = end + 1) {
        *end = '\0';
        if (end > line && end[-1] == '\r') end[-1] = '\0';
        found += is_line(line);
        ++*lines;
    }
    free(text);
    return found;
}
