/* SPDX-License-Identifier: BSD-3-Clause */
/* make_time OUTPUT [VARIANT]: a profile of a program that walks, chases and divides in two threads and two
 * phases, with its CPU time, its kernel time and the instructions stepped in place. There
 * are 400 bursts: 100 began in walk (array A, in L1), 100 in chase (array B, from memory), 200 in divide, which accesses nothing.
 *
 * Variants: "gap": 5 % of the CPU time is not represented; "unknown": no CPU time is known; "part": user and
 * kernel are not known; "untimed": 2 % of the loads are timed; "outliers": one burst weighs 10^15 ns, one
 * load took 10^9 cycles; "cached": B stays in L1, but for one of 200 timed loads;
 * "called": chase calls fill, in which no burst begins, for a fifth of its accesses. */
#include "tests/run_h5/prof_write_fixture.h"

#include <stdio.h>
#include <string.h>

enum { BURSTS = 400, ACCESSES = 50, WINDOW = 600, INSTRUCTIONS = 1000, NONE = UINT32_MAX };
enum { ROOT, UNREGISTERED, HEAP, A, B, WORK, NODES };
enum { WALK, CHASE, DIVIDE, FILL };
#define WEIGHT_NS 25000000

static const char *variant = "whole";

static int is_variant(const char *name)
{
    return strcmp(variant, name) == 0;
}

#define NODE(id_, parent_, kind_, label_) \
    [id_] = {.id = id_, .parent = parent_, .kind = kind_, .label = label_, .died_ns = UINT64_MAX}
static const struct prof_node nodes[NODES] = {
    [ROOT] = {.parent = UINT32_MAX, .kind = PROF_NODE_ROOT, .process = UINT32_MAX, .died_ns = UINT64_MAX},
    NODE(UNREGISTERED, ROOT, PROF_NODE_UNREGISTERED, "unregistered"),
    NODE(HEAP, UNREGISTERED, PROF_NODE_HEAP, "heap blocks"),
    NODE(A, HEAP, PROF_NODE_SITE, "A"),
    NODE(B, HEAP, PROF_NODE_SITE, "B"),
    NODE(WORK, HEAP, PROF_NODE_SITE, "work (mix.c:40)"),
};
static const struct prof_process processes[] = {{.pid = 100,
                                                 .parent_pid = 1,
                                                 .parent = PROF_NO_PROCESS,
                                                 .exit_code = UINT32_MAX,
                                                 .exit_signal = UINT32_MAX,
                                                 .rank = -1,
                                                 .peak_bytes = UINT64_MAX,
                                                 .exe = "/bin/mix",
                                                 .cmdline = "mix",
                                                 .engine = "step",
                                                 .trigger = "perf",
                                                 .why = "no PMU",
                                                 PROF_PROCESS_CPU_UNKNOWN}};
static const struct prof_thread threads[] = {{.tid = 100, .name = "main"}, {.tid = 101, .name = "worker"}};
#define LINE(ip_, function_, line_)                                                                        \
    {                                                                                                      \
        .ip = ip_, .module = "/bin/mix", .function = function_, .symbol = function_, .file = "/src/mix.c", \
        .line = line_, .until_ns = UINT64_MAX                                                              \
    }
static const struct prof_line lines[] = {LINE(0x401000, "walk", 10), LINE(0x402000, "chase", 20),
                                         LINE(0x403000, "divide", 30), LINE(0x404000, "fill", 41)};
static const struct prof_phase phases[] = {{.id = 0, .parent = UINT32_MAX, .name = "setup"},
                                           {.id = 1, .parent = UINT32_MAX, .name = "solve"}};
static const struct prof_site sites[] = {{.id = 0,
                                          .frame = UINT32_MAX,
                                          .label_frame = UINT32_MAX,
                                          .node = WORK,
                                          .label = "work (mix.c:40)",
                                          .blocks = 800,
                                          .bytes = 800 * UINT64_C(13000000),
                                          .recorded = 800,
                                          .sample_rate = 1,
                                          .type = UINT32_MAX}};
static const struct prof_kernel kernels[] = {
    {0, PROF_KERNEL_FAULT, WORK, 3, NONE, 2540000, 2540000 * UINT64_C(4096), 3.9e9, 1e8},
    {0, PROF_KERNEL_UNMAP, WORK, 3, NONE, 800, 800 * UINT64_C(13000000), 0.8e9, 5e7},
    {0, PROF_KERNEL_READ, NONE, 2, NONE, 1200, 1200 * UINT64_C(65536), 0.15e9, 1e7},
    {0, PROF_KERNEL_OTHER, NONE, NONE, NONE, 0, 0, 0.05e9, 2e7}};
static const struct prof_in_place in_places[] = {{0, "ret", 9000}, {0, "idiv", 2500}, {0, "syscall", 500}};

static ls_err add_access(prof_writer *w, uint32_t number, const struct prof_burst *b, uint32_t i)
{
    struct prof_sample s = prof_sample_missing;
    const int chases = b->ip == lines[CHASE].ip;
    const int is_timed = is_variant("untimed") ? i == ACCESSES - 1 : i * 2 >= ACCESSES;
    s.time_ns = b->time_ns + i;
    s.thread = b->thread;
    s.cpu = b->cpu;
    s.phase = b->phase;
    s.ip = is_variant("called") && chases && i % 5 == 2 ? lines[FILL].ip : b->ip;
    s.addr = chases ? 0x20000000 + (uint64_t)(number * 50 + i) * (number * 50 + i) * 2654435761u % 100003 * 64
                    : 0x10000000 + i * 8;
    s.size = 8;
    s.op = 0;
    s.position = i * INSTRUCTIONS / ACCESSES;
    if (is_timed) {
        s.latency_cycles = chases ? 480 + (int32_t)(i % 7) : 6;
        s.level = chases ? PROF_LEVEL_DRAM : PROF_LEVEL_L1;
        s.latency_valid = 1;
    }
    if (is_timed && chases && is_variant("cached") && (number % 32 != 1 || i < ACCESSES - 1)) {
        s.latency_cycles = 6;
        s.level = PROF_LEVEL_L1;
    }
    if (is_variant("outliers") && number == 3 && i == ACCESSES - 1) {
        s.latency_cycles = 1000000000;
        s.level = PROF_LEVEL_DRAM;
    }
    s.weight_ns = b->weight_ns;
    s.node = chases ? B : A;
    s.burst = number;
    return prof_writer_add(w, &s);
}

static ls_err add_burst(prof_writer *w, uint32_t number, uint64_t *samples, struct prof_burst *b)
{
    const uint32_t what = number % 4 == 0 ? WALK : number % 4 == 1 ? CHASE : DIVIDE;
    *b = (struct prof_burst){.thread = number % 4 == 3,
                             .cpu = number % 2,
                             .time_ns = number * UINT64_C(25000000),
                             .weight_ns = WEIGHT_NS,
                             .data_weight_ns = WEIGHT_NS,
                             .spent_ns = 250000,
                             .ip = lines[what].ip,
                             .instructions = INSTRUCTIONS,
                             .first_sample = *samples,
                             .samples_len = what == DIVIDE ? 0 : ACCESSES,
                             .frame = UINT32_MAX,
                             .phase = number >= BURSTS / 2};
    if (is_variant("outliers") && number == 200) b->weight_ns = b->data_weight_ns = 1000000000000000;
    for (uint32_t i = 0; i < b->samples_len; i++)
        LS_TRY(add_access(w, number, b, i));
    *samples += b->samples_len;
    return LS_OK;
}

static ls_err write_run(prof_writer *w)
{
    struct prof_run run = prof_fixture_run("mix", 10000000000);
    run.exit_signal = UINT64_MAX;
    run.burst_instructions = INSTRUCTIONS;
    run.instructions_stepped = UINT64_C(400) * INSTRUCTIONS;
    run.instructions_in_place = 12000;
    if (!is_variant("unknown")) {
        run.cpu_ns = 15400000000;
        run.recording_ns = 300000000;
    }
    if (!is_variant("unknown") && !is_variant("part")) {
        run.user_ns = 10200000000;
        run.kernel_ns = 4900000000;
        run.kernel_error_ns = 200000000;
        run.represented_ns = is_variant("gap") ? 9400000000 : 10000000000;
        run.unrepresented_ns = run.user_ns - run.represented_ns;
        run.unrepresented_why = is_variant("gap") ? "sampling was refused in 3 of 5 threads" : "";
        run.weights_found = 0.987;
    }
    return prof_writer_run(w, &run);
}

static ls_err write_all(prof_writer *w)
{
    static struct prof_burst bursts[BURSTS];
    uint64_t samples = 0;
    for (uint32_t b = 0; b < BURSTS; b++)
        LS_TRY(add_burst(w, b, &samples, &bursts[b]));
    const struct prof_fixture_table filled[PROF_TABLE_COUNT] = {
        [PROF_TABLE_nodes] = {nodes, NODES},
        [PROF_TABLE_threads] = {threads, 2},
        [PROF_TABLE_processes] = {processes, 1},
        [PROF_TABLE_bursts] = {bursts, BURSTS},
        [PROF_TABLE_lines] = {lines, sizeof(lines) / sizeof(lines[0])},
        [PROF_TABLE_phases] = {phases, 2},
        [PROF_TABLE_sites] = {sites, 1},
        [PROF_TABLE_kernels] = {kernels, sizeof(kernels) / sizeof(kernels[0])},
        [PROF_TABLE_in_places] = {in_places, sizeof(in_places) / sizeof(in_places[0])},
    };
    LS_TRY(prof_fixture_tables(w, filled));
    LS_TRY(write_run(w));
    return prof_writer_finish(w);
}

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: make_time OUTPUT [whole|gap|unknown|part|untimed|outliers|cached|called]\n");
        return 2;
    }
    if (argc == 3) variant = argv[2];
    return prof_fixture_write("make_time", argv[1], write_all);
}
