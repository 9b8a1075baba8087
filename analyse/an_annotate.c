/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/an_annotate.h"
#include "analyse/an_function.h"
#include "common/ls_sorted.h"
#include "common/ls_vector.h"

#include <stdlib.h>
#include <string.h>

/* Lines in a row without samples that are still shown between sampled ones, besides those around them. */
enum { AN_AROUND_LINES = 3 };

static size_t an_collect_functions(const struct an_combination *c, const struct an_tables *t,
                                   const char *name, bool unqualified, uint32_t *out, size_t room)
{
    size_t found = 0;
    const struct an_keys *k = &c->keys[0];
    for (uint32_t n = 0; n < k->len; n++) { /* groups of the first dimension are its numbers */
        if (!an_function_is_named(t, k->keys[n], name, unqualified)) continue;
        if (found < room) out[found] = n;
        found++;
    }
    return found;
}

size_t an_functions_named(const struct an_combination *c, const struct an_tables *t, const char *name,
                          uint32_t *out, size_t room)
{
    const size_t found = an_collect_functions(c, t, name, false, out, room);
    return found ? found : an_collect_functions(c, t, name, true, out, room);
}

/* --- its lines --- */

typedef LS_VECTOR(struct an_annotated) an_annotated_list;

static int an_compare_annotated(const void *a, const void *b)
{
    const struct an_annotated *x = a, *y = b;
    const int c = strcmp(x->file, y->file);
    return c ? c : (x->line > y->line) - (x->line < y->line);
}

static int an_compare_instructions(const void *a, const void *b)
{
    const struct an_annotated *x = a, *y = b;
    return (x->row > y->row) - (x->row < y->row); /* rows of lines are sorted by process, ip */
}

/* Collect the lines on which the samples of the function fell. */
static ls_err an_collect_sampled(const struct an_combination *c, const struct an_tables *t, uint32_t function,
                                 an_annotated_list *out)
{
    const struct an_keys *k = &c->keys[1];
    for (uint32_t g = 0; g < c->groups_len; g++) {
        const struct an_group *group = &c->groups[g];
        if (group->depth != 1 || group->parent != function || group->number >= k->len) continue;
        const struct prof_line *l = &t->lines[k->keys[group->number]];
        LS_TRY(LS_VECTOR_ADD(
            out, (struct an_annotated){l->file, l->line, NULL, k->keys[group->number], g, false}));
    }
    return LS_OK;
}

static bool an_is_source_before(const struct prof_source *row, const char *file, uint32_t line)
{
    const int files = strcmp(row->file, file);
    return files < 0 || (files == 0 && row->line < line);
}

/* Return the first row of the file with this line or a later one. */
static size_t an_source_at(const struct an_source_text *s, const char *file, uint32_t line)
{
    size_t before;
    LS_COUNT_FIRST(before, s->len, i, an_is_source_before(&s->rows[i], file, line));
    return before;
}

/* Add the lines [from, to) of the file that are in the profile. */
static ls_err an_add_context(an_annotated_list *out, const struct an_source_text *s, const char *file,
                             uint32_t from, uint32_t to)
{
    for (size_t i = an_source_at(s, file, from);
         i < s->len && s->rows[i].line < to && strcmp(s->rows[i].file, file) == 0; i++)
        LS_TRY(LS_VECTOR_ADD(out, (struct an_annotated){file, s->rows[i].line, s->rows[i].text, UINT32_MAX,
                                                        AN_UNSAMPLED, false}));
    return LS_OK;
}

static bool an_same_file(const struct an_annotated *a, const struct an_annotated *b)
{
    return strcmp(a->file, b->file) == 0;
}

/* Add a sampled line with the lines before it, from the previous sampled line on, and for the last one of a
 * file the lines after it. */
static ls_err an_add_with_context(an_annotated_list *out, const struct an_source_text *s,
                                  const an_annotated_list *sampled, size_t i)
{
    struct an_annotated row = sampled->rows[i];
    const bool is_first = i == 0 || !an_same_file(&row, &sampled->rows[i - 1]);
    const bool is_last = i + 1 == sampled->len || !an_same_file(&row, &sampled->rows[i + 1]);
    if (row.line == 0) return LS_VECTOR_ADD(out, row);
    const uint32_t above = is_first ? 0 : sampled->rows[i - 1].line;
    const uint32_t first = is_first && row.line > AN_AROUND_LINES ? row.line - AN_AROUND_LINES : above + 1;
    LS_TRY(an_add_context(out, s, row.file, first, row.line));
    const size_t at = an_source_at(s, row.file, row.line);
    if (at < s->len && s->rows[at].line == row.line && strcmp(s->rows[at].file, row.file) == 0)
        row.text = s->rows[at].text;
    LS_TRY(LS_VECTOR_ADD(out, row));
    return is_last ? an_add_context(out, s, row.file, row.line + 1, row.line + 1 + AN_AROUND_LINES) : LS_OK;
}

static void an_mark_gaps(an_annotated_list *l)
{
    for (size_t i = 1; i < l->len; i++)
        l->rows[i].follows_gap =
            an_same_file(&l->rows[i], &l->rows[i - 1]) && l->rows[i].line > l->rows[i - 1].line + 1;
}

ls_err an_annotate_lines(const struct an_combination *c, const struct an_tables *t,
                         const struct an_source_text *sources, uint32_t function, struct an_annotated **out,
                         size_t *out_len)
{
    an_annotated_list sampled = {0}, all = {0};
    ls_err err = an_collect_sampled(c, t, function, &sampled);
    if (err == LS_OK && sampled.len)
        qsort(sampled.rows, sampled.len, sizeof(*sampled.rows), an_compare_annotated);
    for (size_t i = 0; err == LS_OK && i < sampled.len; i++)
        err = an_add_with_context(&all, sources, &sampled, i);
    free(sampled.rows);
    if (err != LS_OK) {
        free(all.rows);
        return err;
    }
    an_mark_gaps(&all);
    *out = all.rows;
    *out_len = all.len;
    return LS_OK;
}

ls_err an_annotate_instructions(const struct an_combination *c, const struct an_tables *t, uint32_t function,
                                struct an_annotated **out, size_t *out_len)
{
    an_annotated_list sampled = {0};
    const ls_err err = an_collect_sampled(c, t, function, &sampled);
    if (err != LS_OK) {
        free(sampled.rows);
        return err;
    }
    if (sampled.len) qsort(sampled.rows, sampled.len, sizeof(*sampled.rows), an_compare_instructions);
    *out = sampled.rows;
    *out_len = sampled.len;
    return LS_OK;
}
