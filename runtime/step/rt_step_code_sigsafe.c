/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/step/rt_step_code_sigsafe.h"

#include "runtime/bursts/rt_burst_asm_sigsafe.h"

#include <string.h>

enum { PAGE_BYTES = 4096 };

static struct rt_burst_plan *place_of(struct rt_step_code *c, uint64_t ip)
{
    const uint64_t mixed = ip * UINT64_C(0x9e3779b97f4a7c15);
    return &c->plans[mixed >> 55];
}
_Static_assert(RT_STEP_CODE_PLACES == 1 << (64 - 55), "place_of takes the upper bits");

static size_t left_in_page(uint64_t ip)
{
    const size_t left = PAGE_BYTES - (ip & (PAGE_BYTES - 1));
    return left < RT_BURST_CODE_BYTES ? left : RT_BURST_CODE_BYTES;
}

const struct rt_burst_plan *rt_step_code_plan(struct rt_step_code *c, const struct rt_burst_zydis *z,
                                              uint64_t ip)
{
    uint8_t bytes[RT_BURST_CODE_BYTES] = {0};
    const void *code = (const void *)(uintptr_t)ip;
    size_t have = rt_burst_copy(bytes, code, left_in_page(ip));
    if (!have) return NULL;
    struct rt_burst_plan *p = place_of(c, ip);
    if (p->ip == ip && p->len_bytes && p->len_bytes <= have && memcmp(p->code, bytes, p->len_bytes) == 0) {
        c->hits++;
        return p;
    }
    c->misses++;
    p->len_bytes = 0;
    enum rt_burst_decoded d = rt_burst_decode(z, &c->scratch, p, bytes, have, ip);
    if (d == RT_BURST_NEEDS_MORE && have < RT_BURST_CODE_BYTES) {
        have += rt_burst_copy(bytes + have, (const uint8_t *)code + have, RT_BURST_CODE_BYTES - have);
        d = rt_burst_decode(z, &c->scratch, p, bytes, have, ip);
    }
    if (d == RT_BURST_DECODED) return p;
    p->len_bytes = 0;
    return NULL;
}
