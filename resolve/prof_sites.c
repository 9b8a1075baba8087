/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolve/prof_sites.h"

#include "common/ls_checked.h"
#include "spool/spool_path.h"

#include <math.h>
#include <stdlib.h>

static const uint64_t prof_golden = UINT64_C(0x9e3779b97f4a7c15);

static ls_err prof_site_add(struct prof_sites *s, const struct prof_site_key *key)
{
    const struct prof_site_facts facts = {
        .is_mapping = key->is_mapping, .is_single = key->is_single, .is_device = key->is_device};
    const struct prof_site row = {.id = (uint32_t)s->rows.len,
                                  .process = key->process,
                                  .frame = key->frame,
                                  .label_frame = key->frame,
                                  .node = PROF_NO_NODE,
                                  .label = "",
                                  .type = UINT32_MAX};
    LS_TRY(LS_VECTOR_ADD(&s->facts, facts));
    return LS_VECTOR_ADD(&s->rows, row);
}

ls_err prof_sites_intern(struct prof_sites *s, const struct prof_site_key *key, uint32_t *out_site)
{
    const uint64_t frame = (uint64_t)key->frame * 4 + key->is_mapping + 2 * key->is_device;
    *out_site = ls_index_find(&s->by_frame, frame);
    if (*out_site != LS_INDEX_NONE) return LS_OK;
    *out_site = (uint32_t)s->rows.len;
    LS_TRY(prof_site_add(s, key));
    return ls_index_put(&s->by_frame, frame, *out_site);
}

double prof_block_weight(uint64_t len_bytes, uint32_t period_bytes)
{
    return period_bytes <= 1 ? 1 : -1 / expm1(-(double)len_bytes / period_bytes);
}

static uint64_t prof_common_divisor(uint64_t a, uint64_t b)
{
    while (b > 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

void prof_sites_note_length(struct prof_sites *s, uint32_t site, uint64_t len_bytes)
{
    struct prof_site_facts *f = &s->facts.rows[site];
    if (f->least_bytes == 0 || len_bytes < f->least_bytes) f->least_bytes = len_bytes;
    if (len_bytes > f->most_bytes) f->most_bytes = len_bytes;
    f->unit_bytes = prof_common_divisor(f->unit_bytes, len_bytes);
}

void prof_sites_count(struct prof_sites *s, uint32_t site, uint64_t len_bytes, uint32_t period_bytes)
{
    struct prof_site *row = &s->rows.rows[site];
    struct prof_site_facts *f = &s->facts.rows[site];
    const double weight = prof_block_weight(len_bytes, period_bytes);
    f->blocks += weight;
    f->bytes += weight * (double)len_bytes;
    prof_sites_note_length(s, site, len_bytes);
    f->is_large = f->is_large || len_bytes >= PROF_LARGE_BLOCK_BYTES;
    row->recorded++;
    row->blocks = ls_round_u64(f->blocks);
    row->bytes = ls_round_u64(f->bytes);
    row->sample_rate = f->blocks / (double)row->recorded;
}

/* Identify code, independent of where its file is mapped; code in no file is specific to its process. */
static uint64_t prof_code_key(const struct prof_survey *survey, const struct prof_frame *f)
{
    uint64_t base;
    uint32_t row;
    if (spool_path_is_script(f->ip)) return f->ip; /* forks share it */
    if (!smr_live_find_range(survey->seen_live, f->ip, &base, NULL, &row))
        return f->ip ^ f->process * prof_golden;
    const struct prof_mapping *m = &survey->seen.rows[row];
    if (m->path[0] != '/') return f->ip ^ f->process * prof_golden;
    return (f->ip - base + m->offset_bytes) ^ (uint64_t)(uintptr_t)m->path * prof_golden;
}

static uint64_t prof_site_node_key(const struct prof_site *site, const struct prof_site_facts *f,
                                   const struct prof_frames *frames, const struct prof_survey *survey)
{
    uint64_t h = 1 + f->is_mapping + 2 * f->is_device;
    for (uint32_t row = site->frame; row < frames->rows.len; row = frames->rows.rows[row].parent) {
        h = (h ^ prof_code_key(survey, &frames->rows.rows[row])) * prof_golden;
        h ^= h >> 32;
    }
    return h ? h : 1;
}

static uint32_t prof_site_parent(const struct prof_site_facts *f, prof_tree *tree)
{
    if (f->is_device) return prof_tree_home(tree, PROF_NODE_DEVICE, "device memory");
    if (f->is_mapping) return prof_tree_home(tree, PROF_NODE_ANONYMOUS, "anonymous memory");
    return prof_tree_home(tree, PROF_NODE_HEAP, "heap blocks");
}

static uint32_t prof_site_node_make(const struct prof_site *site, const struct prof_site_facts *f,
                                    prof_tree *tree)
{
    const uint32_t parent = prof_site_parent(f, tree);
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
    if (f->key == 0) f->key = prof_site_node_key(row, f, frames, survey);
    uint32_t node = ls_index_find(&s->nodes, f->key);
    if (node == LS_INDEX_NONE) {
        node = prof_site_node_make(row, f, tree);
        if (node == PROF_NO_NODE || ls_index_put(&s->nodes, f->key, node) != LS_OK) return PROF_NO_NODE;
    } else if (prof_tree_node(tree, node)->process != row->process) {
        struct prof_node *shared = prof_tree_node(tree, node);
        shared->process = UINT32_MAX;
        shared->base = shared->end = 0;
    }
    return row->node = node;
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
    ls_index_fini(&s->by_frame);
    ls_index_fini(&s->nodes);
    *s = (struct prof_sites){0};
}
