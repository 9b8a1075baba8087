/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/core/rt_registry.h"

#include "common/ls_checked.h"
#include "runtime/core/rt_collector.h"
#include "runtime/core/rt_control_sigsafe.h"
#include "runtime/core/rt_marker_sigsafe.h"
#include "runtime/core/rt_ended_sigsafe.h"
#include "runtime/core/rt_resources_sigsafe.h"
#include "runtime/core/rt_spool_sigsafe.h"
#include "runtime/core/rt_text_sigsafe.h"
#include "runtime/core/rt_sampler.h"

#include <stddef.h>

/* The registry gives the size of a component, the spool records the size of an element. */
static uint64_t rt_element_bytes(const struct smr_event_node *e)
{
    uint64_t bytes;
    return ls_mul_u64(e->elem_size_bytes, e->dims, &bytes) ? bytes : UINT64_MAX;
}

/* Node events get the time of writing: the caller holds the registry's lock, so their order is kept. */
static void rt_put_node(uint16_t type, const struct smr_event_node *e)
{
    struct rt_thread *t = rt_enter();
    if (!t) return;
    const struct spool_node rec = {
        .time_ns = ls_clock_mono_ns(),
        .node = e->node,
        .parent = e->parent,
        .base = e->base,
        .end = e->end,
        .elem_size_bytes = rt_element_bytes(e),
        .dims = e->dims,
        .is_group = e->is_group,
    };
    spool_put_node(rt_spool_writer(t), type, rec, e->label);
    rt_mark_node(e, rec.elem_size_bytes, type == SPOOL_REC_NODE_ADD ? e->label : "");
    if (rt_state.engine->range) rt_state.engine->range(e);
    rt_collector_revive();
    rt_leave();
}

static void rt_on_node_add(void *user, const struct smr_event_node *e)
{
    (void)user;
    rt_put_node(SPOOL_REC_NODE_ADD, e);
}

static void rt_on_node_range(void *user, const struct smr_event_node *e)
{
    (void)user;
    rt_put_node(SPOOL_REC_NODE_RANGE, e);
}

static void rt_on_node_remove(void *user, uint64_t time_ns, uint32_t node, bool freed)
{
    (void)user;
    (void)time_ns;
    struct rt_thread *t = rt_enter();
    if (!t) return;
    spool_put_node_remove(rt_spool_writer(t), ls_clock_mono_ns(), node,
                          freed ? SPOOL_NODE_FREED : SPOOL_NODE_REMOVED);
    rt_mark(LS_MARKER_NODE_DIED, node, 0, 0);
    if (rt_state.engine->range_ended) rt_state.engine->range_ended(node);
    rt_leave();
}

static void rt_on_node_member(void *user, uint64_t time_ns, uint32_t group, uint32_t member)
{
    (void)user;
    (void)time_ns;
    struct rt_thread *t = rt_enter();
    if (!t) return;
    spool_put_node_member(rt_spool_writer(t), ls_clock_mono_ns(), group, member);
    rt_mark(LS_MARKER_NODE_MEMBER, group, member, 0);
    rt_leave();
}

static void rt_on_phase(void *user, uint64_t time_ns, const char *name, bool begin)
{
    (void)user;
    (void)time_ns;
    rt_ended_look_sometimes(ls_clock_mono_ns());
    struct rt_thread *t = rt_enter();
    if (!t) return;
    spool_put_phase(rt_spool_writer(t), ls_clock_mono_ns(), begin, name);
    rt_mark_phase(name, begin);
    rt_resources_poll_sigsafe(t, ls_clock_mono_ns());
    rt_collector_revive();
    rt_leave();
}

static void rt_on_dump(void *user, const char *path, const uint32_t extents[3])
{
    (void)user;
    struct rt_thread *t = rt_enter();
    if (!t) return;
    struct spool_writer *const w = rt_spool_writer(t); /* opening uses scratch, too */
    struct rt_text whole = rt_text_in((char *)t->scratch, RT_SCRATCH_BYTES);
    if (path[0] != '/') {
        const long len = ls_syscall(SYS_getcwd, whole.data, whole.room_bytes);
        whole.len_bytes = len > 1 ? (size_t)len - 1 : 0; /* counts the NUL */
        rt_text_add(&whole, "/");
    }
    rt_text_add(&whole, path);
    const struct spool_dump rec = {.time_ns = ls_clock_mono_ns(),
                                   .extents = {extents[0], extents[1], extents[2]}};
    spool_put_dump(w, rec, whole.data);
    rt_leave();
}

static void rt_on_setting(void *user, const char *text)
{
    (void)user;
    struct rt_thread *t = rt_enter();
    if (!t) return;
    spool_put_setting(rt_spool_writer(t), ls_clock_mono_ns(), text);
    rt_leave();
}

/* stop returns when nothing is in flight any more. */
static void rt_on_control(void *user, bool start)
{
    (void)user;
    struct rt_thread *t = rt_enter();
    if (!t) return;
    const struct rt_sampler *engine = rt_state.engine;
    rt_control_set(start);
    if (start && engine->start) engine->start();
    if (!start && engine->stop) engine->stop();
    if (!start && engine->drain) engine->drain();
    if (!start) rt_collector_drain();
    rt_control_update(ls_clock_mono_ns());
    rt_leave();
}

static const struct smr_sink rt_sink = {
    .node_add = rt_on_node_add,
    .node_range = rt_on_node_range,
    .node_remove = rt_on_node_remove,
    .node_member = rt_on_node_member,
    .phase = rt_on_phase,
    .control = rt_on_control,
    .dump = rt_on_dump,
    .setting = rt_on_setting,
};

void rt_registry_init(void)
{
    smr_registry_set_sink(&rt_sink);
    rt_domains_init();
}

void rt_registry_end(void)
{
    smr_registry_set_sink(NULL);
    rt_domains_end();
}

void rt_registry_end_inside(uint64_t base, uint64_t len_bytes)
{
    smr_registry_end_inside(base, len_bytes);
}
