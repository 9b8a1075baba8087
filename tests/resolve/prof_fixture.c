/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/resolve/prof_fixture.h"

#include <math.h>
#include <string.h>

const char fixture_maps[] = "555555554000-555555555000 r--p 00000000 08:01 10    /opt/example/app\n"
                            "555555555000-555555556000 r-xp 00001000 08:01 10    /opt/example/app\n"
                            "555555556000-555555558000 rw-p 00002000 08:01 10    /opt/example/app\n"
                            "555555558000-55555555a000 rw-p 00000000 00:00 0 \n"
                            "555555600000-555555621000 rw-p 00000000 00:00 0     [heap]\n"
                            "7f1000000000-7f1000001000 r--s 00000000 08:01 11    /opt/example/input.dat\n"
                            "7f2000000000-7f2000200000 rw-p 00000000 00:00 0 \n"
                            "7f3000000000-7f3000200000 rw-p 00000000 00:00 0 \n"
                            "7f4000000000-7f4000200000 rw-p 00000000 00:00 0 \n"
                            "7ffff7fc1000-7ffff7fc3000 r-xp 00000000 00:00 0     [vdso]\n"
                            "7ffffffde000-7ffffffff000 rw-p 00000000 00:00 0     [stack]\n";

struct mach_calibration fixture_calibration(void)
{
    return (struct mach_calibration){.tsc_hz = FIXTURE_TSC_HZ,
                                     .tsc_step_cycles = 1,
                                     .latency_cycles = {5, 15, 50, 300},
                                     .limit_cycles = {10, 30, 150, INFINITY},
                                     .cache_bytes = {32768, 1 << 20, 32 << 20, 0},
                                     .issue_width = 2};
}

static uint64_t fixture_tick(struct prof_fixture_thread *t)
{
    return t->now_ns += 1000;
}

void prof_fixture_process(struct prof_fixture_thread *t, uint32_t pid, const char *cmdline)
{
    const struct spool_process p = {.time_ns = fixture_tick(t),
                                    .pid = pid,
                                    .parent_pid = 1,
                                    .overhead_ppm = 30000,
                                    .burst_instructions = 1200,
                                    .tsc_hz = FIXTURE_TSC_HZ,
                                    .probe_cost_cycles = 52};
    const struct spool_process_texts texts = {.engine = "step",
                                              .trigger = "perf",
                                              .why = "no PMU here",
                                              .exe = "/opt/example/app",
                                              .cwd = "/",
                                              .cmdline = {cmdline, (uint32_t)strlen(cmdline)}};
    spool_put_process(&t->writer, p, &texts);
}

void prof_fixture_maps(struct prof_fixture_thread *t, const char *text)
{
    /* in two pieces, split inside a line */
    const uint32_t len = (uint32_t)strlen(text), first = len / 2;
    const uint64_t now = fixture_tick(t);
    spool_put_maps(&t->writer, now, SPOOL_MAPS_FIRST, (struct spool_text){text, first});
    spool_put_maps(&t->writer, now, SPOOL_MAPS_LAST, (struct spool_text){text + first, len - first});
}

void prof_fixture_node(struct prof_fixture_thread *t, struct spool_node node, const char *label)
{
    node.time_ns = fixture_tick(t);
    spool_put_node(&t->writer, label ? SPOOL_REC_NODE_ADD : SPOOL_REC_NODE_RANGE, node, label);
}

void prof_fixture_alloc(struct prof_fixture_thread *t, uint64_t base, uint64_t len_bytes)
{
    const struct spool_alloc a = {
        .time_ns = fixture_tick(t), .base = base, .len_bytes = len_bytes, .sample_period_bytes = 1};
    spool_put_alloc(&t->writer, a, SPOOL_ALLOC_MALLOC, NULL);
}

void prof_fixture_burst_begin(struct prof_fixture_thread *t)
{
    const struct spool_burst_begin b = {.time_ns = fixture_tick(t),
                                        .tsc = t->now_ns,
                                        .weight_ns = 10000000,
                                        .ip = FIXTURE_CODE,
                                        .cpu = 1,
                                        .number = t->bursts++};
    spool_put_burst_begin(&t->writer, b);
}

void prof_fixture_burst_end(struct prof_fixture_thread *t)
{
    const struct spool_burst_end e = {.time_ns = fixture_tick(t),
                                      .spent_ns = 900,
                                      .hooks_ns = 100 * t->bursts,
                                      .all_spent_ns = 900 * t->bursts,
                                      .instructions = 1200};
    spool_put_burst_end(&t->writer, SPOOL_BURST_BUDGET, e);
}

void prof_fixture_access(struct prof_fixture_thread *t, uint64_t addr, uint16_t flags,
                         uint32_t latency_cycles)
{
    const struct spool_access a = {.ip = FIXTURE_CODE + 4,
                                   .addr = addr,
                                   .tsc_delta = 500,
                                   .latency_cycles = latency_cycles,
                                   .position = latency_cycles ? 700 : 10,
                                   .size_bytes = 8};
    if (latency_cycles) flags |= SPOOL_ACCESS_LATENCY_VALID;
    spool_put_access(&t->writer, flags, &a);
}

void prof_fixture_page(struct prof_fixture_thread *t, uint64_t page, unsigned node)
{
    const struct spool_pages r = {.time_ns = fixture_tick(t), .pages_len = 1};
    const uint64_t entry = (page & ~SPOOL_PAGE_NODE_MASK) | node;
    const struct spool_text pages = {&entry, sizeof(entry)};
    spool_put(&t->writer, SPOOL_WHAT(PAGES, 0, r), &r, &pages, 1);
}

void prof_fixture_stack(struct prof_fixture_thread *t, uint64_t rsp, const struct spool_link *links,
                        uint32_t links_len)
{
    const struct spool_stack r = {.time_ns = t->now_ns,
                                  .regs = {[SPOOL_REG_RSP] = rsp, [SPOOL_REG_IP] = FIXTURE_CODE},
                                  .links_len = links_len};
    const struct spool_text tail = {links, links_len * (uint32_t)sizeof(*links)};
    spool_put(&t->writer, SPOOL_WHAT(STACK, SPOOL_STACK_CALLS, r), &r, &tail, 1);
}

void prof_fixture_load(struct prof_fixture_thread *t, uint64_t addr, uint32_t latency_cycles)
{
    prof_fixture_burst_begin(t);
    prof_fixture_access(t, addr, SPOOL_OP_LOAD, latency_cycles);
    prof_fixture_burst_end(t);
}

static void fixture_example_worker(struct spool_fixture *f)
{
    struct prof_fixture_thread t = {.now_ns = FIXTURE_START_NS + 5500};
    spool_fixture_open(f, &t.writer, FIXTURE_PID, 0, FIXTURE_PID + 1);
    spool_put_thread_begin(&t.writer,
                           (struct spool_thread_begin){.time_ns = t.now_ns,
                                                       .stack_base = FIXTURE_THREAD_STACK - 0x100000,
                                                       .stack_end = FIXTURE_THREAD_STACK + 0x1000,
                                                       .tid = FIXTURE_PID + 1},
                           "worker");
    prof_fixture_load(&t, FIXTURE_THREAD_STACK, 5);
    spool_put_thread_end(
        &t.writer, (struct spool_thread_end){.time_ns = t.now_ns + 50, .cpu_ns = 4000, .spent_ns = 900});
    spool_writer_close(&t.writer);
}

void prof_fixture_example(struct spool_fixture *f)
{
    struct prof_fixture_thread t = {.now_ns = FIXTURE_START_NS};
    spool_fixture_open(f, &t.writer, FIXTURE_PID, 0, FIXTURE_PID);
    prof_fixture_process(&t, FIXTURE_PID, "app --size 1024");
    spool_put_thread_begin(&t.writer, (struct spool_thread_begin){.time_ns = t.now_ns, .tid = FIXTURE_PID},
                           "app");
    prof_fixture_maps(&t, fixture_maps);
    prof_fixture_alloc(&t, FIXTURE_BLOCK, FIXTURE_BLOCK_BYTES);
    /* the range is registered before the group that takes it in */
    prof_fixture_node(
        &t,
        (struct spool_node){
            .node = 1, .base = FIXTURE_BLOCK, .end = FIXTURE_BLOCK + 8000, .elem_size_bytes = 80, .dims = 10},
        "A");
    prof_fixture_node(&t, (struct spool_node){.node = 2, .is_group = 1}, "Input");
    spool_put_node_member(&t.writer, t.now_ns, 2, 1);
    spool_put_phase(&t.writer, t.now_ns, true, "multiply");
    prof_fixture_load(&t, FIXTURE_BLOCK + 2 * 80 + 3 * 8, 320);
    prof_fixture_load(&t, FIXTURE_STATIC, 12);
    spool_put_phase(&t.writer, t.now_ns, false, "multiply");
    spool_put_free(&t.writer, t.now_ns + 100, FIXTURE_BLOCK);
    prof_fixture_alloc(&t, FIXTURE_BLOCK, 4096);
    prof_fixture_load(&t, FIXTURE_BLOCK + 2 * 80 + 3 * 8, 0);
    spool_put_thread_end(
        &t.writer, (struct spool_thread_end){.time_ns = t.now_ns + 50, .cpu_ns = 90000, .spent_ns = 2700});
    spool_writer_close(&t.writer);
    fixture_example_worker(f);
}
