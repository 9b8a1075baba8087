/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/bursts/rt_burst_eintr_sigsafe.h"

#include "runtime/bursts/rt_burst_asm_sigsafe.h"

#include <errno.h>

enum {
    CALL_BYTES = 7,
    AT_ONCE_NS = 100000, /* CPU time from the return of a handler to a signal that waited for it */
};

enum rt_burst_eintr rt_burst_eintr_judge(long rax, const uint8_t code[7], bool readable)
{
    enum { MOV_EAX_IMM32 = 0xb8, SYSCALL_0 = 0x0f, SYSCALL_1 = 0x05 };
    if (rax != -EINTR || !readable) return RT_BURST_EINTR_NONE;
    if (code[5] != SYSCALL_0 || code[6] != SYSCALL_1) return RT_BURST_EINTR_NONE;
    return code[0] == MOV_EAX_IMM32 ? RT_BURST_EINTR_RESTART : RT_BURST_EINTR_SEEN;
}

bool rt_burst_eintr_is_at_call(const ucontext_t *uc)
{
    static const uint8_t syscall_code[2] = {0x0f, 0x05};
    uint8_t code[sizeof syscall_code];
    const void *from = (const void *)(uintptr_t)(uc->uc_mcontext.gregs[REG_RIP] - (greg_t)sizeof code);
    if (rt_burst_copy(code, from, sizeof code) != sizeof code) return false;
    return code[0] == syscall_code[0] && code[1] == syscall_code[1];
}

void rt_burst_eintr_note(struct rt_burst_thread *t, const ucontext_t *uc)
{
    const greg_t *gregs = uc->uc_mcontext.gregs;
    if (gregs[REG_RAX] != -EINTR) return;
    t->ended_call_ip = (uint64_t)gregs[REG_RIP];
    t->ended_call_rsp = (uint64_t)gregs[REG_RSP];
    t->ended_call_cpu_ns = rt_burst_cpu_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* Did a handler of the program end the call? */
static bool take_note(struct rt_burst_thread *t, const greg_t *gregs)
{
    if (!t || !t->ended_call_ip) return false;
    const bool is_same =
        t->ended_call_ip == (uint64_t)gregs[REG_RIP] && t->ended_call_rsp == (uint64_t)gregs[REG_RSP];
    t->ended_call_ip = 0;
    return is_same && rt_burst_cpu_ns(CLOCK_THREAD_CPUTIME_ID) - t->ended_call_cpu_ns < AT_ONCE_NS;
}

void rt_burst_eintr_repair(struct rt_burst_engine *e, struct rt_burst_thread *t, ucontext_t *uc)
{
    greg_t *gregs = uc->uc_mcontext.gregs;
    uint8_t code[CALL_BYTES];
    if (gregs[REG_RAX] != -EINTR || take_note(t, gregs)) return;
    const void *from = (const void *)(uintptr_t)(gregs[REG_RIP] - CALL_BYTES);
    const bool readable = rt_burst_copy(code, from, sizeof code) == sizeof code;
    switch (rt_burst_eintr_judge(gregs[REG_RAX], code, readable)) {
    case RT_BURST_EINTR_RESTART:
        gregs[REG_RIP] -= CALL_BYTES;
        __atomic_fetch_add(&e->eintr_restarted, 1, __ATOMIC_RELAXED);
        break;
    case RT_BURST_EINTR_SEEN:
        __atomic_fetch_add(&e->eintr_seen, 1, __ATOMIC_RELAXED);
        break;
    case RT_BURST_EINTR_NONE:
        break;
    }
}
