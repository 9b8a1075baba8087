/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/source/pat_source.h"
#include "common/ls_hash.h"
#include "common/ls_text.h"
#include "common/ls_vector.h"
#include "patterns/source/pat_intern.h"
#include "patterns/source/pat_tables.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the files that a source is made of ---- */

struct files {
    char **paths;
    size_t len;
};

static ls_err files_append(struct files *f, const char *path)
{
    char **grown = realloc(f->paths, (f->len + 1) * sizeof(*grown));
    if (grown) f->paths = grown;
    char *copy = strdup(path);
    if (!grown || !copy) {
        free(copy);
        return ls_nomem("the names of %zu files", f->len + 1);
    }
    f->paths[f->len++] = copy;
    return LS_OK;
}

static void files_fini(struct files *f)
{
    for (size_t i = 0; i < f->len; i++)
        free(f->paths[i]);
    free(f->paths);
    *f = (struct files){0};
}

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* True for the files that DynamoRIO writes next to its traces. */
static bool is_beside(const char *name)
{
    static const char *const heads[] = {"modules.log", "funclist.log",    "encodings.bin",
                                        "v2p.",        "serial_schedule", "cpu_schedule"};
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
        if (strncmp(name, heads[i], strlen(heads[i])) == 0) return true;
    return false;
}

static bool is_source(const char *path, const struct pat_source_options *o)
{
    struct stat st;
    const struct pat_source_format *row;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size == 0) return false;
    return o->format || pat_source_recognise(path, &row) == LS_OK;
}

static int visible(const struct dirent *d)
{
    return d->d_name[0] != '.' && !is_beside(d->d_name);
}

static ls_err add_entries(struct files *f, const char *folder, const struct pat_source_options *o)
{
    struct dirent **entries = NULL;
    char path[PATH_MAX], note[PATH_MAX + 100];
    size_t left_out = 0;
    const size_t before = f->len;
    const int len = scandir(folder, &entries, visible, alphasort);
    if (len < 0) return ls_fail_errno(errno, "%s cannot be listed", folder);
    ls_err err = LS_OK;
    for (int i = 0; i < len; i++) {
        const int path_len = snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
        const bool fits = path_len > 0 && path_len < PATH_MAX;
        if (err == LS_OK && fits && is_source(path, o))
            err = files_append(f, path);
        else
            left_out++;
        free(entries[i]);
    }
    free(entries);
    LS_TRY(err);
    if (f->len == before)
        return ls_fail(
            LS_ERR_FORMAT,
            "%s: none of the %d files in this folder holds accesses in a known format; name it with --format",
            folder, len);
    snprintf(note, sizeof(note), "%s: %zu of %d files hold no accesses and were left out", folder, left_out,
             len);
    if (left_out && o->note) o->note(o->user, note);
    return LS_OK;
}

static ls_err files_add(struct files *f, const char *path, const struct pat_source_options *o)
{
    char trace[PATH_MAX];
    if (strcmp(path, "-") != 0 && access(path, R_OK) != 0) /* before another file is read, which takes long */
        return ls_fail_errno(errno, "%s cannot be read", path);
    if (!is_folder(path)) return files_append(f, path);
    const int len = snprintf(trace, sizeof(trace), "%s/trace", path);
    const bool has_trace = len > 0 && len < PATH_MAX && is_folder(trace);
    return add_entries(f, has_trace ? trace : path, o);
}

/* ---- several files as one ---- */

/* Maps the rows of a file's table to ours. */
struct many_map {
    uint32_t *rows;
    size_t len, room;
};

struct many {
    struct pat_source_format row; /* our format, with the window size of the first file's format */
    struct files files;
    struct pat_source_options options;
    size_t at; /* index of the file after the current one */
    pat_source *child;
    struct many_map sites, modules, homes, ranges, threads, phases,
        lines;      /* rows of child, mapped to our rows */
    bool *is_alive; /* for each of child's ranges */
    size_t alive_room;
    /* ours */
    struct pat_tables tables;
    struct pat_intern known_sites, known_homes, known_lines;
    struct pat_source_counts counts; /* sums over the files before child */
    double scaled;                   /* sum of their accesses times scale */
    struct pat_event *events;
    struct pat_access *accesses;
    size_t events_len, events_room, accesses_room;
};

/* --- rows --- */

static ls_err many_map_put(struct many_map *m, uint32_t row)
{
    return LS_VECTOR_ADD(m, row);
}

static uint32_t many_row(const struct many_map *m, uint32_t row)
{
    return row < m->len ? m->rows[row] : PAT_NONE;
}

static ls_err many_module(struct many *m, const struct pat_module *row)
{
    uint32_t out;
    for (uint32_t i = 0; i < m->tables.modules_len; i++) {
        const struct pat_module *known = &m->tables.modules[i];
        if (known->start == row->start && known->end == row->end && known->bias == row->bias &&
            strcmp(known->path, row->path) == 0)
            return many_map_put(&m->modules, i);
    }
    LS_TRY(pat_tables_add_module(&m->tables, row, &out));
    return many_map_put(&m->modules, out);
}

static ls_err many_site(struct many *m, const struct pat_site *row)
{
    struct pat_site site = *row;
    uint32_t *out;
    site.module = many_row(&m->modules, row->module);
    site.line = row->line ? many_row(&m->lines, row->line - 1) + 1 : 0;
    const uint64_t rest =
        (uint64_t)site.module << 32 | (uint64_t)site.size_bytes << 16 | (uint64_t)site.operand << 8 | site.op;
    LS_TRY(pat_intern(&m->known_sites, site.ip, rest, &out));
    if (*out == PAT_NONE) LS_TRY(pat_tables_add_site(&m->tables, &site, out));
    return many_map_put(&m->sites, *out);
}

static ls_err many_line(struct many *m, const char *line)
{
    uint32_t *out;
    LS_TRY(pat_intern(&m->known_lines, ls_hash_text(LS_HASH_BEGIN, line), strlen(line), &out));
    if (*out == PAT_NONE) LS_TRY(pat_tables_add_line(&m->tables, line, out));
    return many_map_put(&m->lines, *out);
}

/* Homes without a label are never merged. */
static ls_err many_home(struct many *m, const struct pat_home *row)
{
    uint32_t made = PAT_NONE, *out = &made;
    if (row->label)
        LS_TRY(pat_intern(&m->known_homes, ls_hash_text(LS_HASH_BEGIN, row->label) ^ row->kind,
                          ls_hash_text(UINT64_C(0x9e3779b97f4a7c15), row->label) ^ row->elem_size_bytes,
                          &out));
    if (*out == PAT_NONE) LS_TRY(pat_tables_add_home(&m->tables, row, out));
    return many_map_put(&m->homes, *out);
}

static ls_err many_range(struct many *m, const struct pat_range *row)
{
    struct pat_range range = *row;
    uint32_t out;
    range.home = many_row(&m->homes, row->home);
    LS_TRY(pat_tables_add_range(&m->tables, &range, &out));
    return many_map_put(&m->ranges, out);
}

/* "app.0007.log: 1" */
static ls_err many_thread(struct many *m, const char *label)
{
    char named[512];
    uint32_t out;
    snprintf(named, sizeof(named), "%s: %s", ls_base_name(m->files.paths[m->at - 1]), label);
    LS_TRY(pat_tables_add_thread(&m->tables, named, &out));
    return many_map_put(&m->threads, out);
}

static ls_err many_phase(struct many *m, const char *name)
{
    uint32_t out = 0;
    while (out < m->tables.phases_len && strcmp(m->tables.phases[out], name) != 0)
        out++;
    if (out == m->tables.phases_len) LS_TRY(pat_tables_add_phase(&m->tables, name, &out));
    return many_map_put(&m->phases, out);
}

/* Take the rows that are new in the file, referenced tables first. */
static ls_err many_take_rows(struct many *m, const struct pat_tables *t)
{
    while (m->modules.len < t->modules_len)
        LS_TRY(many_module(m, &t->modules[m->modules.len]));
    while (m->lines.len < t->lines_len)
        LS_TRY(many_line(m, t->lines[m->lines.len]));
    while (m->sites.len < t->sites_len)
        LS_TRY(many_site(m, &t->sites[m->sites.len]));
    while (m->homes.len < t->homes_len)
        LS_TRY(many_home(m, &t->homes[m->homes.len]));
    while (m->ranges.len < t->ranges_len)
        LS_TRY(many_range(m, &t->ranges[m->ranges.len]));
    while (m->threads.len < t->threads_len)
        LS_TRY(many_thread(m, t->threads[m->threads.len].label));
    while (m->phases.len < t->phases_len)
        LS_TRY(many_phase(m, t->phases[m->phases.len]));
    return LS_OK;
}

/* --- what happens --- */

static ls_err many_event(struct many *m, struct pat_event e)
{
    LS_TRY(LS_GROW(m->events, m->events_room, m->events_len + 1));
    m->events[m->events_len++] = e;
    return LS_OK;
}

static ls_err many_note_life(struct many *m, const struct pat_event *e)
{
    if (e->what >= m->alive_room) {
        const size_t room = 2 * (size_t)e->what + 64;
        bool *grown = realloc(m->is_alive, room * sizeof(*grown));
        if (!grown) return ls_nomem("%zu ranges", room);
        memset(grown + m->alive_room, 0, room - m->alive_room);
        m->is_alive = grown;
        m->alive_room = room;
    }
    m->is_alive[e->what] = e->kind == PAT_EVENT_RANGE_BORN;
    return LS_OK;
}

static ls_err many_take_event(struct many *m, const struct pat_event *e)
{
    struct pat_event ours = {.kind = e->kind, .thread = many_row(&m->threads, e->thread), .what = e->what};
    const bool is_range = e->kind == PAT_EVENT_RANGE_BORN || e->kind == PAT_EVENT_RANGE_DIED;
    if (is_range) LS_TRY(many_note_life(m, e));
    if (is_range) ours.what = many_row(&m->ranges, e->what);
    if (e->kind == PAT_EVENT_PHASE_BEGIN || e->kind == PAT_EVENT_PHASE_END)
        ours.what = many_row(&m->phases, e->what);
    return many_event(m, ours);
}

static ls_err many_take_accesses(struct many *m, const struct pat_batch *b)
{
    if (b->accesses_len > m->accesses_room) {
        struct pat_access *grown = realloc(m->accesses, b->accesses_len * sizeof(*grown));
        if (!grown) return ls_nomem("%zu accesses", b->accesses_len);
        m->accesses = grown;
        m->accesses_room = b->accesses_len;
    }
    for (size_t i = 0; i < b->accesses_len; i++)
        m->accesses[i] = (struct pat_access){.addr = b->accesses[i].addr,
                                             .site = m->sites.rows[b->accesses[i].site],
                                             .thread = m->threads.rows[b->accesses[i].thread]};
    return LS_OK;
}

/* --- files --- */

static void many_forget_child(struct many *m)
{
    struct many_map *const maps[] = {&m->sites,   &m->modules, &m->homes, &m->ranges,
                                     &m->threads, &m->phases,  &m->lines};
    for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++)
        maps[i]->len = 0;
    if (m->alive_room) memset(m->is_alive, 0, m->alive_room);
    pat_source_close(m->child);
    m->child = NULL;
}

static void many_count(struct many *m, struct pat_source_counts c)
{
    m->counts.accesses += c.accesses;
    m->counts.skipped += c.skipped;
    m->counts.lost += c.lost;
    m->counts.is_sampled |= c.is_sampled;
    m->scaled += (double)c.accesses * c.scale;
}

/* End a file: its ranges die, because the next file has a different address space. Its labels are complete
 * now. */
static ls_err many_end_child(struct many *m)
{
    const struct pat_tables *t = pat_source_tables(m->child);
    LS_TRY(many_take_rows(m, t));
    for (size_t i = 0; i < m->alive_room; i++)
        if (m->is_alive[i])
            LS_TRY(many_event(m, (struct pat_event){PAT_EVENT_RANGE_DIED, PAT_NONE, m->ranges.rows[i]}));
    for (size_t i = 0; i < t->homes_len; i++)
        if (t->homes[i].label && !m->tables.homes[m->homes.rows[i]].label)
            LS_TRY(pat_tables_set_label(&m->tables, m->homes.rows[i], t->homes[i].label));
    many_count(m, pat_source_counts(m->child));
    many_forget_child(m);
    return LS_OK;
}

/* Refuse to mix samples and traces: a sampled access represents many, a traced one only itself. */
static ls_err many_check_kind(const struct many *m)
{
    const bool is_sampled = pat_source_counts(m->child).is_sampled;
    const char *const name = m->files.paths[m->at - 1];
    if (m->at < 2 || is_sampled == m->counts.is_sampled) return LS_OK;
    return ls_fail(LS_ERR_FORMAT,
                   "%s %s, %s %s: they cannot be counted together; loadstone patterns diff compares them",
                   m->files.paths[0], m->counts.is_sampled ? "is a sample" : "has all accesses", name,
                   is_sampled ? "is a sample" : "has all accesses");
}

static ls_err many_next(void *self, struct pat_batch *b)
{
    struct many *m = self;
    struct pat_batch theirs = {0};
    m->events_len = 0;
    while (!m->events_len && !theirs.accesses_len) {
        if (!m->child && m->at == m->files.len) return LS_OK;
        if (!m->child) LS_TRY(pat_source_open(m->files.paths[m->at++], &m->options, &m->child));
        LS_TRY(pat_source_next(m->child, &theirs));
        LS_TRY(many_check_kind(m));
        if (!theirs.events_len && !theirs.accesses_len) {
            LS_TRY(many_end_child(m));
            continue;
        }
        LS_TRY(many_take_rows(m, pat_source_tables(m->child)));
        for (size_t i = 0; i < theirs.events_len; i++)
            LS_TRY(many_take_event(m, &theirs.events[i]));
        LS_TRY(many_take_accesses(m, &theirs));
    }
    *b = (struct pat_batch){m->events, m->events_len, m->accesses, theirs.accesses_len};
    return LS_OK;
}

static const struct pat_tables *many_tables(const void *self)
{
    return &((const struct many *)self)->tables;
}

static struct pat_source_counts many_counts(const void *self)
{
    struct many copy = *(const struct many *)self;
    if (copy.child) many_count(&copy, pat_source_counts(copy.child));
    copy.counts.scale = copy.counts.accesses ? copy.scaled / (double)copy.counts.accesses : 1;
    return copy.counts;
}

static void many_close(void *self)
{
    struct many *m = self;
    many_forget_child(m);
    files_fini(&m->files);
    pat_tables_fini(&m->tables);
    pat_intern_fini(&m->known_sites);
    pat_intern_fini(&m->known_homes);
    pat_intern_fini(&m->known_lines);
    free(m->sites.rows);
    free(m->modules.rows);
    free(m->homes.rows);
    free(m->ranges.rows);
    free(m->threads.rows);
    free(m->phases.rows);
    free(m->lines.rows);
    free(m->is_alive);
    free(m->events);
    free(m->accesses);
    free(m);
}

static const struct pat_source_format many_row_of_files = {.name = "files",
                                                           .text = "several files",
                                                           .next = many_next,
                                                           .tables = many_tables,
                                                           .counts = many_counts,
                                                           .close = many_close};

/* Open the first file at once, so that an error in it is reported before the work. */
static ls_err many_adopt(struct files *files, const struct pat_source_options *o, pat_source **out)
{
    struct many *m = calloc(1, sizeof(*m));
    if (!m) return ls_nomem("reading %zu files", files->len);
    m->files = *files;
    *files = (struct files){0};
    m->options = *o;
    const ls_err err = pat_source_open(m->files.paths[m->at++], o, &m->child);
    if (err != LS_OK) {
        many_close(m);
        return err;
    }
    m->row = many_row_of_files;
    m->row.window_bytes = pat_source_row(m->child)->window_bytes;
    return pat_source_adopt(&m->row, m, out);
}

ls_err pat_many_open(const char *const *paths, size_t len, const struct pat_source_options *o,
                     pat_source **out)
{
    static const struct pat_source_options none;
    struct files files = {0};
    ls_err err = LS_OK;
    if (!o) o = &none;
    for (size_t i = 0; err == LS_OK && i < len; i++)
        err = files_add(&files, paths[i], o);
    if (err == LS_OK)
        err = files.len == 1 ? pat_source_open(files.paths[0], o, out) : many_adopt(&files, o, out);
    files_fini(&files);
    return err;
}
