/* SPDX-License-Identifier: BSD-3-Clause */
/* A fault in translated code becomes the end of the burst before the instruction that faulted. A signal
 * that interrupts it is attributed to the program's instruction. */
#include "runtime/translate/rt_tr_internal.h"

static uint64_t address(const char *label)
{
    return (uint64_t)(uintptr_t)label;
}

bool rt_tr_is_running(const struct rt_tr_thread *t)
{
    return t && __atomic_load_n(&t->running, __ATOMIC_RELAXED);
}

bool rt_tr_fault(struct rt_tr_thread *t, ucontext_t *uc)
{
    greg_t *gregs = uc->uc_mcontext.gregs;
    const uint64_t ip = (uint64_t)gregs[REG_RIP];
    if (ip == address(rt_tr_copy_load_ip)) {
        gregs[REG_RIP] = (greg_t)address(rt_tr_copy_fault_ip);
        return true;
    }
    if (ip == address(rt_tr_sum_load_word) || ip == address(rt_tr_sum_load_byte)) {
        gregs[REG_RIP] = (greg_t)address(rt_tr_sum_fault);
        return true;
    }
    if (!rt_tr_is_running(t)) return false;
    struct rt_tr_cache *c = rt_tr_process.cache;
    const struct rt_tr_arena *a = rt_tr_arena_of(c, ip);
    if (!a) return false;
    if (ip == a->base + rt_tr_template_at(rt_tr_template_load)) { /* the program's own load will fault */
        gregs[REG_RIP] = (greg_t)(a->base + rt_tr_template_at(rt_tr_template_load_fault));
        return true;
    }
    struct rt_tr_block *b;
    bool slow;
    const struct rt_tr_mark *m = rt_tr_mark_of(c, ip, &b, &slow);
    if (!m) return false;
    if (m->rcx_spilled) gregs[REG_RCX] = (greg_t)t->context.spill[0];
    t->fault_ip = b->low + m->ip_rel;
    t->fault_executed = slow ? m->k : m->k - b->len;
    t->fault_k = m->k;
    t->context.exit = RT_TR_EXIT_FAULT;
    gregs[REG_RIP] = (greg_t)(a->base + rt_tr_template_at(rt_tr_template_exit));
    return true;
}

/* Memory that only translated code uses: the program does not touch it. */
static bool is_own(const struct rt_tr_thread *t, uint64_t addr)
{
    const uint64_t begin = (uint64_t)(uintptr_t)t->stack_top - RT_TR_STACK_BYTES;
    const uint64_t end = (uint64_t)(uintptr_t)t->xstate + t->xstate_bytes;
    return (addr >= begin && addr < end) || rt_tr_arena_of(rt_tr_process.cache, addr);
}

uint64_t rt_tr_interrupted(struct rt_tr_thread *t, uint64_t addr, ucontext_t *uc)
{
    greg_t *gregs = uc->uc_mcontext.gregs;
    const uint64_t ip = (uint64_t)gregs[REG_RIP];
    if (!rt_tr_is_running(t)) return 0;
    t->interruptions++;
    struct rt_tr_cache *c = rt_tr_process.cache;
    const struct rt_tr_arena *a = rt_tr_arena_of(c, ip);
    if (!a || is_own(t, addr)) return 0;
    if (ip == a->base + rt_tr_template_at(rt_tr_template_load)) { /* its time would be that of the signal */
        const struct rt_tr_site *s = &c->sites[t->at[t->context.timed - t->timed]];
        gregs[REG_RIP] = (greg_t)(a->base + rt_tr_template_at(rt_tr_template_load_fault));
        return rt_tr_ip_of(c, &c->blocks[s->block], s->k);
    }
    struct rt_tr_block *b;
    bool slow;
    const struct rt_tr_mark *m = rt_tr_mark_of(c, ip, &b, &slow);
    return m ? b->low + m->ip_rel : 0;
}
