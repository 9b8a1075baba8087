/* SPDX-License-Identifier: BSD-3-Clause */
/* The signal of requests, which the program may use for itself, too. */
#include "runtime/attach/rt_attach_internal.h"

#include "common/ls_attach.h"
#include "runtime/bursts/rt_burst_asm_sigsafe.h"
#include "runtime/bursts/rt_burst_eintr_sigsafe.h"
#include "runtime/core/rt_thread.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#define SA_RESTORER_FLAG UINT64_C(0x04000000)
#define ALL_SIGNALS UINT64_MAX

struct kernel_action {
    void *handler;
    uint64_t flags;
    void (*restorer)(void);
    uint64_t mask;
};

static struct {
    bool is_installed;
    struct rt_attach_action program; /* its own action */
} shared;

static void die_by_default(void)
{
    const struct kernel_action usual = {.handler = (void *)SIG_DFL};
    ls_syscall(SYS_rt_sigaction, LS_ATTACH_SIGNAL, &usual, NULL, sizeof(uint64_t));
    ls_syscall(SYS_tgkill, ls_syscall(SYS_getpid), ls_syscall(SYS_gettid), LS_ATTACH_SIGNAL);
}

/* The signal is the program's. */
static void call_program(siginfo_t *info, ucontext_t *uc)
{
    const struct rt_attach_action a = shared.program;
    void (*handler)(int, siginfo_t *, void *) = (void (*)(int, siginfo_t *, void *))(uintptr_t)a.handler;
    if (a.handler == (void *)SIG_IGN) return;
    if (a.handler == (void *)SIG_DFL) return die_by_default();
    if (a.flags & SA_RESETHAND) shared.program.handler = (void *)SIG_DFL;
    uint64_t mask;
    memcpy(&mask, &uc->uc_sigmask, sizeof(mask));
    mask |= a.mask | (a.flags & SA_NODEFER ? 0 : UINT64_C(1) << (LS_ATTACH_SIGNAL - 1));
    ls_syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof(mask));
    handler(LS_ATTACH_SIGNAL, info, uc);
}

/* May a recording begin? ENDED: an earlier one was given up by its launcher. */
static bool is_ready(void)
{
    const uint32_t phase = __atomic_load_n(&rt_state.phase, __ATOMIC_RELAXED);
    return (phase == RT_IDLE || phase == RT_ENDED) && !rt_attach_is_busy();
}

static LS_ALIGNED void on_signal(int sig, siginfo_t *info, void *context)
{
    const int saved = errno;
    const uint64_t value = (uint64_t)(uintptr_t)info->si_value.sival_ptr, kind = value >> 32;
    const bool is_request = kind == LS_ATTACH_REQUEST, is_adoption = kind == LS_ATTACH_ADOPT;
    ucontext_t *uc = context;
    (void)sig;
    if (info->si_code != SI_QUEUE || (!is_request && !is_adoption)) {
        call_program(info, uc);
        errno = saved;
        return;
    }
    if ((is_adoption || is_ready()) && rt_attach_moment_is_good(uc)) {
        if (is_request)
            rt_attach_begin(info->si_pid, (int)(uint32_t)value);
        else
            rt_attach_adopt(uc);
    }
    rt_burst_eintr_repair(&rt_burst_engine, rt_burst_self, uc);
    errno = saved;
}

/* A page that /proc/PID/maps shows by this name, in this process and its fork children. */
static void put_mark(void)
{
    enum { PAGE_BYTES = 4096 };
    const long fd = ls_syscall(SYS_memfd_create, LS_ATTACH_MARK, MFD_CLOEXEC);
    if (fd < 0) return;
    ls_syscall(SYS_ftruncate, fd, PAGE_BYTES);
    ls_syscall(SYS_mmap, NULL, PAGE_BYTES, PROT_READ, MAP_SHARED, fd, 0);
    ls_syscall(SYS_close, fd);
}

void rt_attach_init(void)
{
    const struct kernel_action action = {.handler = (void *)(uintptr_t)on_signal,
                                         .flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART | SA_RESTORER_FLAG,
                                         .restorer = rt_burst_restorer,
                                         .mask = ALL_SIGNALS};
    struct kernel_action before = {0};
    rt_attach_moment_init();
    if (ls_syscall(SYS_rt_sigaction, LS_ATTACH_SIGNAL, &action, &before, sizeof(uint64_t)) < 0) return;
    shared.program = (struct rt_attach_action){before.handler, before.flags, before.mask};
    shared.is_installed = true;
    rt_attach_slots_init();
    rt_attach_slots_turn(false);
    put_mark();
}

bool rt_attach_owns(int sig)
{
    return shared.is_installed && sig == LS_ATTACH_SIGNAL;
}

void rt_attach_exchange(const struct rt_attach_action *a, struct rt_attach_action *old)
{
    const struct rt_attach_action before = shared.program;
    if (a) shared.program = *a;
    if (old) *old = before;
}
