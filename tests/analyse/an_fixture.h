/* SPDX-License-Identifier: BSD-3-Clause */
/* A small run in memory: bursts and samples are appended, the model's input is made from them. */
#ifndef AN_FIXTURE_H
#define AN_FIXTURE_H

#include "analyse/an_cost.h"

#define FIX_SAMPLES_MAX 200000
#define FIX_BURSTS_MAX 20000
#define FIX_NOT_MEASURED UINT32_MAX
/* The calibration. A load below 10 cycles is of L1; above, its level is set by the test, or DRAM. */
#define FIX_DRAM_CYCLES 500
#define FIX_L2_LIMIT_CYCLES 35
#define FIX_L3_LIMIT_CYCLES 250

struct an_fixture {
    struct prof_burst bursts[FIX_BURSTS_MAX];
    size_t bursts_len, samples_len;
    uint8_t op[FIX_SAMPLES_MAX], latency_valid[FIX_SAMPLES_MAX], level[FIX_SAMPLES_MAX];
    int32_t latency_cycles[FIX_SAMPLES_MAX];
    uint32_t position[FIX_SAMPLES_MAX], node[FIX_SAMPLES_MAX];
    uint64_t ip[FIX_SAMPLES_MAX], addr[FIX_SAMPLES_MAX];
    uint32_t count[FIX_SAMPLES_MAX];
    uint64_t cost_ns[FIX_SAMPLES_MAX], stall_ns[FIX_SAMPLES_MAX];
    struct an_input in;
};

struct an_fixture *fix_new(double l1_cycles, double issue_width);
void fix_free(struct an_fixture *f);
void fix_burst(struct an_fixture *f, uint64_t weight_ns, uint32_t instructions);
/* A load of the last burst; latency FIX_NOT_MEASURED: none. */
void fix_load(struct an_fixture *f, uint32_t node, uint32_t position, uint32_t latency_cycles);
void fix_store(struct an_fixture *f, uint32_t node, uint32_t position);
/* Rows of a profile of a job: `count` bursts, and `count` loads with their mean latency and their sum of time. */
void fix_sum_bursts(struct an_fixture *f, uint32_t count, uint64_t weight_ns);
void fix_sum_loads(struct an_fixture *f, uint32_t node, uint32_t count, uint32_t latency_cycles,
                   uint64_t cost_ns);
/* f->in over the added samples. */
const struct an_input *fix_input(struct an_fixture *f);

#endif
