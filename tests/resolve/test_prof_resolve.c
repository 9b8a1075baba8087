/* SPDX-License-Identifier: BSD-3-Clause */
/* Recordings with known truth resolve to it. */
#include "resolve/prof_replay.h"
#include "resolve/prof_resolve.h"
#include "run_h5/prof_reader.h"
#include "tests/resolve/prof_fixture.h"
#include "tests/unit.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

struct resolved {
    prof_profile *profile;
    const struct prof_node *nodes;
    size_t nodes_len;
    struct prof_samples samples;
    struct prof_resolve_stats stats;
};

static struct resolved resolve(const struct spool_fixture *f)
{
    struct resolved r = {0};
    char path[400];
    const struct mach_calibration calibration = fixture_calibration();
    snprintf(path, sizeof(path), "%s/run.h5", f->root);
    const struct prof_resolve_options options = {.spool_dir = f->spool,
                                                 .output_path = path,
                                                 .force = 1,
                                                 .command = "app",
                                                 .why_no_hw = "hw: no PMU visible",
                                                 .calibration = &calibration};
    if (prof_resolve(&options, &r.stats) != LS_OK || prof_open(path, &r.profile) != LS_OK)
        fail_msg("%s", ls_last_error());
    r.nodes = prof_nodes(r.profile, &r.nodes_len);
    if (prof_load_samples(r.profile, ~UINT64_C(0), &r.samples) != LS_OK) fail_msg("%s", ls_last_error());
    return r;
}

static const struct prof_node *node_of(const struct resolved *r, size_t sample)
{
    assert_true(sample < r->samples.len);
    assert_true(r->samples.node[sample] < r->nodes_len);
    return &r->nodes[r->samples.node[sample]];
}

static void expect(const struct resolved *r, size_t sample, enum prof_node_kind kind, const char *label)
{
    assert_string_equal(node_of(r, sample)->label, label);
    assert_int_equal(node_of(r, sample)->kind, kind);
}

static void begin(struct spool_fixture *f, struct prof_fixture_thread *t)
{
    spool_fixture_init(f);
    *t = (struct prof_fixture_thread){.now_ns = FIXTURE_START_NS};
    spool_fixture_open(f, &t->writer, FIXTURE_PID, 0, FIXTURE_PID);
    prof_fixture_process(t, FIXTURE_PID, "app");
    prof_fixture_maps(t, fixture_maps);
}

static void end(struct spool_fixture *f, struct resolved *r)
{
    prof_close(r->profile);
    spool_fixture_fini(f);
}

static void every_kind_of_memory_has_its_home(void **state)
{
    static const struct {
        uint64_t addr;
        enum prof_node_kind kind;
        const char *label;
    } rows[] = {
        {FIXTURE_CODE, PROF_NODE_CODE, "app (code and constants)"},
        {FIXTURE_STATIC, PROF_NODE_STATIC, "app"},
        {FIXTURE_BSS, PROF_NODE_STATIC, "app"},
        {FIXTURE_BRK, PROF_NODE_HEAP_SMALL, "small heap blocks"},
        {FIXTURE_BLOCK + 100, PROF_NODE_HEAP, "heap blocks"},
        {FIXTURE_BLOCK + FIXTURE_BLOCK_BYTES, PROF_NODE_ANONYMOUS, "anonymous memory"},
        {FIXTURE_FILE, PROF_NODE_FILE, "/opt/example/input.dat"},
        {FIXTURE_STACK, PROF_NODE_STACK, "stack of main thread"},
        {FIXTURE_VDSO, PROF_NODE_KERNEL, "[vdso]"},
        {FIXTURE_NOWHERE, PROF_NODE_UNMAPPED, "no mapping known at this time"},
        {16, PROF_NODE_UNMAPPED, "null page"},
        {UINT64_MAX - 100, PROF_NODE_UNMAPPED, "not a user address"},
    };
    enum { ROWS = sizeof(rows) / sizeof(rows[0]) };
    struct spool_fixture f;
    struct prof_fixture_thread t;
    (void)state;
    begin(&f, &t);
    prof_fixture_alloc(&t, FIXTURE_BLOCK, FIXTURE_BLOCK_BYTES);
    for (size_t i = 0; i < ROWS; i++)
        prof_fixture_load(&t, rows[i].addr, 5);
    spool_writer_close(&t.writer);
    struct resolved r = resolve(&f);
    assert_int_equal(r.samples.len, ROWS);
    for (size_t i = 0; i < ROWS; i++) {
        expect(&r, i, rows[i].kind, rows[i].label);
        assert_int_equal(r.nodes[node_of(&r, i)->parent].kind, PROF_NODE_UNREGISTERED);
    }
    assert_true(fabs(prof_run_of(r.profile)->coverage_precise - 4.0 / 12) <
                1e-9); /* file, stack, code and constants, vdso */
    assert_true(fabs(prof_run_of(r.profile)->coverage_coarse - 5.0 / 12) < 1e-9);
    end(&f, &r);
}

/* Chunks of the recording are unmapped without a record; memory that the next snapshot finds there was mapped
 * before it. */
static void chunk_of_the_spool_is_no_home(void **state)
{
    enum { TEXT_BYTES = 2048 };
    static const uint64_t addr = UINT64_C(0x7f5000000010);
    char text[TEXT_BYTES];
    struct spool_fixture f;
    struct prof_fixture_thread t;
    (void)state;
    begin(&f, &t);
    snprintf(text, sizeof(text), "%s7f5000000000-7f5000040000 rw-s 00080000 08:01 12 %s", fixture_maps,
             "/run/user/0/loadstone-spool-7/p7.0.t7.0\n");
    prof_fixture_maps(&t, text);
    prof_fixture_load(&t, addr, 5);
    snprintf(text, sizeof(text), "%s7f5000000000-7f5000001000 rw-p 00000000 08:01 13 %s", fixture_maps,
             "/opt/example/t7.0\n");
    prof_fixture_maps(&t, text);
    prof_fixture_load(&t, addr, 5);
    spool_writer_close(&t.writer);
    struct resolved r = resolve(&f);
    expect(&r, 0, PROF_NODE_FILE, "/opt/example/t7.0");
    expect(&r, 1, PROF_NODE_FILE, "/opt/example/t7.0");
    end(&f, &r);
}

static struct spool_node range(uint32_t id, uint32_t parent, uint64_t base, uint64_t end_addr)
{
    return (struct spool_node){
        .node = id, .parent = parent, .base = base, .end = end_addr, .elem_size_bytes = 80, .dims = 10};
}

static void innermost_range_wins_with_element_and_component(void **state)
{
    struct spool_fixture f;
    struct prof_fixture_thread t;
    (void)state;
    begin(&f, &t);
    prof_fixture_node(&t, range(1, 0, FIXTURE_OTHER, FIXTURE_OTHER + 8000), "outer");
    prof_fixture_node(&t, range(2, 1, FIXTURE_OTHER + 800, FIXTURE_OTHER + 1600), "inner");
    prof_fixture_load(&t, FIXTURE_OTHER + 2 * 80 + 3 * 8 + 1, 5);
    prof_fixture_load(&t, FIXTURE_OTHER + 800 + 80, 5);
    prof_fixture_load(&t, FIXTURE_OTHER + 1600, 5);
    spool_writer_close(&t.writer);
    struct resolved r = resolve(&f);
    expect(&r, 0, PROF_NODE_RANGE, "outer");
    assert_int_equal(r.samples.element[0], 2);
    assert_int_equal(r.samples.component[0], 3);
    expect(&r, 1, PROF_NODE_RANGE, "inner");
    assert_int_equal(r.samples.element[1], 1);
    assert_int_equal(r.samples.component[1], 0);
    assert_string_equal(r.nodes[node_of(&r, 1)->parent].label, "outer");
    expect(&r, 2, PROF_NODE_RANGE, "outer");
    assert_int_equal(r.samples.element[2], 20);
    assert_true(prof_run_of(r.profile)->coverage_precise == 1);
    end(&f, &r);
}

static void freed_and_reused_address_resolves_by_time(void **state)
{
    struct spool_fixture f;
    struct prof_fixture_thread t;
    (void)state;
    begin(&f, &t);
    prof_fixture_alloc(&t, FIXTURE_BLOCK, 8000);
    prof_fixture_node(&t, range(1, 0, FIXTURE_BLOCK, FIXTURE_BLOCK + 8000), "first");
    prof_fixture_load(&t, FIXTURE_BLOCK, 5);
    const uint64_t freed_ns = t.now_ns += 10;
    spool_put_free(&t.writer, freed_ns, FIXTURE_BLOCK);
    prof_fixture_load(&t, FIXTURE_BLOCK, 5);
    prof_fixture_alloc(&t, FIXTURE_BLOCK, 8000);
    prof_fixture_load(&t, FIXTURE_BLOCK, 5);
    prof_fixture_node(&t, range(2, 0, FIXTURE_BLOCK, FIXTURE_BLOCK + 8000), "second");
    prof_fixture_load(&t, FIXTURE_BLOCK, 5);
    spool_put_node_remove(&t.writer, t.now_ns += 10, 2, SPOOL_NODE_REMOVED);
    prof_fixture_load(&t, FIXTURE_BLOCK, 5);
    spool_put_munmap(&t.writer, t.now_ns += 10, 0x7f2000000000, 0x200000);
    prof_fixture_load(&t, FIXTURE_BLOCK, 5);
    spool_writer_close(&t.writer);
    struct resolved r = resolve(&f);
    expect(&r, 0, PROF_NODE_RANGE, "first");
    expect(&r, 1, PROF_NODE_ANONYMOUS, "anonymous memory");
    expect(&r, 2, PROF_NODE_HEAP, "heap blocks");
    expect(&r, 3, PROF_NODE_RANGE, "second");
    expect(&r, 4, PROF_NODE_HEAP, "heap blocks");
    /* the snapshot saw it, so it still has a home; precise life-times ended */
    expect(&r, 5, PROF_NODE_ANONYMOUS, "anonymous memory");
    assert_int_equal(node_of(&r, 0)->died_ns, freed_ns - prof_run_of(r.profile)->start_mono_ns);
    assert_true(node_of(&r, 3)->died_ns < UINT64_MAX);
    end(&f, &r);
}

static void resized_range_keeps_its_node(void **state)
{
    struct spool_fixture f;
    struct prof_fixture_thread t;
    (void)state;
    begin(&f, &t);
    prof_fixture_node(&t, range(1, 0, FIXTURE_OTHER, FIXTURE_OTHER + 800), "v");
    prof_fixture_load(&t, FIXTURE_OTHER + 80, 5);
    prof_fixture_node(&t, range(1, 0, FIXTURE_OTHER + 0x10000, FIXTURE_OTHER + 0x20000), NULL);
    prof_fixture_load(&t, FIXTURE_OTHER + 0x10000 + 160, 5);
    prof_fixture_load(&t, FIXTURE_OTHER + 80, 5);
    spool_writer_close(&t.writer);
    struct resolved r = resolve(&f);
    expect(&r, 0, PROF_NODE_RANGE, "v");
    expect(&r, 1, PROF_NODE_RANGE, "v");
    assert_int_equal(r.samples.node[0], r.samples.node[1]);
    assert_int_equal(r.samples.element[0], 1);
    assert_int_equal(r.samples.element[1], 2);
    expect(&r, 2, PROF_NODE_ANONYMOUS, "anonymous memory");
    end(&f, &r);
}

/* Elements count from the begin of the range, whichever part of its memory is gone; when it ends, each remaining piece does. */
static void range_unmapped_in_part_keeps_its_elements(void **state)
{
    struct spool_fixture f;
    struct prof_fixture_thread t;
    (void)state;
    begin(&f, &t);
    prof_fixture_node(&t, range(1, 0, FIXTURE_OTHER, FIXTURE_OTHER + 0x8000), "cut");
    spool_put_munmap(&t.writer, t.now_ns += 10, FIXTURE_OTHER, 0x1000);
    spool_put_munmap(&t.writer, t.now_ns += 10, FIXTURE_OTHER + 0x3000, 0x1000);
    prof_fixture_load(&t, FIXTURE_OTHER + 100 * 80 + 3 * 8, 5);
    prof_fixture_load(&t, FIXTURE_OTHER + 300 * 80, 5);
    prof_fixture_node(&t, range(1, 0, FIXTURE_OTHER + 0x10000, FIXTURE_OTHER + 0x20000), NULL);
    prof_fixture_load(&t, FIXTURE_OTHER + 100 * 80, 5);
    prof_fixture_load(&t, FIXTURE_OTHER + 300 * 80, 5);
    spool_writer_close(&t.writer);
    struct resolved r = resolve(&f);
    expect(&r, 0, PROF_NODE_RANGE, "cut");
    assert_int_equal(r.samples.element[0], 100);
    assert_int_equal(r.samples.component[0], 3);
    assert_int_equal(r.samples.element[1], 300);
    expect(&r, 2, PROF_NODE_ANONYMOUS, "anonymous memory");
    expect(&r, 3, PROF_NODE_ANONYMOUS, "anonymous memory");
    end(&f, &r);
}

static void groups_nest_even_in_a_circle(void **state)
{
    struct spool_fixture f;
    struct prof_fixture_thread t;
    (void)state;
    begin(&f, &t);
    prof_fixture_node(&t, range(1, 0, FIXTURE_OTHER, FIXTURE_OTHER + 800), "a");
    prof_fixture_node(&t, (struct spool_node){.node = 2, .is_group = 1}, "inner group");
    prof_fixture_node(&t, (struct spool_node){.node = 3, .is_group = 1}, "outer group");
    spool_put_node_member(&t.writer, t.now_ns, 2, 1);
    spool_put_node_member(&t.writer, t.now_ns, 3, 2);
    prof_fixture_node(&t, (struct spool_node){.node = 4, .is_group = 1}, "snake");
    prof_fixture_node(&t, (struct spool_node){.node = 5, .is_group = 1}, "tail");
    spool_put_node_member(&t.writer, t.now_ns, 4, 5);
    spool_put_node_member(&t.writer, t.now_ns, 5, 4);
    spool_put_node_member(&t.writer, t.now_ns, 99, 1); /* no such group */
    prof_fixture_load(&t, FIXTURE_OTHER, 5);
    spool_writer_close(&t.writer);
    struct resolved r = resolve(&f);
    const struct prof_node *a = node_of(&r, 0), *inner = &r.nodes[a->parent],
                           *outer = &r.nodes[inner->parent];
    assert_string_equal(inner->label, "inner group");
    assert_string_equal(outer->label, "outer group");
    assert_int_equal(outer->parent, 0);
    end(&f, &r);
}

/* An id takes no memory for the ids below it: a spool of a few hundred bytes took 1.4 GB. */
static void a_node_of_a_far_id_is_one_node(void **state)
{
    struct spool_fixture f;
    struct prof_fixture_thread t;
    struct rusage used;
    int status;
    (void)state;
    begin(&f, &t);
    prof_fixture_node(&t, range(1 << 24, 0, FIXTURE_OTHER, FIXTURE_OTHER + 800), "far");
    prof_fixture_load(&t, FIXTURE_OTHER, 5);
    spool_writer_close(&t.writer);
    const pid_t child = fork();
    if (child == 0) {
        struct resolved r = resolve(&f);
        _exit(strcmp(node_of(&r, 0)->label, "far") != 0);
    }
    assert_int_equal(wait4(child, &status, 0, &used), child);
    assert_int_equal(status, 0);
    assert_in_range(used.ru_maxrss, 1, 512 << 10);
    spool_fixture_fini(&f);
}

static void threads_merge_by_time_and_bursts_stay_whole(void **state)
{
    struct spool_fixture f;
    struct prof_fixture_thread t, u = {.now_ns = FIXTURE_START_NS + 200};
    (void)state;
    begin(&f, &t);
    spool_fixture_open(&f, &u.writer, FIXTURE_PID, 0, FIXTURE_PID + 7);
    u.now_ns = t.now_ns + 200;
    /* t registers between two accesses of one burst of u */
    prof_fixture_burst_begin(&u);                                                   /* t + 1200 */
    prof_fixture_access(&u, FIXTURE_OTHER, SPOOL_OP_STORE, 0);                      /* + 500 */
    prof_fixture_node(&t, range(1, 0, FIXTURE_OTHER, FIXTURE_OTHER + 800), "late"); /* t + 1000 */
    prof_fixture_load(&t, FIXTURE_STATIC, 5);
    prof_fixture_access(&u, FIXTURE_OTHER, SPOOL_OP_LOAD, 0);
    prof_fixture_burst_end(&u);
    spool_put_phase(&t.writer, t.now_ns += 5000, true, "tail");
    prof_fixture_load(&t, FIXTURE_OTHER, 5);
    spool_put_node_remove(&t.writer, t.now_ns += 10, 1, SPOOL_NODE_REMOVED);
    u.now_ns = t.now_ns + 100;
    prof_fixture_load(&u, FIXTURE_OTHER, 5);
    spool_writer_close(&t.writer);
    spool_writer_close(&u.writer);
    struct resolved r = resolve(&f);
    size_t bursts_len, phases_len;
    const struct prof_burst *bursts = prof_bursts(r.profile, &bursts_len);
    const struct prof_phase *phases = prof_phases(r.profile, &phases_len);
    assert_int_equal(bursts_len, 4);
    assert_int_equal(r.samples.len, 5);
    for (size_t b = 0; b < bursts_len; b++)
        for (uint32_t i = 0; i < bursts[b].samples_len; i++)
            assert_int_equal(r.samples.burst[bursts[b].first_sample + i], b);
    for (size_t i = 0; i < r.samples.len; i++) {
        const bool is_removed = i == 4;
        if (r.samples.addr[i] == FIXTURE_OTHER)
            assert_int_equal(node_of(&r, i)->kind, is_removed ? PROF_NODE_ANONYMOUS : PROF_NODE_RANGE);
    }
    assert_int_equal(phases_len, 1);
    assert_string_equal(phases[0].name, "tail");
    assert_int_equal(r.samples.phase[4], 0);
    assert_int_equal(r.samples.phase[0], UINT32_MAX);
    end(&f, &r);
}

/* Kernel time of page faults is not part of the user time that bursts represent. */
static void page_faults_in_a_burst_are_not_its_time(void **state)
{
    struct spool_fixture f;
    struct prof_fixture_thread t;
    (void)state;
    begin(&f, &t);
    static const uint32_t faults[] = {0, 10, 1000000};
    for (int i = 0; i < 3; i++) {
        const struct spool_burst_end e = {.time_ns = t.now_ns += 1000,
                                          .instructions = 4000,
                                          .method = SPOOL_METHOD_TRANSLATE,
                                          .program_ns = 20000,
                                          .faults = faults[i]};
        prof_fixture_burst_begin(&t);
        spool_put_burst_end(&t.writer, SPOOL_BURST_BUDGET, e);
    }
    spool_writer_close(&t.writer);
    struct resolved r = resolve(&f);
    size_t len;
    const struct prof_burst *bursts = prof_bursts(r.profile, &len);
    assert_int_equal(len, 3);
    assert_int_equal(bursts[0].program_ns, 20000);
    assert_int_equal(bursts[0].weight_ns, 10020000);
    assert_true(bursts[1].program_ns > 0 && bursts[1].program_ns < 20000);
    assert_int_equal(bursts[1].weight_ns, 10000000 + bursts[1].program_ns);
    assert_int_equal(bursts[2].program_ns, 0);
    assert_int_equal(bursts[2].weight_ns, 10000000);
    end(&f, &r);
}

static void levels_follow_the_calibration(void **state)
{
    struct spool_fixture f;
    struct prof_fixture_thread t;
    (void)state;
    begin(&f, &t);
    prof_fixture_burst_begin(&t);
    prof_fixture_access(&t, FIXTURE_STATIC, SPOOL_OP_LOAD, 4);
    prof_fixture_access(&t, FIXTURE_STATIC, SPOOL_OP_LOAD, 20);
    prof_fixture_access(&t, FIXTURE_STATIC, SPOOL_OP_LOAD, 60);
    prof_fixture_access(&t, FIXTURE_STATIC, SPOOL_OP_LOAD, 400);
    prof_fixture_access(&t, FIXTURE_STATIC, SPOOL_OP_LOAD | SPOOL_ACCESS_LINE_SEEN, 60);
    prof_fixture_access(&t, FIXTURE_STATIC, SPOOL_OP_LOAD | SPOOL_ACCESS_LINE_SEEN, 400);
    prof_fixture_access(&t, FIXTURE_STATIC, SPOOL_OP_STORE, 0);
    prof_fixture_burst_end(&t);
    spool_writer_close(&t.writer);
    static const uint8_t levels[] = {0, 1, 2, 3, 0, 3, UINT8_MAX};
    static const int32_t cycles[] = {4, 20, 60, 400, 5, 400, INT32_MIN};
    struct resolved r = resolve(&f);
    assert_int_equal(r.samples.len, 7);
    for (size_t i = 0; i < 7; i++) {
        assert_int_equal(r.samples.level[i], levels[i]);
        assert_int_equal(r.samples.latency_cycles[i], cycles[i]);
        assert_int_equal(r.samples.latency_valid[i], i < 6);
    }
    assert_int_equal(r.samples.op[6], 1);
    end(&f, &r);
}

/* The cost of the probe is measured with every load and is not part of the latency, whose sum survives the
 * rounding. */
static void latencies_are_readings_without_the_cost_of_the_probe(void **state)
{
    enum { LOADS = 100 };
    const struct mach_calibration c = {.tsc_step_cycles = 26,
                                       .probe_cost_cycles = 50.25,
                                       .latency_cycles = {2.75, 9, 40, 400},
                                       .limit_cycles = {13, 39, 143, INFINITY}};
    struct prof_latency l = {.calibration = &c};
    const struct spool_burst_end controls = {.control_cycles = 1000 * 53 + 1000 * 64, .control_len = 2000};
    struct spool_access a = {.rec = {.flags = SPOOL_OP_LOAD}, .latency_cycles = 52};
    struct prof_sample s = prof_sample_missing;
    int64_t sum = 0;
    (void)state;
    prof_latency_set(&l, &a, &s);
    assert_int_equal(s.latency_cycles, INT32_MIN); /* not measured */
    a.rec.flags |= SPOOL_ACCESS_LATENCY_VALID;
    prof_latency_set(&l, &a, &s);
    assert_int_equal(s.latency_cycles, 2); /* the calibration's cost */
    prof_latency_learn(&l, &controls);
    assert_true(fabs(prof_latency_cost_cycles(&l) - (58.5 - 2.75)) < 0.25);
    for (int i = 0; i < LOADS; i++) {
        a.latency_cycles = i % 2 ? 52 : 78;
        prof_latency_set(&l, &a, &s);
        sum += s.latency_cycles;
        assert_int_equal(s.level, i % 2 ? MACH_L1 : MACH_L2);
    }
    assert_true(fabs((double)sum / LOADS - (65 - prof_latency_cost_cycles(&l))) < 0.02);
    a.rec.flags |= SPOOL_ACCESS_LINE_SEEN;
    prof_latency_set(&l, &a, &s);
    assert_in_range(s.latency_cycles, 2, 3); /* natively in L1, whatever the probe measures */
    struct prof_latency unknown = {.control_cycles = 6000, .control_len = 100};
    a.latency_cycles = 78;
    prof_latency_set(&unknown, &a, &s);
    assert_int_equal(s.latency_cycles, 78 - 60 + 4);
}

static void put_in_place(struct prof_fixture_thread *t, const struct spool_in_place_row *rows,
                         uint32_t rows_len)
{
    spool_put_in_place(&t->writer, t->now_ns, rows, rows_len);
}

/* A process reports when sampling is stopped, before exec and at its end. */
static void instructions_in_place_are_counted_by_process_and_mnemonic(void **state)
{
    static const struct spool_in_place_row first[] = {{"div", 5}, {"mov", 2}}, second[] = {{"div", 3}},
                                           childs[] = {{"div", 1}, {"vfrczpd", 1}};
    struct spool_fixture f;
    struct prof_fixture_thread t, u = {.now_ns = FIXTURE_START_NS + 50000};
    (void)state;
    begin(&f, &t);
    spool_fixture_open(&f, &u.writer, FIXTURE_PID + 1, 0, FIXTURE_PID + 1);
    prof_fixture_process(&u, FIXTURE_PID + 1, "child");
    prof_fixture_load(&t, FIXTURE_OTHER, 5);
    put_in_place(&t, first, 2);
    const struct spool_burst_end rest = {.time_ns = t.now_ns, .instructions = 300, .in_place = 8};
    prof_fixture_burst_begin(&t);
    spool_put_burst_end(&t.writer, SPOOL_BURST_BUDGET, rest);
    put_in_place(&t, second, 1);
    put_in_place(&u, childs, 2);
    spool_writer_close(&t.writer);
    spool_writer_close(&u.writer);
    struct resolved r = resolve(&f);
    size_t len, processes_len;
    const struct prof_process *processes = prof_processes(r.profile, &processes_len);
    const struct prof_in_place *rows = prof_in_places(r.profile, &len);
    assert_int_equal(len, 4);
    for (size_t i = 0; i < len; i++) {
        const bool is_childs = processes[rows[i].process].pid == FIXTURE_PID + 1;
        const bool is_div = strcmp(rows[i].instruction, "div") == 0;
        assert_int_equal(rows[i].count, is_childs ? 1 : is_div ? 8 : 2);
    }
    assert_int_equal(prof_run_of(r.profile)->instructions_stepped, 1200 + 300);
    assert_int_equal(prof_run_of(r.profile)->instructions_in_place, 8);
    end(&f, &r);
}

static void several_processes_get_a_node_each_and_share_homes(void **state)
{
    struct spool_fixture f;
    struct prof_fixture_thread t, u = {.now_ns = FIXTURE_START_NS + 50000};
    (void)state;
    begin(&f, &t);
    spool_fixture_open(&f, &u.writer, FIXTURE_PID + 1, 0, FIXTURE_PID + 1);
    prof_fixture_process(&u, FIXTURE_PID + 1, "child");
    prof_fixture_maps(&u, fixture_maps);
    prof_fixture_node(&t, range(1, 0, FIXTURE_OTHER, FIXTURE_OTHER + 800), "A");
    prof_fixture_node(&u, range(1, 0, FIXTURE_OTHER, FIXTURE_OTHER + 800), "A");
    prof_fixture_load(&t, FIXTURE_OTHER, 5);
    prof_fixture_load(&t, FIXTURE_STATIC, 5);
    prof_fixture_load(&u, FIXTURE_OTHER, 5);
    prof_fixture_load(&u, FIXTURE_STATIC, 5);
    spool_writer_close(&t.writer);
    spool_writer_close(&u.writer);
    struct resolved r = resolve(&f);
    assert_int_equal(r.stats.processes, 2);
    assert_int_not_equal(r.samples.node[0], r.samples.node[2]);
    assert_int_equal(r.samples.node[1], r.samples.node[3]);
    assert_int_equal(r.nodes[node_of(&r, 0)->parent].kind, PROF_NODE_PROCESS);
    assert_int_equal(node_of(&r, 2)->process, 1);
    end(&f, &r);
}

static void overhead_is_bursts_and_hooks_over_life(void **state)
{
    struct spool_fixture f;
    struct prof_fixture_thread t;
    (void)state;
    begin(&f, &t);
    prof_fixture_load(&t, FIXTURE_STATIC, 5); /* 900 ns of bursts, 100 of hooks */
    t.now_ns = FIXTURE_START_NS + 1000 + 200000000;
    spool_put_thread_end(&t.writer,
                         (struct spool_thread_end){.time_ns = t.now_ns, .cpu_ns = 1, .spent_ns = 900});
    spool_writer_close(&t.writer);
    struct resolved r = resolve(&f);
    assert_string_equal(prof_run_of(r.profile)->why, "no PMU here; hw: no PMU visible");
    assert_true(fabs(prof_run_of(r.profile)->overhead_achieved - 1000.0 / 200000000) < 1e-12);
    assert_true(fabs(prof_run_of(r.profile)->overhead_asked - 0.03) < 1e-12);
    end(&f, &r);
}

static void damaged_file_is_read_up_to_the_damage_and_reported(void **state)
{
    struct spool_fixture f;
    struct prof_fixture_thread t, u = {.now_ns = FIXTURE_START_NS};
    size_t len;
    (void)state;
    begin(&f, &t);
    for (int i = 0; i < 10; i++)
        prof_fixture_load(&t, FIXTURE_STATIC, 5);
    spool_fixture_open(&f, &u.writer, FIXTURE_PID, 0, FIXTURE_PID + 1);
    prof_fixture_load(&u, FIXTURE_STATIC, 5);
    spool_writer_close(&t.writer);
    spool_writer_close(&u.writer);
    const char *path = spool_fixture_path(&f, FIXTURE_PID, 0, FIXTURE_PID);
    uint8_t *bytes = fixture_read_file(path, &len);
    const size_t burst_bytes =
        sizeof(struct spool_burst_begin) + sizeof(struct spool_access) + sizeof(struct spool_burst_end);
    bytes[len - 4 * burst_bytes + 4] = 3; /* four bursts before the end: a length becomes odd */
    fixture_write_file(path, bytes, len - 20);
    free(bytes);
    struct resolved r = resolve(&f);
    size_t events_len;
    const struct prof_event *events = prof_events(r.profile, &events_len);
    assert_int_equal(r.stats.damaged_files, 1);
    assert_int_equal(r.samples.len, 6 + 1);
    assert_int_equal(events_len, 2);
    assert_string_equal(events[0].kind, "DAMAGED_FILE");
    assert_non_null(strstr(events[0].text, "byte "));
    /* the fixture's program is in no file: reported once, however many samples need its names */
    assert_string_equal(events[1].kind, "NO_SYMBOLS");
    assert_non_null(strstr(events[1].text, "/opt/example/app: No such file or directory"));
    end(&f, &r);
}

static void other_version_and_missing_spool_are_refused(void **state)
{
    struct spool_fixture f;
    struct prof_fixture_thread t;
    char path[400];
    size_t len;
    (void)state;
    begin(&f, &t);
    spool_writer_close(&t.writer);
    uint8_t *bytes = fixture_read_file(spool_fixture_path(&f, FIXTURE_PID, 0, FIXTURE_PID), &len);
    bytes[8] = 9;
    fixture_write_file(spool_fixture_path(&f, FIXTURE_PID, 0, FIXTURE_PID), bytes, len);
    free(bytes);
    snprintf(path, sizeof(path), "%s/run.h5", f.root);
    struct prof_resolve_options options = {.spool_dir = f.spool, .output_path = path};
    assert_int_equal(prof_resolve(&options, NULL), LS_ERR_VERSION);
    assert_non_null(strstr(ls_last_error(), "version 9"));
    options.spool_dir = "/nonexistent/spool";
    assert_int_equal(prof_resolve(&options, NULL), LS_ERR_NOT_FOUND);
    options.spool_dir = f.root;
    assert_int_equal(prof_resolve(&options, NULL), LS_ERR_NOT_FOUND);
    fixture_write_file(path, "mine", 4);
    options.spool_dir = f.spool;
    assert_int_equal(prof_resolve(&options, NULL), LS_ERR_EXISTS);
    assert_non_null(strstr(ls_last_error(), "--force"));
    spool_fixture_fini(&f);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_memory_has_its_home),
        cmocka_unit_test(chunk_of_the_spool_is_no_home),
        cmocka_unit_test(innermost_range_wins_with_element_and_component),
        cmocka_unit_test(freed_and_reused_address_resolves_by_time),
        cmocka_unit_test(resized_range_keeps_its_node),
        cmocka_unit_test(range_unmapped_in_part_keeps_its_elements),
        cmocka_unit_test(groups_nest_even_in_a_circle),
        cmocka_unit_test(a_node_of_a_far_id_is_one_node),
        cmocka_unit_test(threads_merge_by_time_and_bursts_stay_whole),
        cmocka_unit_test(page_faults_in_a_burst_are_not_its_time),
        cmocka_unit_test(levels_follow_the_calibration),
        cmocka_unit_test(latencies_are_readings_without_the_cost_of_the_probe),
        cmocka_unit_test(instructions_in_place_are_counted_by_process_and_mnemonic),
        cmocka_unit_test(several_processes_get_a_node_each_and_share_homes),
        cmocka_unit_test(overhead_is_bursts_and_hooks_over_life),
        cmocka_unit_test(damaged_file_is_read_up_to_the_damage_and_reported),
        cmocka_unit_test(other_version_and_missing_spool_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
