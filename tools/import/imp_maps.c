/* SPDX-License-Identifier: BSD-3-Clause */
/* The mappings of a process in a perf.data as they change, written as the text of /proc/PID/maps. */
#include "tools/import/imp_perf.h"

#include "common/ls_vector.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static ls_err maps_insert(struct imp_maps *m, size_t at, const struct imp_mapping *mapping)
{
    LS_TRY(LS_GROW(m->rows, m->room, m->len + 1));
    char *path = strdup(mapping->path);
    if (!path) return ls_nomem("mappings");
    memmove(&m->rows[at + 1], &m->rows[at], (m->len - at) * sizeof(*m->rows));
    m->rows[at] = *mapping;
    m->rows[at].path = path;
    m->len++;
    return LS_OK;
}

static void maps_remove(struct imp_maps *m, size_t at)
{
    free(m->rows[at].path);
    m->len--;
    memmove(&m->rows[at], &m->rows[at + 1], (m->len - at) * sizeof(*m->rows));
}

/* Make room in [base, end): cut, split or remove the mappings there. */
static ls_err maps_clear(struct imp_maps *m, uint64_t base, uint64_t end)
{
    for (size_t i = 0; i < m->len;) {
        struct imp_mapping *r = &m->rows[i], after = *r;
        if (r->end <= base || r->base >= end) {
            i++;
            continue;
        }
        after.base = end;
        after.offset_bytes += end - r->base;
        const bool has_front = r->base<base, has_rest = r->end> end;
        if (has_rest) LS_TRY(maps_insert(m, i + 1, &after));
        r = &m->rows[i];
        if (has_front)
            r->end = base;
        else
            maps_remove(m, i);
        i += has_front + has_rest;
    }
    return LS_OK;
}

ls_err imp_maps_add(struct imp_maps *m, const struct imp_mapping *mapping)
{
    size_t at = 0;
    LS_TRY(maps_clear(m, mapping->base, mapping->end));
    while (at < m->len && m->rows[at].base < mapping->base)
        at++;
    m->is_unwritten = true;
    return maps_insert(m, at, mapping);
}

ls_err imp_maps_copy(const struct imp_maps *from, struct imp_maps *out)
{
    memset(out, 0, sizeof(*out));
    for (size_t i = 0; i < from->len; i++)
        LS_TRY(maps_insert(out, i, &from->rows[i]));
    out->is_unwritten = from->is_unwritten;
    return LS_OK;
}

void imp_maps_fini(struct imp_maps *m)
{
    for (size_t i = 0; i < m->len; i++)
        free(m->rows[i].path);
    free(m->rows);
    memset(m, 0, sizeof(*m));
}

/* Escape newlines in a path as the kernel does (proc(5)), so that they do not begin another mapping. */
static void put_path(FILE *out, const char *path)
{
    for (; *path; path++)
        if (*path == '\n')
            fputs("\\012", out);
        else
            putc(*path, out);
    putc('\n', out);
}

static char *maps_text(const struct imp_maps *m, size_t *out_len)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, out_len);
    if (!out) return NULL;
    for (size_t i = 0; i < m->len; i++) {
        const struct imp_mapping *r = &m->rows[i];
        fprintf(out, "%" PRIx64 "-%" PRIx64 " %c%c%cp %08" PRIx64 " 00:00 %" PRIu64 " ", r->base, r->end,
                r->prot & PROT_READ ? 'r' : '-', r->prot & PROT_WRITE ? 'w' : '-',
                r->prot & PROT_EXEC ? 'x' : '-', r->offset_bytes, r->inode);
        put_path(out, r->path);
    }
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

ls_err imp_maps_put(struct imp_maps *m, struct spool_writer *w, uint64_t time_ns)
{
    size_t len;
    if (!m->is_unwritten) return LS_OK;
    char *text = maps_text(m, &len);
    if (!text) return ls_nomem("a map of %zu rows", m->len);
    for (size_t at = 0; at < len; at += SPOOL_MAPS_PIECE_BYTES) {
        const size_t left = len - at;
        const struct spool_text piece = {
            text + at, (uint32_t)(left < SPOOL_MAPS_PIECE_BYTES ? left : SPOOL_MAPS_PIECE_BYTES)};
        const unsigned flags =
            (at == 0 ? SPOOL_MAPS_FIRST : 0) | (left <= SPOOL_MAPS_PIECE_BYTES ? SPOOL_MAPS_LAST : 0);
        spool_put_maps(w, time_ns, (uint16_t)flags, piece);
    }
    free(text);
    m->is_unwritten = false;
    return LS_OK;
}
