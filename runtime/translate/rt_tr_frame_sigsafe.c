/* SPDX-License-Identifier: BSD-3-Clause */
/* The signal frame and the stack of the handler, moved off the stack that the kernel chose: the program's
 * stack grows over them when it is itself on the alternate stack, and a fault inside a burst begins at the
 * top of the alternate stack again. */
#include "runtime/translate/rt_tr_internal.h"

#include "common/ls_compat.h"

#include <signal.h>
#include <string.h>

/* asm/sigcontext.h */
enum { SW_RESERVED = 464 };
#define XSTATE_MAGIC1 UINT32_C(0x46505853)
#define XSTATE_MAGIC2 UINT32_C(0x46505845)

struct sw_reserved {
    uint32_t magic1, extended_bytes;
    uint64_t features;
    uint32_t xstate_bytes;
};

/* The part of ucontext_t that the kernel writes: its own signal set is one word. */
enum { KERNEL_UCONTEXT_BYTES = offsetof(ucontext_t, uc_sigmask) + sizeof(uint64_t) };

static bool is_on_alternate_stack(const ucontext_t *uc)
{
    const uint64_t begin = (uint64_t)(uintptr_t)uc->uc_stack.ss_sp;
    return (uint64_t)uc->uc_mcontext.gregs[REG_RSP] - begin <= uc->uc_stack.ss_size;
}

/* On this stack the kernel would take the alternate stack for unused: the next signal would begin at its top, over the
 * frames of a program that runs there. The return from the signal sets it again. */
static void work_on_own_stack(struct rt_tr_thread *t, ucontext_t *uc, void *arg)
{
    static const stack_t none = {.ss_flags = SS_DISABLE};
    if (is_on_alternate_stack(uc)) ls_syscall(SYS_sigaltstack, &none, NULL);
    t->work(t, uc, arg);
}

enum rt_tr_refused rt_tr_on_own_stack(struct rt_tr_thread *t, const ucontext_t *uc,
                                      void (*work)(struct rt_tr_thread *, ucontext_t *, void *), void *arg)
{
    if (rt_tr_is_running(t)) return RT_TR_BUSY;
    const uint8_t *xstate = (const uint8_t *)uc->uc_mcontext.fpregs;
    if (!xstate) return RT_TR_FRAME;
    struct sw_reserved reserved;
    memcpy(&reserved, xstate + SW_RESERVED, sizeof reserved);
    if (reserved.magic1 != XSTATE_MAGIC1 || reserved.extended_bytes > t->xstate_bytes) return RT_TR_FRAME;
    memcpy(t->xstate, xstate, reserved.extended_bytes);
    memcpy(&t->frame.uc, uc, KERNEL_UCONTEXT_BYTES);
    t->frame.uc.uc_mcontext.fpregs = (fpregset_t)(void *)t->xstate;
    t->work = work;
    rt_tr_run_on(t->stack_top, t, work_on_own_stack, arg, &t->frame);
}

void rt_tr_frame_add(struct rt_tr_thread *t, uint64_t features, uint32_t end)
{
    const uint32_t magic2 = XSTATE_MAGIC2;
    struct sw_reserved reserved;
    memcpy(&reserved, t->xstate + SW_RESERVED, sizeof reserved);
    reserved.features = features;
    if (reserved.xstate_bytes < end) reserved.xstate_bytes = end;
    reserved.extended_bytes = reserved.xstate_bytes + (uint32_t)sizeof magic2;
    memcpy(t->xstate + reserved.xstate_bytes, &magic2, sizeof magic2);
    memcpy(t->xstate + SW_RESERVED, &reserved, sizeof reserved);
}
