/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting for signals: the program must not receive our signals, but must receive the ones that we hold back
 * for it (because it believes to block them). */
#include "runtime/bursts/rt_burst_sigsafe.h"
#include "runtime/bursts/rt_burst_signals_sigsafe.h"
#include "runtime/core/rt_thread.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The C library's function, which is a cancellation point. */
static void find_real(const char *name, void **found, void *out_fn)
{
    void *real = __atomic_load_n(found, __ATOMIC_ACQUIRE);
    if (!real) {
        real = dlsym(RTLD_NEXT, name);
        __atomic_store_n(found, real, __ATOMIC_RELEASE);
    }
    memcpy(out_fn, &real, sizeof real);
}
#define FIND_REAL(name)                  \
    __typeof__(name) *real;              \
    do {                                 \
        static void *found;              \
        find_real(#name, &found, &real); \
    } while (0)

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
    FIND_REAL(sigtimedwait);
    while (!sig) {
        sig = real(set, &info, timeout);
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

/* --- calls that wait with another mask --- */

struct masked_wait {
    bool changes; /* the program believes to block other signals than before */
    uint64_t view, kernel_mask;
};

static uint64_t set_kernel_mask(int how, uint64_t mask)
{
    uint64_t before = 0;
    ls_syscall(SYS_rt_sigprocmask, how, &mask, &before, sizeof mask);
    return before;
}

static void end_wait(const struct masked_wait *w)
{
    const int saved = errno;
    if (!w->changes) return;
    rt_tls.blocked = w->view;
    set_kernel_mask(SIG_SETMASK, w->kernel_mask);
    errno = saved;
}

/* Let the program believe that it has this mask. A signal that was held back for it is handled now, and the call would not
 * wait: false, with errno set. The kernel blocks the signals until the call, whose mask the program gave. */
static bool begin_wait(struct masked_wait *w, const sigset_t *mask)
{
    const uint64_t needed = rt_burst_signals_needed();
    uint64_t wanted = 0;
    if (mask) memcpy(&wanted, mask, sizeof wanted);
    w->view = rt_tls.blocked;
    w->changes = mask && (wanted & needed) != w->view && rt_burst_signals_owns(SIGTRAP);
    if (!w->changes) return true;
    w->kernel_mask = set_kernel_mask(SIG_BLOCK, needed);
    rt_tls.blocked = wanted & needed;
    if (!(rt_burst_pending_view & ~rt_tls.blocked)) return true;
    set_kernel_mask(SIG_SETMASK, w->kernel_mask);
    rt_burst_signals_flush_pending();
    end_wait(w);
    errno = EINTR;
    return false;
}

/* The body of a hook: call the C library's function of this name. */
#define WAIT_WITH(mask, name, ...)        \
    FIND_REAL(name);                      \
    struct masked_wait w;                 \
    if (!begin_wait(&w, mask)) return -1; \
    const int result = real(__VA_ARGS__); \
    end_wait(&w);                         \
    return result

LS_EXPORT int sigsuspend(const sigset_t *mask)
{
    WAIT_WITH(mask, sigsuspend, mask);
}

LS_EXPORT int ppoll(struct pollfd *fds, nfds_t len, const struct timespec *timeout, const sigset_t *mask)
{
    WAIT_WITH(mask, ppoll, fds, len, timeout, mask);
}

/* ppoll in programs built with _FORTIFY_SOURCE */
LS_EXPORT int __ppoll_chk(struct pollfd *fds, nfds_t len, const struct timespec *timeout,
                          const sigset_t *mask, size_t room_bytes)
{
    WAIT_WITH(mask, __ppoll_chk, fds, len, timeout, mask, room_bytes);
}

LS_EXPORT int pselect(int len, fd_set *restrict in, fd_set *restrict out, fd_set *restrict except,
                      const struct timespec *restrict timeout, const sigset_t *restrict mask)
{
    WAIT_WITH(mask, pselect, len, in, out, except, timeout, mask);
}

LS_EXPORT int epoll_pwait(int fd, struct epoll_event *events, int len, int timeout_ms, const sigset_t *mask)
{
    WAIT_WITH(mask, epoll_pwait, fd, events, len, timeout_ms, mask);
}
