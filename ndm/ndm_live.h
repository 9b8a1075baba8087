/* SPDX-License-Identifier: BSD-3-Clause */
/* Internals shared by ndm_registry.c, ndm_domain.c and ndm_attach.c: the program's domains and maps, under
 * the lock of smrtree/smr_node.h.
 *
 * Unless noted otherwise: Thread: any that holds that lock.  Signal: not safe. */
#ifndef NDM_LIVE_H
#define NDM_LIVE_H

#include "ndm/ndm_registry.h"
#include "smrtree/smr_node.h"

/* The arrays are freed once a sink has them; sizes and small parts stay. */
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
    struct ndm_live_map *maps; /* newest first */
    const struct ndm_sink *sink;
    uint32_t last_domain, last_map;
    uint32_t calls_len;     /* nodes whose callback is called */
    uint32_t refreshed_len; /* domains to refresh at phases */
};
extern struct ndm_state ndm_state;

/* Call this before any other function.  Thread: any, with or without the lock. */
void ndm_live_init(void);

void ndm_domain_link(ndm_domain *d);
void ndm_domain_unlink(ndm_domain *d);
/* Report it to the sink, then free its arrays unless a later sink may need them. */
void ndm_domain_hand_over(ndm_domain *d);
void ndm_map_hand_over(struct ndm_live_map *m);

void ndm_map_link(struct ndm_live_map *m);
void ndm_node_set_map(smr_node *n, struct ndm_live_map *m);
/* End the map of n, if any; the map is freed with its last node. With the flag, report it to the sink. */
void ndm_node_end_map(smr_node *n, bool tell);

/* Let the runtime process the samples so far, if n (a group: any node; NULL: any) has a callback. Call it
 * without the lock. */
void ndm_settle(const smr_node *n);
/* Copy the domains that this thread refreshes again.  Thread: any, without the lock. */
void ndm_refresh(void);

#endif
