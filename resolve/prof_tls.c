/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolve/prof_space.h"

#include "common/ls_text.h"
#include "resolve/prof_maps.h"
#include "spool/spool_record.h"

#include <stdlib.h>

/* glibc 2.36, x86-64: sizeof(struct pthread), which the thread pointer points to; others are a little smaller
 * or larger. */
enum { PROF_TCB_BYTES = 2304 };

ls_err prof_tls_init(struct prof_tls *t, const struct prof_modules *modules, const struct prof_survey *survey,
                     prof_tree *tree)
{
    *t = (struct prof_tls){
        .modules = modules, .survey = survey, .tree = tree, .live = smr_live_new(), .first_free = UINT32_MAX};
    return t->live ? LS_OK : ls_nomem("thread-local storage");
}

void prof_tls_fini(struct prof_tls *t)
{
    smr_live_free(t->live);
    free(t->blocks.rows);
    *t = (struct prof_tls){0};
}

ls_err prof_tls_evict(struct prof_tls *t, uint64_t base, uint64_t end)
{
    return t->live && base < end && smr_live_len(t->live) > 0 ? smr_live_evict(t->live, base, end) : LS_OK;
}

static ls_err prof_tls_put(struct prof_tls *t, struct prof_tls_block b)
{
    if (b.base >= b.end) return LS_OK;
    LS_TRY(prof_tls_evict(t, b.base, b.end));
    uint32_t row = t->first_free;
    if (row == UINT32_MAX) {
        LS_TRY(LS_VECTOR_ROOM(&t->blocks));
        row = (uint32_t)t->blocks.len;
    }
    LS_TRY(smr_live_insert(t->live, b.base, b.end, row));
    if (row == t->blocks.len)
        t->blocks.len++;
    else
        t->first_free = t->blocks.rows[row].next_free;
    b.is_live = true;
    t->blocks.rows[row] = b;
    return LS_OK;
}

ls_err prof_tls_end(struct prof_tls *t, uint32_t stream)
{
    for (size_t i = 0; i < t->blocks.len; i++) {
        struct prof_tls_block *b = &t->blocks.rows[i];
        if (!b->is_live || b->stream != stream) continue;
        b->is_live = false;
        b->next_free = t->first_free;
        t->first_free = (uint32_t)i;
        LS_TRY(prof_tls_evict(t, b->base, b->end));
    }
    return LS_OK;
}

/* Numbers are recorded before a module is unloaded and after all were loaded: the next record with this
 * number is right, else the last. */
static struct prof_loaded *prof_tls_module(const struct prof_tls *t, uint64_t id, uint64_t time_ns)
{
    const struct prof_survey_tls *found = NULL;
    for (size_t i = 0; i < t->survey->tls.len; i++) {
        const struct prof_survey_tls *row = &t->survey->tls.rows[i];
        if (row->id != id) continue;
        found = row;
        if (row->time_ns >= time_ns) break;
    }
    return found ? prof_modules_then(t->modules, found->at, found->time_ns) : NULL;
}

ls_err prof_tls_blocks(struct prof_tls *t, uint32_t stream, const struct spool_tls_blocks *r)
{
    const struct spool_tls_row *rows = (const void *)SPOOL_REC_TAIL(r);
    LS_TRY(prof_tls_end(t, stream));
    LS_TRY(prof_tls_put(t, (struct prof_tls_block){.base = r->thread_pointer,
                                                   .end = r->thread_pointer + PROF_TCB_BYTES,
                                                   .stream = stream}));
    for (uint32_t i = 0; i < r->rows_len; i++) {
        struct prof_loaded *l = prof_tls_module(t, rows[i].id, r->time_ns);
        const uint64_t len = l ? sym_file_tls_len_bytes(l->file) : 0;
        const struct prof_tls_block b = {
            .base = rows[i].at, .end = rows[i].at + len, .module = l, .stream = stream};
        if (len > 0) LS_TRY(prof_tls_put(t, b));
    }
    return LS_OK;
}

static uint32_t prof_tls_node(struct prof_tls *t, const struct prof_tls_block *b, const struct sym_thing *v)
{
    const uint32_t home = prof_tree_home(t->tree, PROF_NODE_STATIC, ls_base_name(b->module->path));
    if (home == PROF_NO_NODE) return home;
    const uint32_t id =
        prof_tree_child(t->tree, home, PROF_NODE_TLS, v->row == SYM_NONE ? "thread-local storage" : v->name);
    if (id == PROF_NO_NODE) return id;
    struct prof_node *n = prof_tree_node(t->tree, id);
    n->elem_size_bytes = v->elem_size_bytes;
    n->dims = v->elem_size_bytes ? 1 : 0;
    return id;
}

bool prof_tls_find(struct prof_tls *t, uint64_t addr, struct prof_target *out)
{
    uint32_t row;
    if (!smr_live_find(t->live, addr, &row)) return false;
    const struct prof_tls_block *b = &t->blocks.rows[row];
    if (!b->module) {
        out->node = prof_tree_home(t->tree, PROF_NODE_TLS, "thread control blocks");
        return out->node != PROF_NO_NODE;
    }
    const struct sym_thing v = sym_file_find_tls(t->modules->files, b->module->file, addr - b->base);
    out->node = prof_tls_node(t, b, &v);
    if (v.row != SYM_NONE && t->typing) {
        out->origin = prof_typing_variable(t->typing, b->module->file, &v);
        out->offset_bytes = addr - b->base - v.base;
    }
    if (v.row != SYM_NONE && v.elem_size_bytes) {
        out->element = (addr - b->base - v.base) / v.elem_size_bytes;
        out->component = 0;
    }
    return out->node != PROF_NO_NODE;
}
