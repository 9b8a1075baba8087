/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolve/prof_survey.h"

#include "resolve/prof_maps.h"
#include "spool/spool_merge.h"
#include "spool/spool_path.h"
#include "spool/spool_record.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* --- call paths of allocations --- */

uint64_t prof_path_hash_of(const struct prof_path_given *given)
{
    if (given->len == 0) return 0;
    return given->is_hash ? given->frames[0] : spool_path_hash(given->frames, given->len);
}

struct prof_path *prof_paths_at(struct prof_paths *p, uint64_t hash)
{
    const struct prof_path path = {.frame = PROF_NO_FRAME};
    struct prof_path *found = prof_paths_find(p, hash);
    if (found) return found;
    if (LS_VECTOR_ADD(&p->rows, path) != LS_OK) return NULL;
    return ls_index_put(&p->by_hash, hash, (uint32_t)p->rows.len - 1) == LS_OK
               ? &p->rows.rows[p->rows.len - 1]
               : NULL;
}

struct prof_path *prof_paths_find(const struct prof_paths *p, uint64_t hash)
{
    const uint32_t row = ls_index_find(&p->by_hash, hash);
    return row < p->rows.len ? &p->rows.rows[row] : NULL;
}

/* First pass: one block more at the path of r.  Errors: LS_ERR_NOMEM. */
static ls_err prof_paths_count(struct prof_paths *p, const struct spool_alloc *r)
{
    const struct prof_path_given given = PROF_PATH_GIVEN(r);
    const uint64_t hash = prof_path_hash_of(&given);
    if (hash == 0) return LS_OK;
    struct prof_path *path = prof_paths_at(p, hash);
    if (!path) return ls_nomem("%zu call paths", p->rows.len);
    if (path->blocks < UINT32_MAX) path->blocks++;
    return LS_OK;
}

/* First pass: blocks of the site need no record. */
static ls_err prof_paths_site(struct prof_paths *p, const struct spool_site *r)
{
    if (r->frames_len == 0) return LS_OK;
    const uint64_t *frames = (const uint64_t *)(const void *)SPOOL_REC_TAIL(r);
    struct prof_path *path = prof_paths_at(p, spool_path_hash(frames, r->frames_len));
    if (!path) return ls_nomem("%zu call paths", p->rows.len);
    path->blocks = UINT32_MAX;
    return LS_OK;
}

void prof_paths_fini(struct prof_paths *p)
{
    free(p->rows.rows);
    ls_index_fini(&p->by_hash);
    *p = (struct prof_paths){0};
}

struct prof_survey_node *prof_survey_known(const struct prof_survey *s, uint32_t spool_id)
{
    const uint32_t row = ls_index_find(&s->node_by_id, spool_id);
    return row == LS_INDEX_NONE ? NULL : &s->nodes.rows[row];
}

static ls_err prof_survey_put(struct prof_survey *s, const struct prof_survey_node *n)
{
    LS_TRY(LS_VECTOR_ADD(&s->nodes, *n));
    return n->spool_id ? ls_index_put(&s->node_by_id, n->spool_id, (uint32_t)s->nodes.len - 1) : LS_OK;
}

static ls_err prof_survey_add(struct prof_survey *s, prof_names *names, const struct spool_node *r)
{
    const struct prof_survey_node n = {.spool_id = r->node,
                                       .parent = r->parent,
                                       .node = PROF_NO_NODE,
                                       .is_group = r->is_group != 0,
                                       .label = prof_name(names, SPOOL_REC_TAIL(r), r->label_len),
                                       .base = r->base,
                                       .end = r->end,
                                       .elem_size_bytes = r->elem_size_bytes,
                                       .dims = r->dims,
                                       .born_ns = r->time_ns,
                                       .died_ns = UINT64_MAX};
    return r->node == 0 || prof_survey_known(s, r->node) ? LS_OK : prof_survey_put(s, &n);
}

static void prof_survey_range(struct prof_survey *s, const struct spool_node *r)
{
    struct prof_survey_node *n = prof_survey_known(s, r->node);
    if (!n) return;
    n->base = r->base;
    n->end = r->end;
    if (r->elem_size_bytes) n->elem_size_bytes = r->elem_size_bytes;
    if (r->dims) n->dims = r->dims;
    n->died_ns = UINT64_MAX;
}

static void prof_survey_remove(struct prof_survey *s, const struct spool_node_remove *r)
{
    struct prof_survey_node *n = prof_survey_known(s, r->node);
    if (n) n->died_ns = r->time_ns;
}

static void prof_survey_member(struct prof_survey *s, const struct spool_node_member *r)
{
    struct prof_survey_node *member = prof_survey_known(s, r->member);
    const bool may_be_inherited = r->group && s->origin.fork_ns;
    if (member && (may_be_inherited || prof_survey_known(s, r->group))) member->parent = r->group;
}

static ls_err prof_survey_note_module(struct prof_survey *s, const struct prof_mapping *m, uint64_t time_ns)
{
    for (size_t i = s->modules.len; i-- > 0;) {
        struct prof_survey_module *known = &s->modules.rows[i];
        if (known->path != m->path || known->died_ns != UINT64_MAX) continue;
        /* one loaded copy: its mappings follow each other closely and in file order */
        const bool is_same = m->base >= known->base && (m->base <= known->end || m->end <= known->end) &&
                             (m->base == known->base) == (m->offset_bytes == known->offset_bytes);
        /* zero-initialised data directly follows the file's part and has no offset */
        const bool is_bss = m->offset_bytes == 0 && m->base > known->base && m->base <= known->end;
        if (!is_same && !is_bss) continue;
        if (m->end > known->end) known->end = m->end;
        known->seen_ns = time_ns;
        return LS_OK;
    }
    return LS_VECTOR_ADD(&s->modules, (struct prof_survey_module){.path = m->path,
                                                                  .base = m->base,
                                                                  .end = m->end,
                                                                  .offset_bytes = m->offset_bytes,
                                                                  .born_ns = s->snapshots_len ? time_ns : 0,
                                                                  .died_ns = UINT64_MAX,
                                                                  .seen_ns = time_ns});
}

static bool prof_survey_has_seen(const struct prof_survey *s, const struct prof_mapping *m)
{
    uint64_t base, end;
    uint32_t row;
    if (!smr_live_find_range(s->seen_live, m->base, &base, &end, &row)) return false;
    return base == m->base && end == m->end && s->seen.rows[row].path == m->path &&
           s->seen.rows[row].kind == m->kind;
}

/* The rows from seen.len on are not examined yet: add m before them. */
static ls_err prof_survey_see(struct prof_survey *s, struct prof_mapping m)
{
    if (!smr_live_find(s->seen_live, m.base, &m.older)) m.older = UINT32_MAX;
    LS_TRY(smr_live_evict(s->seen_live, m.base, m.end));
    LS_TRY(smr_live_insert(s->seen_live, m.base, m.end, (uint32_t)s->seen.len));
    s->seen.rows[s->seen.len++] = m;
    return LS_OK;
}

/* Code that is generated and gone between two snapshots. */
static ls_err prof_survey_mmap(struct prof_survey *s, const struct spool_mmap *r)
{
    uint64_t end;
    if (!(r->prot & PROT_EXEC) || r->path_len > 0 || __builtin_add_overflow(r->base, r->len_bytes, &end) ||
        r->len_bytes == 0)
        return LS_OK;
    const struct prof_mapping m = {.base = r->base,
                                   .end = end,
                                   .access = PROF_MAP_EXEC,
                                   .path = "",
                                   .kind = PROF_NODE_JIT,
                                   .node = PROF_NO_NODE};
    LS_TRY(LS_VECTOR_ROOM(&s->seen));
    return prof_survey_see(s, m);
}

/* Modules that a snapshot no longer shows were unloaded before it. */
static void prof_survey_bury_modules(struct prof_survey *s, uint64_t time_ns)
{
    for (size_t i = 0; i < s->modules.len; i++) {
        struct prof_survey_module *m = &s->modules.rows[i];
        if (m->seen_ns != time_ns && m->died_ns == UINT64_MAX) m->died_ns = time_ns;
    }
}

/* A module that dlclose unloaded ended then, not only when a snapshot misses it. */
static void prof_survey_munmap(struct prof_survey *s, const struct spool_extent *r)
{
    for (size_t i = 0; i < s->modules.len; i++) {
        struct prof_survey_module *m = &s->modules.rows[i];
        if (m->died_ns == UINT64_MAX && m->base >= r->base && m->base - r->base < r->len_bytes)
            m->died_ns = r->time_ns;
    }
}

static ls_err prof_survey_snapshot(struct prof_survey *s, prof_names *names, const struct prof_snapshot *text,
                                   uint64_t time_ns)
{
    const size_t first = s->seen.len;
    LS_TRY(prof_maps_parse(text->text, text->len, names, &s->seen));
    const size_t end = s->seen.len;
    s->seen.len = first;
    for (size_t i = first; i < end; i++) {
        struct prof_mapping m = s->seen.rows[i];
        m.seen_ns = time_ns;
        if (!prof_survey_has_seen(s, &m)) LS_TRY(prof_survey_see(s, m));
        const bool has_code = m.kind == PROF_NODE_FILE && (m.access & PROF_MAP_EXEC);
        if ((m.kind == PROF_NODE_STATIC || m.kind == PROF_NODE_CODE || has_code) && m.path[0] == '/')
            LS_TRY(prof_survey_note_module(s, &m, time_ns));
    }
    prof_survey_bury_modules(s, time_ns);
    s->snapshots_len++;
    return LS_OK;
}

static ls_err prof_survey_maps(struct prof_survey *s, prof_names *names, struct prof_snapshot *text,
                               const struct spool_maps *r)
{
    bool whole;
    LS_TRY(prof_snapshot_take(text, r, &whole));
    return whole ? prof_survey_snapshot(s, names, text, r->time_ns) : LS_OK;
}

static ls_err prof_survey_image_bytes(struct prof_survey *s, const struct spool_image_bytes *r)
{
    if (s->vdso.len_bytes > 0 || r->len_bytes == 0) return LS_OK;
    s->vdso.bytes = malloc(r->len_bytes);
    if (!s->vdso.bytes) return ls_nomem("an image of %u bytes", r->len_bytes);
    memcpy(s->vdso.bytes, SPOOL_REC_TAIL(r), r->len_bytes);
    s->vdso.len_bytes = r->len_bytes;
    s->vdso.base = r->base;
    return LS_OK;
}

static void prof_survey_ancestor(struct prof_survey *s, const struct spool_ancestor *r)
{
    s->origin.has_ancestor = true;
    s->origin.ancestor_pid = r->pid;
    s->origin.ancestor_image = r->image;
    s->origin.ancestor_tid = r->tid;
    s->origin.fork_ns = r->fork_ns;
}

static void prof_survey_rank(struct prof_survey *s, prof_names *names, const struct spool_rank *r)
{
    s->origin.rank = r->rank;
    s->origin.ranks_len = r->ranks_len;
    s->origin.rank_from = prof_name(names, SPOOL_REC_TAIL(r), r->name_len);
}

static ls_err prof_survey_tls(struct prof_survey *s, const struct spool_tls_modules *r)
{
    const struct spool_tls_row *rows = (const void *)SPOOL_REC_TAIL(r);
    for (uint32_t i = 0; i < r->rows_len; i++) {
        LS_TRY(LS_VECTOR_ADD(&s->tls, (struct prof_survey_tls){r->time_ns, rows[i].id, rows[i].at}));
    }
    return LS_OK;
}

static ls_err prof_survey_record(struct prof_survey *s, prof_names *names, struct prof_snapshot *text,
                                 const struct spool_rec_header *rec)
{
    switch (rec->type) {
    case SPOOL_REC_NODE_ADD:
        return prof_survey_add(s, names, (const void *)rec);
    case SPOOL_REC_NODE_RANGE:
        prof_survey_range(s, (const void *)rec);
        return LS_OK;
    case SPOOL_REC_NODE_REMOVE:
        prof_survey_remove(s, (const void *)rec);
        return LS_OK;
    case SPOOL_REC_NODE_MEMBER:
        prof_survey_member(s, (const void *)rec);
        return LS_OK;
    case SPOOL_REC_ANCESTOR:
        prof_survey_ancestor(s, (const void *)rec);
        return LS_OK;
    case SPOOL_REC_RANK:
        prof_survey_rank(s, names, (const void *)rec);
        return LS_OK;
    case SPOOL_REC_EXITED:
        s->origin.status = ((const struct spool_exited *)(const void *)rec)->status;
        s->origin.peak_bytes = ((const struct spool_exited *)(const void *)rec)->peak_bytes;
        return LS_OK;
    case SPOOL_REC_ALLOC:
        return prof_paths_count(&s->paths, (const void *)rec);
    case SPOOL_REC_SITE:
        return prof_paths_site(&s->paths, (const void *)rec);
    case SPOOL_REC_MAPS:
        return prof_survey_maps(s, names, text, (const void *)rec);
    case SPOOL_REC_MMAP:
        return prof_survey_mmap(s, (const void *)rec);
    case SPOOL_REC_MUNMAP:
        prof_survey_munmap(s, (const void *)rec);
        return LS_OK;
    case SPOOL_REC_TLS_MODULES:
        return prof_survey_tls(s, (const void *)rec);
    case SPOOL_REC_IMAGE:
        return prof_survey_image_bytes(s, (const void *)rec);
    default:
        return LS_OK;
    }
}

static ls_err prof_survey_all(struct prof_survey *s, prof_names *names, spool_merge *merge,
                              struct prof_snapshot *texts)
{
    for (struct spool_item item; (item = spool_merge_next(merge)).rec != NULL; s->records_len++) {
        if (s->records_len == 0) s->begin_ns = item.time_ns;
        s->end_ns = item.time_ns;
        LS_TRY(prof_survey_record(s, names, &texts[item.stream], item.rec));
    }
    return LS_OK;
}

ls_err prof_survey_image(const struct spool_image *image, prof_names *names, struct prof_survey *out)
{
    spool_merge *merge;
    *out = (struct prof_survey){
        .origin.status = SPOOL_STATUS_UNKNOWN, .begin_ns = UINT64_MAX, .seen_live = smr_live_new()};
    if (!out->seen_live) return ls_nomem("%s", image->path);
    LS_TRY(spool_merge_new(image, 0, &merge));
    struct prof_snapshot *texts = calloc(image->streams.len + 1, sizeof(*texts));
    const ls_err e = texts ? prof_survey_all(out, names, merge, texts) : ls_nomem("%s", image->path);
    for (size_t i = 0; texts && i < image->streams.len; i++)
        prof_snapshot_fini(&texts[i]);
    free(texts);
    spool_merge_free(merge);
    return e;
}

struct prof_mapping *prof_survey_seen(const struct prof_survey *s, uint64_t addr, uint64_t time_ns)
{
    uint32_t row;
    if (!smr_live_find(s->seen_live, addr, &row)) return NULL;
    for (uint32_t older = s->seen.rows[row].older; older != UINT32_MAX; older = s->seen.rows[older].older) {
        const struct prof_mapping *m = &s->seen.rows[older];
        if (m->seen_ns < time_ns) break;
        if (addr >= m->base && addr < m->end) row = older;
    }
    return &s->seen.rows[row];
}

void prof_survey_fini(struct prof_survey *s)
{
    free(s->nodes.rows);
    ls_index_fini(&s->node_by_id);
    free(s->modules.rows);
    free(s->seen.rows);
    free(s->vdso.bytes);
    free(s->tls.rows);
    smr_live_free(s->seen_live);
    prof_paths_fini(&s->paths);
    *s = (struct prof_survey){0};
}

bool prof_survey_has_nodes(const struct prof_survey *s)
{
    for (size_t i = 0; i < s->nodes.len; i++)
        if (s->nodes.rows[i].spool_id != 0 && !s->nodes.rows[i].is_inherited) return true;
    return false;
}

/* Row by row: the node of that id that the image has by itself, or the parent's; one that the parent had not
 * registered at fork_ns leaves its row empty. */
static ls_err prof_inherit_rows(struct prof_survey *s, const struct prof_survey *parent, uint64_t fork_ns)
{
    const struct prof_survey own = *s;
    s->nodes.rows = NULL;
    s->nodes.len = s->nodes.room = 0;
    s->node_by_id = (struct ls_index){0};
    ls_err e = LS_OK;
    for (size_t i = 0; e == LS_OK && i < parent->nodes.len; i++) {
        struct prof_survey_node n = parent->nodes.rows[i];
        const struct prof_survey_node *itself = prof_survey_known(&own, n.spool_id);
        n.is_inherited = true;
        if (n.born_ns > fork_ns) n = (struct prof_survey_node){.node = PROF_NO_NODE};
        e = prof_survey_put(s, itself ? itself : &n);
    }
    for (size_t i = 0; e == LS_OK && i < own.nodes.len; i++)
        if (!prof_survey_known(s, own.nodes.rows[i].spool_id)) e = prof_survey_put(s, &own.nodes.rows[i]);
    struct ls_index before = own.node_by_id;
    ls_index_fini(&before);
    free(own.nodes.rows);
    return e;
}

ls_err prof_survey_inherit(struct prof_survey *s, const struct prof_survey *parent, uint64_t fork_ns)
{
    return parent->nodes.len ? prof_inherit_rows(s, parent, fork_ns) : LS_OK;
}

static uint64_t prof_since(uint64_t time_ns, uint64_t start_ns)
{
    return time_ns == UINT64_MAX ? UINT64_MAX : time_ns > start_ns ? time_ns - start_ns : 0;
}

struct prof_planting {
    struct prof_survey *survey;
    prof_tree *tree;
    uint32_t parent, process;
    uint64_t start_ns;
    LS_VECTOR(struct prof_survey_node *) chain; /* a node and those above it */
};

static ls_err prof_plant_node(const struct prof_planting *p, struct prof_survey_node *n)
{
    const struct prof_survey_node *above = prof_survey_known(p->survey, n->parent);
    const struct prof_node node = {
        .parent = above && above->node != PROF_NO_NODE ? above->node : p->parent,
        .kind = n->is_group ? PROF_NODE_GROUP : PROF_NODE_RANGE,
        .process = p->process,
        .label = n->label,
        .base = n->base,
        .end = n->end,
        .elem_size_bytes = n->elem_size_bytes,
        .dims = n->dims,
        .born_ns = prof_since(n->born_ns, p->start_ns),
        .died_ns = prof_since(n->died_ns, p->start_ns),
    };
    return prof_tree_add(p->tree, node, &n->node);
}

/* Plant the nodes above n first. A chain longer than the number of nodes is a cycle: cut it where the walk
 * ends. */
static ls_err prof_plant_chain(struct prof_planting *p, struct prof_survey_node *n)
{
    p->chain.len = 0;
    for (; n && n->node == PROF_NO_NODE && p->chain.len <= p->survey->nodes.len;
         n = prof_survey_known(p->survey, n->parent))
        LS_TRY(LS_VECTOR_ADD(&p->chain, n));
    while (p->chain.len > 0) {
        n = p->chain.rows[--p->chain.len];
        if (n->node == PROF_NO_NODE) LS_TRY(prof_plant_node(p, n));
    }
    return LS_OK;
}

static int prof_compare_ids(const void *a, const void *b)
{
    const struct prof_survey_node *const *x = a, *const *y = b;
    return ((*x)->spool_id > (*y)->spool_id) - ((*x)->spool_id < (*y)->spool_id);
}

/* In the order of the ids. */
static ls_err prof_plant_nodes(struct prof_planting *p, struct prof_survey_node **nodes)
{
    const size_t len = p->survey->nodes.len;
    for (size_t i = 0; i < len; i++)
        nodes[i] = &p->survey->nodes.rows[i];
    qsort(nodes, len, sizeof(*nodes), prof_compare_ids);
    for (size_t i = 0; i < len; i++)
        if (nodes[i]->spool_id != 0) LS_TRY(prof_plant_chain(p, nodes[i]));
    return LS_OK;
}

ls_err prof_survey_plant(struct prof_survey *s, prof_tree *tree, uint32_t parent, uint32_t process,
                         uint64_t start_ns)
{
    struct prof_planting p = {
        .survey = s, .tree = tree, .parent = parent, .process = process, .start_ns = start_ns};
    struct prof_survey_node **nodes = malloc((s->nodes.len + 1) * sizeof(struct prof_survey_node *));
    const ls_err e = nodes ? prof_plant_nodes(&p, nodes) : ls_nomem("%zu nodes", s->nodes.len);
    free(p.chain.rows);
    free(nodes);
    return e;
}
