/* SPDX-License-Identifier: BSD-3-Clause */
/* Measure the time, memory, and bytes a sample on disk for resolving a recording of ten million samples. The
 * recording is made through the real writer: bursts of 1,200 instructions with some 400 accesses,
 * loops of a few instructions that read an index array in order, gather at random from large arrays and store
 * sequentially. resolve [SAMPLES [FILE]] [mapped]: mapped maps the arrays to a grid of 1024 x 1024 cells,
 * with a phase every 1/20 of the run, and prints the cost of the fields. */
#include "ndm/ndm_wire.h"
#include "resolve/prof_resolve.h"
#include "spool/spool_put_domains_sigsafe.h"

#include "common/ls_clock.h"

#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    BENCH_ARRAYS = 6,
    BENCH_BURST_ACCESSES = 400,
    BENCH_THREADS = 4,
    BENCH_BLOCKS = 2000,
    BENCH_PHASES = 20
};
#define BENCH_ARRAY_BYTES (UINT64_C(256) << 20)
#define BENCH_BASE UINT64_C(0x7f2000000000)

static uint64_t bench_random_state = 88172645463325252u;

/* xorshift64 (Marsaglia 2003) */
static uint64_t bench_random(void)
{
    uint64_t x = bench_random_state;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return bench_random_state = x;
}

struct bench_thread {
    struct spool_writer writer;
    uint64_t now_ns, sequential;
    uint32_t bursts;
};

static void bench_fail(const char *what)
{
    fprintf(stderr, "bench/resolve: %s: %s\n", what, ls_last_error());
    exit(1);
}

/* Gamma-like spread around a level's latency. */
static uint32_t bench_latency(uint32_t around)
{
    return around + (uint32_t)((bench_random() % around + bench_random() % around) / 4);
}

static void bench_access(struct bench_thread *t, uint64_t burst_ns, uint32_t i)
{
    static const uint32_t steps[] = {0, 1, 2, 5}; /* four accesses in a loop of six instructions */
    const uint32_t lane = i % 4, position = i / 4 * 6 + steps[lane];
    const uint64_t array = BENCH_BASE + lane * BENCH_ARRAY_BYTES * 2;
    const uint64_t gathered = array + bench_random() % BENCH_ARRAY_BYTES / 8 * 8;
    const uint64_t streamed = array + t->sequential * 8 % BENCH_ARRAY_BYTES;
    const bool is_gather = lane == 1 || lane == 2, is_store = lane == 3;
    const uint64_t cost = 4500 * position + bench_random() % 3000;
    struct spool_access a = {.ip = 0x555555555200 + 4 * position % 24,
                             .addr = is_gather ? gathered : streamed,
                             .tsc_delta = (uint32_t)(cost * 27 / 10),
                             .position = position,
                             .size_bytes = 8};
    uint16_t flags = is_store ? SPOOL_OP_STORE : SPOOL_OP_LOAD;
    if (!is_store && position >= 600 - 300) {
        flags |= SPOOL_ACCESS_LATENCY_VALID;
        a.latency_cycles = bench_latency(is_gather ? 600 : 6);
    }
    t->sequential += lane == 3;
    t->now_ns = burst_ns + cost;
    if (!spool_put_access(&t->writer, flags, &a)) bench_fail("no room for the spool");
}

static void bench_burst(struct bench_thread *t)
{
    t->now_ns += 100000000 + bench_random() % 100000000;
    const uint64_t burst_ns = t->now_ns;
    spool_put_burst_begin(&t->writer,
                          (struct spool_burst_begin){.time_ns = burst_ns,
                                                     .tsc = burst_ns * 27 / 10,
                                                     .weight_ns = 90000000 + bench_random() % 20000000,
                                                     .ip = 0x555555555200,
                                                     .cpu = (uint32_t)(bench_random() % 8),
                                                     .number = t->bursts++});
    for (uint32_t i = 0; i < BENCH_BURST_ACCESSES; i++)
        bench_access(t, burst_ns, i);
    spool_put_burst_end(
        &t->writer, SPOOL_BURST_BUDGET,
        (struct spool_burst_end){.time_ns = ++t->now_ns, .spent_ns = 5000000, .instructions = 1200});
}

static void bench_open(struct bench_thread *t, const char *spool, uint32_t number, struct spool_cap *cap)
{
    char name[SPOOL_NAME_BYTES], path[600];
    const struct spool_file_header ids = {.pid = 1000, .tid = 1000 + number, .parent_pid = 1};
    spool_file_name(name, (struct spool_name){.pid = ids.pid, .tid = ids.tid});
    snprintf(path, sizeof(path), "%s/%s", spool, name);
    t->now_ns = LS_NS_PER_S + number;
    if (spool_writer_open(&t->writer, AT_FDCWD, path, &ids, cap) != 0) bench_fail(path);
}

static void bench_preamble(struct bench_thread *t)
{
    static const char maps[] = "555555554000-555555555000 r--p 00000000 08:01 10    /opt/bench/app\n"
                               "555555555000-555555556000 r-xp 00001000 08:01 10    /opt/bench/app\n"
                               "7f2000000000-7f3000000000 rw-p 00000000 00:00 0 \n";
    const struct spool_process p = {
        .time_ns = t->now_ns, .pid = 1000, .tsc_hz = 2700000000u, .overhead_ppm = 30000};
    const struct spool_process_texts texts = {.engine = "step", .trigger = "perf"};
    spool_put_process(&t->writer, p, &texts);
    spool_put_maps(&t->writer, t->now_ns, SPOOL_MAPS_FIRST | SPOOL_MAPS_LAST,
                   spool_text_of(maps, sizeof(maps)));
    for (uint32_t i = 0; i < BENCH_BLOCKS; i++)
        spool_put_alloc(&t->writer,
                        (struct spool_alloc){.time_ns = t->now_ns,
                                             .base = BENCH_BASE + (UINT64_C(1) << 35) + i * 65536,
                                             .len_bytes = 40000,
                                             .sample_period_bytes = 1},
                        SPOOL_ALLOC_MALLOC, NULL);
    for (uint32_t i = 0; i < BENCH_ARRAYS; i++) {
        char label[16];
        const uint64_t base = BENCH_BASE + i * BENCH_ARRAY_BYTES * 2;
        snprintf(label, sizeof(label), "array %u", i);
        spool_put_node(&t->writer, SPOOL_REC_NODE_ADD,
                       (struct spool_node){.time_ns = t->now_ns,
                                           .node = i + 1,
                                           .base = base,
                                           .end = base + BENCH_ARRAY_BYTES,
                                           .elem_size_bytes = 8,
                                           .dims = 1},
                       label);
    }
}

struct bench_wire {
    uint8_t bytes[4096];
    size_t len;
};
static void bench_wire_put(void *user, const void *bytes, size_t len_bytes)
{
    struct bench_wire *w = user;
    if (w->len + len_bytes > sizeof(w->bytes)) bench_fail("no room for a domain");
    memcpy(w->bytes + w->len, bytes, len_bytes);
    w->len += len_bytes;
}

static void bench_data(struct bench_thread *t, uint32_t data, const struct bench_wire *w)
{
    spool_put_domain_data(
        &t->writer, (struct spool_domain_data){.time_ns = t->now_ns, .total_bytes = w->len, .data = data},
        (struct spool_text){w->bytes, (uint32_t)w->len});
}

/* All arrays are mapped to one grid, 32 elements per cell. */
static void bench_map(struct bench_thread *t)
{
    const struct ndm_geometry grid = {.kind = NDM_GRID,
                                      .label = "grid",
                                      .unit = "",
                                      .dims = 2,
                                      .axes = {"x", "y", "z"},
                                      .extents = {1024, 1024, 1},
                                      .spacing = {1, 1, 1},
                                      .cells_len = 1024 * 1024};
    const struct ndm_map map = {.kind = NDM_MAP_LAYOUT,
                                .layout = {.elements_per_cell = BENCH_ARRAY_BYTES / 8 / (1024 * 1024)},
                                .elements_per_entity = 1};
    struct bench_wire geometry = {.len = 0}, layout = {.len = 0};
    ndm_geometry_put(&grid, bench_wire_put, &geometry);
    ndm_map_put(&map, bench_wire_put, &layout);
    bench_data(t, 1, &geometry);
    bench_data(t, 2, &layout);
    spool_put_domain(&t->writer, (struct spool_domain){.time_ns = t->now_ns, .domain = 1, .data = 1});
    spool_put_map(&t->writer, (struct spool_map){.time_ns = t->now_ns, .map = 1, .domain = 1, .data = 2});
    for (uint32_t i = 0; i < BENCH_ARRAYS; i++)
        spool_put_node_map(&t->writer, t->now_ns, i + 1, 1);
}

static void bench_make_spool(const char *spool, uint64_t samples, bool mapped)
{
    struct spool_cap cap = {0};
    static struct bench_thread threads[BENCH_THREADS];
    for (uint32_t i = 0; i < BENCH_THREADS; i++)
        bench_open(&threads[i], spool, i, &cap);
    bench_preamble(&threads[0]);
    if (mapped) bench_map(&threads[0]);
    const uint64_t bursts = samples / BENCH_BURST_ACCESSES, phase = bursts / BENCH_PHASES + 1;
    for (uint64_t n = 0; n < bursts; n++) {
        struct bench_thread *t = &threads[0];
        if (mapped && n % phase == 0) {
            if (n > 0) spool_put_phase(&t->writer, t->now_ns, false, "phase");
            spool_put_phase(&t->writer, t->now_ns, true, "phase");
        }
        bench_burst(&threads[n % BENCH_THREADS]);
    }
    for (uint32_t i = 0; i < BENCH_THREADS; i++)
        spool_writer_close(&threads[i].writer);
}

int main(int argc, char **argv)
{
    const bool mapped = argc > 1 && strcmp(argv[argc - 1], "mapped") == 0;
    argc -= mapped;
    const uint64_t samples = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000000;
    const char *tmp = getenv("TMPDIR");
    char root[256], spool[280], output[280], command[2048];
    const struct mach_calibration calibration = {.tsc_hz = 2700000000u,
                                                 .latency_cycles = {5, 15, 50, 300},
                                                 .limit_cycles = {10, 30, 150, INFINITY},
                                                 .issue_width = 2};
    struct prof_resolve_stats stats;
    struct rusage usage;
    struct stat st;
    snprintf(root, sizeof(root), "%s/loadstone-bench-XXXXXX", tmp && strlen(tmp) < 200 ? tmp : "/tmp");
    if (!mkdtemp(root)) bench_fail("mkdtemp");
    snprintf(spool, sizeof(spool), "%s/spool", root);
    snprintf(output, sizeof(output), "%s/run.h5", root);
    mkdir(spool, 0700);
    bench_make_spool(spool, samples, mapped);
    const struct prof_resolve_options options = {
        .spool_dir = spool, .output_path = output, .command = "bench", .calibration = &calibration};
    const uint64_t begin_ns = ls_clock_mono_ns();
    if (prof_resolve(&options, &stats) != LS_OK) bench_fail("resolve");
    const double seconds = (double)(ls_clock_mono_ns() - begin_ns) / 1e9;
    getrusage(RUSAGE_SELF, &usage);
    stat(output, &st);
    printf("samples            %llu\nresolve            %.1f s (goal: under 30 s for ten million)\n"
           "peak memory        %.0f MiB (goal: under 2048)\nbytes a sample     %.1f (goal: at most 16)\n",
           (unsigned long long)stats.samples, seconds, (double)usage.ru_maxrss / 1024,
           (double)st.st_size / (double)stats.samples);
    if (argc > 2)
        snprintf(command, sizeof(command), "mv '%s' '%s'; rm -rf '%s'", output, argv[2], root);
    else
        snprintf(command, sizeof(command), "rm -rf '%s'", root);
    return system(command) == 0 ? 0 : 1;
}
