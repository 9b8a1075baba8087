/* SPDX-License-Identifier: BSD-3-Clause */
#include "profile/prof_lines.h"

#include "profile/prof_maps.h"
#include "profile/prof_modules.h"

#include <stdlib.h>

static size_t prof_ip_slot(const struct prof_ip_set *set, uint64_t ip)
{
    size_t at = (size_t)((ip * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (set->room - 1);
    while (set->slots[at] != 0 && set->slots[at] != ip)
        at = (at + 1) & (set->room - 1);
    return at;
}

static ls_err prof_ip_grow(struct prof_ip_set *set)
{
    struct prof_ip_set grown = {.room = set->room ? 2 * set->room : 1024, .len = set->len};
    grown.slots = calloc(grown.room, sizeof(*grown.slots));
    if (!grown.slots) return ls_fail(LS_ERR_NOMEM, "out of memory for %zu addresses", grown.room);
    for (size_t i = 0; i < set->room; i++)
        if (set->slots[i] != 0) grown.slots[prof_ip_slot(&grown, set->slots[i])] = set->slots[i];
    free(set->slots);
    *set = grown;
    return LS_OK;
}

ls_err prof_ip_add(struct prof_ip_set *set, uint64_t ip)
{
    if (ip == 0) return LS_OK;
    if (2 * set->len >= set->room) LS_TRY(prof_ip_grow(set));
    const size_t at = prof_ip_slot(set, ip);
    set->len += set->slots[at] == 0;
    set->slots[at] = ip;
    return LS_OK;
}

void prof_ip_fini(struct prof_ip_set *set)
{
    free(set->slots);
    *set = (struct prof_ip_set){0};
}

static int prof_compare_ips(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Sorted copy; the caller frees it. */
static uint64_t *prof_ip_sorted(const struct prof_ip_set *set)
{
    uint64_t *ips = malloc((set->len + 1) * sizeof(*ips));
    size_t len = 0;
    for (size_t i = 0; ips && i < set->room; i++)
        if (set->slots[i] != 0) ips[len++] = set->slots[i];
    if (ips) qsort(ips, len, sizeof(*ips), prof_compare_ips);
    return ips;
}

/* Where no name is known the file and the place in it are. */
static const char *prof_place_name(const struct prof_loaded *l, uint64_t ip, prof_names *names)
{
    const uint64_t offset = l->has_bias ? ip - l->bias : ip - l->base;
    return prof_name_printf(names, "%s+0x%llx", prof_base_name(l->path), (unsigned long long)offset);
}

/* answer: of the module of the address, row at belongs to it; NULL: its file told nothing. */
static ls_err prof_line_add(const struct prof_lines_context *c, const struct prof_loaded *l, uint64_t ip,
                            const struct sym_answer *answer, size_t at)
{
    static const struct sym_line unknown;
    const struct sym_line *from = answer ? &answer->lines[at] : &unknown;
    LS_TRY(PROF_VECTOR_ROOM(c->lines));
    struct prof_line *to = &c->lines->rows[c->lines->len++];
    *to = (struct prof_line){.process = c->process,
                             .ip = ip,
                             .module = l ? l->path : "",
                             .function = "",
                             .file = "",
                             .symbol = "",
                             .line = from->line};
    if (answer) {
        to->function = prof_name_of(c->names, sym_answer_text(answer, from->function));
        to->file = prof_name_of(c->names, sym_answer_text(answer, from->file));
        to->symbol = prof_name_of(c->names, sym_answer_text(answer, from->symbol));
    }
    if (l && *to->symbol == '\0') to->symbol = prof_place_name(l, ip, c->names);
    for (uint32_t i = 0; i < from->inlines_len; i++) {
        const struct sym_inline *step = &answer->inlines[from->first_inline + i];
        LS_TRY(PROF_VECTOR_ROOM(c->inlines));
        c->inlines->rows[c->inlines->len++] =
            (struct prof_inline){.line = (uint32_t)(c->lines->len - 1),
                                 .depth = i + 1,
                                 .function = prof_name_of(c->names, sym_answer_text(answer, step->function)),
                                 .file = prof_name_of(c->names, sym_answer_text(answer, step->file)),
                                 .line_number = step->line};
    }
    return LS_OK;
}

/* ips all lie in l; linked has room for them. */
static ls_err prof_lines_of_module(const struct prof_lines_context *c, const struct prof_loaded *l,
                                   const uint64_t *ips, size_t len, uint64_t *linked)
{
    struct sym_answer answer = {0};
    for (size_t i = 0; i < len; i++)
        linked[i] = ips[i] - l->bias;
    if (l->has_bias) LS_TRY(sym_file_lines(c->modules->files, l->file, linked, len, &answer));
    ls_err e = LS_OK;
    for (size_t i = 0; i < len && e == LS_OK; i++)
        e = prof_line_add(c, l, ips[i], answer.lines_len == len ? &answer : NULL, i);
    sym_answer_fini(&answer);
    return e;
}

/* Sorted addresses: those of one module follow each other. */
static ls_err prof_lines_sorted(const struct prof_lines_context *c, const uint64_t *ips, size_t len,
                                uint64_t *linked)
{
    for (size_t from = 0, to; from < len; from = to) {
        const struct prof_loaded *l = prof_modules_at(c->modules, NULL, ips[from]);
        for (to = from + 1; l && to < len && prof_modules_at(c->modules, NULL, ips[to]) == l; to++)
            ;
        if (l)
            LS_TRY(prof_lines_of_module(c, l, ips + from, to - from, linked));
        else
            LS_TRY(prof_line_add(c, NULL, ips[from], NULL, 0));
    }
    return LS_OK;
}

ls_err prof_lines_resolve(const struct prof_lines_context *c, const struct prof_ip_set *ips)
{
    uint64_t *sorted = prof_ip_sorted(ips), *linked = malloc((ips->len + 1) * sizeof(*linked));
    const ls_err e = sorted && linked ? prof_lines_sorted(c, sorted, ips->len, linked)
                                      : ls_fail(LS_ERR_NOMEM, "out of memory for %zu addresses", ips->len);
    free(sorted);
    free(linked);
    return e;
}
