/* SPDX-License-Identifier: BSD-3-Clause */
/* Single-stepping by the trap flag.
 *
 * Thread: any, with the handler installed.  Signal: mach_step_end is called in the handler; mach_step_try is
 * not safe. */
#ifndef MACH_STEP_TRY_H
#define MACH_STEP_TRY_H

/* Run a few instructions with the trap flag set; a SIGTRAP handler must be installed. Does nothing where
 * there is no such flag. */
void mach_step_try(void);
/* Clear the flag in the context of the handler. */
void mach_step_end(void *ucontext);

#endif
