/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/samplers/rt_perf_duty.h"

/* splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014. */
static uint64_t mixed(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

bool rt_perf_duty_is_on(const uint64_t *periods, unsigned gear, uint64_t now_ns)
{
    const uint64_t part = periods[0] ? periods[gear] / periods[0] : 1;
    return part < 2 || mixed(now_ns / RT_PERF_DUTY_SLOT_NS) % part == 0;
}
