/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "analyse/an_advice.h"
#include "analyse/an_keys.h"
#include "tests/analyse/an_fixture.h"

#include <stdlib.h>
#include <string.h>

static const struct prof_thread threads[] = {{.process = 0, .tid = 7}, {.process = 1, .tid = 8}};
/* ips 1 and 2 share a line, 2 and 3 a function; process 1 has the same function at another ip */
static const struct prof_line lines[] = {
    {.process = 0, .ip = 1, .module = "m", .function = "f", .file = "a.c", .line = 10},
    {.process = 0, .ip = 2, .module = "m", .function = "f", .file = "a.c", .line = 10},
    {.process = 0, .ip = 3, .module = "m", .function = "f", .file = "a.c", .line = 11},
    {.process = 1, .ip = 1, .module = "m", .function = "g", .file = "a.c", .line = 20},
};
static const struct an_names names = {
    .threads = threads, .threads_len = 2, .processes_len = 2, .nodes_len = 4, .lines = lines, .lines_len = 4};

static struct an_fixture *with_accesses(uint32_t *thread_column)
{
    static const struct {
        uint32_t thread;
        uint64_t ip;
    } accesses[] = {{0, 1}, {0, 2}, {0, 3}, {1, 1}, {1, 9}, {5, 1}};
    struct an_fixture *f = fix_new(5, 4);
    fix_burst(f, 1000, 1000);
    for (size_t i = 0; i < sizeof(accesses) / sizeof(accesses[0]); i++) {
        fix_load(f, 0, 600 + (uint32_t)i, i == 0 ? 300 : FIX_NOT_MEASURED);
        f->ip[i] = accesses[i].ip;
        thread_column[i] = accesses[i].thread;
    }
    fix_input(f);
    f->in.samples.thread = thread_column;
    return f;
}

static void check_groups(enum an_by by, const uint32_t *wanted)
{
    uint32_t thread_column[8];
    struct an_fixture *f = with_accesses(thread_column);
    struct an_keys k;
    assert_int_equal(an_keys_init(&k, by, &f->in.samples, &names), LS_OK);
    for (size_t i = 0; i < 6; i++)
        if (k.group_of_sample[i] != wanted[i])
            fail_msg("by %d: sample %zu is in group %u, not %u", by, i, k.group_of_sample[i], wanted[i]);
    an_keys_fini(&k);
    fix_free(f);
}

static void an_samples_group_by_every_key(void **state)
{
    (void)state;
    const uint32_t none = UINT32_MAX, rest = AN_LEVEL_NOT_MEASURED;
    check_groups(AN_BY_IP, (uint32_t[]){0, 1, 2, 3, none, none});
    check_groups(AN_BY_FUNCTION, (uint32_t[]){0, 0, 0, 1, none, none});
    check_groups(AN_BY_LINE, (uint32_t[]){0, 0, 1, 2, none, none});
    check_groups(AN_BY_PROCESS, (uint32_t[]){0, 0, 0, 1, 1, none});
    check_groups(AN_BY_THREAD, (uint32_t[]){0, 0, 0, 1, 1, 5});
    check_groups(AN_BY_LEVEL, (uint32_t[]){PROF_LEVEL_DRAM, rest, rest, rest, rest, rest});
}

static enum an_access walk(uint64_t (*address)(uint64_t i), struct an_finding *out)
{
    struct an_fixture *f = fix_new(5, 4);
    for (int b = 0; b < 3; b++) {
        fix_burst(f, 1000, 2000);
        for (uint32_t i = 0; i < 40; i++) {
            f->ip[f->samples_len] = 0x400;
            f->addr[f->samples_len] = 0x100000 + address(i);
            fix_load(f, 1, 600 + i, 300);
        }
        f->ip[f->samples_len] = 0x500; /* another instruction between: cheap, must not disturb the strides */
        fix_load(f, 1, 700, 6);
    }
    struct an_costs c;
    uint8_t all[FIX_BURSTS_MAX];
    memset(all, 1, sizeof(all));
    assert_int_equal(an_costs_init(&c, fix_input(f)), LS_OK);
    assert_int_equal(an_finding_init(out, &f->in, &c, all), LS_OK);
    an_costs_fini(&c);
    fix_free(f);
    return out->access;
}

static uint64_t same_place(uint64_t i)
{
    (void)i;
    return 0;
}
static uint64_t in_order(uint64_t i)
{
    return i * 8;
}
static uint64_t by_column(uint64_t i)
{
    return i * 8192;
}
static uint64_t at_random(uint64_t i)
{
    return i * i * i * UINT64_C(2654435761) % 1000003 * 8; /* i alone would be one stride with a wrap */
}

static void an_walks_are_told_apart(void **state)
{
    (void)state;
    struct an_finding f;
    assert_int_equal(walk(same_place, &f), AN_ACCESS_REPEATED);
    assert_int_equal(walk(in_order, &f), AN_ACCESS_SEQUENTIAL);
    assert_int_equal(walk(by_column, &f), AN_ACCESS_STRIDED);
    assert_int_equal(f.stride_bytes, 8192);
    assert_int_equal(f.ip, 0x400);
    assert_int_equal(f.strides_len, 3 * 39); /* never across bursts */
    assert_true(f.dram_part > 0.9);
    assert_int_equal(walk(at_random, &f), AN_ACCESS_IRREGULAR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_samples_group_by_every_key),
        cmocka_unit_test(an_walks_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
