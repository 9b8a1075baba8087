/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolve/prof_space.h"

#include "common/ls_text.h"
#include "resolve/prof_maps.h"
#include "spool/spool_record.h"

#include <stdlib.h>
#include <sys/mman.h>

enum prof_layer { PROF_LAYER_RANGES, PROF_LAYER_STACKS, PROF_LAYER_MAPS, PROF_LAYER_COUNT };

/* Current place of a registered node, as the program registered it. */
struct prof_extent {
    uint64_t base, end; /* base == end: nowhere */
};

struct prof_space {
    struct prof_survey *survey;
    prof_tree *tree;
    prof_names *names;
    uint64_t start_ns, now_ns;
    prof_heap *heap;
    /* values: ranges: row of survey->nodes; stacks: node; maps: row of mappings */
    smr_live *layers[PROF_LAYER_COUNT];
    prof_mapping_list mappings;
    struct prof_extent *extents;  /* beside survey->nodes */
    struct prof_statics *statics; /* NULL: modules are not looked into */
    struct prof_tls *tls;         /* NULL: nor is thread-local storage */
};

/* x86-64 with four-level page tables: user addresses end here (Linux Documentation/arch/x86/x86_64/mm.rst). */
#define PROF_USER_END (UINT64_C(1) << 47)
#define PROF_NULL_PAGES_END UINT64_C(65536)

static const struct prof_target prof_nowhere = {
    .node = PROF_NO_NODE, .component = UINT32_MAX, .element = UINT64_MAX};

static ls_err prof_space_fill(prof_space *s)
{
    for (int i = 0; i < PROF_LAYER_COUNT; i++)
        if (!(s->layers[i] = smr_live_new())) return ls_nomem("address ranges");
    s->extents = calloc(s->survey->nodes.len + 1, sizeof(*s->extents));
    return s->extents ? LS_OK : ls_nomem("%zu nodes", s->survey->nodes.len);
}

ls_err prof_space_new(struct prof_survey *survey, const struct prof_heap_context *context, prof_space **out)
{
    prof_space *s = calloc(1, sizeof(*s));
    if (!s) return ls_nomem("address ranges");
    *s = (prof_space){
        .survey = survey, .tree = context->tree, .names = context->names, .start_ns = context->start_ns};
    ls_err e = prof_heap_new(context, &s->heap);
    if (e == LS_OK) e = prof_space_fill(s);
    if (e == LS_OK)
        *out = s;
    else
        prof_space_free(s);
    return e;
}

void prof_space_free(prof_space *s)
{
    if (!s) return;
    for (int i = 0; i < PROF_LAYER_COUNT; i++)
        smr_live_free(s->layers[i]);
    prof_heap_free(s->heap);
    free(s->mappings.rows);
    free(s->extents);
    free(s);
}

static ls_err prof_space_copy(const prof_space *from, prof_space *to)
{
    for (int i = 0; i < PROF_LAYER_COUNT; i++)
        LS_TRY(smr_live_copy(from->layers[i], &to->layers[i]));
    for (size_t i = 0; i < from->mappings.len; i++) {
        LS_TRY(LS_VECTOR_ADD(&to->mappings, from->mappings.rows[i]));
    }
    to->extents = calloc(to->survey->nodes.len + 1, sizeof(*to->extents));
    if (!to->extents) return ls_nomem("%zu nodes", to->survey->nodes.len);
    for (size_t i = 0; i < to->survey->nodes.len && i < from->survey->nodes.len; i++)
        to->extents[i] = from->extents[i];
    return LS_OK;
}

size_t prof_space_clone_bytes(const prof_space *s)
{
    enum { PROF_RANGE_BYTES = 64 };
    size_t bytes = s->mappings.len * sizeof(*s->mappings.rows);
    for (int i = 0; i < PROF_LAYER_COUNT; i++)
        bytes += smr_live_len(s->layers[i]) * PROF_RANGE_BYTES;
    return bytes + prof_heap_clone_bytes(s->heap);
}

ls_err prof_space_clone(const prof_space *s, struct prof_survey *survey, uint32_t process, prof_space **out)
{
    prof_space *clone = calloc(1, sizeof(*clone));
    if (!clone) return ls_nomem("address ranges");
    *clone = (prof_space){.survey = survey, .tree = s->tree, .names = s->names, .start_ns = s->start_ns};
    ls_err e = prof_heap_clone(s->heap, survey, process, &clone->heap);
    if (e == LS_OK) e = prof_space_copy(s, clone);
    if (e == LS_OK)
        *out = clone;
    else
        prof_space_free(clone);
    return e;
}

/* Clear [base, end) of a layer; ignore an empty or wrapping extent. */
static ls_err prof_evict(prof_space *s, enum prof_layer layer, uint64_t base, uint64_t end)
{
    return base < end ? smr_live_evict(s->layers[layer], base, end) : LS_OK;
}

/* End thread-local blocks: their memory is ordinary memory again. */
static ls_err prof_space_end_tls(prof_space *s, uint64_t base, uint64_t end)
{
    return s->tls ? prof_tls_evict(s->tls, base, end) : LS_OK;
}

static ls_err prof_put(prof_space *s, enum prof_layer layer, struct prof_extent x, uint32_t value)
{
    if (x.base >= x.end) return LS_OK;
    const ls_err e = smr_live_insert(s->layers[layer], x.base, x.end, value);
    if (e != LS_ERR_OVERLAP) return e;
    /* the record that ended the old entry was lost */
    LS_TRY(smr_live_evict(s->layers[layer], x.base, x.end));
    return smr_live_insert(s->layers[layer], x.base, x.end, value);
}

static void prof_end_life(prof_space *s, size_t row, uint64_t time_ns)
{
    const struct prof_survey_node *n = &s->survey->nodes.rows[row];
    const uint64_t died_ns = time_ns > s->start_ns ? time_ns - s->start_ns : 0;
    struct prof_node *node = n->node == PROF_NO_NODE ? NULL : prof_tree_node(s->tree, n->node);
    const bool is_its_last_extent = s->extents[row].base == n->base && s->extents[row].end == n->end;
    if (node && !n->is_inherited && is_its_last_extent && died_ns < node->died_ns) node->died_ns = died_ns;
    s->extents[row] = (struct prof_extent){0, 0};
}

/* End the ranges inside memory that is freed or unmapped. */
static ls_err prof_end_ranges(prof_space *s, uint64_t base, uint64_t end, uint64_t time_ns)
{
    const size_t before = smr_live_len(s->layers[PROF_LAYER_RANGES]);
    if (before == 0) return LS_OK;
    LS_TRY(prof_evict(s, PROF_LAYER_RANGES, base, end));
    if (smr_live_len(s->layers[PROF_LAYER_RANGES]) == before) return LS_OK;
    for (size_t i = 0; i < s->survey->nodes.len; i++) {
        const struct prof_extent *x = &s->extents[i];
        if (x->base < x->end && x->base >= base && x->end <= end) prof_end_life(s, i, time_ns);
    }
    return LS_OK;
}

static ls_err prof_put_mapping(prof_space *s, const struct prof_mapping *m)
{
    LS_TRY(LS_VECTOR_ROOM(&s->mappings));
    s->mappings.rows[s->mappings.len] = *m;
    LS_TRY(prof_evict(s, PROF_LAYER_MAPS, m->base, m->end));
    return prof_put(s, PROF_LAYER_MAPS, (struct prof_extent){m->base, m->end}, (uint32_t)s->mappings.len++);
}

ls_err prof_space_snapshot(prof_space *s, const char *maps_text, size_t len_bytes)
{
    smr_live *fresh = smr_live_new();
    if (!fresh) return ls_nomem("a memory map");
    smr_live_free(s->layers[PROF_LAYER_MAPS]);
    s->layers[PROF_LAYER_MAPS] = fresh;
    s->mappings.len = 0;
    LS_TRY(prof_maps_parse(maps_text, len_bytes, s->names, &s->mappings));
    for (size_t i = 0; i < s->mappings.len; i++)
        LS_TRY(prof_put(s, PROF_LAYER_MAPS,
                        (struct prof_extent){s->mappings.rows[i].base, s->mappings.rows[i].end},
                        (uint32_t)i));
    return LS_OK;
}

/* Guess the kind; the next snapshot confirms or corrects it. */
static enum prof_node_kind prof_kind_of_mmap(const struct prof_mapping *m)
{
    const bool is_code = (m->access & PROF_MAP_EXEC) != 0;
    if (m->path[0] == '[') return prof_maps_kind_of_special(m);
    if (m->path[0] == '\0') return is_code ? PROF_NODE_JIT : PROF_NODE_ANONYMOUS;
    if (!is_code) return PROF_NODE_FILE;
    if ((m->access & PROF_MAP_WRITE) && !prof_is_memory_file(m->path)) return PROF_NODE_FILE;
    return prof_is_memory_file(m->path) ? PROF_NODE_JIT : PROF_NODE_CODE;
}

/* The last mapping that was at addr, also if it has ended since the last snapshot. */
static const struct prof_mapping *prof_mapping_before(const prof_space *s, uint64_t addr)
{
    for (size_t i = s->mappings.len; i-- > 0;)
        if (addr - s->mappings.rows[i].base < s->mappings.rows[i].end - s->mappings.rows[i].base)
            return &s->mappings.rows[i];
    return NULL;
}

static bool prof_is_of_file(const struct prof_mapping *m)
{
    return m->path[0] != '\0' && m->path[0] != '[';
}

/* A mapping by mremap is of the file of the old one. */
static void prof_mapping_take_file(const prof_space *s, uint64_t from, struct prof_mapping *m)
{
    const struct prof_mapping *old = prof_mapping_before(s, from);
    m->offset_bytes = 0;
    if (!old || !prof_is_of_file(old)) return;
    m->path = old->path;
    m->access = old->access;
    m->offset_bytes = old->offset_bytes;
    m->kind = prof_kind_of_mmap(m);
}

ls_err prof_space_mmap(prof_space *s, const struct spool_mmap *r)
{
    uint64_t end;
    if (__builtin_add_overflow(r->base, r->len_bytes, &end) || r->len_bytes == 0) return LS_OK;
    struct prof_mapping m = {
        .base = r->base, .end = end, .offset_bytes = r->offset_bytes, .node = PROF_NO_NODE};
    m.access = (r->prot & PROT_READ ? PROF_MAP_READ : 0u) | (r->prot & PROT_WRITE ? PROF_MAP_WRITE : 0u) |
               (r->prot & PROT_EXEC ? PROF_MAP_EXEC : 0u);
    m.path = prof_name_path(s->names, SPOOL_REC_TAIL(r), r->path_len);
    m.kind = prof_kind_of_mmap(&m);
    if (r->rec.flags & SPOOL_MMAP_FROM) prof_mapping_take_file(s, r->offset_bytes, &m);
    /* growth of the heap is recorded late, when blocks live in the new part already */
    if (m.kind == PROF_NODE_HEAP_SMALL) return prof_put_mapping(s, &m);
    LS_TRY(prof_end_ranges(s, r->base, end, r->time_ns));
    LS_TRY(prof_heap_evict(s->heap, r->base, end));
    LS_TRY(prof_space_end_tls(s, r->base, end));
    return prof_put_mapping(s, &m);
}

ls_err prof_space_munmap(prof_space *s, const struct spool_extent *r)
{
    uint64_t end;
    if (__builtin_add_overflow(r->base, r->len_bytes, &end)) return LS_OK;
    LS_TRY(prof_end_ranges(s, r->base, end, r->time_ns));
    LS_TRY(prof_heap_evict(s->heap, r->base, end));
    LS_TRY(prof_space_end_tls(s, r->base, end));
    for (int layer = PROF_LAYER_STACKS; layer < PROF_LAYER_COUNT; layer++)
        LS_TRY(prof_evict(s, (enum prof_layer)layer, r->base, end));
    return LS_OK;
}

ls_err prof_space_site(prof_space *s, const struct spool_site *r)
{
    return prof_heap_site(s->heap, r);
}

ls_err prof_space_alloc(prof_space *s, const struct spool_alloc *r)
{
    const bool is_mapping = (r->rec.flags & SPOOL_ALLOC_CALL_MASK) == SPOOL_ALLOC_MMAP;
    const struct prof_mapping *m = is_mapping ? prof_mapping_before(s, r->base) : NULL;
    uint64_t end;
    if (m && prof_is_of_file(m)) return LS_OK; /* mremap does not know what it maps */
    if (!__builtin_add_overflow(r->base, r->len_bytes, &end)) LS_TRY(prof_space_end_tls(s, r->base, end));
    return prof_heap_alloc(s->heap, r);
}

ls_err prof_space_device(prof_space *s, const struct spool_device_block *r, uint32_t *out_site,
                         uint32_t *out_node)
{
    return prof_heap_device(s->heap, r, out_site, out_node);
}

ls_err prof_space_frame(prof_space *s, const struct prof_path_given *given, uint32_t *out)
{
    return prof_heap_frame(s->heap, given, out);
}

ls_err prof_space_free_block(prof_space *s, const struct spool_extent *r)
{
    uint64_t end;
    LS_TRY(prof_heap_end_block(s->heap, r->base, r->time_ns, &end));
    return r->base < end ? prof_end_ranges(s, r->base, end, r->time_ns) : LS_OK;
}

/* Rows of nodes that were planted; others are damage. */
static bool prof_space_row(const prof_space *s, uint32_t spool_id, uint32_t *out_row)
{
    const struct prof_survey_node *n = prof_survey_known(s->survey, spool_id);
    if (!n || n->node == PROF_NO_NODE) return false;
    *out_row = (uint32_t)(n - s->survey->nodes.rows);
    return true;
}

static void prof_take_range_away(prof_space *s, uint32_t row)
{
    struct prof_extent *x = &s->extents[row];
    smr_live_remove_pieces(s->layers[PROF_LAYER_RANGES], x->base, x->end, row);
    *x = (struct prof_extent){0, 0};
}

ls_err prof_space_node_range(prof_space *s, const struct spool_node *r)
{
    uint32_t row;
    if (!prof_space_row(s, r->node, &row) || r->is_group) return LS_OK;
    prof_take_range_away(s, row);
    s->extents[row] = (struct prof_extent){r->base, r->end};
    return prof_put(s, PROF_LAYER_RANGES, s->extents[row], row);
}

ls_err prof_space_node_remove(prof_space *s, const struct spool_node_remove *r)
{
    uint32_t row;
    if (prof_space_row(s, r->node, &row)) prof_take_range_away(s, row);
    return LS_OK;
}

ls_err prof_space_stack_begin(prof_space *s, uint64_t base, uint64_t end, uint32_t home)
{
    LS_TRY(prof_evict(s, PROF_LAYER_STACKS, base, end));
    return prof_put(s, PROF_LAYER_STACKS, (struct prof_extent){base, end}, home);
}

ls_err prof_space_stack_end(prof_space *s, uint64_t base, uint64_t end)
{
    return prof_evict(s, PROF_LAYER_STACKS, base, end);
}

static struct prof_target prof_target_in_range(const prof_space *s, uint32_t row, uint64_t offset_bytes)
{
    const struct prof_survey_node *n = &s->survey->nodes.rows[row];
    struct prof_target target = {.node = n->node, .component = UINT32_MAX, .element = UINT64_MAX};
    if (n->elem_size_bytes == 0) return target;
    target.element = offset_bytes / n->elem_size_bytes;
    const uint64_t part_bytes = n->dims ? n->elem_size_bytes / n->dims : 0;
    if (part_bytes > 0) target.component = (uint32_t)(offset_bytes % n->elem_size_bytes / part_bytes);
    return target;
}

/* The label of a mapping's home: modules and files by name, others by their kind. */
static const char *prof_home_label(prof_space *s, const struct prof_mapping *m)
{
    switch (m->kind) {
    case PROF_NODE_STATIC:
        return ls_base_name(m->path);
    case PROF_NODE_CODE: /* beside the module's static data, which has the plain name */
        return prof_name_printf(s->names, "%s (code and constants)", ls_base_name(m->path));
    case PROF_NODE_FILE:
        return m->path;
    case PROF_NODE_STACK:
        return "stack of main thread";
    case PROF_NODE_HEAP_SMALL:
        return "small heap blocks";
    case PROF_NODE_KERNEL: /* [vdso], [vvar], [vsyscall] */
        return m->path;
    case PROF_NODE_JIT:
        return "generated code";
    default:
        return "anonymous memory";
    }
}

static struct prof_target prof_target_of_mapping(prof_space *s, struct prof_mapping *m, uint64_t addr)
{
    struct prof_target target = prof_nowhere;
    if (m->node == PROF_NO_NODE) m->node = prof_tree_home(s->tree, m->kind, prof_home_label(s, m));
    target.node = m->node;
    const bool is_of_module = m->kind == PROF_NODE_STATIC || m->kind == PROF_NODE_CODE;
    if (s->statics && is_of_module && m->node != PROF_NO_NODE)
        prof_statics_find(s->statics, m->path, addr, &target);
    return target;
}

static struct prof_target prof_target_unmapped(prof_space *s, uint64_t addr)
{
    struct prof_target target = prof_nowhere;
    const char *why = addr < PROF_NULL_PAGES_END ? "null page"
                      : addr >= PROF_USER_END    ? "not a user address"
                                                 : "no mapping known at this time";
    target.node = prof_tree_home(s->tree, PROF_NODE_UNMAPPED, why);
    return target;
}

bool prof_space_is_code(const prof_space *s, uint64_t addr)
{
    uint32_t value;
    if (smr_live_find(s->layers[PROF_LAYER_MAPS], addr, &value) &&
        (s->mappings.rows[value].access & PROF_MAP_EXEC))
        return true;
    return smr_live_find(s->survey->seen_live, addr, &value) &&
           (s->survey->seen.rows[value].access & PROF_MAP_EXEC);
}

void prof_space_set_time(prof_space *s, uint64_t time_ns)
{
    s->now_ns = time_ns;
}

void prof_space_set_statics(prof_space *s, struct prof_statics *statics, struct prof_tls *tls)
{
    s->statics = statics;
    s->tls = tls;
}

/* May heap blocks be in the mapping that addr is in? A site's number outlives its block, so the memory may hold
 * something else by now. */
static bool prof_may_hold_blocks(prof_space *s, uint64_t addr)
{
    uint32_t row;
    if (prof_heap_has_mapping(s->heap, addr) || !smr_live_find(s->layers[PROF_LAYER_MAPS], addr, &row))
        return true;
    struct prof_mapping *m = &s->mappings.rows[row];
    if (m->kind == PROF_NODE_HEAP_SMALL || m->kind == PROF_NODE_ANONYMOUS) return true;
    if (m->kind != PROF_NODE_STATIC) return false;
    /* anonymous memory that follows a module's data may be the rest of the data: its sections show it */
    const uint32_t node = prof_target_of_mapping(s, m, addr).node;
    return node == m->node ||
           (node != PROF_NO_NODE && prof_tree_node(s->tree, node)->kind == PROF_NODE_ANONYMOUS);
}

struct prof_target prof_space_find_access(prof_space *s, const struct spool_access *a)
{
    uint32_t value;
    const uint64_t addr = a->addr;
    struct prof_target target = prof_nowhere;
    if (smr_live_find(s->layers[PROF_LAYER_RANGES], addr, &value)) {
        target = prof_target_in_range(s, value, addr - s->extents[value].base);
        prof_heap_find_origin(s->heap, addr, &target);
        return target;
    }
    if (s->tls && prof_tls_find(s->tls, addr, &target)) return target;
    prof_heap_find_block(s->heap, addr, &target);
    if (target.node != PROF_NO_NODE || smr_live_find(s->layers[PROF_LAYER_STACKS], addr, &target.node))
        return target;
    if (a->site && prof_may_hold_blocks(s, addr)) {
        prof_heap_find_tagged(s->heap, a, &target);
        if (target.node != PROF_NO_NODE) return target;
    }
    prof_heap_find_mapping(s->heap, addr, &target);
    if (target.node != PROF_NO_NODE) return target;
    if (smr_live_find(s->layers[PROF_LAYER_MAPS], addr, &value))
        return prof_target_of_mapping(s, &s->mappings.rows[value], addr);
    struct prof_mapping *seen = prof_survey_seen(s->survey, addr, s->now_ns);
    return seen ? prof_target_of_mapping(s, seen, addr) : prof_target_unmapped(s, addr);
}

struct prof_target prof_space_find(prof_space *s, uint64_t addr)
{
    const struct spool_access a = {.addr = addr};
    return prof_space_find_access(s, &a);
}

uint32_t prof_space_find_site(prof_space *s, uint64_t addr)
{
    uint32_t range;
    const bool is_in_range = smr_live_find(s->layers[PROF_LAYER_RANGES], addr, &range);
    const uint32_t site = is_in_range ? PROF_NO_NODE : prof_heap_find_site(s->heap, addr);
    return site != PROF_NO_NODE ? site : prof_space_find(s, addr).node;
}

double prof_space_blocks_at(const prof_space *s, uint64_t addr)
{
    return prof_heap_blocks_at(s->heap, addr);
}
