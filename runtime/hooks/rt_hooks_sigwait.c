/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting for signals: the program must not receive our signals, but must receive the ones that we hold back
 * for it (because it believes to block them). */
#include "runtime/bursts/rt_burst_sigsafe.h"
#include "runtime/bursts/rt_burst_signals_sigsafe.h"
#include "runtime/core/rt_thread.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef int (*sigtimedwait_fn)(const sigset_t *, siginfo_t *, const struct timespec *);

/* The C library's: it is a cancellation point. */
static sigtimedwait_fn real_sigtimedwait(void)
{
    static void *found;
    void *real = __atomic_load_n(&found, __ATOMIC_ACQUIRE);
    if (!real) {
        real = dlsym(RTLD_NEXT, "sigtimedwait");
        __atomic_store_n(&found, real, __ATOMIC_RELEASE);
    }
    sigtimedwait_fn fn;
    memcpy(&fn, &real, sizeof fn);
    return fn;
}

/* Return a signal of set that was held back, or 0. */
static int take_kept_back(const sigset_t *set, siginfo_t *info)
{
    uint64_t wanted;
    memcpy(&wanted, set, sizeof wanted);
    const uint64_t due = wanted & rt_burst_pending_view;
    if (!due) return 0;
    const int sig = __builtin_ctzll(due) + 1;
    rt_burst_pending_view &= ~RT_BURST_SIGBIT(sig);
    memset(info, 0, sizeof *info);
    info->si_signo = sig;
    info->si_code = SI_USER;
    info->si_pid = getpid();
    info->si_uid = getuid();
    return sig;
}

static bool is_our_trigger(const siginfo_t *info)
{
    return info->si_code == SI_TIMER &&
           (uint64_t)(uintptr_t)info->si_value.sival_ptr == RT_BURST_TRIGGER_MAGIC;
}

/* The trigger came while the thread waited: just arm it again. */
static void swallow_trigger(void)
{
    rt_quiet_begin();
    if (rt_burst_self && !rt_burst_engine.quiet) rt_burst_rearm(rt_burst_self);
    rt_quiet_end();
}

/* Our triggers use CPU time and a waiting thread uses none, so a timeout restarts at most a few times. */
LS_EXPORT int sigtimedwait(const sigset_t *set, siginfo_t *out, const struct timespec *timeout)
{
    siginfo_t info;
    int sig = take_kept_back(set, &info);
    while (!sig) {
        sig = real_sigtimedwait()(set, &info, timeout);
        if (sig <= 0 || !is_our_trigger(&info)) break;
        swallow_trigger();
        sig = 0;
    }
    if (sig > 0 && out) *out = info;
    return sig;
}

/* A descriptor takes pending signals whatever the mask, ours as well. Signals that we hold back for the
 * program are never pending in the kernel, so it loses nothing. */
LS_EXPORT int signalfd(int fd, const sigset_t *set, int flags)
{
    uint64_t mask = 0;
    if (set) memcpy(&mask, set, sizeof mask);
    mask &= ~rt_burst_signals_needed();
    return (int)syscall(SYS_signalfd4, fd, set ? &mask : NULL, sizeof mask, flags);
}

LS_EXPORT int sigwaitinfo(const sigset_t *set, siginfo_t *out)
{
    return sigtimedwait(set, out, NULL);
}

LS_EXPORT int sigwait(const sigset_t *set, int *out)
{
    const int saved = errno;
    int sig;
    do
        sig = sigtimedwait(set, NULL, NULL);
    while (sig < 0 && errno == EINTR);
    const int error = sig < 0 ? errno : 0;
    if (sig > 0) *out = sig;
    errno = saved;
    return error;
}
