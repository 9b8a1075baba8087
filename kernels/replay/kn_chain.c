/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/replay/kn_chain.h"

/* elements linked at most: a second or two */
static const uint64_t links_max = UINT64_C(1) << 25;

bool kn_chain_fits(const struct kn_plan *p)
{
    return p->config->operation == PAT_OPERATION_CHASE && p->config->kernel == PAT_GATHER &&
           p->element_bytes == sizeof(uintptr_t) && p->need.iterations <= links_max;
}

static uint64_t *place_of(const struct kn_arena *a, int64_t element)
{
    return (uint64_t *)a->from.base + ((uint64_t)element - (uint64_t)a->plan->from.extent.low);
}

uint64_t kn_chain_after(const struct kn_arena *a, uint64_t i, size_t j, int64_t base)
{
    const struct kn_plan *p = a->plan;
    const struct kn_plan_side *s = &p->from;
    const bool ends_row = j + 1 == p->len, ends = ends_row && i + 1 == p->count;
    const int64_t row = ends ? 0 : ends_row ? base + s->steps[i % s->steps_len] : base;
    return (uintptr_t)place_of(a, row + kn_plan_index(s, ends_row ? 0 : j + 1));
}

/* One element: false if it has another successor already. No value is an address. */
static bool link_element(const struct kn_arena *a, int64_t element, uint64_t after)
{
    const struct kn_plan *p = a->plan;
    uint64_t *at = place_of(a, element);
    if (*at != after && *at != kn_value_bits(p->from.salt, element, p->element_bytes)) return false;
    *at = after;
    return true;
}

static bool link_all(const struct kn_arena *a)
{
    const struct kn_plan *p = a->plan;
    const struct kn_plan_side *s = &p->from;
    int64_t base = 0;
    for (uint64_t i = 0; i < p->count; base += s->steps[i++ % s->steps_len])
        for (size_t j = 0; j < p->len; j++)
            if (!link_element(a, base + kn_plan_index(s, j), kn_chain_after(a, i, j, base))) return false;
    return true;
}

void kn_chain_link(struct kn_arena *a)
{
    a->linked = link_all(a);
    if (!a->linked) kn_arena_fill(a);
}
