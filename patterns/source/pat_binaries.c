/* SPDX-License-Identifier: BSD-3-Clause */
/* modules.log, as DynamoRIO's extension drmodtrack (ext/drcovlib) writes it: "Columns: id, containing_id,
 * start, end, ..., path", one row per segment; drmemtrace puts "v#1,0," in front of the path. */
#include "common/ls_owner.h"
#include "patterns/source/pat_source.h"
#include "patterns/source/pat_lines.h"
#include "patterns/source/pat_tables.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SEGMENTS_MAX = 256, PAGE_BYTES = 4096 };

/* The linked addresses of a file's segments. */
struct binary_span {
    uint64_t start, end;
    bool is_fixed; /* not position-independent */
};

void pat_binaries_fini(struct pat_binaries *b)
{
    for (size_t i = 0; i < b->len; i++)
        free(b->rows[i].path);
    free(b->rows);
    *b = (struct pat_binaries){0};
}

static ls_err binary_append(struct pat_binaries *b, const struct pat_module *m)
{
    struct pat_module *grown = realloc(b->rows, (b->len + 1) * sizeof(*grown));
    if (grown) b->rows = grown;
    char *path = strdup(m->path);
    if (!grown || !path) {
        free(path);
        return ls_nomem("%zu programs and libraries", b->len + 1);
    }
    b->rows[b->len] = *m;
    b->rows[b->len++].path = path;
    return LS_OK;
}

/* --- ELF --- */

static bool binary_take_segments(const Elf64_Phdr *segments, size_t len, struct binary_span *out)
{
    *out = (struct binary_span){.start = UINT64_MAX, .is_fixed = out->is_fixed};
    for (size_t i = 0; i < len; i++) {
        const Elf64_Phdr *s = &segments[i];
        if (s->p_type != PT_LOAD || s->p_vaddr > INT64_MAX || s->p_memsz > INT64_MAX) continue;
        if (s->p_vaddr < out->start) out->start = s->p_vaddr / PAGE_BYTES * PAGE_BYTES;
        if (s->p_vaddr + s->p_memsz > out->end) out->end = s->p_vaddr + s->p_memsz;
    }
    return out->start < out->end;
}

static bool binary_read_span(int fd, struct binary_span *out)
{
    Elf64_Ehdr head;
    Elf64_Phdr segments[SEGMENTS_MAX];
    if (pread(fd, &head, sizeof(head), 0) != (ssize_t)sizeof(head)) return false;
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
        head.e_ident[EI_DATA] != ELFDATA2LSB || head.e_phentsize != sizeof(Elf64_Phdr))
        return false;
    const size_t len = head.e_phnum < SEGMENTS_MAX ? head.e_phnum : SEGMENTS_MAX;
    if (head.e_phoff > INT64_MAX || len == 0) return false;
    const ssize_t got = pread(fd, segments, len * sizeof(*segments), (off_t)head.e_phoff);
    if (got != (ssize_t)(len * sizeof(*segments))) return false;
    out->is_fixed = head.e_type == ET_EXEC;
    return binary_take_segments(segments, len, out);
}

static ls_err binary_span_of(const char *path, struct binary_span *out)
{
    const int fd = ls_open_regular(path);
    if (fd < 0) return ls_fail_errno(errno, "the binary %s cannot be read", path);
    const bool is_elf = binary_read_span(fd, out);
    close(fd);
    return is_elf ? LS_OK : ls_fail(LS_ERR_FORMAT, "%s is not a 64-bit program or library (ELF)", path);
}

/* --- binaries given by the user --- */

ls_err pat_binaries_add(struct pat_binaries *b, const char *text)
{
    char path[PATH_MAX];
    struct binary_span span;
    const char *at = strrchr(text, '@'), *p = at ? at + 1 : "";
    uint64_t base = 0;
    const bool has_base = at && pat_scan_hex(&p, &base) && *p == '\0';
    if (at && !has_base && access(text, F_OK) != 0) /* a file name may contain an @ */
        return ls_fail(LS_ERR_USAGE, "%s: after @ the load address is expected, as in @0x555555554000", text);
    snprintf(path, sizeof(path), "%.*s", has_base ? (int)(at - text) : (int)strlen(text), text);
    LS_TRY(binary_span_of(path, &span));
    if (!has_base && !span.is_fixed)
        return ls_fail(LS_ERR_ARG,
                       "%s is position-independent: add its load address, as in %s@0x555555554000 (the first "
                       "line of /proc/PID/maps that names it)",
                       path, path);
    const uint64_t bias = has_base ? base - span.start : 0;
    const struct pat_module m = {
        .path = path, .start = span.start + bias, .end = span.end + bias, .bias = bias};
    return binary_append(b, &m);
}

/* --- binaries listed in a log --- */

/* Parse a row that is a module's first segment. */
static bool log_parse(const char *line, uint64_t *start, uint64_t *end, const char **path)
{
    uint64_t id, first;
    pat_scan_blanks(&line);
    if (!pat_scan_decimal(&line, &id) || !pat_scan_char(&line, ',')) return false;
    pat_scan_blanks(&line);
    if (!pat_scan_decimal(&line, &first) || !pat_scan_char(&line, ',') || id != first) return false;
    pat_scan_blanks(&line);
    if (!pat_scan_hex(&line, start) || !pat_scan_char(&line, ',')) return false;
    pat_scan_blanks(&line);
    if (!pat_scan_hex(&line, end) || *start >= *end) return false;
    *path = strchr(line, '/');
    return *path != NULL;
}

/* Add a module; if its file does not exist here any more, only the first segment is known. */
static ls_err log_add(struct pat_binaries *b, const char *line)
{
    struct binary_span span;
    const char *path;
    uint64_t start, end;
    if (!log_parse(line, &start, &end, &path)) return LS_OK;
    struct pat_module m = {.path = (char *)(uintptr_t)path, .start = start, .end = end, .bias = start};
    if (binary_span_of(path, &span) == LS_OK) {
        m.bias = start - span.start;
        m.end = span.end + m.bias;
    }
    return binary_append(b, &m);
}

static ls_err log_read(struct pat_binaries *b, const char *path)
{
    static const char magic[] = "Module Table: version ";
    struct pat_lines lines;
    char *line = NULL;
    ls_err err = pat_lines_init(&lines, path);
    if (err == LS_OK) err = pat_lines_next(&lines, &line);
    const bool is_log = err == LS_OK && line && strncmp(line, magic, sizeof(magic) - 1) == 0;
    while (is_log && err == LS_OK && line)
        if ((err = pat_lines_next(&lines, &line)) == LS_OK && line) err = log_add(b, line);
    pat_lines_fini(&lines);
    return err == LS_ERR_NOMEM ? err : LS_OK;
}

ls_err pat_binaries_add_beside(struct pat_binaries *b, const char *trace_path)
{
    static const char *const paths[] = {"modules.log", "../raw/modules.log"};
    char path[PATH_MAX];
    const char *slash = strrchr(trace_path, '/');
    const int folder = slash ? (int)(slash - trace_path) + 1 : 0;
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        const int len = snprintf(path, sizeof(path), "%.*s%s", folder, trace_path, paths[i]);
        if (len > 0 && len < PATH_MAX && access(path, R_OK) == 0) return log_read(b, path);
    }
    return LS_OK;
}
