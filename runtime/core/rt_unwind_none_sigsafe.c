/* SPDX-License-Identifier: BSD-3-Clause */
/* Where no call path can be told: blocks are named by the function that asked for them. */
#include "runtime/core/rt_unwind_sigsafe.h"

size_t rt_unwind(const struct rt_unwind_limits *limits, uint64_t *out, size_t max, bool *out_nested)
{
    (void)limits;
    (void)out;
    (void)max;
    if (out_nested) *out_nested = false;
    return 0;
}

void rt_unwind_forget(void)
{
}

bool rt_unwind_works(void)
{
    return false;
}
