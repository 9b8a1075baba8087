/* SPDX-License-Identifier: BSD-3-Clause */
/* The process-wide registry behind all semantic memory trees: one lock, one interval tree, and a sink that
 * hears what happens, so that the preloaded runtime can spool it. The events match spool/spool_format.h, but
 * for the element size.
 *
 * Unless noted otherwise: Thread: one at a time for one object, any for different ones.  Signal: not
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
    uint64_t elem_size_bytes, dims; /* of a component, and how many an element has */
    bool is_group;
    const char *label; /* borrowed for the call; "" for node_range */
};

/* Node calls come in order, under the registry's lock: they must not call back into the trees. phase,
 * control, dump and setting come without a lock, from the thread that asked. Any entry may be NULL.
 * node_member with group 0 says that the member is at the top level again; its group may also be an enclosing
 * range. */
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

/* Hear from now on; what lives already is told first (node_add, parents first). NULL: no more.
 * Owns:   sink is borrowed and must stay valid while set, and until calls in flight are over.
 * Thread: any; not from within the sink.  Signal: not safe. */
void smr_registry_set_sink(const struct smr_sink *sink);

/* [base, base + len_bytes) is about to be freed or unmapped: end the ranges inside it. Two or three relaxed
 * loads when none can be inside. Never allocates; does nothing when this thread is inside the registry
 * already (its own blocks). Thread: any.  Signal: not safe; harmless when the signal interrupted the registry
 * in the same thread. */
void smr_registry_end_inside(uint64_t base, uint64_t len_bytes);

/* False: no range ends behind base, so smr_registry_end_inside has nothing to do there, whatever the length.
 * One relaxed load, in line: allocators ask at each free. */
extern uint64_t smr_registry_hull_end LS_HIDDEN; /* 0: there is no range */
static inline bool smr_registry_may_end_behind(uint64_t base)
{
    return base < __atomic_load_n(&smr_registry_hull_end, __ATOMIC_RELAXED);
}

/* Living ranges. */
uint32_t smr_registry_len(void);

#endif
