/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "patterns/source/pat_tables.h"
#include "tools/trace/host/trc_lives.h"
#include "tests/unit.h"

#include <stdbool.h>

enum { BLOCKS = 300, ROUNDS = 60000, ROWS_MAX = BLOCKS * (TRC_LIVES_APART + 1) };

static struct pat_range block_of(uint32_t i)
{
    /* some differ by their end or home only */
    return (struct pat_range){
        .start = 0x1000 + 64 * (i / 3), .end = 0x1000 + 64 * (i / 3) + 16 + (i % 3 == 1), .home = i % 3 == 2};
}

static uint32_t born(struct trc_lives *l, struct pat_tables *t, uint32_t block)
{
    const struct pat_range r = block_of(block);
    uint32_t row = trc_lives_again(l, t, &r);
    if (row == PAT_NONE) assert_int_equal(pat_tables_add_range(t, &r, &row), LS_OK);
    return row;
}

/* The number of rows depends on the addresses, not on the number of lifetimes; the row of a live block is not
 * reused. */
static void trc_rows_are_those_of_the_blocks(void **state)
{
    (void)state;
    struct trc_lives l = {0};
    struct pat_tables t = {0};
    static uint32_t living[BLOCKS], last[BLOCKS][TRC_LIVES_APART];
    static bool is_taken[ROWS_MAX];
    uint64_t random = 1;
    for (size_t i = 0; i < BLOCKS; i++) {
        living[i] = PAT_NONE;
        for (size_t k = 0; k < TRC_LIVES_APART; k++)
            last[i][k] = PAT_NONE;
    }
    for (size_t round = 0; round < ROUNDS; round++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        const uint32_t block = (uint32_t)(random >> 33) % BLOCKS;
        if (living[block] != PAT_NONE) {
            is_taken[living[block]] = false;
            assert_int_equal(trc_lives_end(&l, &t, living[block]), LS_OK);
            living[block] = PAT_NONE;
            continue;
        }
        const uint32_t row = born(&l, &t, block);
        const struct pat_range wanted = block_of(block), *got = &t.ranges[row];
        assert_true(row < ROWS_MAX && !is_taken[row]);
        assert_true(got->start == wanted.start && got->end == wanted.end && got->home == wanted.home);
        for (size_t k = 0; k + 1 < TRC_LIVES_APART; k++) { /* none of the lives before */
            assert_int_not_equal(row, last[block][k]);
            last[block][k] = last[block][k + 1];
        }
        last[block][TRC_LIVES_APART - 2] = row;
        is_taken[row] = true;
        living[block] = row;
    }
    assert_true(t.ranges_len <= ROWS_MAX && t.ranges_len > BLOCKS);
    trc_lives_fini(&l);
    pat_tables_fini(&t);
}

static void trc_without_dead_rows_none_is_reused(void **state)
{
    (void)state;
    struct trc_lives l = {0};
    struct pat_tables t = {0};
    const struct pat_range r = block_of(7);
    assert_int_equal(trc_lives_again(&l, &t, &r), PAT_NONE);
    trc_lives_fini(&l);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trc_rows_are_those_of_the_blocks),
        cmocka_unit_test(trc_without_dead_rows_none_is_reused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
