/* SPDX-License-Identifier: BSD-3-Clause */
/* Registry of the program's domains and maps, as they change: a sink receives them, so that the preloaded
 * runtime can spool them; and the calls of natural-domain functions. Everything is under the lock of
 * smrtree/smr_registry.h, so that events of nodes and of maps have one order and are both complete at a fork.
 *
 * Unless noted otherwise: Thread: any.  Signal: not safe. */
#ifndef NDM_REGISTRY_H
#define NDM_REGISTRY_H

#include "ndm/ndm_map.h"

/* Domains and maps have numbers from 1, never reused in a process. Entries may be NULL. All except settle are
 * called in order under the lock and must not call back into trees or maps; geometry and map are borrowed for
 * the call: ndm/ndm_wire.h converts them to bytes. */
struct ndm_sink {
    void (*domain_add)(void *user, uint32_t domain, const struct ndm_geometry *g);
    /* Refreshed: the same numbers of points and cells, new coordinates. */
    void (*domain_change)(void *user, uint32_t domain, const struct ndm_geometry *g);
    void (*domain_remove)(void *user, uint32_t domain); /* after the ends of its maps */
    /* A new map, to which nodes are assigned next; domain 0: none. Refreshed targets: the same number
     * again. */
    void (*map_add)(void *user, uint32_t map, uint32_t domain, const struct ndm_map *m);
    /* The node (an id of smr_registry.h) has this map from now on, instead of its previous one; map 0: none.
     * A node that is removed loses its map without a call. Freed memory that is registered again has a new
     * id, for which this is called again. */
    void (*node_map)(void *user, uint32_t node, uint32_t map);
    /* Called without the lock: a node with a callback is about to be removed or unmapped, so its samples so
     * far must be drained now. */
    void (*settle)(void *user);
    void *user;
};
/* Set the sink; existing domains and maps are reported first, as far as they were kept (ndm_keeps_unreported).
 * NULL: remove it. Set it after the registry's own sink.
 * Owns:   sink is borrowed and must stay valid while set. */
void ndm_registry_set_sink(const struct ndm_sink *sink);

/* True: domains and maps that were not yet reported to a sink are kept for a later one. The preloaded runtime
 * defines it as true, since it may start after libraries have made their maps. The weak definition is false: in
 * libloadstone.so, which never gets a sink, they are only checked. It is not const, because compilers replace
 * reads of a constant by the value of the weak definition. */
extern bool ndm_keeps_unreported;

/* Number of nodes with a callback; 0: no thread is needed for them. One relaxed load.  Signal: safe. */
uint32_t ndm_calls_len(void);

/* A call of a natural-domain function. */
struct ndm_call {
    smr_node *node;
    ndm_callback fn;
    void *user;
    uint32_t node_id, map, domain;
};
/* Begin a call for the innermost living range that holds addr, if its map has a callback that is not
 * disabled. *out describes the call (out->fn(out->node, sample, out->user), without a lock), and the node
 * stays until ndm_call_end. One call at a time in a process.
 * Thread: one of the runtime. */
bool ndm_call_begin(uint64_t addr, struct ndm_call *out);
/* disable: the function is not called again for any node of this map. */
void ndm_call_end(const struct ndm_call *c, bool disable);

#endif
