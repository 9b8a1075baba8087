/* SPDX-License-Identifier: BSD-3-Clause */
/* A timer signal can end a system call with EINTR that SA_RESTART does not restart (poll, nanosleep, ...).
 * The program did not ask for that signal, so the call is made again.
 *
 * Thread: the one whose context uc is.  Signal: safe, meant for handlers. */
#ifndef RT_BURST_EINTR_SIGSAFE_H
#define RT_BURST_EINTR_SIGSAFE_H

#include "runtime/bursts/rt_burst_engine_sigsafe.h"

enum rt_burst_eintr { RT_BURST_EINTR_NONE, RT_BURST_EINTR_RESTART, RT_BURST_EINTR_SEEN };

/* code: the 7 bytes before ip, have: how many of its last bytes could be read. RESTART: `mov eax, imm32;
 * syscall` returned -EINTR, and 7 bytes back it is made again. SEEN: a call returned it, but in a form that
 * cannot be repeated. */
enum rt_burst_eintr rt_burst_eintr_judge(long rax, const uint8_t code[7], bool readable);

/* Has the instruction before ip entered the kernel? Then the signal came while the thread was there. */
bool rt_burst_eintr_is_at_call(const ucontext_t *uc);

/* A handler of the program returns to uc now, in t. A call that it ended has to return EINTR, also where a signal of the timer
 * waited until the handler's end. */
void rt_burst_eintr_note(struct rt_burst_thread *t, const ucontext_t *uc);

/* t: NULL where the thread is not sampled. */
void rt_burst_eintr_repair(struct rt_burst_engine *e, struct rt_burst_thread *t, ucontext_t *uc);

#endif
