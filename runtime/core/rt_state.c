/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/core/rt_state.h"

static const uint32_t rt_mark_always = 1;

struct rt_state rt_state = {
    .phase = RT_OFF,
    .own_mark = &rt_mark_always,
    .config = {.alloc_min_bytes = UINT64_MAX}, /* nothing is recorded before the constructor */
    .spool_fd = -1,
    .shared = {.fd = -1},
    .maps_fd = -1,
    .statm_fd = -1,
};
