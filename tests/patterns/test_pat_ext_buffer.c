/* SPDX-License-Identifier: BSD-3-Clause */
/* The buffer of accesses: every access comes out once, in the strand of its site and thread, in its order there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "patterns/extract/pat_ext_engine.h"
#include "tests/unit.h"
#include "tests/xorshift.h"

enum { SITES = 700, THREADS = 5, LONGEST = 9999 };

static uint64_t rng_state;

static uint64_t rng(uint64_t below)
{
    return xorshift(&rng_state) % below;
}

/* The strands with accesses are adjacent in sorted; each has the accesses of its site and thread. */
static void check_buffer(const struct pat_ext_buffer *r, const struct pat_access *all)
{
    size_t seen = 0;
    for (size_t i = 0; i < r->touched_len; i++) {
        const struct pat_ext_strand *l = &r->strands[r->touched[i]];
        assert_true(l->len > 0);
        assert_int_equal(l->end - l->len, seen);
        for (size_t k = seen; k < l->end; k++) {
            const uint32_t at = r->sorted[k];
            const struct pat_access *a = &all[r->before + at];
            assert_int_equal(a->site, l->site);
            assert_int_equal(a->thread, l->thread);
            assert_int_equal(a->addr, r->addrs[at]);
            assert_int_equal(r->touched[i], r->strand_of[at]);
            assert_true(k == seen || r->sorted[k - 1] < at);
            assert_int_equal(r->marks[at], 0);
        }
        seen = l->end;
    }
    assert_int_equal(seen, r->len);
}

static void pat_round_hands_out_every_access_once_and_in_order(void **state)
{
    (void)state;
    static struct pat_site sites[SITES];
    static struct pat_thread threads[THREADS];
    static struct pat_access all[40 * LONGEST];
    struct pat_tables t = {.sites = sites, .threads = threads};
    struct pat_ext_budget b = {.limit_bytes = UINT64_C(1) << 30};
    struct pat_ext_buffer r;
    uint64_t given = 0, fillings = 0;
    rng_state = XORSHIFT_SEED;
    assert_int_equal(pat_ext_buffer_init(&r, &b), LS_OK);
    for (int batch = 0; batch < 40; batch++) {
        t.sites_len = 1 + (size_t)batch * (SITES - 1) / 39; /* tables grow */
        t.threads_len = 1 + (size_t)batch / 10;
        const size_t len = rng(LONGEST);
        struct pat_access *a = &all[given];
        for (size_t i = 0; i < len; i++)
            a[i] =
                (struct pat_access){rng(1 << 20), (uint32_t)rng(t.sites_len), (uint32_t)rng(t.threads_len)};
        for (size_t i = 0, taken; i < len; i += taken) {
            if (r.len == r.cap || rng(2) == 0) {
                pat_ext_buffer_sort(&r);
                check_buffer(&r, all);
                assert_int_equal(r.before, given - r.len);
                for (size_t k = 0; k < r.len; k++)
                    r.marks[k] = 1; /* as whoever follows does */
                pat_ext_buffer_next(&r, &b);
                fillings++;
            }
            assert_int_equal(pat_ext_buffer_add(&r, &b, &t, &a[i], len - i, &taken), LS_OK);
            given += taken;
        }
    }
    assert_true(fillings > 10);
    assert_true(r.cap > 8192); /* many strands: a larger buffer */
    assert_true(b.used_bytes > r.cap * sizeof(*r.addrs));
    pat_ext_buffer_fini(&r);
}

static void pat_round_takes_a_small_part_of_the_memory(void **state)
{
    (void)state;
    static struct pat_site sites[SITES];
    static struct pat_thread threads[1];
    const struct pat_tables t = {.sites = sites, .threads = threads, .sites_len = SITES, .threads_len = 1};
    struct pat_ext_budget b = {.limit_bytes = UINT64_C(1) << 20};
    struct pat_ext_buffer r;
    assert_int_equal(pat_ext_buffer_init(&r, &b), LS_OK);
    for (uint32_t i = 0; i < 100000; i++) {
        const struct pat_access a = {i, i % SITES, 0};
        size_t taken = 0;
        if (r.len == r.cap) {
            pat_ext_buffer_sort(&r);
            pat_ext_buffer_next(&r, &b);
        }
        assert_int_equal(pat_ext_buffer_add(&r, &b, &t, &a, 1, &taken), LS_OK);
        assert_int_equal(taken, 1);
    }
    assert_in_range(b.used_bytes, 1, b.limit_bytes / 8);
    pat_ext_buffer_fini(&r);
}

static void pat_round_refuses_missing_rows(void **state)
{
    (void)state;
    struct pat_site site = {0};
    struct pat_thread thread = {0};
    const struct pat_tables t = {.sites = &site, .threads = &thread, .sites_len = 1, .threads_len = 1};
    const struct pat_access wrong[] = {{0, 1, 0}, {0, 0, 1}};
    struct pat_ext_budget b = {.limit_bytes = UINT64_C(1) << 20};
    for (int i = 0; i < 2; i++) {
        struct pat_ext_buffer r;
        size_t taken;
        assert_int_equal(pat_ext_buffer_init(&r, &b), LS_OK);
        assert_int_equal(pat_ext_buffer_add(&r, &b, &t, &wrong[i], 1, &taken), LS_ERR_FORMAT);
        pat_ext_buffer_fini(&r);
    }
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pat_round_hands_out_every_access_once_and_in_order),
        cmocka_unit_test(pat_round_takes_a_small_part_of_the_memory),
        cmocka_unit_test(pat_round_refuses_missing_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
