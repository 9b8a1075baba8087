/* SPDX-License-Identifier: BSD-3-Clause */
/* Signal calls of the program. Signals that the step engine shares are kept apart
 * (rt_burst_signals_sigsafe.h); masks never block signals that the engine needs, and the program gets its own
 * settings back. The calls go to the kernel directly: glibc's wrappers only translate, and these must work
 * before and after everything else. */
#include "runtime/bursts/rt_burst_altstack.h"
#include "runtime/bursts/rt_burst_signals_sigsafe.h"
#include "runtime/core/rt_attach.h"

#include <errno.h>
#include <string.h>

#define SA_RESTORER_FLAG UINT64_C(0x04000000)
/* SIGCANCEL and SIGSETXID are glibc's own (nptl/pthreadP.h): no mask of the program blocks them. */
#define GLIBC_OWN (RT_BURST_SIGBIT(32) | RT_BURST_SIGBIT(33))
typedef void (*handler_fn)(int);

struct kernel_action {
    void *handler;
    uint64_t flags;
    void (*restorer)(void);
    uint64_t mask;
};

static struct {
    uint64_t
        hidden[_NSIG]; /* bits of rt_burst_signals_needed() in the mask that the program gave to an action */
    uint64_t interrupts; /* siginterrupt(): signals whose signal() handlers do not restart calls */
} view;

static int result_of(long kernel_result)
{
    if (kernel_result >= 0) return 0;
    errno = (int)-kernel_result;
    return -1;
}

static uint64_t to_mask(const sigset_t *set)
{
    uint64_t mask;
    memcpy(&mask, set, sizeof mask);
    return mask;
}

static void from_mask(sigset_t *set, uint64_t mask)
{
    memset(set, 0, sizeof *set);
    memcpy(set, &mask, sizeof mask);
}

/* In a vfork child the kernel's settings are the child's, but our view is the parent's. */
static bool view_is_ours(void)
{
    return (int)ls_syscall(SYS_getpid) == rt_state.pid;
}

static uint64_t real_action_mask(const struct rt_burst_action *a)
{
    const uint64_t needed = rt_burst_signals_needed();
    /* on the program's own signal stack nobody but it may nest: that stack may be small */
    return a->flags & SA_ONSTACK ? a->mask | needed : a->mask & ~needed;
}

static int set_plain_action(int sig, const struct rt_burst_action *a, struct rt_burst_action *old)
{
    struct kernel_action now = {0}, before = {0};
    const uint64_t needed = rt_burst_signals_needed(), was_hidden = view.hidden[sig];
    if (a)
        now = (struct kernel_action){a->handler, a->flags | SA_RESTORER_FLAG, rt_burst_signals_restorer(),
                                     real_action_mask(a)};
    const long error = ls_syscall(SYS_rt_sigaction, sig, a ? &now : NULL, &before, sizeof now.mask);
    if (error < 0) return result_of(error);
    if (a && view_is_ours()) view.hidden[sig] = a->mask & needed;
    if (old)
        *old = (struct rt_burst_action){before.handler, before.flags,
                                        (before.mask & ~needed) | (was_hidden & needed)};
    return 0;
}

/* The signal of requests (runtime/attach/): our handler calls the program's. */
static void set_shared_action(const struct rt_burst_action *a, struct rt_burst_action *old)
{
    struct rt_attach_action now, before;
    if (a) now = (struct rt_attach_action){a->handler, a->flags, a->mask};
    rt_attach_exchange(a ? &now : NULL, &before);
    if (old) *old = (struct rt_burst_action){before.handler, before.flags, before.mask};
}

static int set_action(int sig, const struct rt_burst_action *a, struct rt_burst_action *old)
{
    if (sig <= 0 || sig >= _NSIG || (sig < 64 && GLIBC_OWN & RT_BURST_SIGBIT(sig))) {
        errno = EINVAL;
        return -1;
    }
    if (RT_CAN_ATTACH && rt_attach_owns(sig)) {
        set_shared_action(a, old);
        return 0;
    }
    if (!rt_burst_signals_owns(sig)) return set_plain_action(sig, a, old);
    rt_burst_signals_exchange(sig, a, old);
    return 0;
}

LS_EXPORT int sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
    struct rt_burst_action a, before;
    if (act)
        a = (struct rt_burst_action){(void *)(uintptr_t)act->sa_handler,
                                     (uint32_t)act->sa_flags | SA_RESTORER_FLAG, to_mask(&act->sa_mask)};
    const int result = set_action(sig, act ? &a : NULL, old ? &before : NULL);
    if (result || !old) return result;
    memset(old, 0, sizeof *old);
    old->sa_handler = (handler_fn)(uintptr_t)before.handler;
    old->sa_flags = (int)(uint32_t)before.flags;
    from_mask(&old->sa_mask, before.mask);
    return 0;
}

static handler_fn set_handler(int sig, handler_fn handler, uint64_t flags, uint64_t mask)
{
    const struct rt_burst_action a = {(void *)(uintptr_t)handler, flags | SA_RESTORER_FLAG, mask};
    struct rt_burst_action before;
    if (handler == SIG_ERR) {
        errno = EINVAL;
        return SIG_ERR;
    }
    return set_action(sig, &a, &before) ? SIG_ERR : (handler_fn)(uintptr_t)before.handler;
}

LS_EXPORT handler_fn signal(int sig, handler_fn handler)
{
    const bool valid = sig > 0 && sig < _NSIG;
    const uint64_t own = valid ? RT_BURST_SIGBIT(sig) : 0;
    return set_handler(sig, handler, view.interrupts & own ? 0 : SA_RESTART, own);
}

LS_EXPORT handler_fn bsd_signal(int sig, handler_fn handler)
{
    return signal(sig, handler);
}

LS_EXPORT handler_fn ssignal(int sig, handler_fn handler)
{
    return signal(sig, handler);
}

LS_EXPORT handler_fn __sysv_signal(int sig, handler_fn handler)
{
    return set_handler(sig, handler, SA_RESETHAND | SA_NODEFER, 0);
}

LS_EXPORT handler_fn sysv_signal(int sig, handler_fn handler)
{
    return __sysv_signal(sig, handler);
}

LS_EXPORT int siginterrupt(int sig, int interrupts)
{
    struct rt_burst_action a;
    if (set_action(sig, NULL, &a)) return -1;
    const uint64_t own = RT_BURST_SIGBIT(sig);
    view.interrupts = interrupts ? view.interrupts | own : view.interrupts & ~own;
    a.flags = interrupts ? a.flags & ~(uint64_t)SA_RESTART : a.flags | SA_RESTART;
    return set_action(sig, &a, NULL);
}

static uint64_t new_view(int how, uint64_t set, uint64_t before)
{
    if (how == SIG_BLOCK) return before | set;
    return how == SIG_UNBLOCK ? before & ~set : set;
}

/* 0 or an errno. */
static int change_mask(int how, const sigset_t *set, sigset_t *old)
{
    const uint64_t needed = rt_burst_signals_needed(), view_before = rt_tls.blocked;
    uint64_t wanted = set ? to_mask(set) & ~GLIBC_OWN : 0, before = 0;
    const uint64_t hidden = wanted & needed;
    if (how != SIG_UNBLOCK) wanted &= ~needed;
    const long error = ls_syscall(SYS_rt_sigprocmask, how, set ? &wanted : NULL, &before, sizeof wanted);
    if (error < 0) return (int)-error;
    if (old) from_mask(old, (before & ~needed) | view_before);
    if (!set || !needed) return 0;
    const uint64_t view_now = new_view(how, hidden, view_before);
    if (view_now != view_before && !view_is_ours()) return 0;
    rt_tls.blocked = view_now;
    if (rt_burst_pending_view & ~rt_tls.blocked) rt_burst_signals_flush_pending();
    return 0;
}

LS_EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    return change_mask(how, set, old);
}

LS_EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
    return result_of(-change_mask(how, set, old));
}

static int change_one(int how, int sig)
{
    sigset_t set;
    if (sigemptyset(&set) || sigaddset(&set, sig)) return -1;
    return sigprocmask(how, &set, NULL);
}

LS_EXPORT int sighold(int sig)
{
    return change_one(SIG_BLOCK, sig);
}

LS_EXPORT int sigrelse(int sig)
{
    return change_one(SIG_UNBLOCK, sig);
}

LS_EXPORT int sigignore(int sig)
{
    return set_handler(sig, SIG_IGN, 0, 0) == SIG_ERR ? -1 : 0;
}

LS_EXPORT int sigpending(sigset_t *set)
{
    uint64_t pending = 0;
    const long error = ls_syscall(SYS_rt_sigpending, &pending, sizeof pending);
    if (error < 0) return result_of(error);
    /* a pending signal of ours in the kernel is a trigger on its way */
    from_mask(set, (pending & ~rt_burst_signals_needed()) | rt_burst_pending_view);
    return 0;
}

LS_EXPORT int sigaltstack(const stack_t *restrict ss, stack_t *restrict old)
{
    if (rt_burst_self) return result_of(-rt_burst_altstack_exchange(rt_burst_self, ss, old));
    return result_of(ls_syscall(SYS_sigaltstack, ss, old));
}
