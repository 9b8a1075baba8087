/* SPDX-License-Identifier: BSD-3-Clause */
#include "smrtree/smr_node.h"
#include "common/ls_clock.h"
#include "common/ls_compat.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

struct smr_state smr_state = {.hull_base = UINT64_MAX, .len_min_bytes = UINT64_MAX};
uint64_t smr_registry_hull_end;

static pthread_mutex_t registry_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t registry_unused = PTHREAD_COND_INITIALIZER;
static pthread_once_t registry_once = PTHREAD_ONCE_INIT;
/* How often this thread holds the lock. Raised before the lock is taken: a free() in between sees it and does
 * nothing. */
static _Thread_local unsigned lock_depth __attribute__((tls_model("initial-exec")));

static LS_ALIGNED void registry_fork_prepare(void)
{
    smr_lock();
}

static LS_ALIGNED void registry_fork_release(void)
{
    smr_unlock();
}

/* Only the forking thread exists in the child, so no other thread uses a node there. */
static LS_ALIGNED void registry_fork_child(void)
{
    static const pthread_cond_t fresh = PTHREAD_COND_INITIALIZER;
    smr_state.in_use = NULL;
    registry_unused = fresh;
    smr_unlock();
}

/* Register fork handlers, so that the child finds the registry unlocked. */
static void registry_init(void)
{
    pthread_atfork(registry_fork_prepare, registry_fork_release, registry_fork_child);
}

void smr_registry_init(void)
{
    pthread_once(&registry_once, registry_init);
}

void smr_lock(void)
{
    if (lock_depth++ == 0) pthread_mutex_lock(&registry_mutex);
}

void smr_unlock(void)
{
    if (lock_depth == 1) pthread_mutex_unlock(&registry_mutex);
    lock_depth--; /* last: see lock_depth */
}

bool smr_lock_held(void)
{
    return lock_depth > 0;
}

void smr_use_begin(smr_node *n)
{
    smr_state.in_use = n;
    smr_state.in_use_by = pthread_self();
}

void smr_use_end(void)
{
    smr_node *n = smr_state.in_use;
    smr_state.in_use = NULL;
    pthread_cond_broadcast(&registry_unused);
    if (n && n->is_orphan) free(n);
}

bool smr_is_used_elsewhere(const smr_node *n)
{
    return smr_state.in_use == n && !pthread_equal(smr_state.in_use_by, pthread_self());
}

static bool is_used_elsewhere(const smr_node *n, const smr_tree *t)
{
    const smr_node *used = smr_state.in_use;
    if (!used || pthread_equal(smr_state.in_use_by, pthread_self())) return false;
    return used == n || used->tree == t || (!n && !t);
}

void smr_wait_unused(const smr_node *n, const smr_tree *t)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += SMR_UNUSED_WAIT_S;
    while (is_used_elsewhere(n, t))
        if (pthread_cond_timedwait(&registry_unused, &registry_mutex, &until) != 0) return;
}

static uint32_t shown_parent_id(const smr_node *n)
{
    const smr_node *p = n->links[SMR_SHOWN].parent;
    return p ? p->id : 0;
}

static struct smr_event_node event_of(const smr_node *n, uint64_t now_ns, const char *label)
{
    return (struct smr_event_node){
        .time_ns = now_ns,
        .node = n->id,
        .parent = shown_parent_id(n),
        .base = n->base,
        .end = n->end,
        .elem_size_bytes = n->elem_size_bytes,
        .dims = n->dims,
        .is_group = n->is_group,
        .label = label,
    };
}

void smr_report_add(const smr_node *n, uint64_t now_ns)
{
    const struct smr_sink *k = smr_state.sink;
    if (!k || !k->node_add) return;
    const struct smr_event_node e = event_of(n, now_ns, n->label);
    k->node_add(k->user, &e);
}

void smr_report_range(const smr_node *n, uint64_t now_ns)
{
    const struct smr_sink *k = smr_state.sink;
    if (!k || !k->node_range) return;
    const struct smr_event_node e = event_of(n, now_ns, "");
    k->node_range(k->user, &e);
}

void smr_report_member(const smr_node *n, uint64_t now_ns)
{
    const struct smr_sink *k = smr_state.sink;
    if (k && k->node_member) k->node_member(k->user, now_ns, shown_parent_id(n), n->id);
}

void smr_node_end_life(smr_node *n, uint64_t now_ns, bool freed)
{
    if (n->died_ns != SMR_ALIVE) return;
    if (!n->is_group) {
        smr_contain_detach(n, now_ns);
        smr_slot_give(n);
    }
    n->died_ns = now_ns;
    const struct smr_sink *k = smr_state.sink;
    if (k && k->node_remove) k->node_remove(k->user, now_ns, n->id, freed);
}

/* Return the next node of the shown tree below root, parents first; NULL at the end. */
static smr_node *shown_next(const smr_node *root, smr_node *n)
{
    if (n->links[SMR_SHOWN].first) return n->links[SMR_SHOWN].first;
    while (n != root && !n->links[SMR_SHOWN].next)
        n = n->links[SMR_SHOWN].parent;
    return n == root ? NULL : n->links[SMR_SHOWN].next;
}

void smr_registry_set_sink(const struct smr_sink *sink)
{
    pthread_once(&registry_once, registry_init);
    smr_lock();
    __atomic_store_n(&smr_state.sink, sink, __ATOMIC_RELEASE);
    for (const smr_tree *t = sink ? smr_state.trees : NULL; t; t = t->next)
        for (smr_node *n = t->root; (n = shown_next(t->root, n));)
            if (n->died_ns == SMR_ALIVE) smr_report_add(n, n->born_ns);
    smr_unlock();
}

static bool may_hold_ranges(uint64_t base, uint64_t len_bytes)
{
    if (base >= __atomic_load_n(&smr_registry_hull_end, __ATOMIC_RELAXED)) return false;
    if (len_bytes < __atomic_load_n(&smr_state.len_min_bytes, __ATOMIC_RELAXED)) return false;
    return base + len_bytes > __atomic_load_n(&smr_state.hull_base, __ATOMIC_RELAXED) ||
           base + len_bytes < base;
}

/* End the ranges inside [base, end); if only_look is set, only return whether one of them is mapped. */
static bool end_inside_locked(uint64_t base, uint64_t end, bool only_look)
{
    const uint64_t now_ns = ls_clock_mono_ns();
    uint64_t from = base, from_end = UINT64_MAX;
    struct smr_range r;
    while (smr_avl_first_from(&smr_state.ranges, from, from_end, &r) && r.base < end) {
        if (r.end <= end && !only_look) {
            smr_node_end_life(smr_state.slots[r.value], now_ns, true);
            continue;
        }
        if (r.end <= end && smr_state.slots[r.value]->map) return true;
        from = r.base; /* it extends beyond the block: skip it and its equals */
        from_end = r.end - 1;
    }
    return false;
}

/* Deliver pending samples to the natural-domain functions of ranges that are about to end. */
static void settle_inside(uint64_t base, uint64_t end)
{
    const struct smr_watch *w = __atomic_load_n(&smr_state.watch, __ATOMIC_ACQUIRE);
    if (!w) return;
    smr_lock();
    const bool any = end_inside_locked(base, end, true);
    smr_unlock();
    if (any) w->leaving(NULL);
}

void smr_registry_end_inside(uint64_t base, uint64_t len_bytes)
{
    if (len_bytes == 0 || !may_hold_ranges(base, len_bytes) || smr_lock_held()) return;
    uint64_t end;
    if (__builtin_add_overflow(base, len_bytes, &end)) end = UINT64_MAX;
    settle_inside(base, end);
    smr_lock();
    end_inside_locked(base, end, false);
    smr_unlock();
}

uint32_t smr_registry_len(void)
{
    smr_lock();
    const uint32_t len = smr_state.ranges.len;
    smr_unlock();
    return len;
}

static void audit_range(void *user, const struct smr_range *r)
{
    bool *ok = user;
    const smr_node *n = r->value < smr_state.slots_used ? smr_state.slots[r->value] : NULL;
    if (!n || n->base != r->base || n->end != r->end || n->died_ns != SMR_ALIVE) {
        *ok = false;
        return;
    }
    const smr_node *around = n->links[SMR_INSIDE].parent;
    if (around && (around->base > n->base || around->end < n->end)) *ok = false;
    struct smr_range innermost;
    if (!smr_avl_last(&smr_state.ranges, n->base, n->end - 1, &innermost)) *ok = false;
    if (n->base < smr_state.hull_base || n->end > smr_registry_hull_end) *ok = false;
    if (n->end - n->base < smr_state.len_min_bytes) *ok = false;
}

bool smr_state_is_valid(void)
{
    bool ok = smr_avl_is_valid(&smr_state.ranges);
    smr_avl_each(&smr_state.ranges, audit_range, &ok);
    return ok && smr_state.slots_used - smr_state.slot_free_len == smr_state.ranges.len;
}
