/* SPDX-License-Identifier: BSD-3-Clause */
/* make_profile OUTPUT [VARIANT [MODULE [FUNCTION]]]: a profile with known shares, for the goldens of report.
 * In 120 of 200 bursts B waits for DRAM with a stride, in 60 A is walked in order, in 20 C is stored. In the
 * variant "traced": 100, 90 and 10, in functions of MODULE, or all in FUNCTION; "nameless": 100, 20 and 80, C
 * in small blocks; "longer": as without one, but slower by 30 %. */
#include "tests/run_h5/prof_write_fixture.h"

#include <stdio.h>
#include <string.h>

enum { BURSTS = 200, ACCESSES = 60, WINDOW = 600, INSTRUCTIONS = 1200 };
enum { ROOT, INPUT, A, B, OUTPUT, C, NODES };

static const struct prof_node nodes[NODES] = {
    [ROOT] = {.id = ROOT,
              .parent = UINT32_MAX,
              .kind = PROF_NODE_ROOT,
              .process = UINT32_MAX,
              .label = "",
              .died_ns = UINT64_MAX},
    [INPUT] = {.id = INPUT, .kind = PROF_NODE_GROUP, .label = "Input", .died_ns = UINT64_MAX},
    [A] = {.id = A,
           .parent = INPUT,
           .kind = PROF_NODE_RANGE,
           .label = "A",
           .base = 0x10000000,
           .end = 0x10800000,
           .elem_size_bytes = 8,
           .dims = 1,
           .died_ns = UINT64_MAX},
    [B] = {.id = B,
           .parent = INPUT,
           .kind = PROF_NODE_RANGE,
           .label = "B",
           .base = 0x20000000,
           .end = 0x20800000,
           .elem_size_bytes = 8,
           .dims = 1,
           .died_ns = UINT64_MAX},
    [OUTPUT] = {.id = OUTPUT, .kind = PROF_NODE_GROUP, .label = "Output", .died_ns = UINT64_MAX},
    [C] = {.id = C,
           .parent = OUTPUT,
           .kind = PROF_NODE_RANGE,
           .label = "C",
           .base = 0x30000000,
           .end = 0x30800000,
           .elem_size_bytes = 8,
           .dims = 1,
           .died_ns = UINT64_MAX},
};
static const struct prof_thread threads[] = {
    {.tid = 100, .name = "matmul", .end_ns = 2000000000, .cpu_ns = 2000000000, .spent_ns = 50000000}};
static const struct prof_process processes[] = {{.pid = 100,
                                                 .parent_pid = 1,
                                                 .parent = PROF_NO_PROCESS,
                                                 .exit_code = UINT32_MAX,
                                                 .exit_signal = UINT32_MAX,
                                                 .rank = -1,
                                                 .peak_bytes = UINT64_MAX,
                                                 .exe = "/bin/matmul",
                                                 .cmdline = "matmul 1024",
                                                 .engine = "step",
                                                 .trigger = "perf",
                                                 .why = "no PMU",
                                                 .end_ns = 2000000000,
                                                 .bursts_ns = 50000000,
                                                 .hooks_ns = 1000000}};
static struct prof_line lines[] = {
    {.ip = 0x401000,
     .module = "/bin/matmul",
     .function = "multiply",
     .symbol = "run",
     .file = "/src/matmul.c",
     .line = 17},
    {.ip = 0x401004,
     .module = "/bin/matmul",
     .function = "multiply",
     .symbol = "run",
     .file = "/src/matmul.c",
     .line = 17},
    {.ip = 0x401008,
     .module = "/bin/matmul",
     .function = "multiply",
     .symbol = "run",
     .file = "/src/matmul.c",
     .line = 19},
};
static const struct prof_source sources[] = {
    {"/src/matmul.c", 14, "    for (size_t i = 0; i < n; i++)"},
    {"/src/matmul.c", 15, "        for (size_t j = 0; j < n; j++) {"},
    {"/src/matmul.c", 16, "            for (size_t k = 0; k < n; k++)"},
    {"/src/matmul.c", 17, "\t\tsum += a[i * n + k] * b[k * n + j];"},
    {"/src/matmul.c", 19, "            c[i * n + j] = sum;"},
    {"/src/matmul.c", 20, "        }"},
};
static const struct pattern {
    uint32_t node, stride_bytes, latency_cycles;
    uint8_t op, level;
    uint64_t ip;
} patterns[] = {
    {B, 8192, 650, 0, PROF_LEVEL_DRAM, 0x401000},
    {A, 8, 6, 0, PROF_LEVEL_L1, 0x401004},
    {C, 8, UINT32_MAX, 1, UINT8_MAX, 0x401008},
};

/* The changed program: "after" waits less for B, which is in L3 now, and runs for 1.4 s. */
/* The same where nothing is registered: A and B are blocks of one allocation site, C is a variable. */
static const struct prof_node plain_nodes[NODES] = {
    {.id = 0, .parent = UINT32_MAX, .kind = PROF_NODE_ROOT, .process = UINT32_MAX, .died_ns = UINT64_MAX},
    {.id = 1, .kind = PROF_NODE_UNREGISTERED, .label = "unregistered", .died_ns = UINT64_MAX},
    {.id = 2, .parent = 1, .kind = PROF_NODE_SITE, .label = "matrix", .died_ns = UINT64_MAX},
    {.id = 3, .parent = 2, .kind = PROF_NODE_BLOCK, .label = "block 1", .died_ns = UINT64_MAX},
    {.id = 4, .parent = 1, .kind = PROF_NODE_STATIC, .label = "matmul", .died_ns = UINT64_MAX},
    {.id = 5, .parent = 4, .kind = PROF_NODE_SYMBOL, .label = "c", .died_ns = UINT64_MAX},
};
/* The same of a program without symbols. */
static const struct prof_node stripped_nodes[NODES] = {
    {.id = 0, .parent = UINT32_MAX, .kind = PROF_NODE_ROOT, .process = UINT32_MAX, .died_ns = UINT64_MAX},
    {.id = 1, .kind = PROF_NODE_UNREGISTERED, .label = "unregistered", .died_ns = UINT64_MAX},
    {.id = 2, .parent = 1, .kind = PROF_NODE_STATIC, .label = "matmul", .died_ns = UINT64_MAX},
    {.id = 3, .parent = 2, .kind = PROF_NODE_SYMBOL, .label = ".bss", .died_ns = UINT64_MAX},
    {.id = 4, .parent = 2, .kind = PROF_NODE_SYMBOL, .label = ".data", .died_ns = UINT64_MAX},
    {.id = 5, .parent = 2, .kind = PROF_NODE_SYMBOL, .label = ".rodata", .died_ns = UINT64_MAX},
};
/* Functions and data of tests/tracer/trace_victim.c: A is table, B a block, C is copy. */
static const struct prof_node traced_nodes[NODES] = {
    {.id = 0, .parent = UINT32_MAX, .kind = PROF_NODE_ROOT, .process = UINT32_MAX, .died_ns = UINT64_MAX},
    {.id = 1, .kind = PROF_NODE_UNREGISTERED, .label = "unregistered", .died_ns = UINT64_MAX},
    {.id = 2, .parent = 1, .kind = PROF_NODE_SYMBOL, .label = "table", .died_ns = UINT64_MAX},
    {.id = 3, .parent = 1, .kind = PROF_NODE_SITE, .label = "heap #2", .died_ns = UINT64_MAX},
    {.id = 4, .parent = 1, .kind = PROF_NODE_STATIC, .label = "trace_victim", .died_ns = UINT64_MAX},
    {.id = 5, .parent = 4, .kind = PROF_NODE_SYMBOL, .label = "copy", .died_ns = UINT64_MAX},
};
static const char *const traced_symbols[] = {"gather", "gather", "touch"};
static const struct prof_node nameless_nodes[NODES] = {
    {.id = 0, .parent = UINT32_MAX, .kind = PROF_NODE_ROOT, .process = UINT32_MAX, .died_ns = UINT64_MAX},
    {.id = 1, .kind = PROF_NODE_UNREGISTERED, .label = "unregistered", .died_ns = UINT64_MAX},
    {.id = 2, .parent = 1, .kind = PROF_NODE_SYMBOL, .label = "table", .died_ns = UINT64_MAX},
    {.id = 3, .parent = 1, .kind = PROF_NODE_SITE, .label = "heap #2", .died_ns = UINT64_MAX},
    {.id = 4, .parent = 1, .kind = PROF_NODE_STATIC, .label = "trace_victim", .died_ns = UINT64_MAX},
    {.id = 5, .parent = 1, .kind = PROF_NODE_HEAP_SMALL, .label = "small heap blocks", .died_ns = UINT64_MAX},
};
static const char *const nameless_symbols[] = {"gather", "gather", "touch_wide"};
static const struct variant {
    const char *name, *engine, *cpu;
    uint32_t first, second; /* per ten bursts, traced: per twenty: bursts of B, of B and A */
    uint32_t b_latency_cycles;
    uint32_t weight_ns;
    const struct prof_node *nodes;
    const char *host;
    uint64_t earlier_ns; /* than the others */
} variants[] = {{"before", "step", "Example CPU", 6, 9, 650, 10000000, nodes, "example", 0},
                {"after", "step", "Example CPU", 3, 8, 60, 7000000, nodes, "example", 0},
                {"longer", "step", "Example CPU", 6, 9, 650, 13000000, nodes, "example", 0},
                {"other", "hw", "Other CPU", 6, 9, 650, 10000000, nodes, "example", 0},
                {"plain", "step", "Example CPU", 6, 9, 650, 10000000, plain_nodes, "example", 0},
                {"coarse", "step", "Example CPU", 6, 9, 650, 10000000, nodes, "example", 0},
                {"stripped", "step", "Example CPU", 6, 9, 650, 10000000, stripped_nodes, "example", 0},
                {"elsewhere", "step", "Example CPU", 3, 8, 60, 7000000, nodes, "elsewhere", 2500000000},
                {"traced", "step", "Example CPU", 10, 19, 650, 10000000, traced_nodes, "example", 0},
                {"nameless", "step", "Example CPU", 5, 6, 650, 10000000, nameless_nodes, "example", 0}};
static const struct variant *variant = &variants[0];

static const struct pattern *pattern_of(uint32_t burst)
{
    const uint32_t at = burst % (variant->nodes == traced_nodes ? 20 : 10);
    return &patterns[at < variant->first ? 0 : at < variant->second ? 1 : 2];
}

static ls_err add_burst(prof_writer *w, uint32_t number, struct prof_burst *burst)
{
    const struct pattern *p = pattern_of(number);
    *burst = (struct prof_burst){.frame = UINT32_MAX,
                                 .phase = UINT32_MAX,
                                 .time_ns = number * 10000000ull,
                                 .weight_ns = variant->weight_ns,
                                 .data_weight_ns = variant->weight_ns,
                                 .spent_ns = 250000,
                                 .ip = p->ip,
                                 .instructions = INSTRUCTIONS,
                                 .first_sample = (uint64_t)number * ACCESSES,
                                 .samples_len = ACCESSES};
    for (uint32_t i = 0; i < ACCESSES; i++) {
        struct prof_sample s = prof_sample_missing;
        s.time_ns = burst->time_ns + i;
        s.thread = s.cpu = 0;
        s.ip = p->ip;
        s.addr = nodes[p->node].base + (uint64_t)(number % 7 * ACCESSES + i) * p->stride_bytes % 0x800000;
        s.size = 8;
        s.op = p->op;
        s.position = i * INSTRUCTIONS / ACCESSES;
        if (p->op == 0 && s.position >= WINDOW) {
            s.latency_cycles =
                (int32_t)((p == patterns ? variant->b_latency_cycles : p->latency_cycles) + i % 3);
            s.latency_valid = 1;
            s.level = p == patterns && variant->b_latency_cycles < 250 ? PROF_LEVEL_L3 : p->level;
        }
        s.weight_ns = burst->weight_ns;
        s.node = p->node;
        s.burst = number;
        const ls_err err = prof_writer_add(w, &s);
        if (err != LS_OK) return err;
    }
    return LS_OK;
}

static ls_err write_run(prof_writer *w)
{
    struct prof_run run = prof_fixture_run("matmul 1024", (uint64_t)variant->weight_ns * BURSTS);
    run.host = variant->host;
    run.cpu = variant->cpu;
    run.engine = variant->engine;
    run.version = "0.1.0";
    run.start_realtime_ns -= variant->earlier_ns;
    if (strcmp(variant->name, "coarse") == 0)
        run.level_limit_cycles[PROF_LEVEL_L1] = run.level_limit_cycles[PROF_LEVEL_L2];
    return prof_writer_run(w, &run);
}

static ls_err write_all(prof_writer *w)
{
    static struct prof_burst bursts[BURSTS];
    for (uint32_t b = 0; b < BURSTS; b++)
        LS_TRY(add_burst(w, b, &bursts[b]));
    const struct prof_fixture_table filled[PROF_TABLE_COUNT] = {
        [PROF_TABLE_nodes] = {variant->nodes, NODES},
        [PROF_TABLE_threads] = {threads, 1},
        [PROF_TABLE_processes] = {processes, 1},
        [PROF_TABLE_bursts] = {bursts, BURSTS},
        [PROF_TABLE_lines] = {lines, sizeof(lines) / sizeof(lines[0])},
        [PROF_TABLE_sources] = {sources, sizeof(sources) / sizeof(sources[0])},
    };
    LS_TRY(prof_fixture_tables(w, filled));
    LS_TRY(write_run(w));
    return prof_writer_finish(w);
}

int main(int argc, char **argv)
{
    for (size_t i = 0; argc >= 3 && i < sizeof(variants) / sizeof(variants[0]); i++)
        if (strcmp(variants[i].name, argv[2]) == 0) variant = &variants[i];
    if (argc < 2 || argc > 5 || (argc >= 3 && strcmp(variant->name, argv[2]) != 0)) {
        fprintf(
            stderr,
            "usage: make_profile OUTPUT [before|after|other|plain|coarse|stripped|elsewhere|traced|nameless "
            "[MODULE [FUNCTION]]]\n");
        return 2;
    }
    const char *const *symbols = variant->nodes == nameless_nodes ? nameless_symbols : traced_symbols;
    for (size_t i = 0; argc >= 4 && i < sizeof(lines) / sizeof(lines[0]); i++) {
        lines[i].module = argv[3];
        lines[i].symbol = argc > 4 ? argv[4] : symbols[i];
    }
    return prof_fixture_write("make_profile", argv[1], write_all);
}
