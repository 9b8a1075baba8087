/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "analyse/an_advice.h"
#include "tests/analyse/an_fixture.h"

#include <string.h>

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
        cmocka_unit_test(an_walks_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
