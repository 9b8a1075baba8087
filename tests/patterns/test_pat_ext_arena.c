/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of an arena never overlap, whatever is taken and given back, and their memory is used again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/ls_random.h"
#include "patterns/extract/pat_ext.h"
#include "tests/unit.h"

#include <string.h>

enum { BLOCKS = 400, LOG2_FIRST = 5, LOG2_LAST = 17 };

struct block {
    unsigned char *bytes;
    uint8_t log2_bytes, fill;
};

static uint64_t rng_state;

static uint64_t rng(uint64_t below)
{
    return ls_random_below(&rng_state, below);
}

static void check_and_give(struct pat_ext_arena *a, struct block *b)
{
    if (!b->bytes) return;
    const size_t len = (size_t)1 << b->log2_bytes;
    assert_int_equal(b->bytes[0], b->fill);
    assert_memory_equal(b->bytes, b->bytes + 1, len - 1); /* no other write there */
    pat_ext_arena_give(a, b->bytes, b->log2_bytes);
    b->bytes = NULL;
}

static void take_and_fill(struct pat_ext_arena *a, struct block *b)
{
    b->log2_bytes = (uint8_t)(LOG2_FIRST + rng(LOG2_LAST - LOG2_FIRST + 1));
    b->fill = (uint8_t)rng(256);
    b->bytes = pat_ext_arena_take(a, b->log2_bytes);
    assert_non_null(b->bytes);
    assert_int_equal((uintptr_t)b->bytes % (b->log2_bytes < 6 ? 16 : 64), 0);
    memset(b->bytes, b->fill, (size_t)1 << b->log2_bytes);
}

static void churn(uint64_t memory_bytes)
{
    static struct block blocks[BLOCKS];
    struct pat_ext_arena a;
    rng_state = 0;
    pat_ext_arena_init(&a, memory_bytes);
    for (int i = 0; i < 10000; i++) {
        struct block *b = &blocks[rng(BLOCKS)];
        check_and_give(&a, b);
        if (rng(3)) take_and_fill(&a, b);
    }
    for (int i = 0; i < BLOCKS; i++)
        check_and_give(&a, &blocks[i]);
    assert_int_equal(a.chunks_len, 1); /* all joined again; one waits for the next block */
    pat_ext_arena_fini(&a);
}

static void pat_arena_blocks_do_not_overlap(void **state)
{
    (void)state;
    churn(UINT64_C(1) << 30);
    churn(UINT64_C(16) << 20); /* chunks that are smaller than some blocks */
}

static void pat_arena_uses_memory_again(void **state)
{
    (void)state;
    struct pat_ext_arena a;
    void *blocks[256];
    pat_ext_arena_init(&a, UINT64_C(1) << 30);
    for (uint8_t log2_bytes = PAT_EXT_ARENA_LOG2_MIN; log2_bytes <= 13; log2_bytes++) {
        for (int i = 0; i < 256; i++)
            blocks[i] = pat_ext_arena_take(&a, log2_bytes);
        assert_int_equal(a.chunks_len, 1); /* 2 MiB at most in use, though of six sizes in turn */
        for (int i = 0; i < 256; i++)
            pat_ext_arena_give(&a, blocks[255 - i], log2_bytes);
    }
    pat_ext_arena_fini(&a);
}

static void pat_null_arena_uses_malloc(void **state)
{
    (void)state;
    for (uint8_t log2_bytes = 4; log2_bytes < 20; log2_bytes++) {
        void *block = pat_ext_arena_take(NULL, log2_bytes);
        assert_non_null(block);
        memset(block, 1, (size_t)1 << log2_bytes);
        pat_ext_arena_give(NULL, block, log2_bytes);
    }
    pat_ext_arena_give(NULL, NULL, 10);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pat_arena_blocks_do_not_overlap),
        cmocka_unit_test(pat_arena_uses_memory_again),
        cmocka_unit_test(pat_null_arena_uses_malloc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
