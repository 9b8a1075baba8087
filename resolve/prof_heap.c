/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolve/prof_space.h"

#include "common/ls_device.h"
#include "spool/spool_record.h"

#include <stdlib.h>

#define PROF_NO_ROW UINT32_MAX

/* A living block. */
struct prof_block {
    uint32_t site; /* PROF_NO_SITE: no call path */
    uint32_t node; /* PROF_NO_NODE until a sample hits it; in a free row, the next free row */
    uint64_t born_ns;
    double blocks; /* number of blocks it represents */
};

/* A site that accesses have by a number. Most are never sampled: these get no rows. */
struct prof_tagged {
    size_t first; /* place of its return addresses in tagged_frames */
    uint64_t len_bytes;
    uint32_t frames_len; /* 0: its record is missing */
    uint32_t site;       /* PROF_NO_SITE until a sample hits it */
};

enum prof_heap_layer { PROF_HEAP_BLOCKS, PROF_HEAP_MAPPINGS, PROF_HEAP_LAYERS };

struct prof_heap {
    struct prof_heap_context c;
    struct prof_paths paths;
    smr_live *layers[PROF_HEAP_LAYERS]; /* values: rows of blocks */
    LS_VECTOR(struct prof_block) blocks;
    uint32_t free_row;
    LS_VECTOR(struct prof_tagged) tagged; /* by their numbers */
    LS_VECTOR(uint64_t) tagged_frames;
};

static ls_err prof_heap_fill(prof_heap *h)
{
    for (int i = 0; i < PROF_HEAP_LAYERS; i++)
        if (!(h->layers[i] = smr_live_new())) return ls_nomem("heap blocks");
    return LS_OK;
}

ls_err prof_heap_new(const struct prof_heap_context *context, prof_heap **out)
{
    prof_heap *h = calloc(1, sizeof(*h));
    if (!h) return ls_nomem("heap blocks");
    h->c = *context;
    h->free_row = PROF_NO_ROW;
    const ls_err e = prof_heap_fill(h);
    if (e == LS_OK)
        *out = h;
    else
        prof_heap_free(h);
    return e;
}

void prof_heap_free(prof_heap *h)
{
    if (!h) return;
    for (int i = 0; i < PROF_HEAP_LAYERS; i++)
        smr_live_free(h->layers[i]);
    prof_paths_fini(&h->paths);
    free(h->blocks.rows);
    free(h->tagged.rows);
    free(h->tagged_frames.rows);
    free(h);
}

static ls_err prof_heap_copy(const prof_heap *from, prof_heap *to)
{
    for (int i = 0; i < PROF_HEAP_LAYERS; i++)
        LS_TRY(smr_live_copy(from->layers[i], &to->layers[i]));
    for (size_t i = 0; i < from->blocks.len; i++) {
        LS_TRY(LS_VECTOR_ADD(&to->blocks, from->blocks.rows[i]));
    }
    to->free_row = from->free_row;
    for (size_t i = 0; i < from->tagged.len; i++) {
        LS_TRY(LS_VECTOR_ADD(&to->tagged, from->tagged.rows[i]));
    }
    for (size_t i = 0; i < from->tagged_frames.len; i++) {
        LS_TRY(LS_VECTOR_ADD(&to->tagged_frames, from->tagged_frames.rows[i]));
    }
    return LS_OK;
}

size_t prof_heap_clone_bytes(const prof_heap *h)
{
    enum { PROF_RANGE_BYTES = 64 };
    size_t bytes = h->blocks.len * sizeof(*h->blocks.rows) + h->tagged.len * sizeof(*h->tagged.rows) +
                   h->tagged_frames.len * sizeof(*h->tagged_frames.rows);
    for (int i = 0; i < PROF_HEAP_LAYERS; i++)
        bytes += smr_live_len(h->layers[i]) * PROF_RANGE_BYTES;
    return bytes;
}

ls_err prof_heap_clone(const prof_heap *h, const struct prof_survey *survey, uint32_t process,
                       prof_heap **out)
{
    prof_heap *clone = calloc(1, sizeof(*clone)); /* its files give their paths anew */
    if (!clone) return ls_nomem("heap blocks");
    clone->c = h->c;
    clone->c.survey = survey;
    clone->c.process = process;
    const ls_err e = prof_heap_copy(h, clone);
    if (e == LS_OK)
        *out = clone;
    else
        prof_heap_free(clone);
    return e;
}

static uint64_t prof_heap_since(const prof_heap *h, uint64_t time_ns)
{
    return time_ns > h->c.start_ns ? time_ns - h->c.start_ns : 0;
}

static ls_err prof_block_row(prof_heap *h, struct prof_block block, uint32_t *out)
{
    if (h->free_row != PROF_NO_ROW) {
        *out = h->free_row;
        h->free_row = h->blocks.rows[*out].node;
    } else {
        LS_TRY(LS_VECTOR_ROOM(&h->blocks));
        *out = (uint32_t)h->blocks.len++;
    }
    h->blocks.rows[*out] = block;
    return LS_OK;
}

static void prof_block_release(prof_heap *h, uint32_t row)
{
    h->blocks.rows[row] = (struct prof_block){.site = PROF_NO_SITE, .node = h->free_row};
    h->free_row = row;
}

ls_err prof_heap_frame(prof_heap *h, const struct prof_path_given *given, uint32_t *out)
{
    uint64_t ips[PROF_PATH_FRAMES_MAX];
    const uint64_t hash = prof_path_hash_of(given);
    *out = PROF_NO_FRAME;
    if (hash == 0) return LS_OK;
    struct prof_path *path = prof_paths_at(&h->paths, hash);
    if (!path) return ls_nomem("%zu call paths", h->paths.rows.len);
    if (path->frame == PROF_NO_FRAME && !given->is_hash) {
        size_t len = prof_frames_of_returns(given->frames, given->len, 0, ips);
        len = prof_scripts_cut(h->c.scripts, h->c.process, ips, len);
        LS_TRY(prof_frames_intern(h->c.frames, h->c.process, ips, len, &path->frame));
    }
    *out = path->frame;
    return LS_OK;
}

static bool prof_is_single(const prof_heap *h, const struct spool_alloc *r)
{
    const struct prof_path_given given = PROF_PATH_GIVEN(r);
    const uint64_t hash = prof_path_hash_of(&given);
    struct prof_path *path = hash ? prof_paths_find(&h->c.survey->paths, hash) : NULL;
    return path && path->blocks == 1;
}

static ls_err prof_site_of_alloc(prof_heap *h, const struct spool_alloc *r, uint32_t *out)
{
    uint32_t frame;
    const unsigned call = r->rec.flags & SPOOL_ALLOC_CALL_MASK;
    const struct prof_path_given given = PROF_PATH_GIVEN(r);
    *out = PROF_NO_SITE;
    if (call == SPOOL_ALLOC_ARENA) return LS_OK; /* only its blocks show its purpose */
    LS_TRY(prof_heap_frame(h, &given, &frame));
    if (frame == PROF_NO_FRAME) return LS_OK;
    const struct prof_site_key key = {.process = h->c.process,
                                      .frame = frame,
                                      .is_mapping = call == SPOOL_ALLOC_MMAP,
                                      .is_single = prof_is_single(h, r)};
    LS_TRY(prof_sites_intern(h->c.sites, &key, out));
    prof_sites_count(h->c.sites, *out, r->len_bytes, r->sample_period_bytes);
    return LS_OK;
}

ls_err prof_heap_site(prof_heap *h, const struct spool_site *r)
{
    const uint64_t *frames = (const uint64_t *)(const void *)SPOOL_REC_TAIL(r);
    struct prof_tagged t = {.site = PROF_NO_SITE, .len_bytes = r->len_bytes, .first = h->tagged_frames.len};
    if (r->site == 0 || r->site >= SPOOL_SITE_OTHERS) return LS_OK;
    for (; t.frames_len < r->frames_len && t.frames_len < PROF_PATH_FRAMES_MAX; t.frames_len++)
        LS_TRY(LS_VECTOR_ADD(&h->tagged_frames, frames[t.frames_len]));
    while (h->tagged.len <= r->site)
        LS_TRY(LS_VECTOR_ADD(&h->tagged, (struct prof_tagged){.site = PROF_NO_SITE}));
    h->tagged.rows[r->site] = t;
    return LS_OK;
}

static ls_err prof_tagged_site(prof_heap *h, struct prof_tagged *t)
{
    uint64_t ips[PROF_PATH_FRAMES_MAX];
    struct prof_site_key key = {.process = h->c.process};
    if (t->frames_len == 0 || t->site != PROF_NO_SITE) return LS_OK;
    const size_t len = prof_frames_of_returns(h->tagged_frames.rows + t->first, t->frames_len, 0, ips);
    LS_TRY(prof_frames_intern(h->c.frames, h->c.process, ips, len, &key.frame));
    LS_TRY(prof_sites_intern(h->c.sites, &key, &t->site));
    prof_sites_note_length(h->c.sites, t->site, t->len_bytes);
    return LS_OK;
}

/* The node of a block without a site. */
static uint32_t prof_coarse_node(prof_heap *h, unsigned call)
{
    if (call == SPOOL_ALLOC_ARENA)
        return prof_tree_home(h->c.tree, PROF_NODE_HEAP_SMALL, "small heap blocks");
    if (call == SPOOL_ALLOC_MMAP) return prof_tree_home(h->c.tree, PROF_NODE_ANONYMOUS, "anonymous memory");
    return prof_tree_home(h->c.tree, PROF_NODE_HEAP, "heap blocks");
}

struct prof_block_extent {
    uint64_t base, end;
};

static ls_err prof_heap_put(prof_heap *h, smr_live *layer, struct prof_block_extent x, uint32_t row)
{
    uint64_t base;
    uint32_t old;
    if (smr_live_find_range(layer, x.base, &base, NULL, &old) && base == x.base) {
        smr_live_remove(layer, base, old); /* its end was lost */
        prof_block_release(h, old);
    }
    LS_TRY(smr_live_evict(layer, x.base, x.end));
    return smr_live_insert(layer, x.base, x.end, row);
}

ls_err prof_heap_alloc(prof_heap *h, const struct spool_alloc *r)
{
    const unsigned call = r->rec.flags & SPOOL_ALLOC_CALL_MASK;
    const bool is_mapping = call == SPOOL_ALLOC_MMAP || call == SPOOL_ALLOC_ARENA;
    struct prof_block block = {.node = PROF_NO_NODE,
                               .born_ns = prof_heap_since(h, r->time_ns),
                               .blocks = prof_block_weight(r->len_bytes, r->sample_period_bytes)};
    uint64_t end;
    uint32_t row;
    if (__builtin_add_overflow(r->base, r->len_bytes, &end) || r->len_bytes == 0) return LS_OK;
    LS_TRY(prof_site_of_alloc(h, r, &block.site));
    if (block.site == PROF_NO_SITE) block.node = prof_coarse_node(h, call);
    LS_TRY(prof_block_row(h, block, &row));
    return prof_heap_put(h, h->layers[is_mapping ? PROF_HEAP_MAPPINGS : PROF_HEAP_BLOCKS],
                         (struct prof_block_extent){r->base, end}, row);
}

static ls_err prof_heap_device_site(prof_heap *h, const struct spool_device_block *r, uint32_t *out)
{
    const struct prof_path_given given = PROF_PATH_GIVEN(r);
    struct prof_site_key key = {.process = h->c.process, .is_device = true};
    LS_TRY(prof_heap_frame(h, &given, &key.frame));
    *out = PROF_NO_SITE;
    if (key.frame == PROF_NO_FRAME) return LS_OK;
    LS_TRY(prof_sites_intern(h->c.sites, &key, out));
    prof_sites_count(h->c.sites, *out, r->len_bytes, 1);
    return LS_OK;
}

ls_err prof_heap_device(prof_heap *h, const struct spool_device_block *r, uint32_t *out_site,
                        uint32_t *out_node)
{
    uint64_t end;
    uint32_t row;
    LS_TRY(prof_heap_device_site(h, r, out_site));
    *out_node = *out_site == PROF_NO_SITE
                    ? prof_tree_home(h->c.tree, PROF_NODE_DEVICE, "device memory")
                    : prof_sites_node(h->c.sites, *out_site, h->c.frames, h->c.survey, h->c.tree);
    if (*out_node == PROF_NO_NODE) return ls_nomem("the homes of addresses");
    const bool is_seen = r->memory != LS_DEVICE_MEMORY_DEVICE && !(r->rec.flags & SPOOL_DEVICE_HANDLE);
    if (!is_seen || __builtin_add_overflow(r->base, r->len_bytes, &end) || r->len_bytes == 0) return LS_OK;
    const struct prof_block block = {
        .site = *out_site, .node = *out_node, .born_ns = prof_heap_since(h, r->time_ns), .blocks = 1};
    LS_TRY(prof_block_row(h, block, &row));
    return prof_heap_put(h, h->layers[PROF_HEAP_BLOCKS], (struct prof_block_extent){r->base, end}, row);
}

/* Check whether node represents this block only. */
static bool prof_is_own_node(const struct prof_node *node, const struct prof_block *block, uint64_t base)
{
    return node->base == base && node->born_ns == block->born_ns &&
           (node->kind == PROF_NODE_BLOCK || node->kind == PROF_NODE_SITE);
}

ls_err prof_heap_end_block(prof_heap *h, uint64_t base, uint64_t time_ns, uint64_t *out_end)
{
    uint64_t found, end;
    uint32_t row;
    *out_end = base;
    if (!smr_live_find_range(h->layers[PROF_HEAP_BLOCKS], base, &found, &end, &row) || found != base)
        return LS_OK;
    const struct prof_block *block = &h->blocks.rows[row];
    if (block->node != PROF_NO_NODE) {
        struct prof_node *node = prof_tree_node(h->c.tree, block->node);
        if (prof_is_own_node(node, block, base)) node->died_ns = prof_heap_since(h, time_ns);
    }
    *out_end = end;
    prof_block_release(h, row);
    return smr_live_remove(h->layers[PROF_HEAP_BLOCKS], base, row);
}

ls_err prof_heap_evict(prof_heap *h, uint64_t base, uint64_t end)
{
    for (int i = 0; base < end && i < PROF_HEAP_LAYERS; i++)
        LS_TRY(smr_live_evict(h->layers[i], base, end));
    return LS_OK;
}

/* The only block of its site: the site's node is its own. */
static void prof_site_node_be_block(const prof_heap *h, uint32_t node, const struct prof_block *block,
                                    const struct prof_block_extent *x)
{
    struct prof_node *n = prof_tree_node(h->c.tree, node);
    if (n->process != h->c.process || n->base != 0) return; /* shared by processes */
    n->base = x->base;
    n->end = x->end;
    n->born_ns = block->born_ns;
}

static uint32_t prof_block_node(prof_heap *h, struct prof_block *block, const struct prof_block_extent *x)
{
    uint32_t id;
    const uint32_t site_node = prof_sites_node(h->c.sites, block->site, h->c.frames, h->c.survey, h->c.tree);
    if (site_node == PROF_NO_NODE) return site_node;
    if (h->c.sites->facts.rows[block->site].is_single) {
        prof_site_node_be_block(h, site_node, block, x);
        return site_node;
    }
    if (!prof_sites_take_block_node(h->c.sites, block->site)) return site_node;
    const struct prof_node node = {
        .parent = site_node,
        .kind = PROF_NODE_BLOCK,
        .process = h->c.process,
        .label = prof_name_printf(h->c.names, "block %u", h->c.sites->facts.rows[block->site].block_nodes),
        .base = x->base,
        .end = x->end,
        .born_ns = block->born_ns,
        .died_ns = UINT64_MAX,
    };
    return prof_tree_add(h->c.tree, node, &id) == LS_OK ? id : PROF_NO_NODE;
}

static bool prof_heap_block_at(const prof_heap *h, enum prof_heap_layer layer, uint64_t addr,
                               struct prof_block_extent *out_extent, struct prof_block **out)
{
    uint32_t row;
    if (!smr_live_find_range(h->layers[layer], addr, &out_extent->base, &out_extent->end, &row)) return false;
    *out = &h->blocks.rows[row];
    return true;
}

static void prof_heap_set_origin(const prof_heap *h, const struct prof_block *block, uint64_t offset_bytes,
                                 struct prof_target *out)
{
    if (!h->c.typing || block->site == PROF_NO_SITE) return;
    out->origin = prof_typing_site(h->c.typing, block->site);
    out->offset_bytes = offset_bytes;
}

static void prof_heap_find(prof_heap *h, enum prof_heap_layer layer, uint64_t addr, struct prof_target *out)
{
    struct prof_block_extent x;
    struct prof_block *block;
    out->node = PROF_NO_NODE;
    if (!prof_heap_block_at(h, layer, addr, &x, &block)) return;
    if (block->node == PROF_NO_NODE) block->node = prof_block_node(h, block, &x);
    out->node = block->node;
    prof_heap_set_origin(h, block, addr - x.base, out);
}

void prof_heap_find_block(prof_heap *h, uint64_t addr, struct prof_target *out)
{
    prof_heap_find(h, PROF_HEAP_BLOCKS, addr, out);
}

void prof_heap_find_mapping(prof_heap *h, uint64_t addr, struct prof_target *out)
{
    prof_heap_find(h, PROF_HEAP_MAPPINGS, addr, out);
}

bool prof_heap_has_mapping(const prof_heap *h, uint64_t addr)
{
    uint32_t row;
    return smr_live_find(h->layers[PROF_HEAP_MAPPINGS], addr, &row);
}

void prof_heap_find_tagged(prof_heap *h, const struct spool_access *a, struct prof_target *out)
{
    out->node = PROF_NO_NODE;
    if (a->site == SPOOL_SITE_OTHERS)
        out->node = prof_tree_home(h->c.tree, PROF_NODE_HEAP_SMALL,
                                   "blocks of allocation sites after the first 32,766");
    if (a->site >= h->tagged.len) return;
    struct prof_tagged *t = &h->tagged.rows[a->site];
    if (prof_tagged_site(h, t) != LS_OK || t->site == PROF_NO_SITE) return;
    const struct prof_block block = {.site = t->site};
    out->node = prof_sites_node(h->c.sites, t->site, h->c.frames, h->c.survey, h->c.tree);
    if (a->site_units != SPOOL_SITE_UNITS_UNKNOWN)
        prof_heap_set_origin(h, &block, a->site_units * UINT64_C(16) + a->addr % 16, out);
}

void prof_heap_find_origin(prof_heap *h, uint64_t addr, struct prof_target *out)
{
    for (int layer = 0; layer < PROF_HEAP_LAYERS; layer++) {
        struct prof_block_extent x;
        struct prof_block *block;
        if (!prof_heap_block_at(h, (enum prof_heap_layer)layer, addr, &x, &block)) continue;
        if (block->site != PROF_NO_SITE) h->c.sites->facts.rows[block->site].is_in_range = true;
        prof_heap_set_origin(h, block, addr - x.base, out);
        return;
    }
}

uint32_t prof_heap_find_site(prof_heap *h, uint64_t addr)
{
    for (int layer = 0; layer < PROF_HEAP_LAYERS; layer++) {
        uint32_t row;
        if (!smr_live_find(h->layers[layer], addr, &row)) continue;
        const struct prof_block *block = &h->blocks.rows[row];
        if (block->site == PROF_NO_SITE) return block->node;
        return prof_sites_node(h->c.sites, block->site, h->c.frames, h->c.survey, h->c.tree);
    }
    return PROF_NO_NODE;
}

double prof_heap_blocks_at(const prof_heap *h, uint64_t addr)
{
    uint32_t row;
    return smr_live_find(h->layers[PROF_HEAP_BLOCKS], addr, &row) ? h->blocks.rows[row].blocks : 1;
}
