/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolve/prof_maps.h"

#include "common/ls_text.h"
#include "common/ls_vector.h"
#include "spool/spool_record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* glibc malloc/arena.c: HEAP_MAX_SIZE on 64-bit machines */
#define PROF_ARENA_BYTES (UINT64_C(64) << 20)

static unsigned prof_access_of(const char *flags)
{
    return (flags[0] == 'r' ? PROF_MAP_READ : 0u) | (flags[1] == 'w' ? PROF_MAP_WRITE : 0u) |
           (flags[2] == 'x' ? PROF_MAP_EXEC : 0u);
}

/* base-end perms offset major:minor inode   path */
static bool prof_parse_line(const char *line, struct prof_mapping *m, int *path_at)
{
    unsigned long long base, end, offset;
    char flags[5];
    *path_at = 0;
    if (sscanf(line, "%16llx-%16llx %4s %16llx %*x:%*x %*u %n", &base, &end, flags, &offset, path_at) != 4)
        return false;
    if (base >= end || *path_at == 0 || strlen(flags) != 4) return false;
    *m = (struct prof_mapping){.base = base,
                               .end = end,
                               .offset_bytes = offset,
                               .access = prof_access_of(flags),
                               .node = UINT32_MAX};
    return true;
}

static size_t prof_path_len(const char *path)
{
    static const char deleted[] = " (deleted)";
    const size_t len = strlen(path), tail = sizeof(deleted) - 1;
    return len > tail && strcmp(path + len - tail, deleted) == 0 ? len - tail : len;
}

/* The name of a path, in which the kernel writes a newline as \012 (proc(5)); path is changed. */
static const char *prof_path_name(prof_names *names, char *path)
{
    const char *from = path, *end = path + prof_path_len(path);
    char *to = path;
    while (from < end) {
        const bool is_newline = end - from >= 4 && memcmp(from, "\\012", 4) == 0;
        *to++ = is_newline ? '\n' : *from;
        from += is_newline ? 4 : 1;
    }
    return prof_name_path(names, path, (size_t)(to - path));
}

/* Is it mapped from a file of the recording itself? */
static bool prof_is_spool(const char *path)
{
    struct spool_name name;
    return spool_file_name_parse(ls_base_name(path), &name);
}

/* Drop mappings of the spool. The program never touches them, and the hooks do not see them come and go: if
 * kept, they would hide later mappings at the same place. Call it after the classification, which examines
 * neighbours. */
static void prof_drop_spool(struct prof_mapping *rows, size_t *len)
{
    size_t kept = 0;
    for (size_t i = 0; i < *len; i++)
        if (!prof_is_spool(rows[i].path)) rows[kept++] = rows[i];
    *len = kept;
}

/* QEMU's user mode shows the access rights of the emulator's mappings, in which code is only readable: if no
 * file is executable, assume that the first of several mappings of a file is code if it is read-only. */
static void prof_guess_code(struct prof_mapping *rows, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (rows[i].path[0] == '/' && (rows[i].access & PROF_MAP_EXEC)) return;
    for (size_t i = 0; i + 1 < len; i++)
        if (rows[i].path[0] == '/' && rows[i].offset_bytes == 0 && rows[i].access == PROF_MAP_READ &&
            rows[i + 1].path == rows[i].path)
            rows[i].access |= PROF_MAP_EXEC;
}

/* Modules have few mappings, which are close together. A file with mappings that are writable and executable, but without its
 * first page, is no module: ELF files are mapped with their header. It is the image of a heap, on which the collector of a
 * language goes on (sbcl.core). */
static bool prof_is_module(const struct prof_mapping *rows, size_t len, size_t at)
{
    enum { PROF_NEAR = 16 };
    const size_t from = at > PROF_NEAR ? at - PROF_NEAR : 0, to = at + PROF_NEAR < len ? at + PROF_NEAR : len;
    bool has_code = false, has_head = false, has_writable_code = false;
    for (size_t i = from; i < to; i++) {
        if (rows[i].path != rows[at].path) continue;
        has_code |= (rows[i].access & PROF_MAP_EXEC) != 0;
        has_head |= rows[i].offset_bytes == 0;
        has_writable_code |= (rows[i].access & PROF_MAP_EXEC) && (rows[i].access & PROF_MAP_WRITE);
    }
    return has_code && (has_head || !has_writable_code);
}

static bool prof_is_heap_image(const struct prof_mapping *m)
{
    const unsigned all = PROF_MAP_READ | PROF_MAP_WRITE | PROF_MAP_EXEC;
    return m->kind == PROF_NODE_FILE && m->access == all;
}

static bool prof_is_arena(const struct prof_mapping *rows, size_t len, size_t at)
{
    const struct prof_mapping *m = &rows[at];
    if (m->base % PROF_ARENA_BYTES != 0 || m->end - m->base > PROF_ARENA_BYTES ||
        !(m->access & PROF_MAP_WRITE))
        return false;
    if (m->end - m->base == PROF_ARENA_BYTES) return true;
    return at + 1 < len && m[1].base == m->end && m[1].access == 0 && m[1].path[0] == '\0' &&
           m[1].end % PROF_ARENA_BYTES == 0;
}

static enum prof_node_kind prof_kind_of_nameless(const struct prof_mapping *rows, size_t len, size_t at)
{
    const bool follows_data = at > 0 && rows[at - 1].end == rows[at].base &&
                              rows[at - 1].kind == PROF_NODE_STATIC &&
                              (rows[at].access & PROF_MAP_WRITE) != 0;
    if (follows_data && rows[at - 1].offset_bytes > 0) /* from the file, so no .bss itself */
        return PROF_NODE_STATIC;
    if (at > 0 && rows[at - 1].end == rows[at].base && rows[at - 1].access == rows[at].access &&
        prof_is_heap_image(&rows[at - 1]))
        return PROF_NODE_FILE; /* the collector's space continues after its image */
    if (rows[at].access & PROF_MAP_EXEC) return PROF_NODE_JIT;
    return prof_is_arena(rows, len, at) ? PROF_NODE_HEAP_SMALL : PROF_NODE_ANONYMOUS;
}

enum prof_node_kind prof_maps_kind_of_special(const struct prof_mapping *m)
{
    const char *name = m->path;
    if (strncmp(name, "[stack", 6) == 0) return PROF_NODE_STACK;
    if (strcmp(name, "[heap]") == 0) return PROF_NODE_HEAP_SMALL;
    if (strncmp(name, "[anon", 5) == 0)
        return m->access & PROF_MAP_EXEC ? PROF_NODE_JIT : PROF_NODE_ANONYMOUS;
    return PROF_NODE_KERNEL; /* vdso, vvar, vvar_vclock, vsyscall, uprobes */
}

bool prof_is_memory_file(const char *path)
{
    static const char *const prefixes[] = {"/memfd:", "/dev/zero", "/dev/shm/", "/SYSV", "anon_inode:"};
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
        if (strncmp(path, prefixes[i], strlen(prefixes[i])) == 0) return true;
    return false;
}

static enum prof_node_kind prof_kind_of_mapping(const struct prof_mapping *rows, size_t len, size_t at)
{
    const struct prof_mapping *m = &rows[at];
    if (m->path[0] == '\0') return prof_kind_of_nameless(rows, len, at);
    if (m->path[0] == '[') return prof_maps_kind_of_special(m);
    if ((m->access & PROF_MAP_EXEC) && prof_is_memory_file(m->path)) return PROF_NODE_JIT;
    if (!prof_is_module(rows, len, at)) return PROF_NODE_FILE;
    return m->access & PROF_MAP_WRITE ? PROF_NODE_STATIC : PROF_NODE_CODE;
}

/* Set kind of all rows, which are sorted by base: a file with an executable part is a module; anonymous
 * memory directly after a module's data is its .bss, after the image of a heap more of it; 64 MiB-aligned anonymous memory with a
 * protected rest is an arena of the C library. */
static void prof_maps_classify(struct prof_mapping *rows, size_t len)
{
    for (size_t i = 0; i < len; i++)
        rows[i].kind = prof_kind_of_mapping(rows, len, i);
    for (size_t i = 1; i < len; i++)
        if ((rows[i].kind == PROF_NODE_STATIC || rows[i].kind == PROF_NODE_FILE) && rows[i].path[0] == '\0')
            rows[i].path = rows[i - 1].path; /* .bss has its module's name */
}

ls_err prof_maps_parse(const char *text, size_t len_bytes, prof_names *names, prof_mapping_list *out)
{
    if (len_bytes == 0) return LS_OK; /* text and rows may be NULL */
    const char *end = text + len_bytes;
    const size_t first = out->len;
    while (text < end) {
        char line[4608];
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        const size_t len = (size_t)((stop ? stop : end) - text);
        struct prof_mapping m;
        int path_at;
        if (len < sizeof(line)) {
            memcpy(line, text, len);
            line[len] = '\0';
            if (prof_parse_line(line, &m, &path_at)) {
                m.path = prof_path_name(names, line + path_at);
                LS_TRY(LS_VECTOR_ADD(out, m));
            }
        }
        text += len + 1;
    }
    size_t len = out->len - first;
    if (len == 0) return LS_OK;
    prof_guess_code(out->rows + first, len);
    prof_maps_classify(out->rows + first, len);
    prof_drop_spool(out->rows + first, &len);
    out->len = first + len;
    return LS_OK;
}

/* --- snapshots --- */

ls_err prof_snapshot_take(struct prof_snapshot *s, const struct spool_maps *piece, bool *out_whole)
{
    if (piece->rec.flags & SPOOL_MAPS_FIRST) s->len = 0;
    *out_whole = (piece->rec.flags & SPOOL_MAPS_LAST) != 0;
    LS_TRY(LS_GROW(s->text, s->room, s->len + piece->text_len));
    if (piece->text_len > 0) memcpy(s->text + s->len, SPOOL_REC_TAIL(piece), piece->text_len);
    s->len += piece->text_len;
    return LS_OK;
}

void prof_snapshot_fini(struct prof_snapshot *s)
{
    free(s->text);
    *s = (struct prof_snapshot){0};
}
