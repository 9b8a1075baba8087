/* SPDX-License-Identifier: BSD-3-Clause */
#include "profile/prof_lines.h"

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

static ls_err prof_line_add(sym_session *session, uint64_t ip, uint32_t process, prof_names *names,
                            prof_line_list *lines)
{
    const struct sym_place place = sym_session_find(session, ip);
    LS_TRY(PROF_VECTOR_ROOM(lines));
    lines->rows[lines->len++] = (struct prof_line){.process = process,
                                                   .ip = ip,
                                                   .module = prof_name_of(names, place.module),
                                                   .function = prof_name_of(names, place.function),
                                                   .file = prof_name_of(names, place.file),
                                                   .line = place.line,
                                                   .symbol = prof_name_of(names, place.function)};
    return LS_OK;
}

static ls_err prof_modules_add(const sym_session *session, uint32_t process, prof_names *names,
                               prof_module_list *modules)
{
    size_t len;
    const struct sym_module *rows = sym_session_modules(session, &len);
    for (size_t i = 0; i < len; i++) {
        LS_TRY(PROF_VECTOR_ROOM(modules));
        modules->rows[modules->len++] =
            (struct prof_module){.process = process,
                                 .path = prof_name_of(names, rows[i].path),
                                 .build_id = prof_name_of(names, rows[i].build_id),
                                 .base = rows[i].base,
                                 .end = rows[i].end,
                                 .bias = rows[i].bias};
    }
    return LS_OK;
}

ls_err prof_lines_resolve(sym_session *session, const struct prof_ip_set *ips, uint32_t process,
                          prof_names *names, prof_line_list *lines, prof_module_list *modules)
{
    LS_TRY(prof_modules_add(session, process, names, modules));
    uint64_t *sorted = prof_ip_sorted(ips);
    ls_err e = sorted ? LS_OK : ls_fail(LS_ERR_NOMEM, "out of memory for %zu addresses", ips->len);
    for (size_t i = 0; e == LS_OK && i < ips->len; i++)
        e = prof_line_add(session, sorted[i], process, names, lines);
    free(sorted);
    return e;
}
