/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/mach_flush.h"

void mach_flush_line(const void *addr)
{
    (void)addr;
}

void mach_flush_wait(void)
{
}
