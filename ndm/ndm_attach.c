/* SPDX-License-Identifier: BSD-3-Clause */
/* Maps of nodes and groups: all ranges of a group get the new map, or none. */
#include "common/ls_compat.h"
#include "common/ls_error.h"
#include "ndm/ndm_live.h"
#include "ndm/ndm_map.h"

#include <stdlib.h>

/* Function to call for each range; it increments *done for each range that it handled. */
typedef ls_err (*range_fn)(smr_node *n, struct ndm_live_map *m, uint32_t *done);

/* Call fn for n itself, or for all ranges of a group, nested groups included; not for ranges inside a
 * member. */
static ls_err each_range(smr_node *n, range_fn fn, struct ndm_live_map *m, uint32_t *done)
{
    if (!n->is_group) return fn(n, m, done);
    for (smr_node *c = n->links[SMR_SHOWN].first; c; c = c->links[SMR_SHOWN].next)
        LS_TRY(each_range(c, fn, m, done));
    return LS_OK;
}

static ls_err check_range(smr_node *n, struct ndm_live_map *m, uint32_t *done)
{
    if (n->died_ns != SMR_ALIVE) return LS_OK; /* a freed member; a freed node gives 0 ranges */
    const struct ndm_live_map *present = n->map;
    if (m->m.kind == NDM_MAP_CALLBACK && present && present->m.kind != NDM_MAP_CALLBACK)
        return ls_fail(
            LS_ERR_EXISTS,
            "\"%.120s\" is mapped already, and a natural-domain function would replace that map: unmap "
            "it first",
            n->label);
    LS_TRY(ndm_map_check_elements(&m->m, m->domain ? &m->domain->g : NULL, smr_node_elements(n), n->label));
    ++*done;
    return LS_OK;
}

static ls_err set_range(smr_node *n, struct ndm_live_map *m, uint32_t *done)
{
    if (n->died_ns != SMR_ALIVE) return LS_OK;
    ndm_node_set_map(n, m);
    ++*done;
    return LS_OK;
}

static ls_err end_range(smr_node *n, struct ndm_live_map *m, uint32_t *done)
{
    (void)m;
    ndm_node_end_map(n, true);
    ++*done;
    return LS_OK;
}

static ls_err check_all(smr_node *n, struct ndm_live_map *m)
{
    uint32_t ranges = 0;
    if (smr_state.walks > 0)
        return ls_fail(LS_ERR_BUSY,
                       "the tree is being walked: map \"%.120s\" after smr_tree_walk has returned", n->label);
    LS_TRY(each_range(n, check_range, m, &ranges));
    if (ranges > 0) return LS_OK;
    return ls_fail(LS_ERR_ARG,
                   n->is_group ? "group \"%.120s\" has no living ranges to map: add members first"
                               : "\"%.120s\" was freed: register it again first",
                   n->label);
}

static void set_all(smr_node *n, struct ndm_live_map *m)
{
    uint32_t ranges = 0;
    ndm_map_link(m);
    ndm_map_hand_over(m);
    each_range(n, set_range, m, &ranges);
}

/* Attach fresh to n. Takes ownership of fresh, also on failure. */
static ls_err attach(smr_node *n, struct ndm_live_map *fresh)
{
    ls_err e = ndm_map_check(&fresh->m, fresh->domain ? &fresh->domain->g : NULL, n->label);
    if (e == LS_OK) {
        fresh->is_whole = true;
        ndm_live_init();
        ndm_settle(n);
        smr_lock();
        smr_wait_unused(n->is_group ? NULL : n, NULL);
        e = check_all(n, fresh);
        if (e == LS_OK) set_all(n, fresh);
        smr_unlock();
    }
    if (e != LS_OK) {
        ndm_map_fini(&fresh->m);
        free(fresh);
    }
    return e;
}

/* Make an empty map of n onto d. */
static ls_err fresh_map(const smr_node *n, ndm_domain *d, enum ndm_map_kind kind, struct ndm_live_map **out)
{
    if (!n) return ls_fail(LS_ERR_ARG, "no node to map");
    if (!d && kind != NDM_MAP_CALLBACK)
        return ls_fail(LS_ERR_ARG, "map of \"%.120s\": no domain given", smr_node_label(n));
    *out = calloc(1, sizeof(**out));
    if (!*out) return ls_nomem("the map of \"%.120s\"", smr_node_label(n));
    (*out)->domain = d;
    (*out)->m.kind = kind;
    (*out)->m.elements_per_entity = 1;
    return LS_OK;
}

LS_EXPORT ls_err ndm_map_grid(smr_node *n, ndm_domain *d, const struct ndm_layout *layout)
{
    struct ndm_live_map *m;
    LS_TRY(fresh_map(n, d, NDM_MAP_LAYOUT, &m));
    if (layout) m->m.layout = *layout;
    return attach(n, m);
}

LS_EXPORT ls_err ndm_map_mesh(smr_node *n, ndm_domain *d, enum ndm_centering centering,
                              uint64_t elements_per_entity)
{
    struct ndm_live_map *m;
    LS_TRY(fresh_map(n, d, NDM_MAP_ENTITIES, &m));
    m->m.centering = centering;
    if (elements_per_entity > 0) m->m.elements_per_entity = elements_per_entity;
    return attach(n, m);
}

LS_EXPORT ls_err ndm_map_indirect(smr_node *n, ndm_domain *d, const struct ndm_indirection *indirection)
{
    struct ndm_live_map *m;
    LS_TRY(fresh_map(n, d, NDM_MAP_TARGETS, &m));
    const ls_err e = ndm_make_targets(indirection, smr_node_label(n), &m->m);
    if (e != LS_OK) {
        free(m);
        return e;
    }
    m->source = *indirection;
    return attach(n, m);
}

LS_EXPORT ls_err ndm_map_callback(smr_node *n, ndm_domain *d, ndm_callback fn, void *user)
{
    struct ndm_live_map *m;
    if (!fn)
        return ls_fail(LS_ERR_ARG, "map of \"%.120s\": no function given", n ? smr_node_label(n) : "NULL");
    LS_TRY(fresh_map(n, d, NDM_MAP_CALLBACK, &m));
    m->fn = fn;
    m->user = user;
    return attach(n, m);
}

LS_EXPORT ls_err ndm_unmap(smr_node *n)
{
    uint32_t ranges = 0;
    if (!n) return ls_fail(LS_ERR_ARG, "no node to unmap");
    ndm_settle(n);
    smr_lock();
    smr_wait_unused(n->is_group ? NULL : n, NULL);
    const ls_err e =
        smr_state.walks > 0
            ? ls_fail(LS_ERR_BUSY, "the tree is being walked: unmap \"%.120s\" afterwards", n->label)
            : each_range(n, end_range, NULL, &ranges);
    smr_unlock();
    return e;
}
