/* SPDX-License-Identifier: BSD-3-Clause */
/* Hooks only: what recording costs without sampling. */
#include "runtime/core/rt_sampler.h"

static bool rt_null_probe(char *why, size_t why_len)
{
    (void)why;
    (void)why_len;
    return true;
}

static int rt_null_process_start(struct rt_engine_facts *facts)
{
    (void)facts;
    return 0;
}

const struct rt_sampler rt_sampler_null = {
    .name = "null",
    .probe = rt_null_probe,
    .process_start = rt_null_process_start,
};
