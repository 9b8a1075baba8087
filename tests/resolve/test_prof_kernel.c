/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernel time by cause, from records of faults and calls. */
#include "resolve/prof_kernel.h"
#include "resolve/prof_replay.h"
#include "resolve/prof_resolve.h"
#include "run_h5/prof_reader.h"
#include "tests/resolve/prof_fixture.h"
#include "tests/unit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct recording {
    struct spool_fixture f;
    struct prof_fixture_thread t;
    char run_path[400];
    prof_profile *profile;
    const struct prof_kernel *rows;
    size_t len;
};

static void begin(struct recording *r)
{
    memset(r, 0, sizeof(*r));
    spool_fixture_init(&r->f);
    snprintf(r->run_path, sizeof(r->run_path), "%s/run.h5", r->f.root);
    r->t.now_ns = FIXTURE_START_NS;
    spool_fixture_open(&r->f, &r->t.writer, FIXTURE_PID, 0, FIXTURE_PID);
    prof_fixture_process(&r->t, FIXTURE_PID, "app");
    prof_fixture_maps(&r->t, fixture_maps);
}

static void resolve(struct recording *r)
{
    struct mach_calibration calibration = fixture_calibration();
    struct prof_resolve_stats stats;
    const struct prof_resolve_options options = {
        .spool_dir = r->f.spool, .output_path = r->run_path, .command = "app", .calibration = &calibration};
    calibration.fault_ns = 500;
    calibration.huge_fault_ns = 100000;
    calibration.fault_error = 0.1;
    spool_writer_close(&r->t.writer);
    if (prof_resolve(&options, &stats) != LS_OK) fail_msg("%s", ls_last_error());
    if (prof_open(r->run_path, &r->profile) != LS_OK) fail_msg("%s", ls_last_error());
    r->rows = prof_kernels(r->profile, &r->len);
}

static void end(struct recording *r)
{
    prof_close(r->profile);
    spool_fixture_fini(&r->f);
}

static uint64_t tick(struct recording *r)
{
    return r->t.now_ns += 1000;
}

static void put_fault(struct recording *r, uint64_t addr, uint32_t faults, unsigned flags)
{
    const struct spool_kernel_fault f = {
        .time_ns = tick(r), .ip = FIXTURE_CODE, .addr = addr, .faults = faults};
    spool_put_kernel_fault(&r->t.writer, flags, f);
}

static void put_call(struct recording *r, unsigned flags, uint64_t addr, uint32_t calls)
{
    const struct spool_kernel_call c = {.rec.flags = (uint16_t)flags,
                                        .time_ns = tick(r),
                                        .ip = FIXTURE_CODE + 8,
                                        .addr = addr,
                                        .len_bytes = 4096,
                                        .cpu_ns = 2000,
                                        .calls = calls};
    spool_put_kernel_call(&r->t.writer, c);
}

static const struct prof_kernel *row_of(const struct recording *r, enum prof_kernel_cause cause)
{
    const struct prof_kernel *found = NULL;
    for (size_t i = 0; i < r->len; i++) {
        if (r->rows[i].cause != cause) continue;
        assert_null(found);
        found = &r->rows[i];
    }
    assert_non_null(found);
    return found;
}

static const char *label_of(const struct recording *r, uint32_t id)
{
    size_t len;
    const struct prof_node *nodes = prof_nodes(r->profile, &len);
    for (size_t i = 0; i < len; i++)
        if (nodes[i].id == id) return nodes[i].label;
    fail_msg("no node %u", id);
    return "";
}

static uint64_t ip_of(const struct recording *r, uint32_t line)
{
    size_t len;
    const struct prof_line *lines = prof_lines(r->profile, &len);
    assert_true(line < len);
    return lines[line].ip;
}

static void faults_cost_by_size_of_page(void **state)
{
    struct recording r;
    (void)state;
    begin(&r);
    prof_fixture_node(
        &r.t,
        (struct spool_node){
            .node = 1, .base = FIXTURE_OTHER, .end = FIXTURE_OTHER + 8000, .elem_size_bytes = 80, .dims = 10},
        "A");
    put_fault(&r, FIXTURE_OTHER, 10, 0);
    put_fault(&r, FIXTURE_OTHER + 4096, 30, 0);
    put_fault(&r, FIXTURE_OTHER, 2, SPOOL_FAULT_HUGE);
    resolve(&r);
    assert_int_equal(r.len, 2);
    const struct prof_kernel *small = row_of(&r, PROF_KERNEL_FAULT),
                             *huge = row_of(&r, PROF_KERNEL_HUGE_FAULT);
    assert_string_equal(label_of(&r, small->node), "A");
    assert_int_equal(ip_of(&r, small->line), FIXTURE_CODE);
    assert_int_equal(small->calls, 40);
    assert_int_equal(small->bytes, 40 * 4096);
    assert_float_equal(small->time_ns, 40 * 500, 1e-6);
    /* 1.96 sqrt(10 * 9 + 30 * 29) * 500, and the calibration's tenth */
    assert_float_equal(small->error_ns, 30364 + 2000, 1);
    assert_int_equal(huge->calls, 2);
    assert_int_equal(huge->bytes, 2 * (2 << 20));
    assert_float_equal(huge->time_ns, 200000, 1e-6);
    end(&r);
}

static void calls_have_memory_and_callers(void **state)
{
    struct recording r;
    (void)state;
    begin(&r);
    put_call(&r, SPOOL_CALL_MAP, FIXTURE_OTHER, 1);
    put_call(&r, SPOOL_CALL_READ, 0, 100);
    put_call(&r, SPOOL_CALL_READ, 0, 50);
    resolve(&r);
    assert_int_equal(r.len, 2);
    const struct prof_kernel *map = row_of(&r, PROF_KERNEL_MAP), *read = row_of(&r, PROF_KERNEL_READ);
    assert_true(map->node != UINT32_MAX);
    assert_float_equal(map->time_ns, 2000, 1e-6);
    assert_float_equal(map->error_ns, 0, 1e-6); /* each call was timed */
    assert_int_equal(read->node, UINT32_MAX);
    assert_int_equal(ip_of(&r, read->line), FIXTURE_CODE + 7);
    assert_int_equal(read->calls, 150);
    assert_int_equal(read->bytes, 150 * 4096);
    assert_float_equal(read->time_ns, 300000, 1e-6);
    end(&r);
}

/* The block is named before it ends, the time comes after; a sampled block represents others. */
static void freed_block_keeps_its_site(void **state)
{
    static const uint64_t frames[] = {FIXTURE_CODE + 100};
    const struct spool_alloc sampled = {
        .base = FIXTURE_BLOCK, .len_bytes = 131072, .frames_len = 1, .sample_period_bytes = 131072};
    struct recording r;
    (void)state;
    begin(&r);
    struct spool_alloc a = sampled;
    a.time_ns = tick(&r);
    spool_put_alloc(&r.t.writer, a, SPOOL_ALLOC_MALLOC, frames);
    put_call(&r, SPOOL_CALL_ANNOUNCED | SPOOL_CALL_BLOCK, FIXTURE_BLOCK, 4);
    spool_put_free(&r.t.writer, tick(&r), FIXTURE_BLOCK);
    put_call(&r, SPOOL_CALL_UNMAP | SPOOL_CALL_ENDED, FIXTURE_BLOCK, 4);
    resolve(&r);
    assert_int_equal(r.len, 1);
    size_t nodes_len;
    const struct prof_node *nodes = prof_nodes(r.profile, &nodes_len);
    assert_true(r.rows[0].node < nodes_len);
    assert_int_equal(nodes[r.rows[0].node].kind, PROF_NODE_SITE);
    assert_int_equal(r.rows[0].cause, PROF_KERNEL_UNMAP);
    assert_int_equal(r.rows[0].calls, 6); /* 4 / (1 - exp(-1)) */
    end(&r);
}

/* A cut or damaged spool: no announcement, no such kind. */
static void meaningless_records_change_nothing(void **state)
{
    struct recording r;
    (void)state;
    begin(&r);
    put_call(&r, SPOOL_CALL_KINDS, FIXTURE_OTHER, 1);
    put_call(&r, SPOOL_CALL_UNMAP | SPOOL_CALL_ENDED, FIXTURE_BLOCK, 1);
    put_fault(&r, FIXTURE_NOWHERE, 0, 0);
    resolve(&r);
    assert_int_equal(r.len, 2);
    assert_int_equal(row_of(&r, PROF_KERNEL_UNMAP)->node, UINT32_MAX);
    assert_float_equal(row_of(&r, PROF_KERNEL_FAULT)->time_ns, 0, 1e-6);
    assert_true(row_of(&r, PROF_KERNEL_FAULT)->error_ns >= 0);
    end(&r);
}

static void run_with_rows(struct prof_run_state *run)
{
    static struct prof_kernel rows[16];
    memset(run, 0, sizeof(*run));
    rows[0] =
        (struct prof_kernel){.process = 1, .cause = PROF_KERNEL_FAULT, .time_ns = 3000, .error_ns = 300};
    rows[1] = (struct prof_kernel){.process = 2, .cause = PROF_KERNEL_READ, .time_ns = 7000, .error_ns = 1};
    rows[2] =
        (struct prof_kernel){.process = 1, .cause = PROF_KERNEL_UNMAP, .time_ns = 1000, .error_ns = 400};
    run->kernels.rows = rows;
    run->kernels.len = 3;
    run->kernels.room = 16;
}

static void rest_of_the_kernels_time_is_a_row(void **state)
{
    struct prof_run_state run;
    (void)state;
    run_with_rows(&run);
    assert_int_equal(prof_kernel_finish(&run, 1, 10000), LS_OK);
    assert_int_equal(run.kernels.len, 4);
    const struct prof_kernel *other = &run.kernels.rows[3];
    assert_int_equal(other->cause, PROF_KERNEL_OTHER);
    assert_int_equal(other->process, 1);
    assert_float_equal(other->time_ns, 6000, 1e-6);
    assert_float_equal(other->error_ns, 500, 1e-6);
    assert_float_equal(run.kernels.rows[0].time_ns, 3000, 1e-6);
}

static void causes_never_exceed_the_kernels_time(void **state)
{
    struct prof_run_state run;
    (void)state;
    run_with_rows(&run);
    assert_int_equal(prof_kernel_finish(&run, 1, 2000), LS_OK);
    assert_int_equal(run.kernels.len, 3);
    assert_float_equal(run.kernels.rows[0].time_ns, 1500, 1e-6);
    assert_float_equal(run.kernels.rows[0].error_ns, 150, 1e-6);
    assert_float_equal(run.kernels.rows[1].time_ns, 7000, 1e-6); /* fault of another process */
    assert_float_equal(run.kernels.rows[2].time_ns, 500, 1e-6);
    assert_int_equal(prof_kernel_finish(&run, 2, 0), LS_OK);
    assert_float_equal(run.kernels.rows[1].time_ns, 0, 1e-6);
}

static void unknown_time_changes_no_row(void **state)
{
    struct prof_run_state run;
    (void)state;
    run_with_rows(&run);
    assert_int_equal(prof_kernel_finish(&run, 1, UINT64_MAX), LS_OK);
    assert_int_equal(run.kernels.len, 3);
    assert_float_equal(run.kernels.rows[0].time_ns, 3000, 1e-6);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_cost_by_size_of_page),
        cmocka_unit_test(calls_have_memory_and_callers),
        cmocka_unit_test(freed_block_keeps_its_site),
        cmocka_unit_test(meaningless_records_change_nothing),
        cmocka_unit_test(rest_of_the_kernels_time_is_a_row),
        cmocka_unit_test(causes_never_exceed_the_kernels_time),
        cmocka_unit_test(unknown_time_changes_no_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
