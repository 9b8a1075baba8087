/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "resolve/prof_replay.h"

#include "run_h5/prof_memaxes.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The sources of the rows in the file. */
struct prof_dumping {
    const struct prof_dump *dump;
    struct prof_samples samples;
    const struct prof_thread *threads;
    const struct prof_node *nodes;
    const struct prof_line *lines;
    size_t threads_len, nodes_len, lines_len;
    FILE *out;
};

static const struct prof_line *prof_dump_line(const struct prof_dumping *d, uint64_t ip)
{
    size_t low = 0, high = d->lines_len;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        const struct prof_line *l = &d->lines[mid];
        if (l->process == d->dump->process && l->ip == ip) return l;
        const bool is_before = l->process != d->dump->process ? l->process < d->dump->process : l->ip < ip;
        *(is_before ? &low : &high) = is_before ? mid + 1 : mid;
    }
    return NULL;
}

static bool prof_dump_wants(const struct prof_dumping *d, uint64_t i)
{
    const struct prof_samples *s = &d->samples;
    const uint32_t thread = s->thread[i];
    if (thread >= d->threads_len || d->threads[thread].process != d->dump->process) return false;
    if (s->time_ns[i] == UINT64_MAX || s->time_ns[i] > d->dump->time_ns) return false;
    if (!prof_memaxes_has(s, i)) return false;
    return s->latency_cycles[i] >= 0 && (uint64_t)s->latency_cycles[i] >= d->dump->threshold_cycles;
}

/* The element's place in the grid that the program named; NULL: outside of it. */
static const uint64_t *prof_dump_cell(const struct prof_dump *d, uint64_t element, uint64_t out[3])
{
    const uint64_t nx = d->extents[0], ny = d->extents[1], nz = d->extents[2];
    if (element == UINT64_MAX || !nx || !ny || !nz || element / nx / ny >= nz) return NULL;
    out[0] = element % nx;
    out[1] = element / nx % ny;
    out[2] = element / nx / ny;
    return out;
}

static void prof_dump_row(const struct prof_dumping *d, uint64_t i)
{
    const struct prof_samples *s = &d->samples;
    uint64_t cell[3];
    const struct prof_memaxes_row row = {.variable =
                                             s->node[i] < d->nodes_len ? d->nodes[s->node[i]].label : "",
                                         .line = prof_dump_line(d, s->ip[i]),
                                         .cell = prof_dump_cell(d->dump, s->element[i], cell)};
    prof_memaxes_put(&row, s, i, d->out);
}

static ls_err prof_dump_rows(const struct prof_dumping *d, const char *path)
{
    fputs(prof_memaxes_head, d->out);
    for (uint64_t i = 0; i < d->samples.len; i++)
        if (prof_dump_wants(d, i)) prof_dump_row(d, i);
    return fflush(d->out) == 0 && !ferror(d->out) ? LS_OK : ls_fail_errno(errno, "cannot write %s", path);
}

static ls_err prof_dump_load(prof_profile *p, struct prof_dumping *d)
{
    d->threads = prof_threads(p, &d->threads_len);
    d->nodes = prof_nodes(p, &d->nodes_len);
    d->lines = prof_lines(p, &d->lines_len);
    return prof_load_samples(p, PROF_MEMAXES_COLUMNS, &d->samples);
}

/* Return whether the file at path begins as the files do that are written here. */
static bool prof_dump_is_one(const char *path)
{
    char head[128] = "";
    const size_t wanted = strlen(prof_memaxes_head);
    FILE *in = fopen(path, "re");
    if (!in) return false;
    const size_t len = fread(head, 1, wanted < sizeof(head) ? wanted : 0, in);
    fclose(in);
    return len == wanted && memcmp(head, prof_memaxes_head, wanted) == 0;
}

/* A program that root recorded may have given up its rights before it named the file, or have been taken over
 * by a stranger. Root therefore makes no files that other programs obey, and replaces none but earlier dumps. */
static ls_err prof_dump_check_for_root(const char *path)
{
    static const char *const ends[] = {".csv", ".out", ".txt", ".dat"};
    const char *end = strrchr(path, '.');
    struct stat st;
    bool is_data = false;
    for (size_t i = 0; end && i < sizeof(ends) / sizeof(ends[0]); i++)
        is_data |= strcmp(end, ends[i]) == 0;
    if (!is_data)
        return ls_fail(LS_ERR_PERMISSION,
                       "%s, which the program asked for, is not written by root: let its name end in .csv, "
                       ".out, .txt or .dat",
                       path);
    if (lstat(path, &st) == 0 && !(S_ISREG(st.st_mode) && prof_dump_is_one(path)))
        return ls_fail(
            LS_ERR_EXISTS,
            "%s, which the program asked for, is not the samples of an earlier recording: root does "
            "not replace it; remove it first",
            path);
    return LS_OK;
}

static ls_err prof_dump_publish(const char *temporary, const char *path, int force)
{
    if (!force && access(path, F_OK) == 0)
        return ls_fail(LS_ERR_EXISTS,
                       "%s, which the program asked for, is already there: --force replaces it", path);
    struct stat st;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
        return ls_fail(LS_ERR_EXISTS, "%s, which the program asked for, is no file: nothing is written to it",
                       path);
    return rename(temporary, path) == 0 ? LS_OK : ls_fail_errno(errno, "cannot write %s", path);
}

static ls_err prof_dump_into(struct prof_dumping *d, const char *temporary, int force)
{
    d->out = fopen(temporary, "wxe");
    if (!d->out) return ls_fail_errno(errno, "cannot write %s, which the program asked for", d->dump->path);
    ls_err e = prof_dump_rows(d, d->dump->path);
    if (fclose(d->out) != 0 && e == LS_OK) e = ls_fail_errno(errno, "cannot write %s", d->dump->path);
    if (e == LS_OK) e = prof_dump_publish(temporary, d->dump->path, force);
    if (e != LS_OK) unlink(temporary);
    return e;
}

ls_err prof_dump_write(prof_profile *p, const struct prof_dump *d, int force)
{
    struct prof_dumping dumping = {.dump = d};
    char *temporary;
    if (d->path[0] != '/') /* the runtime makes them absolute */
        return ls_fail(LS_ERR_FORMAT, "'%s' is no place for a file that a program asked for", d->path);
    if (geteuid() == 0) LS_TRY(prof_dump_check_for_root(d->path));
    LS_TRY(prof_dump_load(p, &dumping));
    if (asprintf(&temporary, "%s.part-%ld", d->path, (long)getpid()) < 0) return ls_nomem("%s", d->path);
    const ls_err e = prof_dump_into(&dumping, temporary, force);
    free(temporary);
    return e;
}
