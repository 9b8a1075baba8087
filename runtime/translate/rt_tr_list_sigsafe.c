/* SPDX-License-Identifier: BSD-3-Clause */
/* Accesses of instructions whose addresses lea does not compute: masks, gathers, strings, bit tests, tiles. */
#include "runtime/translate/rt_tr_internal.h"

#include "runtime/bursts/rt_burst_xstate_sigsafe.h"
#include "spool/spool_format.h"

static uint8_t does_of(const struct rt_burst_plan *p, const struct rt_burst_access *a)
{
    unsigned does = a->op == SPOOL_OP_STORE  ? RT_TR_STORE
                    : a->op == SPOOL_OP_LOAD ? RT_TR_LOAD
                                             : RT_TR_PREFETCH;
    if (p->is_locked) does |= RT_TR_LOCKED;
    return (uint8_t)does;
}

unsigned rt_tr_list_accesses(struct rt_tr_thread *t, uint64_t ip, struct rt_tr_access *out, unsigned room)
{
    static struct rt_burst_xlayout layout;
    struct rt_tr_cache *c = rt_tr_process.cache;
    rt_burst_xlayout_learn(&layout);
    if (!rt_tr_decode_one(c, ip)) return 0;
    const struct rt_burst_plan *p = &c->trace.insns[0].plan;
    long long gregs[NGREG];
    for (unsigned i = 0; i < 16; i++)
        gregs[rt_burst_greg_of(i)] = (long long)t->context.gregs[i];
    const struct rt_burst_regs regs = {
        .gregs = gregs,
        .fs_base = t->context.fs_base,
        .xstate = rt_burst_xstate_view(t->xstate, layout),
    };
    struct rt_burst_access accesses[RT_BURST_ACCESS_MAX];
    const unsigned found = rt_burst_accesses(p, &regs, accesses);
    unsigned count = 0;
    for (; count < found && count < room; count++) {
        const struct rt_burst_access *a = &accesses[count];
        out[count] = (struct rt_tr_access){
            .ip = ip, .addr = a->addr, .size_bytes = a->size_bytes, .lane = a->lane, .does = does_of(p, a)};
    }
    return count;
}
