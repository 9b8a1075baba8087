/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "analyse/an_sharing.h"
#include "tests/analyse/an_fixture.h"
#include "tests/unit.h"

#include <string.h>

/* Threads 0 to 3 of process 0, thread 4 of process 1. */
static const struct prof_thread threads[] = {{.process = 0, .tid = 10},
                                             {.process = 0, .tid = 11},
                                             {.process = 0, .tid = 12},
                                             {.process = 0, .tid = 13},
                                             {.process = 1, .tid = 20}};
/* ips 1 and 2 are one line of source */
static const struct prof_line lines[] = {{.ip = 1, .function = "f", .file = "a.c", .line = 5},
                                         {.ip = 2, .function = "f", .file = "a.c", .line = 5},
                                         {.ip = 3, .function = "g", .file = "a.c", .line = 9}};
enum { LOAD, STORE };
#define LINE UINT64_C(0x1000)

struct run {
    struct an_fixture *f;
    struct an_tables t;
    struct an_sharing s;
    uint32_t thread[256];
    uint16_t size[256];
};

static void begin(struct run *r)
{
    memset(r, 0, sizeof(*r));
    r->f = fix_new(5, 4);
    r->t = (struct an_tables){.threads = threads, .threads_len = 5, .lines = lines, .lines_len = 3};
}

/* A burst of one access. */
static void touch(struct run *r, uint32_t thread, int op, uint64_t addr, uint16_t len_bytes, uint64_t ip)
{
    struct an_fixture *f = r->f;
    fix_burst(f, 1000, 1000);
    f->bursts[f->bursts_len - 1].time_ns = 100 * f->bursts_len;
    f->bursts[f->bursts_len - 1].thread = thread;
    r->thread[f->samples_len] = thread;
    r->size[f->samples_len] = len_bytes;
    f->addr[f->samples_len] = addr;
    f->ip[f->samples_len] = ip;
    if (op == STORE)
        fix_store(f, 7, 600);
    else
        fix_load(f, 7, 600, 100);
}

static void look(struct run *r, const uint8_t *keep)
{
    fix_input(r->f);
    r->f->in.samples.thread = r->thread;
    r->f->in.samples.size = r->size;
    assert_int_equal(an_sharing_init(&r->s, &r->f->in, &r->t, keep), LS_OK);
}

static void end(struct run *r)
{
    an_sharing_fini(&r->s);
    fix_free(r->f);
}

static void an_different_bytes_of_a_line_are_false_sharing(void **state)
{
    struct run r;
    (void)state;
    begin(&r);
    for (int i = 0; i < 3; i++) {
        touch(&r, 0, LOAD, LINE, 8, 1);
        touch(&r, 0, STORE, LINE, 8, 2);
        touch(&r, 1, STORE, LINE + 8, 8, 3);
    }
    look(&r, NULL);
    assert_int_equal(r.s.lines_len, 1);
    const struct an_shared_line *l = &r.s.lines[0];
    assert_int_equal(l->kind, AN_SHARING_FALSE);
    assert_int_equal(l->base, LINE);
    assert_int_equal(l->threads, 2);
    assert_int_equal(l->reads, 3);
    assert_int_equal(l->writes, 6);
    assert_int_equal(l->bursts, 9);
    assert_int_equal(l->node, 7);
    assert_int_equal(l->uses_len, 2); /* the load and the store of thread 0 are of one source line */
    const struct an_shared_use *p = &r.s.uses[l->first_use];
    assert_true(p[0].offset_bytes == 0 && p[0].len_bytes == 8 && p[0].thread == 0 && p[0].line == 0);
    assert_true(p[0].reads == 3 && p[0].writes == 3);
    assert_true(p[1].offset_bytes == 8 && p[1].thread == 1 && p[1].line == 2 && p[1].writes == 3);
    for (int i = 0; i < 9; i++)
        assert_int_equal(r.s.row_of_sample[i], 0);
    end(&r);
}

static void check_kind(uint64_t second_offset, uint16_t second_bytes, enum an_sharing_kind kind)
{
    struct run r;
    begin(&r);
    for (int i = 0; i < 2; i++) {
        touch(&r, 0, STORE, LINE + 16, 8, 1);
        touch(&r, 1, LOAD, LINE + second_offset, second_bytes, 3);
    }
    look(&r, NULL);
    assert_int_equal(r.s.lines_len, 1);
    assert_int_equal(r.s.lines[0].kind, kind);
    end(&r);
}

static void an_bytes_distinguish_true_from_false_sharing(void **state)
{
    (void)state;
    check_kind(16, 8, AN_SHARING_TRUE);
    check_kind(23, 1, AN_SHARING_TRUE);
    check_kind(24, 8, AN_SHARING_FALSE);
    check_kind(8, 8, AN_SHARING_FALSE);
    check_kind(0, 64, AN_SHARING_TRUE);
    check_kind(24, 0, AN_SHARING_FALSE); /* a size that is not known: one byte */
}

static void an_some_bytes_common_some_not_is_both(void **state)
{
    struct run r;
    (void)state;
    begin(&r);
    for (int i = 0; i < 2; i++) {
        touch(&r, 0, STORE, LINE, 8, 1);
        touch(&r, 1, LOAD, LINE, 8, 3);
        touch(&r, 2, LOAD, LINE + 32, 8, 3);
    }
    look(&r, NULL);
    assert_int_equal(r.s.lines[0].kind, AN_SHARING_BOTH);
    assert_int_equal(r.s.lines[0].threads, 3);
    end(&r);
}

static void an_unshared_lines_are_not_listed(void **state)
{
    struct run r;
    (void)state;
    begin(&r);
    for (int i = 0; i < 3; i++) {
        touch(&r, 0, STORE, LINE, 8, 1); /* padded: a line each */
        touch(&r, 1, STORE, LINE + 64, 8, 1);
        touch(&r, 0, LOAD, LINE + 128, 8, 1); /* read by both */
        touch(&r, 1, LOAD, LINE + 128, 8, 1);
        touch(&r, 2, STORE, LINE + 192, 8, 1); /* another address space */
        touch(&r, 4, STORE, LINE + 192, 8, 1);
    }
    for (int i = 0; i < 3; i++)
        touch(&r, 2, STORE, LINE + 256, 8, 1); /* handed on: first one, then the other */
    for (int i = 0; i < 3; i++)
        touch(&r, 3, STORE, LINE + 256, 8, 1);
    look(&r, NULL);
    assert_int_equal(r.s.lines_len, 0);
    assert_int_equal(r.s.unclear, 1);
    for (size_t i = 0; i < r.f->samples_len; i++)
        assert_int_equal(r.s.row_of_sample[i], UINT32_MAX);
    end(&r);
}

static void an_access_across_lines_touches_both(void **state)
{
    struct run r;
    (void)state;
    begin(&r);
    for (int i = 0; i < 2; i++) {
        touch(&r, 0, STORE, LINE + 60, 8, 1); /* 60-63, and 0-3 of the next line */
        touch(&r, 1, LOAD, LINE + 64 + 4, 4, 3);
        touch(&r, 2, LOAD, LINE + 60, 4, 3);
    }
    look(&r, NULL);
    assert_int_equal(r.s.lines_len, 2);
    assert_int_equal(r.s.lines[0].kind, AN_SHARING_TRUE);
    assert_int_equal(r.s.lines[1].base, LINE + 64);
    assert_int_equal(r.s.lines[1].kind, AN_SHARING_FALSE);
    assert_int_equal(r.s.uses[r.s.lines[1].first_use].len_bytes, 4);
    end(&r);
}

static void an_left_out_samples_do_not_count(void **state)
{
    struct run r;
    uint8_t keep[4] = {1, 0, 1, 0};
    (void)state;
    begin(&r);
    for (int i = 0; i < 2; i++) {
        touch(&r, 0, STORE, LINE, 8, 1);
        touch(&r, 1, STORE, LINE, 8, 1);
    }
    look(&r, keep);
    assert_int_equal(r.s.lines_len, 0);
    assert_int_equal(r.s.unclear, 0);
    end(&r);
}

static void an_addresses_at_the_end_of_memory_are_accepted(void **state)
{
    struct run r;
    (void)state;
    begin(&r);
    for (int i = 0; i < 2; i++) {
        touch(&r, 0, STORE, UINT64_MAX - 3, 64, 1);
        touch(&r, 1, STORE, UINT64_MAX - 1, 65535, 1);
        touch(&r, 1, STORE, UINT64_MAX, 8, 1); /* missing */
    }
    look(&r, NULL);
    assert_int_equal(r.s.lines_len, 1);
    assert_int_equal(r.s.lines[0].kind, AN_SHARING_TRUE);
    end(&r);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_different_bytes_of_a_line_are_false_sharing),
        cmocka_unit_test(an_bytes_distinguish_true_from_false_sharing),
        cmocka_unit_test(an_some_bytes_common_some_not_is_both),
        cmocka_unit_test(an_unshared_lines_are_not_listed),
        cmocka_unit_test(an_access_across_lines_touches_both),
        cmocka_unit_test(an_left_out_samples_do_not_count),
        cmocka_unit_test(an_addresses_at_the_end_of_memory_are_accepted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
