/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolve/prof_lines.h"

#include "common/ls_sorted.h"
#include "common/ls_text.h"
#include "resolve/prof_maps.h"
#include "resolve/prof_modules.h"

#include <stdlib.h>
#include <string.h>

ls_err prof_ip_add(struct prof_ip_set *set, uint64_t ip)
{
    if (ip == 0) return LS_OK;
    if (ls_index_find(&set->by_ip, ip) != LS_INDEX_NONE) return LS_OK;
    LS_TRY(LS_VECTOR_ADD(&set->ips, ip));
    return ls_index_put(&set->by_ip, ip, (uint32_t)set->ips.len - 1);
}

void prof_ip_fini(struct prof_ip_set *set)
{
    free(set->ips.rows);
    ls_index_fini(&set->by_ip);
    *set = (struct prof_ip_set){0};
}

/* Sorted copy; the caller frees it. */
static uint64_t *prof_ip_sorted(const struct prof_ip_set *set)
{
    uint64_t *ips = malloc((set->ips.len + 1) * sizeof(*ips));
    if (!ips) return NULL;
    if (set->ips.len) memcpy(ips, set->ips.rows, set->ips.len * sizeof(*ips));
    qsort(ips, set->ips.len, sizeof(*ips), ls_compare_u64);
    return ips;
}

/* Name code without a symbol by its file and the offset in it. */
static const char *prof_offset_name(const struct prof_loaded *l, uint64_t ip, prof_names *names)
{
    const uint64_t offset = l->has_bias ? ip - l->bias : ip - l->base;
    return prof_name_printf(names, "%s+0x%llx", ls_base_name(l->path), (unsigned long long)offset);
}

/* A module and its file's answer about the addresses in it, which are consecutive in ips. */
struct prof_line_source {
    const struct prof_loaded *module;
    struct sym_answer answer; /* empty: nothing */
    size_t first;             /* of ips */
};

static const char *prof_path_of(const struct prof_lines_context *c, const char *path)
{
    return prof_name_path(c->names, path, strlen(path));
}

static ls_err prof_inlines_add(const struct prof_lines_context *c, const struct sym_answer *a,
                               const struct sym_line *from)
{
    for (uint32_t i = 0; i < from->inlines_len; i++) {
        const struct sym_inline *step = &a->inlines[from->first_inline + i];
        LS_TRY(LS_VECTOR_ADD(
            c->inlines,
            (struct prof_inline){.line = (uint32_t)(c->lines->len - 1),
                                 .depth = i + 1,
                                 .function = prof_name_of(c->names, sym_answer_text(a, step->function)),
                                 .file = prof_path_of(c, sym_answer_text(a, step->file)),
                                 .line_number = step->line}));
        LS_TRY(LS_VECTOR_ADD(&c->columns->of_inlines, step->column));
    }
    return LS_OK;
}

/* source NULL: the address is in no module. */
static ls_err prof_line_add(const struct prof_lines_context *c, const struct prof_line_source *source,
                            const uint64_t *ips, size_t at)
{
    static const struct sym_line unknown;
    const struct sym_answer *a = source && source->answer.lines_len ? &source->answer : NULL;
    const struct sym_line *from = a ? &a->lines[at - source->first] : &unknown;
    LS_TRY(LS_VECTOR_ROOM(c->lines));
    LS_TRY(LS_VECTOR_ADD(&c->columns->of_lines, from->column));
    struct prof_line *to = &c->lines->rows[c->lines->len++];
    *to = (struct prof_line){.process = c->process,
                             .ip = ips[at],
                             .module = source ? source->module->path : "",
                             .function = "",
                             .file = "",
                             .symbol = "",
                             .line = from->line,
                             .until_ns = UINT64_MAX};
    if (source && source->module->died_ns != UINT64_MAX)
        to->until_ns = source->module->died_ns > c->start_ns ? source->module->died_ns - c->start_ns : 0;
    if (a) {
        to->function = prof_name_of(c->names, sym_answer_text(a, from->function));
        to->file = prof_path_of(c, sym_answer_text(a, from->file));
        to->symbol = prof_name_of(c->names, sym_answer_text(a, from->symbol));
    }
    if (source && *to->symbol == '\0') to->symbol = prof_offset_name(source->module, ips[at], c->names);
    return a ? prof_inlines_add(c, a, from) : LS_OK;
}

static ls_err prof_source_ask(const struct prof_lines_context *c, struct prof_line_source *s,
                              const uint64_t *ips, size_t len)
{
    const struct prof_loaded *l = s->module;
    size_t end;
    for (s->first = 0; s->first < len && ips[s->first] < l->base;)
        s->first++;
    for (end = s->first; end < len && ips[end] < l->end;)
        end++;
    if (end == s->first) return LS_OK;
    if (!l->has_bias) {
        sym_file_mark_other(l->file);
        return LS_OK;
    }
    uint64_t *linked = malloc((end - s->first) * sizeof(*linked));
    if (!linked) return ls_nomem("%zu addresses", end - s->first);
    for (size_t i = s->first; i < end; i++)
        linked[i - s->first] = ips[i] - l->bias;
    const ls_err e = sym_file_lines(c->modules->files, l->file, linked, end - s->first, &s->answer);
    free(linked);
    return e;
}

static int prof_compare_sources(const void *a, const void *b)
{
    const struct prof_loaded *x = ((const struct prof_line_source *)a)->module,
                             *y = ((const struct prof_line_source *)b)->module;
    if (x->died_ns != y->died_ns) return x->died_ns < y->died_ns ? -1 : 1;
    return (x->base > y->base) - (x->base < y->base);
}

/* An address where several modules were, one after the other, has a row for each, in the order in which they
 * were unloaded. */
static ls_err prof_lines_of_ip(const struct prof_lines_context *c, const struct prof_line_source *sources,
                               const uint64_t *ips, size_t at)
{
    uint64_t until_ns = 0;
    for (size_t i = 0; i < c->modules->rows.len; i++) {
        const struct prof_loaded *l = sources[i].module;
        if (ips[at] < l->base || ips[at] >= l->end || l->died_ns <= until_ns) continue;
        until_ns = l->died_ns;
        LS_TRY(prof_line_add(c, &sources[i], ips, at));
    }
    return until_ns ? LS_OK : prof_line_add(c, NULL, ips, at);
}

static ls_err prof_lines_fill(const struct prof_lines_context *c, struct prof_line_source *sources,
                              const uint64_t *ips, size_t len)
{
    for (size_t i = 0; i < c->modules->rows.len; i++)
        sources[i].module = &c->modules->rows.rows[i];
    qsort(sources, c->modules->rows.len, sizeof(*sources), prof_compare_sources);
    for (size_t i = 0; i < c->modules->rows.len; i++)
        LS_TRY(prof_source_ask(c, &sources[i], ips, len));
    for (size_t i = 0; i < len; i++)
        LS_TRY(prof_lines_of_ip(c, sources, ips, i));
    return LS_OK;
}

ls_err prof_lines_resolve(const struct prof_lines_context *c, const struct prof_ip_set *ips)
{
    struct prof_line_source *sources = calloc(c->modules->rows.len + 1, sizeof(*sources));
    uint64_t *sorted = prof_ip_sorted(ips);
    const ls_err e = sorted && sources ? prof_lines_fill(c, sources, sorted, ips->ips.len)
                                       : ls_nomem("%zu addresses", ips->ips.len);
    for (size_t i = 0; sources && i < c->modules->rows.len; i++)
        sym_answer_fini(&sources[i].answer);
    free(sources);
    free(sorted);
    return e;
}

static bool prof_line_is_before(const struct prof_line *line, uint32_t process, uint64_t ip)
{
    return line->process < process || (line->process == process && line->ip < ip);
}

uint32_t prof_lines_find(const prof_line_list *lines, uint32_t process, uint64_t ip)
{
    size_t from;
    LS_COUNT_FIRST(from, lines->len, i, prof_line_is_before(&lines->rows[i], process, ip));
    const bool is_found =
        from < lines->len && lines->rows[from].process == process && lines->rows[from].ip == ip;
    return is_found ? (uint32_t)from : UINT32_MAX;
}
