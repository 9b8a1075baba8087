/* SPDX-License-Identifier: BSD-3-Clause */
#include "profile/prof_sites.h"

#include <math.h>
#include <stdlib.h>

static const uint64_t prof_golden = UINT64_C(0x9e3779b97f4a7c15);

static uint32_t *prof_site_slot(const struct prof_sites *s, uint32_t frame, bool is_mapping)
{
    size_t at = (size_t)(((uint64_t)frame * 2 + is_mapping) * prof_golden >> 32) & (s->slots_room - 1);
    for (; s->slots[at] != 0; at = (at + 1) & (s->slots_room - 1)) {
        const uint32_t row = s->slots[at] - 1;
        if (s->rows.rows[row].frame == frame && s->facts.rows[row].is_mapping == is_mapping) break;
    }
    return &s->slots[at];
}

static ls_err prof_sites_grow(struct prof_sites *s)
{
    const size_t room = s->slots_room ? 2 * s->slots_room : 256;
    uint32_t *slots = calloc(room, sizeof(*slots));
    if (!slots) return ls_fail(LS_ERR_NOMEM, "out of memory for %zu allocation sites", room);
    free(s->slots);
    s->slots = slots;
    s->slots_room = room;
    for (uint32_t i = 0; i < s->rows.len; i++)
        *prof_site_slot(s, s->rows.rows[i].frame, s->facts.rows[i].is_mapping) = i + 1;
    return LS_OK;
}

static ls_err prof_site_add(struct prof_sites *s, const struct prof_site_key *key)
{
    LS_TRY(LS_VECTOR_ROOM(&s->rows));
    LS_TRY(LS_VECTOR_ROOM(&s->facts));
    s->facts.rows[s->facts.len++] =
        (struct prof_site_facts){.is_mapping = key->is_mapping, .is_single = key->is_single};
    const uint32_t id = (uint32_t)s->rows.len;
    s->rows.rows[s->rows.len++] = (struct prof_site){.id = id,
                                                     .process = key->process,
                                                     .frame = key->frame,
                                                     .label_frame = key->frame,
                                                     .node = PROF_NO_NODE,
                                                     .label = ""};
    return LS_OK;
}

ls_err prof_sites_intern(struct prof_sites *s, const struct prof_site_key *key, uint32_t *out_site)
{
    if (2 * s->rows.len >= s->slots_room) LS_TRY(prof_sites_grow(s));
    uint32_t *slot = prof_site_slot(s, key->frame, key->is_mapping);
    if (*slot == 0) {
        LS_TRY(prof_site_add(s, key));
        *slot = (uint32_t)s->rows.len;
    }
    *out_site = *slot - 1;
    return LS_OK;
}

double prof_block_weight(uint64_t len_bytes, uint32_t period_bytes)
{
    return period_bytes <= 1 ? 1 : -1 / expm1(-(double)len_bytes / period_bytes);
}

void prof_sites_count(struct prof_sites *s, uint32_t site, uint64_t len_bytes, uint32_t period_bytes)
{
    struct prof_site *row = &s->rows.rows[site];
    struct prof_site_facts *f = &s->facts.rows[site];
    const double weight = prof_block_weight(len_bytes, period_bytes);
    f->blocks += weight;
    f->bytes += weight * (double)len_bytes;
    f->is_large = f->is_large || len_bytes >= PROF_LARGE_BLOCK_BYTES;
    row->recorded++;
    row->blocks = (uint64_t)(f->blocks + 0.5);
    row->bytes = (uint64_t)(f->bytes + 0.5);
    row->sample_rate = f->blocks / (double)row->recorded;
}

/* Where code is, independent of where its file is mapped; code in no file is its process's own. */
static uint64_t prof_code_place(const struct prof_survey *survey, const struct prof_frame *f)
{
    uint64_t base;
    uint32_t row;
    if (!smr_live_find_range(survey->seen_live, f->ip, &base, NULL, &row))
        return f->ip ^ f->process * prof_golden;
    const struct prof_mapping *m = &survey->seen.rows[row];
    if (m->path[0] != '/') return f->ip ^ f->process * prof_golden;
    return (f->ip - base + m->offset_bytes) ^ (uint64_t)(uintptr_t)m->path * prof_golden;
}

static uint64_t prof_site_node_key(const struct prof_site *site, bool is_mapping,
                                   const struct prof_frames *frames, const struct prof_survey *survey)
{
    uint64_t h = 1 + is_mapping;
    for (uint32_t row = site->frame; row < frames->rows.len; row = frames->rows.rows[row].parent) {
        h = (h ^ prof_code_place(survey, &frames->rows.rows[row])) * prof_golden;
        h ^= h >> 32;
    }
    return h ? h : 1;
}

static struct prof_site_node *prof_node_slot(const struct prof_sites *s, uint64_t key)
{
    size_t at = (size_t)(key >> 20) & (s->nodes_room - 1);
    while (s->nodes[at].key != 0 && s->nodes[at].key != key)
        at = (at + 1) & (s->nodes_room - 1);
    return &s->nodes[at];
}

static bool prof_nodes_grow(struct prof_sites *s)
{
    struct prof_sites grown = {.nodes_room = s->nodes_room ? 2 * s->nodes_room : 256};
    grown.nodes = calloc(grown.nodes_room, sizeof(*grown.nodes));
    if (!grown.nodes) return false;
    for (size_t i = 0; i < s->nodes_room; i++)
        if (s->nodes[i].key != 0) *prof_node_slot(&grown, s->nodes[i].key) = s->nodes[i];
    free(s->nodes);
    s->nodes = grown.nodes;
    s->nodes_room = grown.nodes_room;
    return true;
}

static uint32_t prof_site_node_make(const struct prof_site *site, bool is_mapping, prof_tree *tree)
{
    const uint32_t parent = is_mapping ? prof_tree_home(tree, PROF_NODE_ANONYMOUS, "anonymous memory")
                                       : prof_tree_home(tree, PROF_NODE_HEAP, "heap blocks");
    uint32_t id;
    if (parent == PROF_NO_NODE) return PROF_NO_NODE;
    const struct prof_node node = {.parent = parent,
                                   .kind = PROF_NODE_SITE,
                                   .process = site->process,
                                   .label = "",
                                   .died_ns = UINT64_MAX};
    return prof_tree_add(tree, node, &id) == LS_OK ? id : PROF_NO_NODE;
}

uint32_t prof_sites_node(struct prof_sites *s, uint32_t site, const struct prof_frames *frames,
                         const struct prof_survey *survey, prof_tree *tree)
{
    struct prof_site *row = &s->rows.rows[site];
    struct prof_site_facts *f = &s->facts.rows[site];
    if (row->node != PROF_NO_NODE) return row->node;
    if (2 * s->nodes_len >= s->nodes_room && !prof_nodes_grow(s)) return PROF_NO_NODE;
    if (f->key == 0) f->key = prof_site_node_key(row, f->is_mapping, frames, survey);
    struct prof_site_node *slot = prof_node_slot(s, f->key);
    if (slot->key == 0) {
        const uint32_t made = prof_site_node_make(row, f->is_mapping, tree);
        if (made == PROF_NO_NODE) return PROF_NO_NODE;
        *slot = (struct prof_site_node){f->key, made};
        s->nodes_len++;
    } else if (prof_tree_node(tree, slot->node)->process != row->process) {
        struct prof_node *shared = prof_tree_node(tree, slot->node);
        shared->process = UINT32_MAX;
        shared->base = shared->end = 0;
    }
    return row->node = slot->node;
}

bool prof_sites_take_block_node(struct prof_sites *s, uint32_t site)
{
    struct prof_site_facts *f = &s->facts.rows[site];
    if (f->block_nodes >= PROF_SITE_BLOCKS_MAX || s->block_nodes >= PROF_RUN_BLOCKS_MAX) return false;
    f->block_nodes++;
    s->block_nodes++;
    return true;
}

void prof_sites_fini(struct prof_sites *s)
{
    free(s->rows.rows);
    free(s->facts.rows);
    free(s->slots);
    free(s->nodes);
    *s = (struct prof_sites){0};
}
