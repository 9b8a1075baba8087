/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/perf_events/rt_perf_duty.h"

#include "common/ls_random.h"

bool rt_perf_duty_is_on(const uint64_t *periods, unsigned gear, uint64_t now_ns)
{
    const uint64_t part = periods[0] ? periods[gear] / periods[0] : 1;
    return part < 2 || ls_random_mix(now_ns / RT_PERF_DUTY_SLOT_NS + LS_RANDOM_STEP) % part == 0;
}
