/* SPDX-License-Identifier: BSD-3-Clause */
#include "ndm/ndm_live.h"

#include <stdlib.h>

struct ndm_state ndm_state;
__attribute__((weak)) bool ndm_keeps_unreported = false;

uint32_t ndm_calls_len(void)
{
    return __atomic_load_n(&ndm_state.calls_len, __ATOMIC_RELAXED);
}

static void calls_add(int32_t more)
{
    __atomic_store_n(&ndm_state.calls_len, ndm_state.calls_len + (uint32_t)more, __ATOMIC_RELAXED);
}

/* ---- reports to the sink ---- */

static void report_domain(const ndm_domain *d)
{
    const struct ndm_sink *k = ndm_state.sink;
    if (k && k->domain_add && d->is_whole) k->domain_add(k->user, d->id, &d->g);
}

static void report_map(const struct ndm_live_map *m)
{
    const struct ndm_sink *k = ndm_state.sink;
    if (k && k->map_add && m->is_whole) k->map_add(k->user, m->id, m->domain ? m->domain->id : 0, &m->m);
}

static void report_node(const smr_node *n, uint32_t map)
{
    const struct ndm_sink *k = ndm_state.sink;
    if (k && k->node_map && n->died_ns == SMR_ALIVE) k->node_map(k->user, n->id, map);
}

static bool is_wanted_later(void)
{
    return !ndm_state.sink && ndm_keeps_unreported;
}

void ndm_domain_hand_over(ndm_domain *d)
{
    report_domain(d);
    if (d->g.kind == NDM_GRID || is_wanted_later()) return;
    free(d->g.points);
    free(d->g.offsets);
    free(d->g.connectivity);
    free(d->g.shapes);
    d->g.points = NULL;
    d->g.offsets = NULL;
    d->g.connectivity = NULL;
    d->g.shapes = NULL;
    d->is_whole = false;
}

void ndm_map_hand_over(struct ndm_live_map *m)
{
    report_map(m);
    if (m->m.kind != NDM_MAP_TARGETS || is_wanted_later()) return;
    free(m->m.targets);
    m->m.targets = NULL;
    m->is_whole = false;
}

/* Report all domains and maps, oldest first: the lists begin with the newest. */
static void report_all(void)
{
    ndm_domain *d = ndm_state.domains;
    struct ndm_live_map *m = ndm_state.maps;
    while (d && d->next)
        d = d->next;
    while (m && m->next)
        m = m->next;
    for (; d; d = d->prev)
        ndm_domain_hand_over(d);
    for (; m; m = m->prev)
        ndm_map_hand_over(m);
    for (const smr_tree *t = smr_state.trees; t; t = t->next)
        for (const smr_node *n = t->nodes; n; n = n->tree_next)
            if (n->map) report_node(n, ((const struct ndm_live_map *)n->map)->id);
}

void ndm_registry_set_sink(const struct ndm_sink *sink)
{
    ndm_live_init();
    smr_lock();
    ndm_state.sink = sink;
    if (sink) report_all();
    smr_unlock();
}

/* ---- lists ---- */

void ndm_domain_link(ndm_domain *d)
{
    d->id = ++ndm_state.last_domain;
    d->next = ndm_state.domains;
    if (d->next) d->next->prev = d;
    ndm_state.domains = d;
}

void ndm_domain_unlink(ndm_domain *d)
{
    if (d->next) d->next->prev = d->prev;
    if (d->prev)
        d->prev->next = d->next;
    else
        ndm_state.domains = d->next;
}

void ndm_map_link(struct ndm_live_map *m)
{
    m->id = ++ndm_state.last_map;
    m->next = ndm_state.maps;
    if (m->next) m->next->prev = m;
    ndm_state.maps = m;
}

/* Free m, whether linked or not. */
static void map_free(struct ndm_live_map *m)
{
    if (m->next) m->next->prev = m->prev;
    if (m->prev)
        m->prev->next = m->next;
    else if (ndm_state.maps == m)
        ndm_state.maps = m->next;
    ndm_map_fini(&m->m);
    free(m);
}

/* ---- maps of nodes ---- */

void ndm_node_set_map(smr_node *n, struct ndm_live_map *m)
{
    ndm_node_end_map(n, false);
    n->map = m;
    m->nodes_len++;
    if (m->fn) calls_add(1);
    report_node(n, m->id);
}

void ndm_node_end_map(smr_node *n, bool tell)
{
    struct ndm_live_map *m = n->map;
    if (!m) return;
    n->map = NULL;
    if (tell) report_node(n, 0);
    if (m->fn && !m->is_disabled) calls_add(-1);
    if (--m->nodes_len == 0) map_free(m);
}

static void on_gone(smr_node *n)
{
    ndm_node_end_map(n, false);
}

static void on_reborn(smr_node *n)
{
    report_node(n, ((const struct ndm_live_map *)n->map)->id);
}

/* ---- samples that wait for a callback ---- */

static bool has_calls(const smr_node *n)
{
    const struct ndm_live_map *m = n && !n->is_group ? n->map : NULL;
    if (n && !n->is_group && !m) return false;
    return m ? m->fn && !m->is_disabled : ndm_state.calls_len > 0;
}

void ndm_settle(const smr_node *n)
{
    const struct ndm_sink *k = NULL;
    if (ndm_calls_len() == 0 || smr_lock_held()) return;
    smr_lock();
    /* not inside a callback, which would wait for itself */
    if (has_calls(n) && !(smr_state.in_use && pthread_equal(smr_state.in_use_by, pthread_self())))
        k = ndm_state.sink;
    smr_unlock();
    if (k && k->settle) k->settle(k->user);
}

static const struct smr_watch watch = {
    .gone = on_gone,
    .reborn = on_reborn,
    .leaving = ndm_settle,
    .phase_begin = ndm_refresh,
};

void ndm_live_init(void)
{
    smr_registry_init();
    __atomic_store_n(&smr_state.watch, &watch, __ATOMIC_RELEASE);
}

/* ---- calls ---- */

bool ndm_call_begin(uint64_t addr, struct ndm_call *out)
{
    struct smr_range r;
    bool found = false;
    smr_lock();
    if (!smr_state.in_use && smr_avl_last(&smr_state.ranges, addr, addr, &r)) {
        smr_node *n = smr_state.slots[r.value];
        const struct ndm_live_map *m = n->map;
        if (m && m->fn && !m->is_disabled) {
            *out = (struct ndm_call){n, m->fn, m->user, n->id, m->id, m->domain ? m->domain->id : 0};
            smr_use_begin(n);
            found = true;
        }
    }
    smr_unlock();
    return found;
}

/* Disable a map by its number: the function may have ended its own map. */
static void disable_map(uint32_t id)
{
    struct ndm_live_map *m = ndm_state.maps;
    while (m && m->id != id)
        m = m->next;
    if (!m || m->is_disabled) return;
    m->is_disabled = true;
    calls_add(-(int32_t)m->nodes_len);
}

void ndm_call_end(const struct ndm_call *c, bool disable)
{
    smr_lock();
    if (disable) disable_map(c->map);
    smr_use_end();
    smr_unlock();
}
