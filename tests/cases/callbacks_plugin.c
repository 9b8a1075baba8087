/* SPDX-License-Identifier: BSD-3-Clause */
/* A natural-domain function that can be unloaded: counts its calls in *user. */
#include "loadstone/ndm.h"

#include <stdint.h>

void *plugin_function(smr_node *n, struct mem_sample *sample, void *user);
void *plugin_function(smr_node *n, struct mem_sample *sample, void *user)
{
    (void)n;
    (void)sample;
    __atomic_fetch_add((uint64_t *)user, 1, __ATOMIC_RELAXED);
    return (void *)0;
}
