/* SPDX-License-Identifier: BSD-3-Clause */
/* In place of the step engine where it cannot be built. */
#include "runtime/core/rt_text_sigsafe.h"
#include "runtime/core/rt_sampler.h"

static bool rt_step_none_probe(char *why, size_t why_len)
{
    struct rt_text text = rt_text_in(why, why_len);
    rt_text_add(&text,
                "not built: it needs an x86-64 processor and Zydis (Debian: libzydis-dev) at configure time");
    return false;
}

const struct rt_sampler rt_sampler_step = {.name = "step", .probe = rt_step_none_probe};
