/* SPDX-License-Identifier: BSD-3-Clause */
/* Markers that the program sends to a tracer (common/ls_marker.h). Nothing is sent unless a tracer asked for
 * it (LOADSTONE_TRACED).
 *
 * Thread: any. */
#ifndef RT_MARKER_SIGSAFE_H
#define RT_MARKER_SIGSAFE_H

#include "common/ls_marker.h"
#include "runtime/core/rt_state.h"
#include "smrtree/smr_registry.h"

#include <string.h>

static inline bool rt_is_traced(void)
{
    return __builtin_expect(rt_state.config.traced, 0);
}

static inline void rt_mark(enum ls_marker_kind kind, uint64_t a, uint64_t b, uint64_t c)
{
    if (rt_is_traced()) ls_marker_send(kind, (const uint64_t[4]){a, b, c, 0});
}

/* A node begins, or moves (label ""). */
static inline void rt_mark_node(const struct smr_event_node *e, uint64_t elem_size_bytes, const char *label)
{
    if (!rt_is_traced()) return;
    const struct ls_marker_node n = {.label = (uint64_t)(uintptr_t)label,
                                     .label_len = label ? strlen(label) : 0,
                                     .elem_size_bytes = elem_size_bytes,
                                     .parent = e->parent};
    const uint64_t words[4] = {e->node, e->base, e->end - e->base, (uint64_t)(uintptr_t)&n};
    ls_marker_send(LS_MARKER_NODE, words);
}

static inline void rt_mark_phase(const char *name, bool begins)
{
    if (!rt_is_traced()) return;
    const uint64_t words[4] = {(uint64_t)(uintptr_t)name, strlen(name)};
    ls_marker_send(begins ? LS_MARKER_PHASE_BEGIN : LS_MARKER_PHASE_END, words);
}

#endif
