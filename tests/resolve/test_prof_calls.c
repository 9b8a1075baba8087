/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames of stacks, call paths and pages of bursts, from records with known truth. */
#include "resolve/prof_calls.h"
#include "resolve/prof_resolve.h"
#include "run_h5/prof_reader.h"
#include "tests/resolve/prof_fixture.h"
#include "tests/unit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { LEAF = 10, MIDDLE = 20, OUTER = 30, CALLEE = 40 }; /* instructions */

/* leaf [.., 1000) called by middle [1000, 1100) called by outer [1100, 1200). */
static struct prof_frame_homes three_frames(void)
{
    static const struct sym_frame frames[] = {{LEAF, 0x1000}, {MIDDLE, 0x1100}, {OUTER, 0x1200}};
    struct prof_frame_homes h = {0};
    assert_int_equal(prof_frame_homes_begin(&h, frames, 3), LS_OK);
    return h;
}

static void frame_homes_follow_the_stack(void **state)
{
    (void)state;
    struct prof_frame_homes h = three_frames();
    assert_int_equal(prof_frame_homes_find(&h, 0xf80, LEAF), LEAF);
    assert_int_equal(prof_frame_homes_find(&h, 0xfff, LEAF), LEAF);
    assert_int_equal(prof_frame_homes_find(&h, 0x1000, LEAF), MIDDLE);
    assert_int_equal(prof_frame_homes_find(&h, 0x1180, LEAF), OUTER);
    assert_int_equal(prof_frame_homes_cfa(&h, 0xf80), 0x1000);
    assert_int_equal(prof_frame_homes_cfa(&h, 0x1000), 0x1100);
    assert_int_equal(prof_frame_homes_cfa(&h, 0x1200), 0);
    assert_int_equal(prof_frame_homes_find(&h, 0x1200, LEAF), 0); /* whoever called outer */
    prof_frame_homes_fini(&h);
    assert_int_equal(prof_frame_homes_find(&h, 0xf80, LEAF), 0);
}

static void frame_homes_follow_calls_and_returns(void **state)
{
    (void)state;
    struct prof_frame_homes h = three_frames();
    assert_int_equal(prof_frame_homes_call(&h, 0xf00, LEAF), LS_OK);
    assert_int_equal(prof_frame_homes_find(&h, 0xef8, CALLEE), CALLEE);
    assert_int_equal(prof_frame_homes_find(&h, 0xf08, CALLEE), LEAF);
    assert_int_equal(prof_frame_homes_find(&h, 0x1000, CALLEE), MIDDLE);
    prof_frame_homes_return(&h, 0xf00);
    assert_int_equal(prof_frame_homes_find(&h, 0xef8, LEAF), LEAF);
    prof_frame_homes_return(&h, 0xff8); /* leaf returns to middle */
    assert_int_equal(prof_frame_homes_find(&h, 0x1080, MIDDLE), MIDDLE);
    assert_int_equal(prof_frame_homes_find(&h, 0x1180, MIDDLE), OUTER);
    prof_frame_homes_fini(&h);
}

static void frame_homes_forget_frames_left_by_longjmp(void **state)
{
    (void)state;
    struct prof_frame_homes h = three_frames();
    assert_int_equal(prof_frame_homes_call(&h, 0xf00, LEAF), LS_OK);
    /* back in outer, which calls again */
    assert_int_equal(prof_frame_homes_call(&h, 0x1108, OUTER), LS_OK);
    assert_int_equal(prof_frame_homes_find(&h, 0xf80, CALLEE), CALLEE);
    assert_int_equal(prof_frame_homes_find(&h, 0x1110, CALLEE), OUTER);
    prof_frame_homes_fini(&h);
}

static void frame_homes_without_a_known_end_claim_nothing(void **state)
{
    static const struct sym_frame open[] = {{LEAF, 0}, {MIDDLE, 0x1100}};
    static const struct sym_frame gap[] = {{LEAF, 0x1000}, {MIDDLE, 0}, {OUTER, 0x1200}};
    (void)state;
    struct prof_frame_homes h = {0};
    assert_int_equal(prof_frame_homes_begin(&h, open, 2), LS_OK);
    assert_int_equal(prof_frame_homes_find(&h, 0xf80, LEAF), 0);
    assert_int_equal(prof_frame_homes_call(&h, 0xf00, LEAF), LS_OK);
    assert_int_equal(prof_frame_homes_find(&h, 0xef0, CALLEE), CALLEE);
    assert_int_equal(prof_frame_homes_find(&h, 0xf08, CALLEE), 0);
    assert_int_equal(prof_frame_homes_begin(&h, gap, 3), LS_OK);
    assert_int_equal(prof_frame_homes_find(&h, 0xf80, LEAF), LEAF);
    assert_int_equal(prof_frame_homes_find(&h, 0x1080, LEAF), 0);
    prof_frame_homes_fini(&h);
}

struct run {
    struct spool_fixture f;
    struct prof_fixture_thread t;
    prof_profile *profile;
    struct prof_samples samples;
};

static void run_begin(struct run *r)
{
    *r = (struct run){.t = {.now_ns = FIXTURE_START_NS}};
    spool_fixture_init(&r->f);
    spool_fixture_open(&r->f, &r->t.writer, FIXTURE_PID, 0, FIXTURE_PID);
    prof_fixture_process(&r->t, FIXTURE_PID, "app");
    spool_put_thread_begin(&r->t.writer,
                           (struct spool_thread_begin){.time_ns = r->t.now_ns,
                                                       .stack_base = FIXTURE_STACK - 0x1000,
                                                       .stack_end = FIXTURE_STACK + 0x1000,
                                                       .tid = FIXTURE_PID},
                           "app");
    prof_fixture_maps(&r->t, fixture_maps);
    prof_fixture_burst_begin(&r->t);
}

static void run_resolve(struct run *r)
{
    char path[400];
    spool_writer_close(&r->t.writer);
    snprintf(path, sizeof(path), "%s/run.h5", r->f.root);
    const struct prof_resolve_options options = {.spool_dir = r->f.spool, .output_path = path};
    if (prof_resolve(&options, NULL) != LS_OK || prof_open(path, &r->profile) != LS_OK ||
        prof_load_samples(r->profile, ~UINT64_C(0), &r->samples) != LS_OK)
        fail_msg("%s", ls_last_error());
}

static void run_end(struct run *r)
{
    prof_close(r->profile);
    spool_fixture_fini(&r->f);
}

static void burst_has_the_path_of_its_frame_pointers(void **state)
{
    /* the last return address is in no code, so it is dropped */
    static const struct spool_link links[] = {{FIXTURE_STACK + 0x40, FIXTURE_CODE + 0x21},
                                              {FIXTURE_STACK + 0x80, FIXTURE_CODE + 0x41},
                                              {FIXTURE_STACK + 0xc0, FIXTURE_STATIC}};
    struct run r;
    size_t len;
    (void)state;
    run_begin(&r);
    prof_fixture_stack(&r.t, FIXTURE_STACK, links, 3);
    prof_fixture_access(&r.t, FIXTURE_STATIC, SPOOL_OP_LOAD, 5);
    prof_fixture_burst_end(&r.t);
    prof_fixture_load(&r.t, FIXTURE_STATIC, 5); /* a burst without a stack record */
    run_resolve(&r);
    const struct prof_burst *bursts = prof_bursts(r.profile, &len);
    assert_int_equal(len, 2);
    assert_int_equal(bursts[1].frame, UINT32_MAX);
    const struct prof_frame *frames = prof_frames(r.profile, &len);
    static const uint64_t wanted[] = {FIXTURE_CODE, FIXTURE_CODE + 0x20, FIXTURE_CODE + 0x40, 0};
    uint32_t row = bursts[0].frame;
    for (size_t i = 0; i < 4; i++, row = frames[row].parent) {
        assert_true(row < len);
        assert_int_equal(frames[row].ip, wanted[i]);
    }
    assert_int_equal(row, UINT32_MAX);
    run_end(&r);
}

static void accesses_of_a_stack_have_the_home_of_their_frame(void **state)
{
    static const struct {
        uint64_t addr;
        uint16_t flags;
    } accesses[] = {{FIXTURE_STACK - 8, SPOOL_ACCESS_CALL}, {FIXTURE_STACK - 16, 0}, {FIXTURE_STACK, 0}};
    struct run r;
    size_t len;
    (void)state;
    run_begin(&r);
    prof_fixture_stack(&r.t, FIXTURE_STACK, NULL, 0);
    for (size_t i = 0; i < 3; i++)
        prof_fixture_access(&r.t, accesses[i].addr, SPOOL_OP_STORE | accesses[i].flags, 0);
    prof_fixture_burst_end(&r.t);
    run_resolve(&r);
    const struct prof_node *nodes = prof_nodes(r.profile, &len);
    const struct prof_node *before = &nodes[r.samples.node[0]], *callee = &nodes[r.samples.node[1]];
    assert_string_equal(before->label, "stack of main thread"); /* no file describes the end of that frame */
    assert_int_equal(callee->kind, PROF_NODE_FRAME);
    assert_string_equal(callee->label, "[app]"); /* which has no symbols here */
    assert_int_equal(callee->parent, before->id);
    assert_int_equal(r.samples.node[2], before->id);
    run_end(&r);
}

static void samples_have_the_numa_node_of_their_page(void **state)
{
    struct run r;
    (void)state;
    run_begin(&r);
    prof_fixture_access(&r.t, FIXTURE_STATIC, SPOOL_OP_LOAD, 5);
    prof_fixture_access(&r.t, FIXTURE_OTHER + 0x10, SPOOL_OP_LOAD, 5);
    prof_fixture_access(&r.t, FIXTURE_OTHER + 0x1010, SPOOL_OP_LOAD, 5);
    prof_fixture_page(&r.t, FIXTURE_OTHER, 3);
    prof_fixture_page(&r.t, FIXTURE_STATIC, 0);
    prof_fixture_burst_end(&r.t);
    prof_fixture_load(&r.t, FIXTURE_OTHER, 5); /* another burst: pages may have moved */
    run_resolve(&r);
    assert_int_equal(r.samples.numa[0], 0);
    assert_int_equal(r.samples.numa[1], 3);
    assert_int_equal(r.samples.numa[2], UINT8_MAX);
    assert_int_equal(r.samples.numa[3], UINT8_MAX);
    run_end(&r);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(frame_homes_follow_the_stack),
                                       cmocka_unit_test(frame_homes_follow_calls_and_returns),
                                       cmocka_unit_test(frame_homes_forget_frames_left_by_longjmp),
                                       cmocka_unit_test(frame_homes_without_a_known_end_claim_nothing),
                                       cmocka_unit_test(burst_has_the_path_of_its_frame_pointers),
                                       cmocka_unit_test(accesses_of_a_stack_have_the_home_of_their_frame),
                                       cmocka_unit_test(samples_have_the_numa_node_of_their_page)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
