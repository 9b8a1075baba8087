/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/analyse/an_fixture.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

struct an_fixture *fix_new(double l1_cycles, double issue_width)
{
    struct an_fixture *f = calloc(1, sizeof(*f));
    assert(f);
    const struct prof_run run = {
        .engine = "step",
        .tsc_step_cycles = 1,
        .tsc_hz = 1000000000,
        .issue_width = issue_width,
        .level_latency_cycles = {l1_cycles, 15, 60, FIX_DRAM_CYCLES},
        .level_limit_cycles = {10, FIX_L2_LIMIT_CYCLES, FIX_L3_LIMIT_CYCLES, INFINITY},
        .level_bytes = {32 << 10, 1 << 20, 32 << 20, 0},
        .level_line_cycles = {1, 2, 5, 11},
        .line_cycles_all = 40,
        .line_cpus = 2};
    prof_cost_model_init(&f->in.calibration, &run);
    return f;
}

void fix_free(struct an_fixture *f)
{
    free(f);
}

void fix_burst(struct an_fixture *f, uint64_t weight_ns, uint32_t instructions)
{
    assert(f->bursts_len < FIX_BURSTS_MAX);
    f->bursts[f->bursts_len++] = (struct prof_burst){.weight_ns = weight_ns,
                                                     .data_weight_ns = weight_ns,
                                                     .instructions = instructions,
                                                     .first_sample = f->samples_len,
                                                     .frame = UINT32_MAX,
                                                     .phase = UINT32_MAX};
}

static void fix_access(struct an_fixture *f, uint32_t node, uint32_t position, uint8_t op)
{
    assert(f->samples_len < FIX_SAMPLES_MAX && f->bursts_len > 0);
    f->op[f->samples_len] = op;
    f->level[f->samples_len] = UINT8_MAX;
    f->latency_cycles[f->samples_len] = INT32_MIN;
    f->position[f->samples_len] = position;
    f->node[f->samples_len] = node;
    f->count[f->samples_len] = UINT32_MAX;
    f->samples_len++;
    f->bursts[f->bursts_len - 1].samples_len++;
}

void fix_load(struct an_fixture *f, uint32_t node, uint32_t position, uint32_t latency_cycles)
{
    fix_access(f, node, position, 0);
    if (latency_cycles == FIX_NOT_MEASURED) return;
    const size_t i = f->samples_len - 1;
    f->latency_cycles[i] = (int32_t)latency_cycles;
    f->latency_valid[i] = 1;
    f->level[i] = latency_cycles < 10 ? PROF_LEVEL_L1 : PROF_LEVEL_DRAM;
}

void fix_store(struct an_fixture *f, uint32_t node, uint32_t position)
{
    fix_access(f, node, position, 1);
}

void fix_sum_bursts(struct an_fixture *f, uint32_t count, uint64_t weight_ns)
{
    f->in.is_of_job = true;
    fix_burst(f, weight_ns, 0);
    f->bursts[f->bursts_len - 1].count = count;
    f->bursts[f->bursts_len - 1].data_weight_ns = 0;
}

void fix_sum_loads(struct an_fixture *f, uint32_t node, uint32_t count, uint32_t latency_cycles,
                   uint64_t cost_ns)
{
    const size_t i = f->samples_len;
    fix_sum_bursts(f, 1, 0);
    f->bursts[f->bursts_len - 1].data_weight_ns = cost_ns;
    fix_load(f, node, 0, latency_cycles);
    f->count[i] = count;
    f->cost_ns[i] = cost_ns;
    f->stall_ns[i] = cost_ns / 2;
}

const struct an_input *fix_input(struct an_fixture *f)
{
    f->in.bursts = f->bursts;
    f->in.bursts_len = f->bursts_len;
    f->in.samples = (struct prof_samples){.len = f->samples_len,
                                          .op = f->op,
                                          .latency_valid = f->latency_valid,
                                          .level = f->level,
                                          .latency_cycles = f->latency_cycles,
                                          .position = f->position,
                                          .node = f->node,
                                          .ip = f->ip,
                                          .addr = f->addr,
                                          .count = f->count,
                                          .cost_ns = f->cost_ns,
                                          .stall_ns = f->stall_ns};
    return &f->in;
}
