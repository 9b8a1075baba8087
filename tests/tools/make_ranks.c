/* SPDX-License-Identifier: BSD-3-Clause */
/* make_ranks OUTPUT HOST FIRST COUNT TOTAL [VARIANT]: a profile of COUNT ranks of a job of TOTAL, from rank FIRST on,
 * which ran on one machine. All ranks have the same data and code, and different times; rank 37 waits four times longer
 * than the others for `neigh`. Variants: "plain" without ranks, "untimed" whose processes have no CPU time, "hw" of
 * another engine, "late" a day later. */
#include "common/ls_mpi.h"
#include "common/ls_random.h"
#include "tests/run_h5/prof_write_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DATA = 24, CODE = 40, PHASES = 4, BURSTS = 100, ACCESSES = 8, SLOW_RANK = 37, INSTRUCTIONS = 1200 };
enum { ROOT, HEAP, FIRST_DATA, NODES = FIRST_DATA + DATA };

static uint32_t first, count, total;
static const char *host, *variant = "";
static struct prof_node nodes[NODES];
static struct prof_phase phases[PHASES];
static char names[DATA + CODE][16];
static struct prof_process *processes;
static struct prof_thread *threads;
static struct prof_line *lines;
static struct prof_burst *bursts;
static struct prof_kernel *kernels;
static struct prof_event *events;

static void make_shared(void)
{
    nodes[ROOT] = (struct prof_node){.parent = UINT32_MAX,
                                     .kind = PROF_NODE_ROOT,
                                     .process = PROF_NO_PROCESS,
                                     .label = "",
                                     .died_ns = UINT64_MAX};
    nodes[HEAP] = (struct prof_node){.id = HEAP,
                                     .kind = PROF_NODE_HEAP,
                                     .process = PROF_NO_PROCESS,
                                     .label = "heap blocks",
                                     .died_ns = UINT64_MAX};
    for (uint32_t i = 0; i < DATA; i++) {
        snprintf(names[i], sizeof(names[i]), i == 0 ? "neigh" : "array%u", i);
        nodes[FIRST_DATA + i] = (struct prof_node){.id = FIRST_DATA + i,
                                                   .parent = HEAP,
                                                   .kind = PROF_NODE_SITE,
                                                   .process = PROF_NO_PROCESS,
                                                   .label = names[i],
                                                   .died_ns = UINT64_MAX};
    }
    for (uint32_t i = 0; i < CODE; i++)
        snprintf(names[DATA + i], sizeof(names[0]), "function%u", i);
    for (uint32_t i = 0; i < PHASES; i++)
        phases[i] = (struct prof_phase){.id = i, .parent = i == 0 ? UINT32_MAX : 0, .name = names[DATA + i]};
}

static void make_rank(uint32_t i)
{
    processes[i] = (struct prof_process){.pid = 1000 + first + i,
                                         .parent_pid = 1,
                                         .parent = PROF_NO_PROCESS,
                                         .exit_code = 0,
                                         .exit_signal = UINT32_MAX,
                                         .rank = strcmp(variant, "plain") == 0 ? -1 : (int32_t)(first + i),
                                         .ranks_len = total,
                                         .peak_bytes = UINT64_MAX,
                                         .rank_from = "PMI_RANK",
                                         .exe = "/bin/solver",
                                         .cmdline = "solver",
                                         .engine = "step",
                                         .trigger = "perf",
                                         .why = "",
                                         .end_ns = 10000000000,
                                         .cpu_ns = 10000000000,
                                         .user_ns = 9800000000,
                                         .kernel_ns = 100000000,
                                         .recording_ns = 100000000,
                                         .represented_ns = 9800000000};
    if (strcmp(variant, "untimed") == 0) processes[i].cpu_ns = UINT64_MAX;
    threads[i] = (struct prof_thread){.process = i,
                                      .tid = 1000 + first + i,
                                      .name = "solver",
                                      .end_ns = 10000000000,
                                      .cpu_ns = 10000000000,
                                      .spent_ns = 100000000};
    kernels[i] = (struct prof_kernel){.process = i,
                                      .cause = PROF_KERNEL_FAULT,
                                      .node = FIRST_DATA,
                                      .line = i * CODE,
                                      .frame = PROF_NO_FRAME,
                                      .calls = 10000,
                                      .bytes = 40960000,
                                      .time_ns = 50000000,
                                      .error_ns = 1000000};
    events[i] = (struct prof_event){
        .process = i, .time_ns = 1000, .kind = "FORKS_LEFT_OUT", .text = "made for a test", .count = 1};
    for (uint32_t l = 0; l < CODE; l++)
        lines[i * CODE + l] = (struct prof_line){.process = i,
                                                 .ip = 0x401000 + l * 16,
                                                 .module = "/bin/solver",
                                                 .function = names[DATA + l],
                                                 .file = "/src/solver.c",
                                                 .line = 10 + l,
                                                 .symbol = names[DATA + l],
                                                 .until_ns = UINT64_MAX};
}

static ls_err add_access(prof_writer *w, const struct prof_burst *b, uint32_t number, uint32_t what,
                         uint32_t i)
{
    static const int32_t cycles[PROF_LEVEL_COUNT] = {5, 15, 60, 500};
    struct prof_sample s = prof_sample_missing;
    s.time_ns = b->time_ns + i;
    s.thread = b->thread;
    s.phase = b->phase;
    s.ip = b->ip;
    s.addr = 0x10000000 + (uint64_t)number * 4096 + i * 64;
    s.size = 8;
    s.op = i == 0;
    s.position = 600 + i * 10;
    s.weight_ns = b->weight_ns;
    s.node = FIRST_DATA + what;
    s.burst = number;
    if (s.op == 0) {
        s.level = (uint8_t)((what + i) % PROF_LEVEL_COUNT);
        s.latency_cycles = cycles[s.level];
        s.latency_valid = 1;
    }
    return prof_writer_add(w, &s);
}

/* The fourth part of the bursts is in MPI, the others touch one of the data. */
static ls_err add_burst(prof_writer *w, uint32_t number, uint32_t rank, uint64_t *random)
{
    const uint32_t n = number % BURSTS, what = (uint32_t)ls_random_below(random, DATA);
    struct prof_burst *b = &bursts[number];
    const bool is_mpi = n % 4 == 3, is_neigh = n % 10 == 0 && !is_mpi;
    *b = (struct prof_burst){.thread = number / BURSTS,
                             .time_ns = n * UINT64_C(100000000),
                             .weight_ns = 80000000 + ls_random_below(random, 40000000),
                             .ip = 0x401000 + ls_random_below(random, CODE) * 16,
                             .instructions = INSTRUCTIONS,
                             .first_sample = is_mpi ? 0 : UINT64_MAX,
                             .samples_len = is_mpi ? 0 : ACCESSES,
                             .frame = PROF_NO_FRAME,
                             .phase = n * PHASES / BURSTS,
                             .method = PROF_METHOD_STEP};
    if (is_neigh && rank == SLOW_RANK) b->weight_ns *= 4;
    b->data_weight_ns = b->weight_ns;
    if (is_mpi) b->mpi = n % 8 == 3 ? LS_MPI_CALL_BARRIER : LS_MPI_CALL_ISEND;
    if (is_mpi) b->mpi_ip = 0x401000;
    for (uint32_t i = 0; i < b->samples_len; i++)
        LS_TRY(add_access(w, b, number, is_neigh ? 0 : what, i));
    return LS_OK;
}

static ls_err write_run(prof_writer *w)
{
    const bool is_late = strcmp(variant, "late") == 0;
    struct prof_run run = prof_fixture_run("solver", 10000000000);
    run.host = host;
    if (strcmp(variant, "hw") == 0) run.engine = "hw";
    if (strcmp(variant, "strange") == 0) {
        run.command = "another --program";
        run.cpu = "another processor";
        run.version = "0.0.9";
    }
    run.why = "";
    if (is_late) run.start_realtime_ns += 86400000000000;
    run.exit_signal = UINT64_MAX;
    run.overhead_achieved = 0.025;
    run.cpu_ns = count * UINT64_C(10000000000);
    run.user_ns = count * UINT64_C(9800000000);
    run.kernel_ns = run.recording_ns = count * UINT64_C(100000000);
    run.kernel_error_ns = 0;
    run.represented_ns = run.user_ns;
    run.unrepresented_ns = 0;
    run.instructions_stepped = count * (uint64_t)BURSTS * INSTRUCTIONS;
    run.instructions_in_place = 0;
    return prof_writer_run(w, &run);
}

static ls_err write_all(prof_writer *w)
{
    uint64_t samples = 0;
    make_shared();
    for (uint32_t i = 0; i < count; i++) {
        uint64_t random = first + i;
        make_rank(i);
        for (uint32_t b = i * BURSTS; b < (i + 1) * BURSTS; b++) {
            LS_TRY(add_burst(w, b, first + i, &random));
            bursts[b].first_sample = samples;
            samples += bursts[b].samples_len;
        }
    }
    const struct prof_fixture_table filled[PROF_TABLE_COUNT] = {
        [PROF_TABLE_nodes] = {nodes, NODES},
        [PROF_TABLE_threads] = {threads, count},
        [PROF_TABLE_processes] = {processes, count},
        [PROF_TABLE_bursts] = {bursts, count * (size_t)BURSTS},
        [PROF_TABLE_lines] = {lines, count * (size_t)CODE},
        [PROF_TABLE_phases] = {phases, PHASES},
        [PROF_TABLE_kernels] = {kernels, count},
        [PROF_TABLE_events] = {events, count},
    };
    LS_TRY(prof_fixture_tables(w, filled));
    LS_TRY(write_run(w));
    return prof_writer_finish(w);
}

int main(int argc, char **argv)
{
    if (argc < 6 || argc > 7) {
        fputs("usage: make_ranks OUTPUT HOST FIRST COUNT TOTAL [VARIANT]\n", stderr);
        return 2;
    }
    host = argv[2];
    first = (uint32_t)strtoul(argv[3], NULL, 10);
    count = (uint32_t)strtoul(argv[4], NULL, 10);
    total = (uint32_t)strtoul(argv[5], NULL, 10);
    if (argc > 6) variant = argv[6];
    processes = calloc(count, sizeof(*processes));
    threads = calloc(count, sizeof(*threads));
    lines = calloc(count * (size_t)CODE, sizeof(*lines));
    bursts = calloc(count * (size_t)BURSTS, sizeof(*bursts));
    kernels = calloc(count, sizeof(*kernels));
    events = calloc(count, sizeof(*events));
    if (!processes || !threads || !lines || !bursts || !kernels || !events) return 2;
    const int status = prof_fixture_write("make_ranks", argv[1], write_all);
    free(processes);
    free(threads);
    free(lines);
    free(bursts);
    free(kernels);
    free(events);
    return status;
}
