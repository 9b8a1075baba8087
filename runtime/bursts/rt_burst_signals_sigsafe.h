/* SPDX-License-Identifier: BSD-3-Clause */
/* Signals that the engine shares with the program: SIGTRAP, the signals of faults and the timer's. Our handler is
 * installed in the kernel; the program's own settings are kept here, shown to it, and called for signals that
 * are not ours.
 *
 * Thread: any; install: the constructor; adopt_mask and flush_pending: about the calling thread.  Signal:
 * safe. */
#ifndef RT_BURST_SIGNALS_SIGSAFE_H
#define RT_BURST_SIGNALS_SIGSAFE_H

#include "common/ls_compat.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

/* The program's setting for a signal, in the kernel's terms. */
struct rt_burst_action {
    void *handler;
    uint64_t flags, mask;
};

typedef void (*rt_burst_restorer_fn)(void);

#define RT_BURST_SIGBIT(sig) (UINT64_C(1) << ((sig)-1))

/* Put our handlers first. timer_signal: 0 for none. Returns 0 or an errno. Call once, before the first
 * trigger. */
int rt_burst_signals_install(int timer_signal);
/* Do we handle sig, in this process (not in a vfork child, whose settings are its own)? */
bool rt_burst_signals_owns(int sig);
/* Set (a != NULL) the program's action for a signal of ours and return the previous one. */
void rt_burst_signals_exchange(int sig, const struct rt_burst_action *a, struct rt_burst_action *old);

/* A handler of the program returns to uc now. */
void rt_burst_before_return(const ucontext_t *uc);
/* The sa_restorer for handlers of the program. */
rt_burst_restorer_fn rt_burst_signals_restorer(void);

/* Was perf's signal raised while the thread blocked it? */
bool rt_burst_signals_was_blocked(const siginfo_t *info);

/* Signals that must never be blocked in the kernel: SIGTRAP and the timer's. 0 before install. */
uint64_t rt_burst_signals_needed(void);
/* Signals sent by hand while rt_tls.blocked has them: delivered when it no longer does. */
extern _Thread_local uint64_t rt_burst_pending_view LS_TLS_INITIAL_EXEC;
/* Adopt the calling thread's inherited mask: remember it as the program's view, unblock the signals that we
 * need. */
void rt_burst_signals_adopt_mask(void);
/* Send the signals that became deliverable when the view changed. */
void rt_burst_signals_flush_pending(void);

#endif
