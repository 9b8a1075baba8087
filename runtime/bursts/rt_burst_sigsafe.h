/* SPDX-License-Identifier: BSD-3-Clause */
/* A burst, from the trigger to its last record: whether it may begin, its weight and its cost.
 * A method runs its instructions.
 *
 * Unless noted otherwise: Thread: t's own. */
#ifndef RT_BURST_SIGSAFE_H
#define RT_BURST_SIGSAFE_H

#include "runtime/bursts/rt_burst_engine_sigsafe.h"

/* The trigger fired in the context uc (taken_back: from the method's own code): begin a burst if the signal
 * mask and the engine's state allow it. Thread: t's own, inside a handler whose return restores uc. */
void rt_burst_take_trigger(struct rt_burst_thread *t, ucontext_t *uc, bool taken_back);

/* Write an access of the burst, to the spool and for callbacks. False: dropped. */
bool rt_burst_put_access(struct rt_burst_thread *t, const struct spool_access *r, uint16_t flags);
/* The same for callbacks alone: the method writes it to the spool itself. */
void rt_burst_note_access(struct rt_burst_thread *t, const struct spool_access *r, uint16_t flags);

/* End the current burst, if any; uc may be NULL when the trap flag is not set anywhere. */
void rt_burst_end(struct rt_burst_thread *t, ucontext_t *uc, uint16_t why);
/* The same, and arm the next trigger. */
void rt_burst_finish(struct rt_burst_thread *t, ucontext_t *uc, enum spool_burst_end_why why);

/* The method of the current burst, which began already, does not run it: step it from uc on. */
void rt_burst_step_instead(struct rt_burst_thread *t, ucontext_t *uc);

/* Now and then, measure the cost of the trigger's interrupt. SIGTRAP is blocked, and the next trigger
 * is armed afterwards. */
void rt_burst_measure_trigger(struct rt_burst_thread *t);

/* Draw a new interval and arm the next trigger of the calling thread t. */
void rt_burst_rearm(struct rt_burst_thread *t);
/* Sampling begins: the same for a thread t of the process whose trigger is not armed, or that is the calling one. */
void rt_burst_arm_other(struct rt_burst_thread *t);
/* Stop triggers for t, until one of the above. */
void rt_burst_disarm(struct rt_burst_thread *t);

/* Add the time of the current handler, while the thread had a processor: the rest of a burst's cost is the
 * kernel's, for traps and signals. The kernel's own split of CPU time is too coarse for a burst. */
void rt_burst_note_handler_time(struct rt_burst_thread *t);

/* A longer interruption means that something else had the processor, even if the kernel does not know, as
 * when a hypervisor took it; a tick of the kernel inside a handler takes some 30. */
enum { RT_BURST_PREEMPTED_US = 50 };
/* The end of a handler's work for the runtime, which its entry began. */
static inline void rt_burst_leave(void)
{
    RT_COMPILER_BARRIER();
    rt_tls.depth--;
}

/* TSC; a high estimate before it is known. */
uint32_t rt_burst_cycles_per_us(void);
/* Is this number of TSC cycles longer than us? */
bool rt_burst_took_longer(uint64_t cycles, unsigned us);

#define RT_BURST_TRAP_FLAG 0x100LL

static inline void rt_burst_set_trap_flag(ucontext_t *uc, bool set)
{
    if (set)
        uc->uc_mcontext.gregs[REG_EFL] |= RT_BURST_TRAP_FLAG;
    else
        uc->uc_mcontext.gregs[REG_EFL] &= ~RT_BURST_TRAP_FLAG;
}

/* Does the program block SIGTRAP there? */
static inline bool rt_burst_masks_trap(const ucontext_t *uc)
{
    const uint64_t *mask = (const uint64_t *)&uc->uc_sigmask;
    return *mask >> (SIGTRAP - 1) & 1;
}

#endif
