/* SPDX-License-Identifier: BSD-3-Clause */
/* Try single steps once: emulators, debuggers and translators may not deliver their traps. */
#include "common/ls_compat.h"
#include "runtime/bursts/rt_burst_asm_sigsafe.h"
#include "runtime/step/rt_step_sigsafe.h"

#include <signal.h>
#include <x86intrin.h>

#define TRAP_FLAG 0x100LL
#define TRAP_BIT (UINT64_C(1) << (SIGTRAP - 1))
#define RESTORER_FLAG UINT64_C(0x04000000) /* SA_RESTORER, asm/signal.h */
enum { TRIAL_STEPS = 3, TRIAL_STEP_BYTES = 2, TRIAL_STACK_BYTES = 65536 };

struct kernel_action {
    void *handler;
    uint64_t flags;
    void (*restorer)(void);
    uint64_t mask;
};

static struct {
    int entered, steps;
    bool is_wrong;
    uint64_t last_tsc, least_cycles;               /* shortest step */
    _Alignas(64) uint8_t stack[TRIAL_STACK_BYTES]; /* the program's may be small */
} trial;

static LS_ALIGNED void on_trial(int sig, siginfo_t *info, void *context)
{
    greg_t *gregs = ((ucontext_t *)context)->uc_mcontext.gregs;
    const greg_t begin = (greg_t)(uintptr_t)rt_burst_try_begin, end = (greg_t)(uintptr_t)rt_burst_try_end;
    const uint64_t now = __rdtsc(), took_cycles = now - trial.last_tsc;
    (void)sig;
    trial.last_tsc = now;
    if (info->si_code != TRAP_TRACE) {
        if (gregs[REG_RIP] == begin && ++trial.entered) gregs[REG_EFL] |= TRAP_FLAG;
        return;
    }
    trial.steps++;
    if (took_cycles < trial.least_cycles) trial.least_cycles = took_cycles;
    const bool expected =
        gregs[REG_RIP] == begin + TRIAL_STEP_BYTES * trial.steps && gregs[REG_RAX] == trial.steps;
    trial.is_wrong |= !expected;
    if (!expected || gregs[REG_RIP] == end) gregs[REG_EFL] &= ~TRAP_FLAG;
}

static uint64_t set_mask(int how, uint64_t mask)
{
    uint64_t old = 0;
    ls_syscall(SYS_rt_sigprocmask, how, &mask, &old, sizeof mask);
    return old;
}

static bool trap_waits(uint64_t blocked)
{
    uint64_t pending = 0;
    if (!(blocked & TRAP_BIT)) return false;
    ls_syscall(SYS_rt_sigpending, &pending, sizeof pending);
    return pending & TRAP_BIT;
}

bool rt_step_try(void)
{
    const stack_t ours = {.ss_sp = trial.stack, .ss_size = sizeof trial.stack};
    const struct kernel_action action = {
        .handler = (void *)(uintptr_t)on_trial,
        .flags = SA_SIGINFO | SA_ONSTACK | RESTORER_FLAG,
        .restorer = rt_burst_restorer,
        .mask = UINT64_MAX,
    };
    const uint64_t blocked = set_mask(SIG_BLOCK, 0);
    struct kernel_action before;
    stack_t stack_before = {0};
    if (trap_waits(blocked)) return true; /* it is the program's: no trial takes it away */
    if (ls_syscall(SYS_rt_sigaction, SIGTRAP, &action, &before, sizeof blocked) < 0) return false;
    ls_syscall(SYS_sigaltstack, &ours, &stack_before);
    set_mask(SIG_UNBLOCK, TRAP_BIT);
    trial.entered = trial.steps = 0;
    trial.is_wrong = false;
    trial.least_cycles = UINT64_MAX;
    rt_burst_try_trap();
    set_mask(SIG_SETMASK, blocked);
    ls_syscall(SYS_sigaltstack, &stack_before, 0);
    ls_syscall(SYS_rt_sigaction, SIGTRAP, &before, 0, sizeof blocked);
    if (trial.steps == TRIAL_STEPS) rt_step_lengths_begin(&rt_step_lengths, trial.least_cycles);
    return trial.entered == 1 && trial.steps == TRIAL_STEPS && !trial.is_wrong;
}
