/* SPDX-License-Identifier: BSD-3-Clause */
#include "profile/prof_weight.h"

#include <stdbool.h>

uint64_t prof_weight_begin(uint64_t weight_ns, uint64_t *carried_ns)
{
    const uint64_t both_ns = weight_ns + *carried_ns;
    if (weight_ns == UINT64_MAX || both_ns < weight_ns) return weight_ns; /* not known, or damaged */
    *carried_ns = 0;
    return both_ns;
}

static bool measured_any(const struct prof_sample *samples, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (samples[i].latency_valid) return true;
    return false;
}

void prof_weight_end(const struct spool_burst_end *end, struct prof_burst *b, struct prof_sample *samples,
                     size_t len, uint64_t *carried_ns)
{
    const bool was_cut = end->rec.flags == SPOOL_BURST_PREEMPTED && !measured_any(samples, len);
    if (!was_cut || b->weight_ns == UINT64_MAX) return;
    *carried_ns = b->weight_ns;
    b->weight_ns = 0;
    for (size_t i = 0; i < len; i++)
        samples[i].weight_ns = 0;
}
