/* SPDX-License-Identifier: BSD-3-Clause */
/* What the program mapped, as it changes: a sink that hears of domains and maps, so that the preloaded
 * runtime can spool them, and the calls of natural-domain functions. Everything is under the lock of
 * smrtree/smr_registry.h, so that events of nodes and of maps come in one order and fork finds both at rest.
 *
 * Where nothing else is said: Thread: any.  Signal: not safe. */
#ifndef NDM_REGISTRY_H
#define NDM_REGISTRY_H

#include "ndm/ndm_map.h"

/* Domains and maps have numbers from 1, never used again in a process. Entries may be NULL. All but settle
 * come in order under the lock and must not call back into trees or maps; geometry and map are borrowed for
 * the call: ndm/ndm_wire.h writes them as bytes. */
struct ndm_sink {
    void (*domain_add)(void *user, uint32_t domain, const struct ndm_geometry *g);
    /* Refreshed: the same numbers of points and cells, other coordinates. */
    void (*domain_change)(void *user, uint32_t domain, const struct ndm_geometry *g);
    void (*domain_remove)(void *user, uint32_t domain); /* after its maps' ends */
    /* A map, onto which nodes are put next; domain 0: none. Refreshed targets: the same number again. */
    void (*map_add)(void *user, uint32_t map, uint32_t domain, const struct ndm_map *m);
    /* Node (an id of smr_registry.h) is mapped by map from now on, instead of what it had; map 0: it is
     * mapped no more. A node that is removed is mapped no more without a call. Freed memory that gets a new
     * life has a new id, which is told again. */
    void (*node_map)(void *user, uint32_t node, uint32_t map);
    /* No lock: a node with a callback is about to be removed or unmapped, so its samples so far are to be
     * drained now. */
    void (*settle)(void *user);
    void *user;
};
/* Hear from now on; what there is already is told first, as far as it was kept (ndm_untold_kept). NULL: no
 * more. Set it after the registry's own sink.
 * Owns:   sink is borrowed and must stay valid while set. */
void ndm_registry_set_sink(const struct ndm_sink *sink);

/* Domains and maps that no sink has heard of yet are kept whole for one that comes late (true, in the
 * preloaded runtime), or only checked (false, in libloadstone.so, where none ever comes). */
extern const bool ndm_untold_kept;

/* Nodes with a callback, now: 0 means that no thread is needed for them. One relaxed load.  Signal: safe. */
uint32_t ndm_calls_len(void);

/* A call of a natural-domain function. */
struct ndm_call {
    smr_node *node;
    ndm_callback fn;
    void *user;
    uint32_t node_id, map, domain;
};
/* The innermost living range that holds addr, when it is mapped by a callback that was not disabled: *out
 * says what to call (out->fn(out->node, sample, out->user), without a lock), and the node stays until
 * ndm_call_end. One call at a time in a process.
 * Thread: one that is the runtime's own. */
bool ndm_call_begin(uint64_t addr, struct ndm_call *out);
/* disable: the function is not called again for any node of this map. */
void ndm_call_end(const struct ndm_call *c, bool disable);

#endif
