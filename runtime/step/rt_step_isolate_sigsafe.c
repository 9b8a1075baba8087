/* SPDX-License-Identifier: BSD-3-Clause */
/* Execute one instruction from a slot of our own, or emulate a branch, so that probes do not overlap with
 * it. */
#include "runtime/step/rt_step_sigsafe.h"

#include "runtime/bursts/rt_burst_access_sigsafe.h"
#include "runtime/bursts/rt_burst_asm_sigsafe.h"

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

static uint64_t low_bytes(uint64_t value, unsigned len_bytes)
{
    return len_bytes < sizeof value ? value & ((UINT64_C(1) << len_bytes * 8) - 1) : value;
}

/* Load the value that the program would load, in one access: another thread may be writing it (a slot of the
 * procedure linkage table, a divisor). False: it would fault, or crosses words. */
static bool load(uint64_t from, unsigned len_bytes, uint64_t *out)
{
    enum { WORD_BYTES = sizeof *out };
    const unsigned inside = from % WORD_BYTES;
    uint64_t word;
    if (inside + len_bytes > WORD_BYTES) return false;
    if (!rt_burst_load_word(&word, (const void *)(uintptr_t)(from - inside))) return false;
    *out = low_bytes(word >> inside * 8, len_bytes);
    return true;
}

/* Does a repeated instruction or a loop continue, with count rounds left? */
static bool goes_on(unsigned repeat, uint64_t count, greg_t eflags)
{
    enum { ZERO_FLAG = 0x40 };
    const bool zero = eflags & ZERO_FLAG;
    if (count == 0) return false;
    if (repeat == RT_BURST_REPEAT_WHILE_ZERO) return zero;
    return repeat != RT_BURST_REPEAT_UNTIL_ZERO || !zero;
}

/* Compute the target of a branch; false when that is impossible without executing it. */
static bool branch_target(const struct rt_burst_plan *p, const ucontext_t *uc, uint64_t operand,
                          uint64_t *out)
{
    const greg_t *gregs = uc->uc_mcontext.gregs;
    const uint64_t next = p->ip + p->len_bytes;
    switch ((enum rt_burst_flow)p->flow) {
    case RT_BURST_FLOW_JUMP:
    case RT_BURST_FLOW_CALL:
        *out = next + (uint64_t)p->displacement;
        return true;
    case RT_BURST_FLOW_JCC:
        *out = next;
        if (rt_step_condition_holds(p->flow_code, (uint64_t)gregs[REG_EFL]))
            *out += (uint64_t)p->displacement;
        return true;
    case RT_BURST_FLOW_JRCXZ:
        *out = next + (gregs[REG_RCX] ? 0 : (uint64_t)p->displacement);
        return true;
    case RT_BURST_FLOW_LOOP:
        *out = next;
        if (goes_on(p->flow_code, (uint64_t)gregs[REG_RCX] - 1, gregs[REG_EFL]))
            *out += (uint64_t)p->displacement;
        return true;
    case RT_BURST_FLOW_JUMP_REG:
    case RT_BURST_FLOW_CALL_REG:
        *out = (uint64_t)gregs[rt_burst_greg_of(p->flow_code)];
        return true;
    case RT_BURST_FLOW_JUMP_MEM:
    case RT_BURST_FLOW_CALL_MEM:
        return load(operand, sizeof *out, out);
    case RT_BURST_FLOW_RET:
        return load((uint64_t)gregs[REG_RSP], sizeof *out, out);
    case RT_BURST_FLOW_COPY:
    case RT_BURST_FLOW_DIVIDE:
    case RT_BURST_FLOW_REPEAT:
    case RT_BURST_FLOW_NONE:
        break;
    }
    return false;
}

bool rt_step_quotient_fits(unsigned __int128 dividend, uint64_t divisor, unsigned len_bytes, bool is_signed)
{
    const unsigned bits = len_bytes * 8;
    const bool dividend_below = is_signed && dividend >> 127, divisor_below = is_signed && divisor >> 63;
    if (dividend_below) dividend = -dividend;
    if (divisor_below) divisor = -divisor;
    unsigned __int128 too_large = (unsigned __int128)1 << (is_signed ? bits - 1 : bits);
    if (dividend_below != divisor_below) too_large++; /* there is one more number below zero */
    return dividend < too_large * divisor;
}

/* The divisor of p as its division sees it; false when it cannot be had, or the division would fault. */
static bool checked_divisor(const struct rt_burst_plan *p, const greg_t *gregs, uint64_t operand,
                            uint64_t *out)
{
    const struct rt_burst_divisor *d = &p->divisor;
    const unsigned bits = d->len_bytes * 8;
    const uint64_t a = low_bytes((uint64_t)gregs[REG_RAX], d->len_bytes == 1 ? 2 : d->len_bytes);
    const uint64_t high = d->len_bytes == 1 ? 0 : low_bytes((uint64_t)gregs[REG_RDX], d->len_bytes);
    unsigned __int128 dividend = (unsigned __int128)high << bits | a;
    if (d->reg != RT_BURST_REG_NONE)
        *out = low_bytes((uint64_t)gregs[rt_burst_greg_of(d->reg)] >> d->shift, d->len_bytes);
    else if (!load(operand, d->len_bytes, out))
        return false;
    uint64_t divisor = *out;
    if (d->is_signed) {
        const unsigned above = 128 - 2 * bits;
        dividend = (unsigned __int128)((__int128)(dividend << above) >> above);
        divisor = (uint64_t)((int64_t)(divisor << (64 - bits)) >> (64 - bits));
    }
    return rt_step_quotient_fits(dividend, divisor, d->len_bytes, d->is_signed);
}

static void fill_slot(struct rt_step_slots *s, const struct rt_step_slot *what, const uint8_t *code,
                      ucontext_t *uc)
{
    uint8_t *at = s->page + s->used * RT_STEP_SLOT_BYTES;
    memcpy(at, code, what->len_bytes);
    memcpy(at + what->len_bytes, barrier, sizeof barrier);
    s->slots[s->used] = *what;
    s->pending = true;
    uc->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)at;
}

/* value: for the scratch register. */
static enum rt_step_isolated isolate_code(struct rt_step_slots *s, const struct rt_burst_plan *p,
                                          ucontext_t *uc, uint64_t value)
{
    struct rt_step_slot what = {.ip = p->ip,
                                .next = p->ip + p->len_bytes,
                                .flow = p->flow,
                                .flow_code = p->flow_code,
                                .len_bytes = p->slot_len_bytes,
                                .scratch = p->scratch};
    if (p->scratch != RT_BURST_REG_NONE) {
        greg_t *scratch = &uc->uc_mcontext.gregs[rt_burst_greg_of(p->scratch)];
        what.saved = (uint64_t)*scratch;
        *scratch = (greg_t)value;
    }
    fill_slot(s, &what, p->slot_code, uc);
    return RT_STEP_IN_SLOT;
}

static enum rt_step_isolated isolate_division(struct rt_step_slots *s, const struct rt_burst_plan *p,
                                              ucontext_t *uc, uint64_t operand)
{
    uint64_t divisor;
    if (!checked_divisor(p, uc->uc_mcontext.gregs, operand, &divisor)) return RT_STEP_IN_PLACE;
    return isolate_code(s, p, uc, divisor);
}

static enum rt_step_isolated isolate_iteration(struct rt_step_slots *s, const struct rt_burst_plan *p,
                                               ucontext_t *uc)
{
    if (uc->uc_mcontext.gregs[REG_RCX] != 0) return isolate_code(s, p, uc, 0);
    uc->uc_mcontext.gregs[REG_RIP] = (greg_t)(p->ip + p->len_bytes);
    return RT_STEP_DONE;
}

/* The push happens in the slot, so that a fault of the stack is the program's; the return address is put in
 * afterwards. */
static enum rt_step_isolated isolate_call(struct rt_step_slots *s, const struct rt_burst_plan *p,
                                          ucontext_t *uc, uint64_t target)
{
    static const uint8_t push[] = {PUSH_RAX};
    const struct rt_step_slot what = {.ip = p->ip,
                                      .next = target,
                                      .saved = p->ip + p->len_bytes,
                                      .flow = p->flow,
                                      .len_bytes = sizeof push,
                                      .scratch = RT_BURST_REG_NONE};
    fill_slot(s, &what, push, uc);
    return RT_STEP_IN_SLOT;
}

enum rt_step_isolated rt_step_isolate(struct rt_step_slots *s, const struct rt_burst_plan *p, ucontext_t *uc,
                                      uint64_t operand)
{
    uint64_t target = 0;
    if (!s->page || s->used >= RT_STEP_SLOTS || p->flow == RT_BURST_FLOW_NONE) return RT_STEP_IN_PLACE;
    if (p->flow == RT_BURST_FLOW_COPY) return isolate_code(s, p, uc, operand);
    if (p->flow == RT_BURST_FLOW_DIVIDE) return isolate_division(s, p, uc, operand);
    if (p->flow == RT_BURST_FLOW_REPEAT) return isolate_iteration(s, p, uc);
    if (!branch_target(p, uc, operand, &target)) return RT_STEP_IN_PLACE;
    if (p->flow >= RT_BURST_FLOW_CALL) return isolate_call(s, p, uc, target);
    if (p->flow == RT_BURST_FLOW_LOOP) uc->uc_mcontext.gregs[REG_RCX]--;
    if (p->flow == RT_BURST_FLOW_RET) uc->uc_mcontext.gregs[REG_RSP] += STACK_SLOT_BYTES + p->displacement;
    uc->uc_mcontext.gregs[REG_RIP] = (greg_t)target;
    return RT_STEP_DONE;
}

static void put_return_address(const struct rt_step_slot *slot, const ucontext_t *uc)
{
    uint64_t *top = (uint64_t *)(uintptr_t)uc->uc_mcontext.gregs[REG_RSP];
    *top = slot->saved;
}

/* Complete an instruction whose slot was executed. Returns where the program continues. */
static uint64_t finish(const struct rt_step_slot *slot, ucontext_t *uc)
{
    if (slot->flow >= RT_BURST_FLOW_CALL) put_return_address(slot, uc);
    if (slot->flow != RT_BURST_FLOW_REPEAT) return slot->next;
    const uint64_t left = (uint64_t)--uc->uc_mcontext.gregs[REG_RCX];
    return goes_on(slot->flow_code, left, uc->uc_mcontext.gregs[REG_EFL]) ? slot->ip : slot->next;
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
    if (slot->scratch != RT_BURST_REG_NONE)
        uc->uc_mcontext.gregs[rt_burst_greg_of(slot->scratch)] = (greg_t)slot->saved;
    uc->uc_mcontext.gregs[REG_RIP] = (greg_t)(done ? finish(slot, uc) : slot->ip);
    return true;
}

void rt_step_slots_abandon(struct rt_step_slots *s)
{
    if (s->pending && s->used < RT_STEP_SLOTS) s->used++;
    s->pending = false;
}
