/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of one configuration serve the next one where this changes nothing but the faults of their pages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/ls_compat.h"
#include "kernels/kn_memory.h"
#include "kernels/replay/kn_replay.h"
#include "tests/unit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { LEN_BYTES = 100000, LARGE_BYTES = 40 << 20, HUGE_BYTES = 2 << 20, COLLAPSED_BYTES = 4 * HUGE_BYTES };

/* End a block after writing to it, so that another one is recognised. */
static void *end_written(struct kn_block *b, enum kn_pages pages)
{
    void *base = b->base;
    *(int *)base = 1;
    kn_block_keep(b, pages, 1);
    assert_null(b->base);
    return base;
}

static void a_kept_block_is_reused_for_its_own_kind(void **state)
{
    (void)state;
    struct kn_block b, c;
    assert_int_equal(kn_block_reuse(&b, LEN_BYTES, KN_PAGES_DEFAULT, 1), LS_OK);
    const void *base = end_written(&b, KN_PAGES_DEFAULT);
    assert_int_equal(kn_block_init(&c, LEN_BYTES, KN_PAGES_DEFAULT), LS_OK); /* zeroes */
    assert_int_equal(*(int *)c.base, 0);
    kn_block_fini(&c);
    assert_int_equal(kn_block_reuse(&c, LEN_BYTES, KN_PAGES_SMALL, 1), LS_OK);
    assert_int_equal(*(int *)c.base, 0);
    kn_block_fini(&c);
    assert_int_equal(kn_block_reuse(&c, 20 * LEN_BYTES, KN_PAGES_DEFAULT, 1), LS_OK);
    assert_int_equal(*(int *)c.base, 0);
    kn_block_fini(&c);
    for (size_t len_bytes = LEN_BYTES - 8; len_bytes <= 8 * LEN_BYTES; len_bytes *= 2) { /* room to grow */
        assert_int_equal(kn_block_reuse(&c, len_bytes, KN_PAGES_DEFAULT, 1), LS_OK);
        assert_ptr_equal(c.base, base);
        assert_int_equal(c.len_bytes, len_bytes);
        memset(c.base, 1, len_bytes);
        kn_block_keep(&c, KN_PAGES_DEFAULT, 1);
    }
    assert_int_equal(kn_block_reuse(&c, LEN_BYTES, KN_PAGES_DEFAULT, 1), LS_OK);
    assert_ptr_equal(c.base, base);
    kn_block_fini(&c);
    assert_int_equal(kn_block_reuse(&c, LEN_BYTES, KN_PAGES_DEFAULT, 1), LS_OK); /* it is no longer there */
    assert_int_equal(*(int *)c.base, 0);
    kn_block_fini(&c);
}

static void kept_blocks_count_as_available_and_yield(void **state)
{
    (void)state;
    struct kn_block b;
    assert_int_equal(kn_block_reuse(&b, LARGE_BYTES, KN_PAGES_DEFAULT, 1), LS_OK);
    memset(b.base, 1, LARGE_BYTES);
    end_written(&b, KN_PAGES_DEFAULT);
    assert_int_equal(kn_block_reuse(&b, LEN_BYTES, KN_PAGES_DEFAULT, 1), LS_OK); /* too small for it */
    assert_int_equal(*(int *)b.base, 0);
    kn_block_fini(&b);
    assert_int_equal(kn_block_reuse(&b, 2 * (size_t)LARGE_BYTES, KN_PAGES_DEFAULT, 1), LS_OK);
    kn_block_fini(&b);
    assert_int_equal(kn_block_reuse(&b, LARGE_BYTES, KN_PAGES_DEFAULT, 1), LS_OK);
    assert_int_equal(*(int *)b.base, 0); /* the larger one had taken its memory */
    assert_true(kn_memory_available_bytes() > 0);
    kn_block_fini(&b);
}

/* Can this kernel move memory to huge pages, and does it use none by itself? */
static bool can_collapse(void)
{
    struct kn_block b;
    assert_int_equal(kn_block_init(&b, COLLAPSED_BYTES, KN_PAGES_DEFAULT), LS_OK);
    memset(b.base, 1, COLLAPSED_BYTES);
    const bool can = kn_block_huge_bytes(&b) == 0 && madvise(b.base, HUGE_BYTES, MADV_COLLAPSE) == 0;
    kn_block_fini(&b);
    return can;
}

static void whole_huge_pages_of_memory_are_moved_with_their_contents(void **state)
{
    (void)state;
    struct kn_block b;
    if (!can_collapse()) skip();
    assert_int_equal(kn_block_init(&b, COLLAPSED_BYTES, KN_PAGES_DEFAULT), LS_OK);
    uint32_t *words = b.base;
    for (uint32_t i = 0; i < COLLAPSED_BYTES / sizeof(*words); i++)
        words[i] = i;
    kn_memory_collapse(b.base, COLLAPSED_BYTES, KN_PAGES_DEFAULT);
    assert_int_equal(kn_block_huge_bytes(&b), 0);
    kn_memory_collapse((char *)b.base + 64, HUGE_BYTES - 128, KN_PAGES_HUGE); /* less than one */
    assert_int_equal(kn_block_huge_bytes(&b), 0);
    kn_memory_collapse((char *)b.base + 64, COLLAPSED_BYTES - 128, KN_PAGES_HUGE);
    assert_int_equal(kn_block_huge_bytes(&b),
                     COLLAPSED_BYTES - 2 * HUGE_BYTES); /* not the first and the last */
    for (uint32_t i = 0; i < COLLAPSED_BYTES / sizeof(*words); i++)
        assert_int_equal(words[i], i);
    kn_block_fini(&b);
}

/* Results are validated: each configuration finds its own values, whatever the one before left there. */
static void configurations_in_reused_blocks_are_valid(void **state)
{
    (void)state;
    static const enum pat_kernel kernels[] = {PAT_GATHER, PAT_SCATTER, PAT_GATHER, PAT_SCATTER};
    for (size_t k = 0; k < 4; k++)
        for (unsigned shift = 0; shift < 3; shift++) {
            const struct kn_options o = {.backend = "serial", .runs = 1, .times_only = true};
            struct pat_config c;
            struct kn_result r;
            assert_int_equal(pat_config_init(&c), LS_OK);
            c.pattern = (struct pat_indices){calloc(4, sizeof(int64_t)), 4};
            assert_non_null(c.pattern.data);
            for (size_t j = 0; j < 4; j++)
                c.pattern.data[j] = (int64_t)(j * (shift + 1));
            c.kernel = kernels[k];
            c.count = 3000 - 100 * shift;
            c.delta = 3;
            assert_int_equal(kn_replay_run(&c, &o, &r), LS_OK);
            assert_true(r.valid);
            kn_result_fini(&r);
            pat_config_fini(&c);
        }
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kept_block_is_reused_for_its_own_kind),
        cmocka_unit_test(whole_huge_pages_of_memory_are_moved_with_their_contents),
        cmocka_unit_test(kept_blocks_count_as_available_and_yield),
        cmocka_unit_test(configurations_in_reused_blocks_are_valid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
