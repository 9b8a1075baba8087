/* SPDX-License-Identifier: BSD-3-Clause */
/* A burst: from the trigger, one instruction a trap, until a reason to stop. The consumer of decoded accesses
 * does not know how the thread was stopped before the instruction.
 *
 * Where nothing else is said: Thread: t's own.  Signal: safe. */
#ifndef RT_STEP_BURST_SIGSAFE_H
#define RT_STEP_BURST_SIGSAFE_H

#include "runtime/samplers/rt_step_engine_sigsafe.h"

/* The trigger fired in the context uc (in_slot: rt_step_unslot put it back): begin a burst if the budget, the
 * signal mask and the engine's state allow it. Thread: t's own, inside a handler whose return restores uc. */
void rt_step_burst_trigger(struct rt_step_thread *t, ucontext_t *uc, bool in_slot);

/* A single-step trap of t before the instruction at uc's ip. */
void rt_step_burst_step(struct rt_step_thread *t, ucontext_t *uc);

/* End what is under way (thread ends, sampling stops); uc may be NULL when the trap flag is not set anywhere. */
void rt_step_burst_end(struct rt_step_thread *t, ucontext_t *uc, uint16_t why);

/* The runtime has finished its own work in this thread: go on with a burst that was suspended for it. */
void rt_step_burst_resume(void);

/* Draw a new interval and arm the next trigger of the calling thread t. */
void rt_step_burst_rearm(struct rt_step_thread *t);
/* The same for another thread t of the process whose trigger is not armed. */
void rt_step_burst_arm_other(struct rt_step_thread *t);
/* No more triggers for t, until one of the above. */
void rt_step_burst_disarm(struct rt_step_thread *t);

#endif
