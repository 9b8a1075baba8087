/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/bursts/rt_burst_signals_sigsafe.h"

#include "machine/mach_probe_sigsafe.h"
#include "runtime/bursts/rt_burst_asm_sigsafe.h"
#include "runtime/bursts/rt_burst_eintr_sigsafe.h"
#include "runtime/bursts/rt_burst_faults_sigsafe.h"
#include "runtime/bursts/rt_burst_sigsafe.h"
#include "runtime/bursts/rt_burst_traced_sigsafe.h"

#include <errno.h>
#include <stddef.h>

/* asm-generic/siginfo.h; glibc's headers have neither the code nor the field after si_addr and its union. */
enum { CODE_TRACE = 2, CODE_INT3 = 0x80 /* SI_KERNEL */, CODE_PERF = 6, PERF_DATA_OFFSET = 24 };
#define SA_RESTORER_FLAG UINT64_C(0x04000000)
#define ALL_SIGNALS UINT64_MAX

struct kernel_action {
    void *handler;
    uint64_t flags;
    void (*restorer)(void);
    uint64_t mask;
};

enum { OWN_TRAP, OWN_TIMER, OWN_SEGV, OWN_BUS, OWN_FPE, OWN_ILL, OWN_COUNT };
static struct {
    int signals[OWN_COUNT];
    struct rt_burst_action actions[OWN_COUNT];
    uint32_t sequence[OWN_COUNT]; /* odd: being written */
    bool installed;
} owned = {.signals = {SIGTRAP, 0, SIGSEGV, SIGBUS, SIGFPE, SIGILL}};

_Thread_local uint64_t rt_burst_pending_view LS_TLS_INITIAL_EXEC;

static long kernel_sigaction(int sig, const struct kernel_action *a, struct kernel_action *old)
{
    return ls_syscall(SYS_rt_sigaction, sig, a, old, sizeof(uint64_t));
}

static uint64_t set_mask(int how, uint64_t mask)
{
    uint64_t old = 0;
    ls_syscall(SYS_rt_sigprocmask, how, &mask, &old, sizeof mask);
    return old;
}

static int slot_of(int sig)
{
    for (int i = 0; i < OWN_COUNT; i++)
        if (owned.signals[i] == sig && sig) return i;
    return -1;
}

bool rt_burst_signals_owns(int sig)
{
    return owned.installed && slot_of(sig) >= 0 && (int)ls_syscall(SYS_getpid) == rt_state.pid;
}

uint64_t rt_burst_signals_needed(void)
{
    if (!owned.installed) return 0;
    const int timer = owned.signals[OWN_TIMER];
    return RT_BURST_SIGBIT(SIGTRAP) | (timer ? RT_BURST_SIGBIT(timer) : 0);
}

void rt_burst_before_return(const ucontext_t *uc)
{
    if (rt_burst_self) rt_burst_eintr_note(rt_burst_self, uc);
}

rt_burst_restorer_fn rt_burst_signals_restorer(void)
{
    return owned.installed && owned.signals[OWN_TIMER] ? rt_burst_noting_restorer : rt_burst_restorer;
}

static struct rt_burst_action read_action(int slot)
{
    struct rt_burst_action a;
    uint32_t before, after;
    do {
        before = __atomic_load_n(&owned.sequence[slot], __ATOMIC_ACQUIRE);
        a = *(volatile struct rt_burst_action *)&owned.actions[slot];
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        after = __atomic_load_n(&owned.sequence[slot], __ATOMIC_RELAXED);
    } while (before != after || before & 1);
    return a;
}

static void write_action(int slot, const struct rt_burst_action *a)
{
    /* a handler on this thread must not find the entry half written and wait for itself */
    const uint64_t mask = set_mask(SIG_BLOCK, ALL_SIGNALS);
    uint32_t even;
    do
        even = __atomic_load_n(&owned.sequence[slot], __ATOMIC_RELAXED) & ~1u;
    while (!__atomic_compare_exchange_n(&owned.sequence[slot], &even, even + 1, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED));
    *(volatile struct rt_burst_action *)&owned.actions[slot] = *a;
    __atomic_store_n(&owned.sequence[slot], even + 2, __ATOMIC_RELEASE);
    set_mask(SIG_SETMASK, mask);
}

/* Signals that an instruction itself raises. */
static bool is_fault(int sig)
{
    return slot_of(sig) >= OWN_SEGV;
}

static bool is_real_handler(const struct rt_burst_action *a)
{
    return a->handler != (void *)SIG_DFL && a->handler != (void *)SIG_IGN;
}

/* The signal takes its default action when the handler returns: the fault happens again, or the signal is
 * sent again. */
static void die_by_default(int sig, bool happens_again)
{
    const struct kernel_action def = {.handler = (void *)SIG_DFL};
    kernel_sigaction(sig, &def, NULL);
    if (happens_again) return;
    const long pid = ls_syscall(SYS_getpid);
    ls_syscall(SYS_tgkill, pid, rt_burst_gettid(), sig);
}

static void call_program(int sig, const struct rt_burst_action *a, siginfo_t *info, ucontext_t *uc)
{
    void (*handler)(int, siginfo_t *, void *) = (void (*)(int, siginfo_t *, void *))(uintptr_t)a->handler;
    if (a->flags & SA_RESETHAND) {
        struct rt_burst_action def = *a;
        def.handler = (void *)SIG_DFL;
        write_action(slot_of(sig), &def);
    }
    if (!is_fault(sig)) {
        const uint64_t own = a->flags & SA_NODEFER ? 0 : RT_BURST_SIGBIT(sig);
        const uint64_t *before = (const uint64_t *)&uc->uc_sigmask;
        set_mask(SIG_SETMASK, *before | a->mask | own);
    }
    handler(sig, info, uc);
    rt_burst_before_return(uc);
}

/* Enter the runtime for a handler: hooks that it calls itself must not record. `outside` (the program's code
 * was interrupted) decides about bursts. */
static void enter(struct rt_burst_thread *t, int saved_errno)
{
    if (t) {
        t->outside = rt_tls.depth == 0;
        t->saved_errno = saved_errno;
    }
    rt_tls.depth++;
    RT_COMPILER_BARRIER();
}

/* Handle a signal that is not ours as it would be handled without us. */
static void chain(int sig, siginfo_t *info, ucontext_t *uc, int saved_errno)
{
    const struct rt_burst_action a = read_action(slot_of(sig));
    const bool by_cpu = info->si_code > 0;
    if (!by_cpu && rt_tls.blocked & RT_BURST_SIGBIT(sig)) {
        rt_burst_pending_view |= RT_BURST_SIGBIT(sig);
        return;
    }
    if (rt_burst_self && rt_burst_self->state == RT_BURST_RUNNING &&
        uc->uc_mcontext.gregs[REG_EFL] & RT_BURST_TRAP_FLAG) {
        enter(rt_burst_self, saved_errno);
        rt_burst_finish(rt_burst_self, uc, SPOOL_BURST_FAULT);
        rt_burst_leave();
    }
    if (is_real_handler(&a)) {
        errno = saved_errno;
        call_program(sig, &a, info, uc);
    } else if (by_cpu || a.handler == (void *)SIG_DFL) {
        die_by_default(sig, by_cpu && is_fault(sig));
    }
}

static void on_trap(int sig, siginfo_t *info, void *context);

/* True: the context was in code of a method's own, and is the program's again. */
static bool take_back(struct rt_burst_thread *t, ucontext_t *uc)
{
    bool taken_back = false;
    for (unsigned i = 0; i < RT_BURST_METHODS && t && !taken_back; i++) {
        const struct rt_burst_method *m = rt_burst_engine.methods[i];
        taken_back = m && m->take_back && m->take_back(t, uc);
    }
    return taken_back;
}

/* True: the signal was a method's own. */
static bool was_fault_of_burst(struct rt_burst_thread *t, const siginfo_t *info, ucontext_t *uc)
{
    bool was = false;
    for (unsigned i = 0; i < RT_BURST_METHODS && t && !was; i++) {
        const struct rt_burst_method *m = rt_burst_engine.methods[i];
        was = m && m->fault && m->fault(t, info, uc);
    }
    return was;
}

static uint64_t perf_data(const siginfo_t *info)
{
    uint64_t data;
    __builtin_memcpy(&data, (const char *)info + PERF_DATA_OFFSET, sizeof data);
    return data;
}

static bool is_trigger(const siginfo_t *info)
{
    return info->si_code == CODE_PERF && perf_data(info) == RT_BURST_TRIGGER_MAGIC;
}

/* TRAP_PERF_FLAG_ASYNC of asm-generic/siginfo.h; a thread blocks the signal in our handlers only. */
bool rt_burst_signals_was_blocked(const siginfo_t *info)
{
    enum { FLAGS_OFFSET = 36 };
    uint32_t flags;
    __builtin_memcpy(&flags, (const char *)info + FLAGS_OFFSET, sizeof flags);
    return flags & 1;
}

/* Was the trigger raised inside of the last burst, whose end armed the next one? */
static bool comes_from_burst(struct rt_burst_thread *t, const siginfo_t *info)
{
    if (!t || !t->deaf) return false;
    t->deaf = false;
    return rt_burst_signals_was_blocked(info);
}

static bool is_page_fault(const siginfo_t *info)
{
    return info->si_code == CODE_PERF && perf_data(info) == RT_BURST_FAULTS_MAGIC;
}

/* With a fault the kernel also delivers a blocked SIGTRAP of perf that waits (dequeue_synchronous_signal of
 * kernel/signal.c looks whether any synchronous signal is unblocked, and then takes the first), and does so
 * first: the fault then seems to come from the first instruction of on_trap. Take that frame back; the fault
 * is that of the code below. */
static bool take_back_trap(ucontext_t *uc, bool *lost_fault)
{
    greg_t *gregs = uc->uc_mcontext.gregs;
    if (gregs[REG_RIP] != (greg_t)(uintptr_t)on_trap) return false;
    const siginfo_t *info = (const siginfo_t *)(uintptr_t)gregs[REG_RSI];
    if (!is_trigger(info) && !is_page_fault(info)) return false;
    const ucontext_t *below = (const ucontext_t *)(uintptr_t)gregs[REG_RDX];
    __builtin_memcpy(gregs, below->uc_mcontext.gregs, sizeof below->uc_mcontext.gregs);
    __builtin_memcpy(&uc->uc_sigmask, &below->uc_sigmask, sizeof(uint64_t)); /* the kernel's set */
    uc->uc_mcontext.fpregs = below->uc_mcontext.fpregs; /* on_trap began with empty vector registers */
    *lost_fault = is_page_fault(info);
    return true;
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
    static const struct {
        const char *load_ip, *resume_ip;
    } expected[] = {{mach_probe_load_ip, mach_probe_fault_ip},
                    {mach_probe_plain_load_ip, mach_probe_fault_ip},
                    {rt_burst_copy_load_ip, rt_burst_copy_fault_ip},
                    {rt_burst_word_load_ip, rt_burst_word_fault_ip},
                    {rt_burst_bulk_load_ip, rt_burst_bulk_fault_ip}};
    ucontext_t *uc = context;
    greg_t *ip = &uc->uc_mcontext.gregs[REG_RIP];
    const int saved_errno = errno;
    bool lost_fault = false;
    const bool lost_trigger = take_back_trap(uc, &lost_fault) && !lost_fault;
    if (lost_fault && rt_burst_self) rt_burst_faults_miss(rt_burst_self);
    if (was_fault_of_burst(rt_burst_self, info, uc)) return;
    const bool taken_back = take_back(rt_burst_self, uc);
    for (unsigned i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        if (*ip != (greg_t)(uintptr_t)expected[i].load_ip || info->si_code <= 0) continue;
        *ip = (greg_t)(uintptr_t)expected[i].resume_ip;
        return; /* the handler that faulted arms the next trigger itself */
    }
    if (lost_trigger && rt_burst_self && rt_burst_self->state == RT_BURST_IDLE) rt_burst_rearm(rt_burst_self);
    if (taken_back) rt_burst_set_trap_flag(uc, true); /* so that chain sees a burst to end */
    chain(sig, info, uc, saved_errno);
}

/* SIGTRAP in a burst that runs whole and does not block it. A trigger that repeats could come back before the
 * burst gets anywhere: it is put off until the end of the burst arms the next one. Other signals wait until
 * then. */
static void on_trap_inside(struct rt_burst_thread *t, siginfo_t *info, ucontext_t *uc)
{
    rt_burst_count_visible_signal(&rt_burst_engine);
    if (is_page_fault(info)) {
        rt_burst_faults_take_inside(t, info, t->method->interrupted(t, info, uc));
    } else if (is_trigger(info)) {
        t->method->interrupted(t, info, uc);
        t->deaf = false;
        rt_burst_engine.trigger->arm(t, LS_NS_PER_S);
    } else {
        t->method->fault(t, info, uc);
    }
}

static void on_trap(int sig, siginfo_t *info, void *context)
{
    const int saved_errno = errno;
    ucontext_t *uc = context;
    struct rt_burst_thread *t = rt_burst_self;
    if (t && t->faults_open) {
        on_trap_inside(t, info, uc);
        errno = saved_errno;
        return;
    }
    const bool taken_back = take_back(t, uc);
    const bool stepped = info->si_code == CODE_TRACE || (taken_back && info->si_code == CODE_INT3);
    if (is_page_fault(info)) {
        enter(t, saved_errno);
        if (taken_back) rt_burst_set_trap_flag(uc, true); /* the burst goes on in place */
        if (t) rt_burst_faults_take(t, info, uc);
        rt_burst_leave();
    } else if (is_trigger(info)) {
        enter(t, saved_errno);
        if (t && !comes_from_burst(t, info)) rt_burst_take_trigger(t, uc, taken_back);
        rt_burst_leave();
    } else if (stepped && t && t->state == RT_BURST_RUNNING) {
        enter(t, saved_errno);
        t->method->step(t, uc);
        rt_burst_leave();
    } else if (stepped && t && (taken_back || t->stale)) {
        rt_burst_set_trap_flag(uc, false); /* the frame of a burst that was given up came back */
    } else {
        chain(sig, info, uc, saved_errno);
    }
    errno = saved_errno;
}

static void on_timer(int sig, siginfo_t *info, void *context)
{
    const int saved_errno = errno;
    ucontext_t *uc = context;
    struct rt_burst_thread *t = rt_burst_self;
    const bool taken_back = take_back(t, uc);
    const bool ours =
        info->si_code == SI_TIMER && (uint64_t)(uintptr_t)info->si_value.sival_ptr == RT_BURST_TRIGGER_MAGIC;
    if (!ours) {
        if (taken_back) rt_burst_set_trap_flag(uc, true); /* so that chain sees a burst to end */
        chain(sig, info, uc, saved_errno);
    } else {
        enter(t, saved_errno);
        if (t) t->in_kernel = !taken_back && rt_burst_eintr_is_at_call(uc);
        rt_burst_eintr_repair(&rt_burst_engine, t, uc);
        if (t) rt_burst_take_trigger(t, uc, taken_back);
        rt_burst_leave();
    }
    errno = saved_errno;
}

/* Only its own faults may interrupt a handler of ours. */
static uint64_t handler_mask(void)
{
    return ALL_SIGNALS & ~(RT_BURST_SIGBIT(SIGSEGV) | RT_BURST_SIGBIT(SIGBUS) | RT_BURST_SIGBIT(SIGILL) |
                           RT_BURST_SIGBIT(SIGFPE));
}

/* Build the action for faults with the program's flags, so that the kernel applies them and the program's
 * handler sees no difference. */
static struct kernel_action kernel_fault_action(const struct rt_burst_action *a)
{
    struct kernel_action k = {
        .handler = (void *)(uintptr_t)on_fault,
        .flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTORER_FLAG,
        .restorer = rt_burst_restorer,
    };
    if (!is_real_handler(a)) return k;
    k.flags = SA_SIGINFO | SA_RESTORER_FLAG | (a->flags & (SA_ONSTACK | SA_NODEFER | SA_RESTART));
    k.mask = a->mask & ~rt_burst_signals_needed();
    if (a->flags & SA_ONSTACK) k.mask |= rt_burst_signals_needed();
    return k;
}

/* A signal that the program handles interrupts system calls if its handler does. Triggers come in user mode, or are known to
 * have interrupted a call (rt_burst_eintr_repair). */
static struct kernel_action kernel_trigger_action(int slot, void *handler)
{
    const struct rt_burst_action a = read_action(slot);
    const uint64_t restart = is_real_handler(&a) ? a.flags & SA_RESTART : SA_RESTART;
    return (struct kernel_action){
        .handler = handler,
        .flags = SA_SIGINFO | SA_ONSTACK | restart | SA_RESTORER_FLAG,
        .restorer = rt_burst_restorer,
        .mask = handler_mask(),
    };
}

/* SIGFPE and SIGILL that the program ignores are ignored by the programs that it starts, too. A fault kills it
 * then, with us or without. */
static struct kernel_action kernel_action_for(int slot)
{
    if (slot == OWN_TRAP) return kernel_trigger_action(slot, (void *)(uintptr_t)on_trap);
    if (slot == OWN_TIMER) return kernel_trigger_action(slot, (void *)(uintptr_t)on_timer);
    const struct rt_burst_action a = read_action(slot);
    const bool is_inherited = slot >= OWN_FPE && a.handler == (void *)SIG_IGN;
    return is_inherited ? (struct kernel_action){.handler = a.handler} : kernel_fault_action(&a);
}

void rt_burst_signals_exchange(int sig, const struct rt_burst_action *a, struct rt_burst_action *old)
{
    const int slot = slot_of(sig);
    if (old) *old = read_action(slot);
    if (!a) return;
    write_action(slot, a);
    const struct kernel_action k = kernel_action_for(slot);
    kernel_sigaction(sig, &k, NULL);
}

static bool is_ours(const void *handler)
{
    return handler == (void *)(uintptr_t)on_trap || handler == (void *)(uintptr_t)on_timer ||
           handler == (void *)(uintptr_t)on_fault;
}

int rt_burst_signals_install(int timer_signal)
{
    owned.signals[OWN_TIMER] = timer_signal;
    owned.installed = true;
    for (int i = 0; i < OWN_COUNT; i++) {
        struct kernel_action before = {0};
        if (!owned.signals[i]) continue;
        const long read_error = kernel_sigaction(owned.signals[i], NULL, &before);
        if (read_error < 0) return (int)-read_error;
        if (is_ours(before.handler)) continue;
        owned.actions[i] = (struct rt_burst_action){before.handler, before.flags, before.mask};
        const struct kernel_action k = kernel_action_for(i);
        const long error = kernel_sigaction(owned.signals[i], &k, NULL);
        if (error < 0) return (int)-error;
    }
    return 0;
}

void rt_burst_signals_adopt_mask(void)
{
    const uint64_t needed = rt_burst_signals_needed();
    rt_tls.blocked |= set_mask(SIG_UNBLOCK, needed) & needed;
}

void rt_burst_signals_flush_pending(void)
{
    const uint64_t due = rt_burst_pending_view & ~rt_tls.blocked;
    rt_burst_pending_view &= ~due;
    for (int i = 0; i < OWN_COUNT; i++) {
        const int sig = owned.signals[i];
        if (sig && due & RT_BURST_SIGBIT(sig)) {
            const long pid = ls_syscall(SYS_getpid);
            ls_syscall(SYS_tgkill, pid, rt_burst_gettid(), sig);
        }
    }
}
