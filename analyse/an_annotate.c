/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/an_annotate.h"

#include "common/ls_sorted.h"
#include "common/ls_text.h"
#include "common/ls_vector.h"

#include <stdlib.h>
#include <string.h>

/* Lines in a row without samples that are still shown between sampled ones, besides those around them. */
enum { AN_AROUND_LINES = 3 };

/* --- by name --- */

/* Return true if function is name, or name followed by template arguments or parameters; a function without a
 * name is called "?" in reports. */
static bool an_is_called(const char *function, const char *name)
{
    if (!*function) return strcmp(name, "?") == 0;
    const size_t len = strlen(name);
    return len > 0 && strncmp(function, name, len) == 0 && strchr("(<", function[len]); /* also at its end */
}

/* Does the function of this row have code in a source file of this name? */
static bool an_has_file(const struct an_tables *t, const struct prof_line *l, const char *file,
                        size_t file_len)
{
    for (size_t i = 0; i < t->lines_len; i++) {
        const struct prof_line *other = &t->lines[i];
        const char *base = ls_base_name(other->file);
        if (strlen(base) == file_len && memcmp(base, file, file_len) == 0 &&
            strcmp(other->function, l->function) == 0 && strcmp(other->module, l->module) == 0)
            return true;
    }
    return false;
}

static bool an_is_in(const struct an_tables *t, const struct prof_line *l, const char *where,
                     size_t where_len)
{
    const char *module = ls_base_name(l->module);
    if (strlen(module) == where_len && memcmp(module, where, where_len) == 0) return true;
    return an_has_file(t, l, where, where_len);
}

/* Find the single colon that is not part of "::". */
static const char *an_lone_colon(const char *name)
{
    for (const char *c = strchr(name, ':'); c; c = strchr(c, ':')) {
        if (c[1] != ':') return c;
        c += 2;
    }
    return NULL;
}

static bool an_function_matches(const struct an_tables *t, const struct prof_line *l, const char *name)
{
    if (an_is_called(l->function, name)) return true;
    const char *colon = an_lone_colon(name);
    return colon && an_is_called(l->function, colon + 1) && an_is_in(t, l, name, (size_t)(colon - name));
}

/* Return the name without namespaces and classes: the part after the last "::" outside of template arguments
 * and parameters. */
static const char *an_unqualified(const char *function)
{
    const char *last = function;
    int depth = 0;
    for (const char *c = function; *c && !(depth == 0 && *c == '('); c++) {
        depth += *c == '<' ? 1 : *c == '>' && depth > 0 ? -1 : 0;
        if (depth == 0 && c[0] == ':' && c[1] == ':') last = c + 2;
    }
    return last;
}

static size_t an_collect_functions(const struct an_combination *c, const struct an_tables *t,
                                   const char *name, bool unqualified, uint32_t *out, size_t room)
{
    size_t found = 0;
    const struct an_keys *k = &c->keys[0];
    for (uint32_t n = 0; n < k->len; n++) { /* groups of the first dimension are its numbers */
        const struct prof_line *l = &t->lines[k->keys[n]];
        if (!(unqualified ? an_is_called(an_unqualified(l->function), name)
                          : an_function_matches(t, l, name)))
            continue;
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
