/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/samplers/rt_step_isolate_sigsafe.h"

#include "runtime/samplers/rt_step_access_sigsafe.h"
#include "runtime/samplers/rt_step_asm_sigsafe.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE_BYTES = 4096, PUSH_RAX = 0x50, STACK_SLOT_BYTES = 8 };
_Static_assert(RT_STEP_SLOT_BYTES *RT_STEP_SLOTS == PAGE_BYTES, "slots fill a page");
static const uint8_t barrier[] = {0x0f, 0xae, 0xe8, 0xcc}; /* lfence; int3 */

int rt_step_slots_open(struct rt_step_slots *s)
{
    void *page =
        mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    s->page = page == MAP_FAILED ? NULL : (uint8_t *)page;
    return s->page ? 0 : errno;
}

void rt_step_slots_close(struct rt_step_slots *s)
{
    if (s->page) munmap(s->page, PAGE_BYTES);
    s->page = NULL;
}

bool rt_step_condition_holds(unsigned code, uint64_t eflags)
{
    const bool cf = eflags & 1, pf = eflags >> 2 & 1, zf = eflags >> 6 & 1, sf = eflags >> 7 & 1,
               of = eflags >> 11 & 1;
    const bool pairs[8] = {of, cf, zf, cf || zf, sf, pf, sf != of, zf || sf != of};
    return pairs[code >> 1 & 7] != (code & 1);
}

static bool load_target(uint64_t from, uint64_t *out)
{
    return rt_step_copy(out, (const void *)(uintptr_t)from, sizeof *out) == sizeof *out;
}

/* Where a branch goes; false when that cannot be found out without executing it. */
static bool branch_target(const struct rt_step_plan *p, const ucontext_t *uc, uint64_t operand, uint64_t *out)
{
    const greg_t *gregs = uc->uc_mcontext.gregs;
    const uint64_t next = p->ip + p->len_bytes;
    switch ((enum rt_step_flow)p->flow) {
    case RT_STEP_FLOW_JUMP:
    case RT_STEP_FLOW_CALL:
        *out = next + (uint64_t)p->displacement;
        return true;
    case RT_STEP_FLOW_JCC:
        *out = next;
        if (rt_step_condition_holds(p->flow_code, (uint64_t)gregs[REG_EFL]))
            *out += (uint64_t)p->displacement;
        return true;
    case RT_STEP_FLOW_JUMP_REG:
    case RT_STEP_FLOW_CALL_REG:
        *out = (uint64_t)gregs[rt_step_greg_of(p->flow_code)];
        return true;
    case RT_STEP_FLOW_JUMP_MEM:
    case RT_STEP_FLOW_CALL_MEM:
        return load_target(operand, out);
    case RT_STEP_FLOW_RET:
        return load_target((uint64_t)gregs[REG_RSP], out);
    case RT_STEP_FLOW_COPY:
    case RT_STEP_FLOW_NONE:
        break;
    }
    return false;
}

static void fill_slot(struct rt_step_slots *s, const struct rt_step_slot *what, const uint8_t *code,
                      size_t len_bytes, ucontext_t *uc)
{
    uint8_t *at = s->page + s->used * RT_STEP_SLOT_BYTES;
    memcpy(at, code, len_bytes);
    memcpy(at + len_bytes, barrier, sizeof barrier);
    s->slots[s->used] = *what;
    s->slots[s->used].len_bytes = (uint8_t)len_bytes;
    s->pending = true;
    uc->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)at;
}

static enum rt_step_isolated isolate_copy(struct rt_step_slots *s, const struct rt_step_plan *p,
                                          ucontext_t *uc, uint64_t operand)
{
    struct rt_step_slot what = {.ip = p->ip, .scratch = p->scratch};
    if (p->scratch != RT_STEP_REG_NONE) {
        greg_t *scratch = &uc->uc_mcontext.gregs[rt_step_greg_of(p->scratch)];
        what.saved = (uint64_t)*scratch;
        *scratch = (greg_t)operand;
    }
    fill_slot(s, &what, p->slot_code, p->len_bytes, uc);
    return RT_STEP_IN_SLOT;
}

/* The push happens in the slot, so that a fault of the stack is the program's; the return address is put in
 * afterwards. */
static enum rt_step_isolated isolate_call(struct rt_step_slots *s, const struct rt_step_plan *p,
                                          ucontext_t *uc, uint64_t target)
{
    static const uint8_t push[] = {PUSH_RAX};
    const struct rt_step_slot what = {
        .ip = p->ip, .target = target, .saved = p->ip + p->len_bytes, .scratch = RT_STEP_REG_NONE};
    fill_slot(s, &what, push, sizeof push, uc);
    return RT_STEP_IN_SLOT;
}

enum rt_step_isolated rt_step_isolate(struct rt_step_slots *s, const struct rt_step_plan *p, ucontext_t *uc,
                                      uint64_t operand)
{
    uint64_t target = 0;
    if (!s->page || s->used >= RT_STEP_SLOTS || p->flow == RT_STEP_FLOW_NONE) return RT_STEP_IN_PLACE;
    if (p->flow == RT_STEP_FLOW_COPY) return isolate_copy(s, p, uc, operand);
    if (!branch_target(p, uc, operand, &target)) return RT_STEP_IN_PLACE;
    if (p->flow >= RT_STEP_FLOW_CALL) return isolate_call(s, p, uc, target);
    if (p->flow == RT_STEP_FLOW_RET) uc->uc_mcontext.gregs[REG_RSP] += STACK_SLOT_BYTES + p->displacement;
    uc->uc_mcontext.gregs[REG_RIP] = (greg_t)target;
    return RT_STEP_DONE;
}

static void finish_call(const struct rt_step_slot *slot, ucontext_t *uc)
{
    uint64_t *top = (uint64_t *)(uintptr_t)uc->uc_mcontext.gregs[REG_RSP];
    *top = slot->saved;
    uc->uc_mcontext.gregs[REG_RIP] = (greg_t)slot->target;
}

bool rt_step_unslot(struct rt_step_slots *s, ucontext_t *uc)
{
    const uint64_t ip = (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
    const uint64_t page = (uint64_t)(uintptr_t)s->page;
    if (!page || ip < page || ip >= page + PAGE_BYTES) return false;
    const unsigned index = (unsigned)(ip - page) / RT_STEP_SLOT_BYTES;
    const struct rt_step_slot *slot = &s->slots[index];
    const bool done = (ip - page) % RT_STEP_SLOT_BYTES >= slot->len_bytes;
    if (index == s->used) s->pending = false;
    if (slot->scratch != RT_STEP_REG_NONE)
        uc->uc_mcontext.gregs[rt_step_greg_of(slot->scratch)] = (greg_t)slot->saved;
    if (slot->target && done)
        finish_call(slot, uc);
    else
        uc->uc_mcontext.gregs[REG_RIP] = (greg_t)(slot->ip + (done ? slot->len_bytes : 0));
    return true;
}

void rt_step_slots_abandon(struct rt_step_slots *s)
{
    if (s->pending && s->used < RT_STEP_SLOTS) s->used++;
    s->pending = false;
}
