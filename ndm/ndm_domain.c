/* SPDX-License-Identifier: BSD-3-Clause */
/* The domains of the program. */
#include "common/ls_compat.h"
#include "common/ls_error.h"
#include "ndm/ndm_live.h"
#include "ndm/ndm_map.h"

#include <stdlib.h>
#include <string.h>

static void domain_destroy(ndm_domain *d)
{
    ndm_geometry_fini(&d->g);
    free(d);
}

static ls_err check_label(const ndm_domain *d)
{
    for (const ndm_domain *other = ndm_state.domains; other; other = other->next)
        if (strcmp(other->g.label, d->g.label) == 0)
            return ls_fail(LS_ERR_EXISTS, "there is a domain \"%.120s\" already: free it first, or use it",
                           d->g.label);
    return LS_OK;
}

/* Make a complete and checked domain visible to other threads. */
static ls_err publish(ndm_domain *d, ndm_domain **out)
{
    d->is_whole = true;
    ndm_live_init();
    smr_lock();
    const ls_err e = check_label(d);
    if (e == LS_OK) {
        ndm_domain_link(d);
        ndm_domain_hand_over(d);
    }
    smr_unlock();
    if (e != LS_OK) {
        domain_destroy(d);
        return e;
    }
    *out = d;
    return LS_OK;
}

static ls_err domain_alloc(ndm_domain **out, ndm_domain **public_out)
{
    if (!public_out) return ls_fail(LS_ERR_ARG, "a domain needs a place for its handle");
    *out = calloc(1, sizeof(**out));
    return *out ? LS_OK : ls_nomem("a natural domain");
}

LS_EXPORT ls_err ndm_domain_new_grid(const struct ndm_grid *grid, ndm_domain **out)
{
    ndm_domain *d = NULL;
    LS_TRY(domain_alloc(&d, out));
    const ls_err e = ndm_make_grid(grid, &d->g);
    if (e == LS_OK) return publish(d, out);
    free(d);
    return e;
}

LS_EXPORT ls_err ndm_domain_new_mesh(const struct ndm_mesh *mesh, ndm_domain **out)
{
    ndm_domain *d = NULL;
    LS_TRY(domain_alloc(&d, out));
    const ls_err e = ndm_make_mesh(mesh, &d->g);
    if (e != LS_OK) {
        free(d);
        return e;
    }
    d->source = *mesh;
    d->source.label = d->g.label;
    d->source.unit = d->g.unit;
    return publish(d, out);
}

static void end_maps_onto(const ndm_domain *d)
{
    for (const smr_tree *t = smr_state.trees; t; t = t->next)
        for (smr_node *n = t->nodes; n; n = n->tree_next)
            if (n->map && ((const struct ndm_live_map *)n->map)->domain == d) ndm_node_end_map(n, true);
}

LS_EXPORT void ndm_domain_free(ndm_domain *d)
{
    if (!d) return;
    ndm_settle(NULL);
    smr_lock();
    smr_wait_unused(NULL, NULL);
    end_maps_onto(d);
    const struct ndm_sink *k = ndm_state.sink;
    if (k && k->domain_remove) k->domain_remove(k->user, d->id);
    if (d->is_refreshed) ndm_state.refreshed_len--;
    ndm_domain_unlink(d);
    smr_unlock();
    domain_destroy(d);
}

LS_EXPORT const char *ndm_domain_label(const ndm_domain *d)
{
    return d->g.label;
}

/* ---- meshes that move ---- */

LS_EXPORT ls_err ndm_domain_refresh_at_phases(ndm_domain *d, int on)
{
    if (!d || d->g.kind != NDM_MESH)
        return ls_fail(LS_ERR_ARG, "%.120s is no mesh: nothing to copy again", d ? d->g.label : "NULL");
    smr_lock();
    if (d->is_refreshed != (on != 0))
        __atomic_fetch_add(&ndm_state.refreshed_len, on ? 1u : -1u, __ATOMIC_RELAXED);
    d->is_refreshed = on != 0;
    d->refreshed_by = pthread_self();
    smr_unlock();
    return LS_OK;
}

static void refresh_geometry(ndm_domain *d)
{
    const struct ndm_sink *k = ndm_state.sink;
    struct ndm_geometry g;
    if (!k->domain_change || ndm_make_mesh(&d->source, &g) != LS_OK) return;
    k->domain_change(k->user, d->id, &g);
    ndm_geometry_fini(&g);
}

static void refresh_targets(const struct ndm_live_map *live)
{
    const struct ndm_sink *k = ndm_state.sink;
    struct ndm_map m;
    if (!k->map_add || ndm_make_targets(&live->source, live->domain->g.label, &m) != LS_OK) return;
    if (ndm_map_check(&m, &live->domain->g, live->domain->g.label) == LS_OK)
        k->map_add(k->user, live->id, live->domain->id, &m);
    ndm_map_fini(&m);
}

static void refresh_domain(ndm_domain *d)
{
    refresh_geometry(d);
    for (const struct ndm_live_map *m = ndm_state.maps; m; m = m->next)
        if (m->domain == d && m->m.kind == NDM_MAP_TARGETS) refresh_targets(m);
}

void ndm_refresh(void)
{
    if (__atomic_load_n(&ndm_state.refreshed_len, __ATOMIC_RELAXED) == 0) return;
    smr_lock();
    for (ndm_domain *d = ndm_state.sink ? ndm_state.domains : NULL; d; d = d->next)
        if (d->is_refreshed && pthread_equal(d->refreshed_by, pthread_self())) refresh_domain(d);
    smr_unlock();
}
