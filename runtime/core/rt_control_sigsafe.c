/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/core/rt_control_sigsafe.h"

#include "runtime/core/rt_ended_sigsafe.h"
#include "runtime/core/rt_resources_sigsafe.h"
#include "runtime/core/rt_spool_sigsafe.h"

static struct {
    uint32_t on;
    uint32_t announced; /* the latest answer */
    uint64_t begin_ns, end_ns;
} rt_control;

bool rt_control_wants(uint64_t now_ns)
{
    return __atomic_load_n(&rt_control.on, __ATOMIC_RELAXED) && now_ns >= rt_control.begin_ns &&
           now_ns < rt_control.end_ns;
}

bool rt_control_update(uint64_t now_ns)
{
    rt_ended_look_sometimes(now_ns);
    const bool wants = rt_control_wants(now_ns) && rt_is_recording();
    uint32_t before = __atomic_load_n(&rt_control.announced, __ATOMIC_RELAXED);
    if (before != wants && __atomic_compare_exchange_n(&rt_control.announced, &before, wants, false,
                                                       __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        rt_resources_switch_sigsafe(wants);
        rt_event_count_sigsafe(wants ? SPOOL_EVENT_SAMPLING_BEGIN : SPOOL_EVENT_SAMPLING_END, 1, 0);
    }
    return wants;
}

bool rt_control_was_sampling(void)
{
    return __atomic_load_n(&rt_control.announced, __ATOMIC_RELAXED);
}

void rt_control_set(bool on)
{
    __atomic_store_n(&rt_control.on, on, __ATOMIC_RELAXED);
}

void rt_control_toggle(void)
{
    __atomic_fetch_xor(&rt_control.on, 1, __ATOMIC_RELAXED);
}

void rt_control_init(uint64_t now_ns)
{
    const struct rt_config *c = &rt_state.config;
    rt_control.on = !c->paused;
    rt_control.announced = 0;
    rt_control.begin_ns = (c->start_ns && c->start_ns < now_ns ? c->start_ns : now_ns) + c->delay_ns;
    rt_control.end_ns = c->duration_ns ? rt_control.begin_ns + c->duration_ns : UINT64_MAX;
}
