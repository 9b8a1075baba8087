/* SPDX-License-Identifier: BSD-3-Clause */
/* A small profile for fuzz targets, which change it by rule: each four bytes of input are a struct change. */
#ifndef FUZZ_PROFILE_H
#define FUZZ_PROFILE_H

#include "run_h5/prof_file.h"
#include "run_h5/prof_writer.h"

#include <stdint.h>

enum { CHANGES_MAX = 64, SAMPLES = 12, SAMPLES_TABLE = PROF_TABLE_COUNT };
#define NO UINT32_MAX

static const struct prof_node nodes[] = {
    {.id = 0, .parent = NO, .kind = PROF_NODE_ROOT, .process = NO, .died_ns = UINT64_MAX},
    {.id = 1, .kind = PROF_NODE_UNREGISTERED, .process = NO, .died_ns = UINT64_MAX},
    {.id = 2,
     .kind = PROF_NODE_RANGE,
     .label = "A",
     .base = 0x1000,
     .end = 0x2000,
     .elem_size_bytes = 8,
     .born_ns = 100,
     .died_ns = 500},
    {.id = 3, .parent = 1, .kind = PROF_NODE_STATIC, .label = "app", .died_ns = UINT64_MAX},
    {.id = 4,
     .parent = 3,
     .kind = PROF_NODE_SYMBOL,
     .label = "table",
     .elem_size_bytes = 16,
     .died_ns = UINT64_MAX},
    {.id = 5, .parent = 1, .kind = PROF_NODE_SITE, .label = "list", .died_ns = UINT64_MAX},
    {.id = 6,
     .parent = 5,
     .kind = PROF_NODE_BLOCK,
     .label = "block 1",
     .base = 0x9000,
     .end = 0x9040,
     .born_ns = 50,
     .died_ns = UINT64_MAX}};
static const struct prof_process processes[] = {
    {.pid = 10, .parent = PROF_NO_PROCESS, .rank = -1, .exe = "/bin/app"},
    {.pid = 20, .parent = 0, .rank = 3, .exe = "/bin/app"}};
static const struct prof_thread threads[] = {{.process = 0, .tid = 10}, {.process = 1, .tid = 20}};
static const struct prof_module modules[] = {
    {.process = 0, .path = "/bin/app", .base = 0x400000, .end = 0x500000, .bias = 0x400000},
    {.process = 0, .path = "/lib/a.so", .base = 0x400000, .end = 0x480000, .bias = 0x400000},
    {.process = 1, .path = "/bin/app", .base = 0x400000, .end = 0x500000, .bias = 0x400000}};
static const struct prof_line lines[] = {
    {.process = 0, .ip = 0x400010, .module = "/lib/a.so", .until_ns = 500},
    {.process = 0, .ip = 0x400010, .module = "/bin/app", .until_ns = UINT64_MAX}};
static const struct prof_phase phases[] = {{.id = 0, .parent = NO, .name = "solve"},
                                           {.id = 1, .parent = 0, .name = "sweep"}};
static const struct prof_burst bursts[] = {{.thread = 0,
                                            .time_ns = 200,
                                            .weight_ns = 1000,
                                            .data_weight_ns = 1000,
                                            .instructions = 1000,
                                            .samples_len = 4,
                                            .frame = NO,
                                            .phase = NO},
                                           {.thread = 1,
                                            .time_ns = 300,
                                            .weight_ns = 1000,
                                            .data_weight_ns = 1000,
                                            .instructions = 1000,
                                            .first_sample = 4,
                                            .samples_len = 4,
                                            .frame = NO,
                                            .phase = NO},
                                           {.thread = 0,
                                            .time_ns = 700,
                                            .weight_ns = 1000,
                                            .data_weight_ns = 1000,
                                            .instructions = 1000,
                                            .first_sample = 8,
                                            .samples_len = 4,
                                            .frame = NO,
                                            .phase = NO}};

static const struct {
    const void *rows;
    size_t len;
} tables[PROF_TABLE_COUNT] = {
    [PROF_TABLE_nodes] = {nodes, sizeof(nodes) / sizeof(nodes[0])},
    [PROF_TABLE_threads] = {threads, sizeof(threads) / sizeof(threads[0])},
    [PROF_TABLE_processes] = {processes, sizeof(processes) / sizeof(processes[0])},
    [PROF_TABLE_bursts] = {bursts, sizeof(bursts) / sizeof(bursts[0])},
    [PROF_TABLE_modules] = {modules, sizeof(modules) / sizeof(modules[0])},
    [PROF_TABLE_lines] = {lines, sizeof(lines) / sizeof(lines[0])},
    [PROF_TABLE_phases] = {phases, sizeof(phases) / sizeof(phases[0])},
};

static const uint64_t values[] = {
    0,         1,      2,  3,          8,         0x1000,     0x400010,       0x9000,    UINT8_MAX,
    INT32_MAX, NO - 1, NO, 1ull << 32, INT64_MAX, 1ull << 63, UINT64_MAX - 1, UINT64_MAX};
static const char *const texts[] = {"", "A", "/", "\xff\xfe\x80", "table", "/lib/a.so"};

/* Where a change goes. */
struct change {
    uint8_t target, row, field, value;
};

/* Make the samples of the profile. */
static inline void fuzz_make_samples(struct prof_sample samples[SAMPLES])
{
    static const uint64_t addrs[] = {0x1008, 0x1800, 0x9000, 0x7020};
    static const uint32_t homes[] = {2, 2, 6, 4};
    for (uint32_t i = 0; i < SAMPLES; i++) {
        samples[i] = prof_sample_missing;
        samples[i].burst = i / 4;
        samples[i].thread = bursts[i / 4].thread;
        samples[i].time_ns = bursts[i / 4].time_ns + i;
        samples[i].position = i % 4 / 2;
        samples[i].ip = 0x400010 + 16 * (i % 4 / 2);
        samples[i].addr = addrs[i % 4];
        samples[i].size = 8;
        samples[i].op = i % 3 == 2;
        samples[i].node = homes[i % 4];
        samples[i].element = i;
        samples[i].phase = i / 4 == 1 ? NO : i / 8;
    }
}

#endif
