/* SPDX-License-Identifier: BSD-3-Clause */
/* What ndm_registry.c, ndm_domain.c, ndm_attach.c and ndm_call.c share: the program's domains and maps, under
 * the lock of smrtree/smr_node.h.
 *
 * Where nothing else is said: Thread: any that holds that lock.  Signal: not safe. */
#ifndef NDM_LIVE_H
#define NDM_LIVE_H

#include "ndm/ndm_registry.h"
#include "smrtree/smr_node.h"

/* Arrays are freed once a sink has them: sizes and the small parts stay. */
struct ndm_domain {
    struct ndm_geometry g;
    struct ndm_mesh source; /* meshes: the program's arrays, for refreshing */
    ndm_domain *prev, *next;
    pthread_t refreshed_by;
    uint32_t id;
    bool is_whole, is_refreshed;
};

struct ndm_live_map {
    struct ndm_map m;
    struct ndm_indirection source; /* the program's array, for refreshing */
    ndm_domain *domain;            /* NULL: none */
    ndm_callback fn;
    void *user;
    struct ndm_live_map *prev, *next;
    uint32_t id, nodes_len;
    bool is_whole, is_disabled;
};

struct ndm_state {
    ndm_domain *domains;       /* newest first */
    struct ndm_live_map *maps; /* the same */
    const struct ndm_sink *sink;
    uint32_t last_domain, last_map;
    uint32_t calls_len;     /* nodes whose callback is called */
    uint32_t refreshed_len; /* domains */
};
extern struct ndm_state ndm_state;

/* Before anything else.  Thread: any, with or without the lock. */
void ndm_live_init(void);

void ndm_domain_link(ndm_domain *d);
void ndm_domain_unlink(ndm_domain *d);
/* Tell it, then let its arrays go unless a later sink may want them. */
void ndm_domain_hand_over(ndm_domain *d);
void ndm_map_hand_over(struct ndm_live_map *m);

void ndm_map_link(struct ndm_live_map *m);
void ndm_node_set_map(smr_node *n, struct ndm_live_map *m);
/* Nothing without a map; the map goes with its last node. */
void ndm_node_end_map(smr_node *n, bool tell);

/* Without the lock: let the runtime pass on the samples so far, when n (a group: any node; NULL: any) has a
 * callback. */
void ndm_settle(const smr_node *n);
/* Copy what is refreshed by this thread again.  Thread: any, without the lock. */
void ndm_refresh(void);

#endif
