/* SPDX-License-Identifier: BSD-3-Clause */
/* The process-wide registry that all semantic memory trees share: one lock, one interval tree, and a sink
 * that receives all events, so that the preloaded runtime can spool them. The events match
 * spool/spool_format.h, except for the element size.
 *
 * Unless stated otherwise: Thread: one at a time for one object, any for different ones.  Signal: not
 * safe. */
#ifndef SMR_REGISTRY_H
#define SMR_REGISTRY_H

#include "common/ls_compat.h"
#include "common/ls_error.h"

#include <stdbool.h>
#include <stdint.h>

struct smr_event_node {
    uint64_t time_ns;
    uint32_t node;   /* from 1 */
    uint32_t parent; /* 0: top level */
    uint64_t base, end;
    uint64_t elem_size_bytes, dims; /* bytes of a component, and components per element */
    bool is_group;
    const char *label; /* borrowed for the call; "" for node_range */
};

/* Node events are delivered in order, under the registry's lock: the functions must not call back into the
 * trees. phase, control, dump and setting are called without a lock, in the thread of the request. Any entry
 * may be NULL. node_member with group 0 means that the member is at the top level again; its group may also
 * be an enclosing range. */
struct smr_sink {
    void (*node_add)(void *user, const struct smr_event_node *e);
    void (*node_range)(void *user, const struct smr_event_node *e);
    void (*node_remove)(void *user, uint64_t time_ns, uint32_t node, bool freed);
    void (*node_member)(void *user, uint64_t time_ns, uint32_t group, uint32_t member);
    void (*phase)(void *user, uint64_t time_ns, const char *name, bool begin);
    void (*control)(void *user, bool start);
    void (*dump)(void *user, const char *path, const uint32_t extents[3]);
    void (*setting)(void *user, const char *text); /* "name=value" */
    void *user;
};

/* Deliver events to sink from now on, beginning with node_add for all living nodes, parents first. NULL:
 * stop.
 * Owns:   sink is borrowed and must stay valid while set, and until calls in flight are over.
 * Thread: any; not from within the sink.  Signal: not safe. */
void smr_registry_set_sink(const struct smr_sink *sink);

/* Handle memory [base, base + len_bytes) that is about to be freed or unmapped: end the ranges inside it.
 * Costs two or three relaxed loads when none can be inside. Never allocates; does nothing when this thread is
 * already inside the registry (its own blocks). Thread: any.  Signal: not safe; harmless when the signal
 * interrupted the registry in the same thread. */
void smr_registry_end_inside(uint64_t base, uint64_t len_bytes);

/* Return false if no range ends after base: smr_registry_end_inside then has nothing to do, for any length.
 * One relaxed load, inline: allocators call it at each free. */
extern uint64_t smr_registry_hull_end LS_HIDDEN; /* 0: no range */
static inline bool smr_registry_may_end_after(uint64_t base)
{
    return base < __atomic_load_n(&smr_registry_hull_end, __ATOMIC_RELAXED);
}

/* Return the number of living ranges. */
uint32_t smr_registry_len(void);

#endif
