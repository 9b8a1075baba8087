/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "tools/trace/host/trc_host.h"

#include "common/ls_text.h"
#include "common/ls_vector.h"
#include "patterns/source/pat_tables.h"
#include "resolve/prof_survey.h"
#include "smrtree/smr_live.h"
#include "tools/trace/host/trc_lives.h"
#include "patterns/source/pat_intern.h"
#include "common/ls_hash.h"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- homes of registered ranges ---- */

/* Homes of registered ranges: all lives of a label below one parent are one home, however often a program
 * registers it. */

/* All zero: empty; ended by pat_intern_fini of its only field. */
struct trc_registered {
    struct pat_intern homes;
};

/* Find or append the row of tables with the label and element size of `like`, below the home parent
 * (PAT_NONE: at the top). Owns:   tables copies the label. Errors: LS_ERR_NOMEM, LS_ERR_RANGE. */
static ls_err trc_registered_home(struct trc_registered *r, struct pat_tables *tables, uint32_t parent,
                                  const struct pat_home *like, uint32_t *out)
{
    /* sizes of elements beyond 4 GiB are distinguished only by their low bits */
    const uint64_t key = (uint64_t)parent << 32 | (uint32_t)like->elem_size_bytes;
    uint32_t *row;
    LS_TRY(pat_intern(&r->homes, key, ls_hash_text(LS_HASH_BEGIN, like->label), &row));
    if (*row == PAT_NONE) LS_TRY(pat_tables_add_home(tables, like, row));
    *out = *row;
    return LS_OK;
}

/* ---- homes ---- */

enum { TRC_LABEL_ROOM = 512 };

/* A registered node, by its number. */
struct trc_node {
    uint32_t home, range; /* PAT_NONE: not known; not alive */
};
/* Ranges of a module's variables. */
struct trc_variables {
    uint32_t first, len;
    bool is_gone;
};

struct trc_homes {
    const struct trc_ring *ring;
    struct pat_tables tables;
    sym_files *files;
    LS_VECTOR(struct pat_event) events;
    LS_VECTOR(struct trc_node) nodes;
    struct trc_registered registered;          /* homes of nodes */
    LS_VECTOR(struct trc_variables) variables; /* by module */
    LS_VECTOR(uint32_t) stacks;                /* living range by thread, PAT_NONE */
    struct prof_paths paths;                   /* call paths of allocations; frame is the home */
    smr_live *blocks;                          /* values: rows of ranges */
    struct trc_lives lives;                    /* rows of ranges that have died, except variables */
    bool are_events_taken;
};

ls_err trc_homes_new(const struct trc_ring *ring, trc_homes **out)
{
    trc_homes *h = calloc(1, sizeof(*h));
    if (h) h->blocks = smr_live_new();
    if (!h || !h->blocks || sym_files_new((struct sym_limits){0}, &h->files) != LS_OK) {
        trc_homes_free(h);
        return ls_nomem("the homes of data");
    }
    h->ring = ring;
    *out = h;
    return LS_OK;
}

void trc_homes_free(trc_homes *h)
{
    if (!h) return;
    pat_tables_fini(&h->tables);
    sym_files_free(h->files);
    prof_paths_fini(&h->paths);
    pat_intern_fini(&h->registered.homes);
    trc_lives_fini(&h->lives);
    smr_live_free(h->blocks);
    free(h->events.rows);
    free(h->nodes.rows);
    free(h->variables.rows);
    free(h->stacks.rows);
    free(h);
}

ls_err trc_homes_read_ahead(trc_homes *h)
{
    char path[PATH_MAX];
    Dl_info library;
    sym_file *file;
    if (!dladdr(gnu_get_libc_version(), &library) || !realpath(library.dli_fname, path)) return LS_OK;
    LS_TRY(sym_files_get(h->files, path, &file));
    sym_file_variables_len(h->files, file);
    return LS_OK;
}

sym_files *trc_homes_files(trc_homes *h)
{
    return h->files;
}

const struct pat_tables *trc_homes_tables(const trc_homes *h)
{
    return &h->tables;
}

const struct pat_event *trc_homes_take_events(trc_homes *h, size_t *len)
{
    if (h->are_events_taken) h->events.len = 0;
    *len = h->events.len;
    h->are_events_taken = true;
    return h->events.rows;
}

static ls_err trc_report(trc_homes *h, struct pat_event e)
{
    if (h->are_events_taken) h->events.len = 0;
    h->are_events_taken = false;
    return LS_VECTOR_ADD(&h->events, e);
}

/* Add the range in a new row. */
static ls_err trc_range_added(trc_homes *h, const struct pat_range *r, uint32_t *out)
{
    LS_TRY(pat_tables_add_range(&h->tables, r, out));
    return trc_report(h, (struct pat_event){PAT_EVENT_RANGE_BORN, PAT_NONE, *out});
}

/* Add the range in the row of an equal range that has died, if there is one. */
static ls_err trc_range_born(trc_homes *h, const struct pat_range *r, uint32_t *out)
{
    *out = trc_lives_again(&h->lives, &h->tables, r);
    if (*out == PAT_NONE) return trc_range_added(h, r, out);
    return trc_report(h, (struct pat_event){PAT_EVENT_RANGE_BORN, PAT_NONE, *out});
}

static ls_err trc_range_gone(trc_homes *h, uint32_t range)
{
    return trc_report(h, (struct pat_event){PAT_EVENT_RANGE_DIED, PAT_NONE, range});
}

static ls_err trc_range_died(trc_homes *h, uint32_t range)
{
    LS_TRY(trc_lives_end(&h->lives, &h->tables, range));
    return trc_range_gone(h, range);
}

/* --- modules --- */

static ls_err trc_add_variable(trc_homes *h, const struct sym_thing *v, const struct pat_module *m)
{
    uint32_t home, range;
    if (v->base >= v->end) return LS_OK;
    const struct pat_home named = {
        .label = (char *)(uintptr_t)v->name, .elem_size_bytes = v->elem_size_bytes, .kind = PAT_HOME_GLOBAL};
    LS_TRY(pat_tables_add_home(&h->tables, &named, &home));
    const struct pat_range r = {.start = v->base + m->bias, .end = v->end + m->bias, .home = home};
    return trc_range_added(h, &r, &range); /* new rows: a module's variables are consecutive */
}

/* Thread-local variables are left out: their address differs for each thread. */
static ls_err trc_add_variables(trc_homes *h, sym_file *file, const struct pat_module *m)
{
    const size_t len = sym_file_variables_len(h->files, file);
    for (uint32_t i = 0; i < len; i++) {
        const struct sym_thing v = sym_file_variable(file, i);
        if (!v.is_tls) LS_TRY(trc_add_variable(h, &v, m));
    }
    return LS_OK;
}

static ls_err trc_add_module(trc_homes *h, const struct trc_module *seen)
{
    char path[PATH_MAX];
    struct pat_module m = {.path = path, .start = seen->start, .end = seen->end};
    uint64_t linked;
    sym_file *file;
    uint32_t row;
    snprintf(path, sizeof(path), "%.*s", (int)seen->path_len, h->ring->texts + seen->path);
    LS_TRY(sym_files_get(h->files, path, &file));
    const bool is_known = sym_file_linked(file, seen->offset_bytes, &linked);
    if (is_known) m.bias = m.start - linked;
    LS_TRY(pat_tables_add_module(&h->tables, &m, &row));
    struct trc_variables v = {.first = (uint32_t)h->tables.ranges_len};
    const bool is_ours = strncmp(ls_base_name(path), "libloadstone", strlen("libloadstone")) == 0;
    if (is_known && !is_ours) LS_TRY(trc_add_variables(h, file, &m));
    v.len = (uint32_t)h->tables.ranges_len - v.first;
    return LS_VECTOR_ADD(&h->variables, v);
}

static ls_err trc_module_gone(trc_homes *h, uint64_t module)
{
    LS_TRY(trc_homes_grow(h));
    if (module >= h->variables.len || h->variables.rows[module].is_gone) return LS_OK;
    struct trc_variables *v = &h->variables.rows[module];
    v->is_gone = true;
    for (uint32_t i = 0; i < v->len; i++)
        LS_TRY(trc_range_gone(h, v->first + i));
    return LS_OK;
}

/* --- tables of the ring --- */

static ls_err trc_add_thread(trc_homes *h)
{
    char label[32];
    uint32_t row;
    snprintf(label, sizeof(label), "thread %zu", h->tables.threads_len);
    LS_TRY(LS_VECTOR_ADD(&h->stacks, PAT_NONE));
    return pat_tables_add_thread(&h->tables, label, &row);
}

ls_err trc_homes_grow(trc_homes *h)
{
    const struct trc_ring *ring = h->ring;
    const uint32_t sites = TRC_LOAD(ring->sites_len), modules = TRC_LOAD(ring->modules_len);
    const uint32_t threads = TRC_LOAD(ring->threads_len);
    uint32_t row;
    while (h->tables.modules_len < modules && h->tables.modules_len < TRC_MODULES)
        LS_TRY(trc_add_module(h, &ring->modules[h->tables.modules_len]));
    while (h->tables.sites_len < sites && h->tables.sites_len < TRC_SITES) {
        const struct trc_site *s = &ring->sites[h->tables.sites_len];
        const struct pat_site site = {.ip = s->ip,
                                      .module = s->module < modules ? s->module : PAT_NONE,
                                      .size_bytes = s->size_bytes,
                                      .operand = s->operand,
                                      .op = s->op};
        LS_TRY(pat_tables_add_site(&h->tables, &site, &row));
    }
    while (h->tables.threads_len < threads && h->tables.threads_len < TRC_THREADS)
        LS_TRY(trc_add_thread(h));
    return LS_OK;
}

/* --- allocations --- */

static ls_err trc_home_of_path(trc_homes *h, uint64_t hash, uint32_t *out)
{
    const struct pat_home unnamed = {.kind = PAT_HOME_HEAP};
    struct prof_path *path = prof_paths_at(&h->paths, hash ? hash : 1);
    if (!path) return ls_nomem("call paths of allocations");
    if (path->frame == UINT32_MAX) LS_TRY(pat_tables_add_home(&h->tables, &unnamed, &path->frame));
    *out = path->frame;
    return LS_OK;
}

static ls_err trc_block_died(trc_homes *h, uint64_t start)
{
    uint64_t found;
    uint32_t range;
    if (!smr_live_find_range(h->blocks, start, &found, NULL, &range) || found != start) return LS_OK;
    LS_TRY(smr_live_remove(h->blocks, start, range));
    /* the other part of a divided block remains alive and must not be born twice */
    return (h->tables.ranges[range].start == start ? trc_range_died : trc_range_gone)(h, range);
}

static ls_err trc_block_born(trc_homes *h, uint64_t start, uint64_t len_bytes, uint64_t hash)
{
    struct pat_range r = {.start = start};
    uint32_t range;
    if (len_bytes == 0 || __builtin_add_overflow(start, len_bytes, &r.end)) return LS_OK;
    LS_TRY(trc_block_died(h, start)); /* because its free may have been missed */
    LS_TRY(trc_home_of_path(h, hash, &r.home));
    LS_TRY(trc_range_born(h, &r, &range));
    LS_TRY(smr_live_evict(h->blocks, r.start, r.end));
    return smr_live_insert(h->blocks, r.start, r.end, range);
}

/* --- registered ranges, stacks, phases --- */

static ls_err trc_node_at(trc_homes *h, uint64_t number, struct trc_node **out)
{
    if (number > UINT32_MAX / 2)
        return ls_fail(LS_ERR_RANGE,
                       "the records of the program are damaged: a registered range has number %ju",
                       (uintmax_t)number);
    while (h->nodes.len <= number) {
        LS_TRY(LS_VECTOR_ADD(&h->nodes, (struct trc_node){PAT_NONE, PAT_NONE}));
    }
    *out = &h->nodes.rows[number];
    return LS_OK;
}

static ls_err trc_node_died(trc_homes *h, uint64_t number)
{
    struct trc_node *n;
    LS_TRY(trc_node_at(h, number, &n));
    const uint32_t range = n->range;
    n->range = PAT_NONE;
    return range == PAT_NONE ? LS_OK : trc_range_died(h, range);
}

/* number 0: none */
static ls_err trc_parent_home(trc_homes *h, uint64_t number, uint32_t *out)
{
    struct trc_node *n;
    *out = PAT_NONE;
    if (number == 0) return LS_OK;
    LS_TRY(trc_node_at(h, number, &n));
    *out = n->home;
    return LS_OK;
}

static ls_err trc_node_home(trc_homes *h, const uint64_t w[6], uint32_t *out)
{
    char label[TRC_LABEL_ROOM];
    const bool is_text = w[5] > 0 && w[4] < TRC_TEXT_BYTES && w[5] <= TRC_TEXT_BYTES - w[4];
    uint32_t parent;
    snprintf(label, sizeof(label), "%.*s", is_text ? (int)w[5] : 0, h->ring->texts + (is_text ? w[4] : 0));
    const struct pat_home home = {.label = label, .elem_size_bytes = w[3], .kind = PAT_HOME_REGISTERED};
    LS_TRY(trc_parent_home(h, w[0] >> 32, &parent));
    return trc_registered_home(&h->registered, &h->tables, parent, &home, out);
}

/* A node that moves keeps its home. Groups have no memory. */
static ls_err trc_node(trc_homes *h, const uint64_t w[6])
{
    const uint32_t number = (uint32_t)w[0];
    struct trc_node *n;
    struct pat_range r = {.start = w[1]};
    LS_TRY(trc_node_died(h, number));
    LS_TRY(trc_node_at(h, number, &n));
    r.home = n->home;
    if (r.home == PAT_NONE || w[5] > 0) LS_TRY(trc_node_home(h, w, &r.home));
    LS_TRY(trc_node_at(h, number, &n)); /* adding the parent may have extended the list */
    n->home = r.home;
    if (w[2] == 0 || __builtin_add_overflow(w[1], w[2], &r.end)) return LS_OK;
    return trc_range_born(h, &r, &n->range);
}

/* Move the label below another parent. */
static ls_err trc_node_member(trc_homes *h, uint64_t group, uint64_t member)
{
    struct trc_node *n;
    uint32_t parent;
    LS_TRY(trc_parent_home(h, group, &parent));
    LS_TRY(trc_node_at(h, member, &n));
    if (n->home == PAT_NONE) return LS_OK;
    const struct pat_home like = h->tables.homes[n->home];
    const uint32_t range = n->range;
    LS_TRY(trc_registered_home(&h->registered, &h->tables, parent, &like, &n->home));
    if (range == PAT_NONE) return LS_OK;
    struct pat_range r = h->tables.ranges[range];
    r.home = n->home;
    LS_TRY(trc_node_died(h, member));
    return trc_range_born(h, &r, &n->range);
}

static ls_err trc_stack_died(trc_homes *h, uint32_t thread)
{
    const uint32_t range = h->stacks.rows[thread];
    h->stacks.rows[thread] = PAT_NONE;
    return range == PAT_NONE ? LS_OK : trc_range_died(h, range);
}

static ls_err trc_stack_born(trc_homes *h, uint32_t thread, const uint64_t w[6])
{
    char label[64];
    struct pat_home home = {.label = label, .kind = PAT_HOME_STACK};
    struct pat_range r = {.start = w[0]};
    snprintf(label, sizeof(label), thread ? "stack of thread %u" : "stack of main thread", thread);
    LS_TRY(trc_stack_died(h, thread));
    if (w[1] == 0 || __builtin_add_overflow(w[0], w[1], &r.end)) return LS_OK;
    LS_TRY(pat_tables_add_home(&h->tables, &home, &r.home));
    return trc_range_born(h, &r, &h->stacks.rows[thread]);
}

static ls_err trc_phase(trc_homes *h, const struct trc_event *e)
{
    char name[TRC_LABEL_ROOM];
    const uint64_t *w = e->words;
    const bool is_text = w[0] < TRC_TEXT_BYTES && w[1] <= TRC_TEXT_BYTES - w[0];
    uint32_t row = 0;
    snprintf(name, sizeof(name), "%.*s", is_text ? (int)w[1] : 0, h->ring->texts + (is_text ? w[0] : 0));
    while (row < h->tables.phases_len && strcmp(h->tables.phases[row], name) != 0)
        row++;
    if (row == h->tables.phases_len) LS_TRY(pat_tables_add_phase(&h->tables, name, &row));
    const uint8_t kind = e->kind == TRC_EVENT_PHASE_BEGIN ? PAT_EVENT_PHASE_BEGIN : PAT_EVENT_PHASE_END;
    return trc_report(h, (struct pat_event){kind, e->thread, row});
}

ls_err trc_homes_event(trc_homes *h, const struct trc_event *e)
{
    const uint64_t *w = e->words;
    if (e->thread >= h->tables.threads_len) LS_TRY(trc_homes_grow(h));
    if (e->thread >= h->tables.threads_len) return LS_OK;
    switch ((enum trc_event_kind)e->kind) {
    case TRC_EVENT_BLOCK_BORN:
        return trc_block_born(h, w[0], w[1], w[2]);
    case TRC_EVENT_BLOCK_DIED:
    case TRC_EVENT_UNMAPPED:
        return trc_block_died(h, w[0]);
    case TRC_EVENT_NODE:
        return trc_node(h, w);
    case TRC_EVENT_NODE_DIED:
        return trc_node_died(h, w[0]);
    case TRC_EVENT_PHASE_BEGIN:
    case TRC_EVENT_PHASE_END:
        return trc_phase(h, e);
    case TRC_EVENT_STACK_BORN:
        return trc_stack_born(h, e->thread, w);
    case TRC_EVENT_STACK_DIED:
        return trc_stack_died(h, e->thread);
    case TRC_EVENT_MODULE_GONE:
        return trc_module_gone(h, w[0]);
    case TRC_EVENT_NODE_MEMBER:
        return trc_node_member(h, w[0], w[1]);
    case TRC_EVENT_NONE:
        break;
    }
    return LS_OK;
}

ls_err trc_homes_break(trc_homes *h, uint32_t thread)
{
    return trc_report(h, (struct pat_event){PAT_EVENT_BREAK, thread, 0});
}

/* --- names --- */

ls_err trc_homes_name_path(trc_homes *h, uint64_t path_hash, const char *label)
{
    const struct prof_path *path = prof_paths_find(&h->paths, path_hash);
    if (!path || path->frame >= h->tables.homes_len || h->tables.homes[path->frame].label) return LS_OK;
    return pat_tables_set_label(&h->tables, path->frame, label);
}

ls_err trc_homes_name_rest(trc_homes *h)
{
    for (uint32_t i = 0; i < h->tables.homes_len; i++)
        if (!h->tables.homes[i].label) LS_TRY(pat_tables_set_label(&h->tables, i, "heap block"));
    return LS_OK;
}
