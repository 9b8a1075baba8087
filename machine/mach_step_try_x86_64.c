/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "machine/mach_step_try.h"

#include <ucontext.h>

#define MACH_TRAP_FLAG 0x100 /* EFLAGS.TF, Intel SDM vol. 1, 3.4.3.3 */

void mach_step_try(void)
{
    __asm__ volatile("sub $128, %%rsp\n\t" /* the red zone */
                     "pushfq\n\t"
                     "orq $0x100, (%%rsp)\n\t"
                     "popfq\n\t"
                     "nop\n\tnop\n\tnop\n\tnop\n\t"
                     "add $128, %%rsp"
                     :
                     :
                     : "cc", "memory");
}

void mach_step_end(void *ucontext)
{
    ((ucontext_t *)ucontext)->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)MACH_TRAP_FLAG;
}
