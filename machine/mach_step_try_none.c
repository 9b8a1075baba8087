/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/mach_step_try.h"

void mach_step_try(void)
{
}

void mach_step_end(void *ucontext)
{
    (void)ucontext;
}
