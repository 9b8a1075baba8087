/* SPDX-License-Identifier: BSD-3-Clause */
#include "ndm/ndm_map.h"
#include "common/ls_checked.h"
#include "common/ls_error.h"

#include <stdlib.h>
#include <string.h>

typedef unsigned long long ull;

static uint64_t values_of(const struct ndm_map *m, const struct ndm_geometry *g)
{
    return ndm_geometry_values(g, m->centering);
}

uint64_t ndm_map_elements(const struct ndm_map *m, const struct ndm_geometry *g)
{
    switch (m->kind) {
    case NDM_MAP_LAYOUT:
        return ndm_layout_elements(&m->layout, g);
    case NDM_MAP_ENTITIES:
        return values_of(m, g) * m->elements_per_entity;
    case NDM_MAP_TARGETS:
        return m->targets_len * m->elements_per_entity;
    case NDM_MAP_CALLBACK:
        break;
    }
    return 0;
}

static ls_err check_targets(const struct ndm_map *m, const struct ndm_geometry *g, const char *label)
{
    const uint64_t values = values_of(m, g);
    for (uint64_t i = 0; i < m->targets_len; i++)
        if (m->targets[i] >= values && m->targets[i] != NDM_NOWHERE)
            return ls_fail(
                LS_ERR_RANGE,
                "map of \"%.120s\": element %llu has the target %llu (from 0), but \"%.120s\" has %llu "
                "%s; is index_base right?",
                label, (ull)(i * m->elements_per_entity), (ull)m->targets[i], g->label, (ull)values,
                m->centering == NDM_CELLS ? "cells" : "points");
    return LS_OK;
}

static ls_err check_entities(const struct ndm_map *m, const struct ndm_geometry *g, const char *label)
{
    uint64_t elements;
    const uint64_t entities = m->kind == NDM_MAP_TARGETS ? m->targets_len : values_of(m, g);
    if (m->centering != NDM_CELLS && m->centering != NDM_POINTS)
        return ls_fail(LS_ERR_ARG, "map of \"%.120s\": unknown centering %u", label, (unsigned)m->centering);
    if (values_of(m, g) == 0)
        return ls_fail(LS_ERR_ARG, "map of \"%.120s\": \"%.120s\" has no %s", label, g->label,
                       m->centering == NDM_CELLS ? "cells" : "points; a grid has cells only");
    if (m->elements_per_entity == 0 || !ls_mul_u64(entities, m->elements_per_entity, &elements))
        return ls_fail(LS_ERR_RANGE, "map of \"%.120s\": %llu elements together are too many", label,
                       (ull)m->elements_per_entity);
    return LS_OK;
}

ls_err ndm_map_check(const struct ndm_map *m, const struct ndm_geometry *g, const char *label)
{
    if (m->kind == NDM_MAP_CALLBACK) return LS_OK;
    if (!g) return ls_fail(LS_ERR_ARG, "map of \"%.120s\": no domain given", label);
    switch (m->kind) {
    case NDM_MAP_LAYOUT:
        if (m->centering != NDM_CELLS)
            return ls_fail(LS_ERR_ARG, "map of \"%.120s\": a grid has cells only", label);
        return ndm_layout_check(&m->layout, g, label);
    case NDM_MAP_ENTITIES:
        return check_entities(m, g, label);
    case NDM_MAP_TARGETS:
        LS_TRY(check_entities(m, g, label));
        return check_targets(m, g, label);
    case NDM_MAP_CALLBACK:
        break;
    }
    return ls_fail(LS_ERR_ARG, "map of \"%.120s\": unknown kind %u", label, (unsigned)m->kind);
}

ls_err ndm_map_check_elements(const struct ndm_map *m, const struct ndm_geometry *g, uint64_t elements,
                              const char *label)
{
    if (m->kind == NDM_MAP_CALLBACK) return LS_OK;
    const uint64_t covered = ndm_map_elements(m, g);
    const bool may_have_more = m->kind == NDM_MAP_LAYOUT && m->layout.order == NDM_STRIDED;
    const bool may_have_fewer = m->kind == NDM_MAP_TARGETS;
    if (elements > covered && !may_have_more)
        return ls_fail(
            LS_ERR_RANGE,
            "map of \"%.120s\": element %llu is not covered: the node has %llu elements, its map onto "
            "\"%.120s\" %llu; describe the others (ghosts, padding, NDM_STRIDED, targets)",
            label, (ull)covered, (ull)elements, g->label, (ull)covered);
    if (elements < covered && !may_have_fewer)
        return ls_fail(LS_ERR_RANGE,
                       "map of \"%.120s\": element %llu is missing: the node "
                       "has %llu elements, its map onto \"%.120s\" needs %llu",
                       label, (ull)elements, (ull)elements, g->label, (ull)covered);
    return LS_OK;
}

bool ndm_map_locate(const struct ndm_map *m, const struct ndm_geometry *g, uint64_t element,
                    uint64_t *out_value_index)
{
    if (m->kind == NDM_MAP_LAYOUT) return ndm_layout_cell(&m->layout, g, element, out_value_index);
    if (m->kind == NDM_MAP_CALLBACK) return false;
    const uint64_t entity = element / m->elements_per_entity;
    if (m->kind == NDM_MAP_ENTITIES) {
        *out_value_index = entity;
        return entity < values_of(m, g);
    }
    if (entity >= m->targets_len || m->targets[entity] == NDM_NOWHERE) return false;
    *out_value_index = m->targets[entity];
    return true;
}

void ndm_map_fini(struct ndm_map *m)
{
    free(m->targets);
    memset(m, 0, sizeof(*m));
}
