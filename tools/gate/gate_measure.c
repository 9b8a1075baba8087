/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/gate/gate.h"

#include "common/ls_hash.h"
#include "common/ls_index.h"
#include "common/ls_text.h"
#include "symbols/sym_files.h"
#include "traffic/trf_model.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE_BYTES = 4096, STACK_BEGIN = 2048 };

/* Accesses of one instruction to one home: an owner of the modelled caches. */
struct owner {
    uint32_t home, site;
};

/* A line of a home, and its accessed bytes. */
struct used {
    uint32_t home;
    uint64_t line, bytes;
};

/* A page of a thread, and its number in the order of the thread's first accesses. */
struct page {
    uint32_t thread;
    uint64_t address, number; /* address: in pages */
};

struct thread {
    trf_cache *cache;
    uint64_t pages;
    uint64_t stack_begin; /* its first counted access; 0: none so far */
};

/* A source line, or a function without lines. */
struct place {
    char *function, *file;
    unsigned line;
};

struct measure {
    pat_source *source;
    const struct pat_tables *tables;
    struct trf_geometry geometry;
    struct trf_homes homes;
    LS_VECTOR(struct owner) owners;
    LS_VECTOR(struct used) used;
    LS_VECTOR(struct page) pages;
    LS_VECTOR(struct thread) threads;
    struct ls_index owner_index, used_index, page_index, row_index;
    struct place *places; /* by site */
    size_t places_len;
    struct gate_rows *out;
};

/* ---- the accesses that are counted ---- */

/* Is the file a library of the distribution, whose code differs from system to system? */
static bool is_of_system(const struct pat_module *m)
{
    static const char *const folders[] = {"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/", "["};
    if (!m->path || !*m->path || strncmp(ls_base_name(m->path), "libloadstone", 12) == 0) return true;
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
        if (strncmp(m->path, folders[i], strlen(folders[i])) == 0) return true;
    return false;
}

static bool is_own_code(const struct pat_tables *t, uint32_t site)
{
    const uint32_t module = t->sites[site].module;
    return module < t->modules_len && !is_of_system(&t->modules[module]);
}

/* Return whether a variable is one of the program's, not of a library of the system. It belongs to the last module
 * that begins before it: zeroed data may lie beyond the mapping of its file. */
static bool is_own_variable(const struct pat_tables *t, const struct pat_range *r)
{
    const struct pat_module *last = NULL;
    for (size_t i = 0; i < t->modules_len; i++)
        if (t->modules[i].start <= r->start && (!last || t->modules[i].start > last->start))
            last = &t->modules[i];
    return last && !is_of_system(last);
}

/* String functions of the C library read whole vectors, also beyond the end of a string and before its begin: such reads
 * end outside of the variable in which they begin. Whether there are any may depend on the environment (getenv). */
static bool ends_outside(const struct pat_tables *t, const struct pat_access *a, uint32_t range)
{
    return a->addr + t->sites[a->site].size_bytes > t->ranges[range].end;
}

static bool is_counted(const struct measure *m, const struct pat_access *a, uint32_t range)
{
    const struct pat_tables *t = m->tables;
    if (is_own_code(t, a->site)) return true;
    if (range == PAT_NONE) return false;
    switch ((enum pat_home_kind)t->homes[t->ranges[range].home].kind) {
    case PAT_HOME_REGISTERED:
    case PAT_HOME_HEAP:
        return true;
    case PAT_HOME_GLOBAL:
        return is_own_variable(t, &t->ranges[range]) && !ends_outside(t, a, range);
    default:
        return false;
    }
}

/* ---- one access ---- */

static ls_err thread_at(struct measure *m, uint32_t number, struct thread **out)
{
    while (m->threads.len <= number) {
        struct thread t = {.cache = NULL};
        LS_TRY(trf_cache_new(&m->geometry, &t.cache));
        const ls_err err = LS_VECTOR_ADD(&m->threads, t);
        if (err != LS_OK) trf_cache_free(t.cache);
        LS_TRY(err);
    }
    *out = &m->threads.rows[number];
    return LS_OK;
}

static ls_err owner_of(struct measure *m, uint32_t home, uint32_t site, uint32_t *out)
{
    const uint64_t key = (uint64_t)home << 32 | site;
    *out = ls_index_find(&m->owner_index, key);
    if (*out != LS_INDEX_NONE) return LS_OK;
    *out = (uint32_t)m->owners.len;
    LS_TRY(LS_VECTOR_ADD(&m->owners, (struct owner){home, site}));
    return ls_index_put(&m->owner_index, key, *out);
}

/* Replace the page of an address by its number. */
static ls_err move_page(struct measure *m, uint32_t thread, uint64_t *addr)
{
    const uint64_t at = *addr / PAGE_BYTES, key = ls_index_key(thread, at);
    uint32_t row;
    for (size_t step = 0; ls_index_next(&m->page_index, key, &step, &row);) {
        const struct page *p = &m->pages.rows[row];
        if (p->thread != thread || p->address != at) continue;
        *addr = p->number * PAGE_BYTES + *addr % PAGE_BYTES;
        return LS_OK;
    }
    const struct page p = {thread, at, m->threads.rows[thread].pages++};
    LS_TRY(LS_VECTOR_ADD(&m->pages, p));
    *addr = p.number * PAGE_BYTES + *addr % PAGE_BYTES;
    return ls_index_put(&m->page_index, key, (uint32_t)m->pages.len - 1);
}

static ls_err use_line(struct measure *m, uint32_t home, uint64_t line, uint64_t bytes)
{
    const uint64_t key = ls_index_key(home, line);
    uint32_t row;
    for (size_t step = 0; ls_index_next(&m->used_index, key, &step, &row);) {
        struct used *u = &m->used.rows[row];
        if (u->home != home || u->line != line) continue;
        u->bytes |= bytes;
        return LS_OK;
    }
    LS_TRY(LS_VECTOR_ADD(&m->used, (struct used){home, line, bytes}));
    return ls_index_put(&m->used_index, key, (uint32_t)m->used.len - 1);
}

static ls_err use_bytes(struct measure *m, uint32_t home, uint64_t addr, uint32_t len_bytes)
{
    for (uint64_t at = addr, left = len_bytes ? len_bytes : 1; left > 0;) {
        const unsigned offset = (unsigned)(at % TRF_LINE_BYTES);
        const unsigned here = left < TRF_LINE_BYTES - offset ? (unsigned)left : TRF_LINE_BYTES - offset;
        const uint64_t bytes = here == TRF_LINE_BYTES ? UINT64_MAX : (UINT64_C(1) << here) - 1;
        LS_TRY(use_line(m, home, at / TRF_LINE_BYTES, bytes << offset));
        at += here;
        left -= here;
    }
    return LS_OK;
}

/* Move the stack to a fixed offset in a page, because the length of the arguments and the environment above
 * it varies. */
static void move_stack(struct thread *t, uint64_t *addr)
{
    if (!t->stack_begin) t->stack_begin = *addr;
    *addr += STACK_BEGIN - t->stack_begin % PAGE_BYTES + PAGE_BYTES;
}

static ls_err count(struct measure *m, const struct pat_access *a)
{
    const struct pat_site *site = &m->tables->sites[a->site];
    const uint32_t range = trf_homes_range(&m->homes, a->addr);
    const uint32_t home = range == PAT_NONE ? PAT_NONE : m->tables->ranges[range].home;
    uint64_t addr = a->addr;
    uint32_t owner;
    struct thread *t;
    if (!is_counted(m, a, range)) return LS_OK;
    LS_TRY(thread_at(m, a->thread, &t));
    if (home != PAT_NONE && m->tables->homes[home].kind == PAT_HOME_STACK) move_stack(t, &addr);
    LS_TRY(use_bytes(m, home, addr, site->size_bytes));
    LS_TRY(owner_of(m, home, a->site, &owner));
    LS_TRY(move_page(m, a->thread, &addr));
    return trf_cache_access(t->cache, addr, site->size_bytes, site->op == PAT_OP_STORE ? TRF_STORE : TRF_LOAD,
                            owner);
}

static ls_err run(struct measure *m)
{
    for (struct pat_batch b;;) {
        LS_TRY(pat_source_next(m->source, &b));
        m->tables = pat_source_tables(m->source);
        if (!b.events_len && !b.accesses_len) break;
        for (size_t i = 0; i < b.events_len; i++)
            LS_TRY(trf_homes_event(&m->homes, m->tables, &b.events[i]));
        for (size_t i = 0; i < b.accesses_len; i++)
            LS_TRY(count(m, &b.accesses[i]));
    }
    for (size_t i = 0; i < m->threads.len; i++)
        LS_TRY(trf_cache_flush(m->threads.rows[i].cache));
    return LS_OK;
}

/* ---- names of code ---- */

static ls_err name_place(struct place *p, const struct sym_answer *a, const struct sym_line *line)
{
    const char *file = sym_answer_text(a, line->file);
    p->function = strdup(sym_answer_text(a, line->function ? line->function : line->symbol));
    p->file = *file && line->line ? strdup(file) : NULL;
    if (!p->function || (*file && line->line && !p->file)) return ls_nomem("names of code");
    ls_text_clean(p->function, strlen(p->function), "");
    if (p->file) ls_text_clean(p->file, strlen(p->file), "");
    p->line = line->line;
    return LS_OK;
}

struct address {
    uint64_t linked;
    uint32_t site;
};

static int compare_addresses(const void *a, const void *b)
{
    const struct address *x = a, *y = b;
    return (x->linked > y->linked) - (x->linked < y->linked);
}

static ls_err name_module(struct measure *m, sym_files *files, uint32_t module)
{
    const struct pat_module *of = &m->tables->modules[module];
    struct address *addresses = malloc((m->places_len + 1) * sizeof(*addresses));
    uint64_t *linked = malloc((m->places_len + 1) * sizeof(*linked));
    struct sym_answer answer = {0};
    sym_file *file;
    size_t len = 0;
    for (uint32_t i = 0; addresses && i < m->places_len; i++)
        if (m->tables->sites[i].module == module)
            addresses[len++] = (struct address){m->tables->sites[i].ip - of->bias, i};
    ls_err err = addresses && linked ? LS_OK : ls_nomem("names of code");
    if (err == LS_OK && len > 0 && of->path && *of->path) {
        qsort(addresses, len, sizeof(*addresses), compare_addresses);
        for (size_t i = 0; i < len; i++)
            linked[i] = addresses[i].linked;
        err = sym_files_get(files, of->path, &file);
        if (err == LS_OK) err = sym_file_lines(files, file, linked, len, &answer);
        for (size_t i = 0; err == LS_OK && i < answer.lines_len && i < len; i++)
            err = name_place(&m->places[addresses[i].site], &answer, &answer.lines[i]);
        sym_answer_fini(&answer);
    }
    free(addresses);
    free(linked);
    return err;
}

static ls_err name_places(struct measure *m)
{
    sym_files *files = NULL;
    m->places_len = m->tables->sites_len;
    m->places = calloc(m->places_len + 1, sizeof(*m->places));
    if (!m->places) return ls_nomem("names of code");
    LS_TRY(sym_files_new((struct sym_limits){0}, &files));
    ls_err err = LS_OK;
    for (uint32_t i = 0; err == LS_OK && i < m->tables->modules_len; i++)
        err = name_module(m, files, i);
    sym_files_free(files);
    return err;
}

/* ---- rows ---- */

/* Find or append the row of this kind and name.  Errors: LS_ERR_NOMEM. */
static ls_err row_at(struct measure *m, enum gate_kind kind, const char *name, uint32_t *out)
{
    const uint64_t key = ls_hash_text(LS_HASH_BEGIN + (uint64_t)kind, name);
    for (size_t step = 0; ls_index_next(&m->row_index, key, &step, out);)
        if (m->out->list.rows[*out].kind == kind && strcmp(m->out->list.rows[*out].name, name) == 0)
            return LS_OK;
    struct gate_row row = {.kind = kind, .name = strdup(name)};
    if (!row.name) return ls_nomem("a row");
    ls_text_clean(row.name, strlen(row.name), "");
    *out = (uint32_t)m->out->list.len;
    const ls_err err = LS_VECTOR_ADD(&m->out->list, row);
    if (err != LS_OK) free(row.name);
    LS_TRY(err);
    return ls_index_put(&m->row_index, key, *out);
}

static const char *data_name(const struct measure *m, uint32_t home)
{
    if (home == PAT_NONE) return "(no known data)";
    const char *label = m->tables->homes[home].label;
    return label && *label ? label : "(no name)";
}

static void add_traffic(struct gate_row *row, const struct trf_traffic *t)
{
    row->values[GATE_ACCESSES] += t->accesses;
    row->values[GATE_L1_MISSES] += t->misses[0];
    row->values[GATE_MISSES] += t->read_lines;
    row->values[GATE_WRITTEN] += t->written_lines;
}

static ls_err set_line(struct measure *m, uint32_t row, const struct place *p)
{
    struct gate_row *r = &m->out->list.rows[row];
    free(r->file);
    r->file = p->file ? strdup(p->file) : NULL;
    r->line = p->line;
    return p->file && !r->file ? ls_nomem("a row") : LS_OK;
}

/* Sum of an owner over all threads. */
static struct trf_traffic traffic_of(const struct measure *m, size_t owner)
{
    struct trf_traffic sum = {0};
    for (size_t i = 0; i < m->threads.len; i++) {
        size_t len;
        const struct trf_traffic *t = trf_cache_traffic(m->threads.rows[i].cache, &len);
        if (owner >= len) continue;
        sum.accesses += t[owner].accesses;
        sum.misses[0] += t[owner].misses[0];
        sum.read_lines += t[owner].read_lines;
        sum.written_lines += t[owner].written_lines;
    }
    return sum;
}

/* Misses and accesses of the source line that a row names: the line with most misses, then most accesses. */
struct choice {
    uint64_t misses, accesses;
};

static ls_err add_owner(struct measure *m, size_t owner, struct choice *choices)
{
    static const struct place nowhere = {.function = NULL};
    const struct owner *o = &m->owners.rows[owner];
    const struct trf_traffic t = traffic_of(m, owner);
    const struct place *p = o->site < m->places_len ? &m->places[o->site] : &nowhere;
    const uint32_t module = m->tables->sites[o->site].module;
    const char *in = module < m->tables->modules_len ? ls_base_name(m->tables->modules[module].path) : "?";
    char function[512], line[1024];
    uint32_t rows[GATE_KINDS];
    if (p->function && *p->function)
        snprintf(function, sizeof(function), "%s", p->function);
    else
        snprintf(function, sizeof(function), "(no name) in %s", in);
    if (p->file)
        snprintf(line, sizeof(line), "%s:%u %s", ls_base_name(p->file), p->line, function);
    else
        snprintf(line, sizeof(line), "%s", function);
    LS_TRY(row_at(m, GATE_TOTAL, "all", &rows[GATE_TOTAL]));
    LS_TRY(row_at(m, GATE_DATA, data_name(m, o->home), &rows[GATE_DATA]));
    LS_TRY(row_at(m, GATE_FUNCTION, function, &rows[GATE_FUNCTION]));
    LS_TRY(row_at(m, GATE_LINE, line, &rows[GATE_LINE]));
    for (int k = 0; k < GATE_KINDS; k++) {
        struct choice *c = &choices[rows[k]];
        add_traffic(&m->out->list.rows[rows[k]], &t);
        if (!p->file || (m->out->list.rows[rows[k]].file &&
                         (t.read_lines != c->misses ? t.read_lines < c->misses : t.accesses <= c->accesses)))
            continue;
        *c = (struct choice){t.read_lines, t.accesses};
        LS_TRY(set_line(m, rows[k], p));
    }
    return LS_OK;
}

static ls_err add_lines(struct measure *m)
{
    for (size_t i = 0; i < m->used.len; i++) {
        const struct used *u = &m->used.rows[i];
        uint32_t rows[2];
        LS_TRY(row_at(m, GATE_TOTAL, "all", &rows[0]));
        LS_TRY(row_at(m, GATE_DATA, data_name(m, u->home), &rows[1]));
        for (int k = 0; k < 2; k++) {
            uint64_t *values = m->out->list.rows[rows[k]].values;
            values[GATE_LINES]++;
            values[GATE_BYTES] += (unsigned)__builtin_popcountll(u->bytes);
        }
    }
    return LS_OK;
}

static ls_err make_rows(struct measure *m)
{
    struct choice *choices = calloc(GATE_KINDS * m->owners.len + 1, sizeof(*choices));
    if (!choices) return ls_nomem("rows of a gate");
    ls_err err = LS_OK;
    for (size_t i = 0; err == LS_OK && i < m->owners.len; i++)
        err = add_owner(m, i, choices);
    free(choices);
    LS_TRY(err);
    LS_TRY(add_lines(m));
    gate_rows_sort(m->out);
    return LS_OK;
}

static void measure_fini(struct measure *m)
{
    for (size_t i = 0; i < m->threads.len; i++)
        trf_cache_free(m->threads.rows[i].cache);
    for (size_t i = 0; i < m->places_len; i++) {
        free(m->places[i].function);
        free(m->places[i].file);
    }
    free(m->places);
    free(m->threads.rows);
    free(m->owners.rows);
    free(m->used.rows);
    free(m->pages.rows);
    ls_index_fini(&m->owner_index);
    ls_index_fini(&m->used_index);
    ls_index_fini(&m->page_index);
    ls_index_fini(&m->row_index);
    smr_avl_fini(&m->homes.live);
    pat_source_close(m->source);
}

ls_err gate_measure(const char *trace, const struct gate_cache *cache, struct gate_rows *out)
{
    struct measure m = {.out = out};
    const struct pat_source_options options = {.format = NULL};
    LS_TRY(trf_geometry_parse(cache->geometry, &m.geometry));
    LS_TRY(pat_source_open(trace, &options, &m.source));
    smr_avl_init(&m.homes.live);
    ls_err err = run(&m);
    if (err == LS_OK) err = name_places(&m);
    if (err == LS_OK) err = make_rows(&m);
    if (err == LS_OK && out->list.len == 0)
        err = ls_fail(LS_ERR_NOT_FOUND, "the program accessed no memory that could be compared");
    measure_fini(&m);
    return err;
}
