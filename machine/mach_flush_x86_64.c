/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/mach_flush.h"

#include <immintrin.h>

void mach_flush_line(const void *addr)
{
    _mm_clflush(addr);
}

void mach_flush_wait(void)
{
    _mm_mfence();
}
