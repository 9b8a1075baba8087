/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/core/rt_bell_sigsafe.h"

static struct {
    uint32_t rings;
    uint64_t answer_ns;
} rt_bell;

void rt_bell_ring(void)
{
    __atomic_fetch_add(&rt_bell.rings, 1, __ATOMIC_SEQ_CST);
    rt_futex_wake(&rt_bell.rings);
}

const uint32_t *rt_bell_word(void)
{
    return &rt_bell.rings;
}

void rt_bell_answer(uint64_t now_ns)
{
    __atomic_store_n(&rt_bell.answer_ns, now_ns, __ATOMIC_RELAXED);
}

bool rt_bell_is_heard(uint64_t now_ns)
{
    const uint64_t answer_ns = __atomic_load_n(&rt_bell.answer_ns, __ATOMIC_RELAXED);
    return answer_ns && (now_ns < answer_ns || now_ns - answer_ns < RT_BELL_SILENCE_NS);
}
