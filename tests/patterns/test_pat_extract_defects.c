/* SPDX-License-Identifier: BSD-3-Clause */
/* Patterns that the published tool misses or gets wrong, one test each: the default mode finds them, and
 * where windows or filters are the reason, the published modes miss them as the tool does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "patterns/extract/pat_extract.h"
#include "tests/patterns/memory_source.h"
#include "tests/unit.h"
#include "tests/xorshift.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#define BASE UINT64_C(0x7f0000000000)
#define TABLE_BYTES (UINT64_C(1) << 26)

static uint64_t rng_state;

static uint64_t rng(uint64_t below)
{
    return xorshift(&rng_state) % below;
}

static uint64_t anywhere(uint64_t unit)
{
    return BASE + rng(TABLE_BYTES / unit) * unit;
}

static int begin(void **state)
{
    static struct memory_source m;
    rng_state = XORSHIFT_SEED;
    m = (struct memory_source){0};
    memory_thread(&m);
    *state = &m;
    return 0;
}

static int end(void **state)
{
    memory_fini(*state);
    return 0;
}

static void extract(struct memory_source *m, struct pat_extract_options o, struct pat_sequences *out)
{
    memory_extract(m, &o, out);
}

static const struct pat_sequence *of_site(const struct pat_sequences *s, uint32_t site)
{
    for (size_t i = 0; i < s->len; i++)
        if (s->rows[i].site == site) return &s->rows[i];
    return NULL;
}

/* Return how many of the sites [first, first + n) this mode finds. */
static size_t found(struct memory_source *m, struct pat_extract_options o, uint32_t first, uint32_t n)
{
    struct pat_sequences s;
    size_t sites = 0;
    extract(m, o, &s);
    for (uint32_t i = 0; i < n; i++)
        sites += of_site(&s, first + i) != NULL;
    pat_sequences_fini(&s);
    return sites;
}

static size_t found_by(struct memory_source *m, enum pat_mode mode, uint32_t first, uint32_t n)
{
    return found(m, (struct pat_extract_options){.mode = mode, .top = 100000}, first, n);
}

static const enum pat_mode published[] = {PAT_MODE_PAPER, PAT_MODE_V1, PAT_MODE_V2};

static void missed_as_published(struct memory_source *m, uint32_t first, uint32_t n)
{
    for (size_t i = 0; i < sizeof(published) / sizeof(published[0]); i++)
        assert_int_equal(found_by(m, published[i], first, n), 0);
}

static void pat_random_gather_around_a_loop_of_16_iterations_is_found(void **state)
{
    struct memory_source *m = *state;
    const uint32_t inner = memory_site(m, 0x401000, 8, PAT_OP_LOAD);
    const uint32_t gather = memory_site(m, 0x401010, 8, PAT_OP_LOAD);
    for (uint64_t i = 0; i < 4000; i++) {
        memory_access(m, gather, 0, anywhere(8));
        for (uint64_t k = 0; k < 16; k++)
            memory_access(m, inner, 0, BASE + 2 * TABLE_BYTES + k * 8);
    }
    assert_int_equal(found_by(m, PAT_MODE_COST, gather, 1), 1);
    missed_as_published(m, gather, 1);
    struct pat_sequences s;
    extract(m, (struct pat_extract_options){0}, &s);
    assert_int_equal(s.rows[0].site, gather); /* and costs most */
    assert_int_equal(s.rows[0].accesses, 4000);
    pat_sequences_fini(&s);
}

static void pat_vector_loads_of_64_bytes_at_random_addresses_are_found(void **state)
{
    struct memory_source *m = *state;
    const uint32_t site = memory_site(m, 0x401000, 64, PAT_OP_LOAD);
    for (int i = 0; i < 4000; i++)
        memory_access(m, site, 0, anywhere(64));
    assert_int_equal(found_by(m, PAT_MODE_COST, site, 1), 1);
    missed_as_published(m, site, 1);
}

static void pat_loop_of_3000_memory_instructions_is_found(void **state)
{
    struct memory_source *m = *state;
    for (uint32_t i = 0; i < 3000; i++)
        memory_site(m, 0x401000 + 4 * i, 8, PAT_OP_LOAD);
    for (int turn = 0; turn < 30; turn++)
        for (uint32_t i = 0; i < 3000; i++)
            memory_access(m, i, 0, anywhere(8));
    assert_int_equal(found_by(m, PAT_MODE_COST, 0, 3000), 3000);
    for (size_t i = 0; i < sizeof(published) / sizeof(published[0]); i++)
        assert_int_equal(found(m,
                               (struct pat_extract_options){
                                   .mode = published[i], .top = 100000, .accesses_min = 2, .unique_min = 2},
                               0, 3000),
                         0);
}

static void pat_trailing_window_is_seen(void **state)
{
    struct memory_source *m = *state;
    const uint32_t site = memory_site(m, 0x401000, 8, PAT_OP_LOAD);
    const struct pat_extract_options lax = {.mode = PAT_MODE_PAPER, .accesses_min = 2, .unique_min = 1};
    for (int i = 0; i < 8; i++) /* they fill a row, and no ninth one has it analysed */
        memory_access(m, site, 0, anywhere(8));
    assert_int_equal(found_by(m, PAT_MODE_COST, site, 1), 1);
    assert_int_equal(found(m, lax, site, 1), 0);
    memory_access(m, site, 0, anywhere(8));
    assert_int_equal(found(m, lax, site, 1), 1);
}

static void pat_distances_of_multiples_of_4_gib_are_reported(void **state)
{
    struct memory_source *m = *state;
    const uint32_t home = memory_home(m, "large", 8);
    memory_event(m, PAT_EVENT_RANGE_BORN, PAT_NONE, memory_range(m, BASE, BASE + (UINT64_C(1) << 38), home));
    for (uint32_t site = 0; site < 2; site++) { /* one of them outside of all ranges */
        memory_site(m, 0x401000 + site, 8, PAT_OP_LOAD);
        for (uint64_t i = 0; i < 100; i++)
            memory_access(m, site, 0, (site ? BASE / 2 : BASE) + (i * 7 % 13 << 32));
    }
    struct pat_sequences s;
    extract(m, (struct pat_extract_options){0}, &s);
    assert_int_equal(s.len, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(s.rows[i].distances_unique, 2);
        assert_int_equal(s.rows[i].distances_far, 99);
        assert_int_equal(s.rows[i].indices.data[1], INT64_C(7) << 29);
        assert_int_equal(s.rows[i].indices.data[2], INT64_C(1) << 29);
    }
    pat_sequences_fini(&s);
}

static void pat_sizes_at_one_instruction_do_not_mix(void **state)
{
    struct memory_source *m = *state;
    const uint32_t words = memory_site(m, 0x401000, 4, PAT_OP_LOAD);
    const uint32_t doubles = memory_site(m, 0x401000, 8, PAT_OP_LOAD);
    for (uint64_t i = 0; i < 100; i++)
        memory_access(m, i & 1 ? words : doubles, 0, BASE + i * 24);
    struct pat_sequences s;
    extract(m, (struct pat_extract_options){0}, &s);
    assert_int_equal(of_site(&s, words)->elem_size_bytes, 4);
    assert_int_equal(of_site(&s, words)->indices.data[1], 12);
    assert_int_equal(of_site(&s, doubles)->elem_size_bytes, 8);
    assert_int_equal(of_site(&s, doubles)->indices.data[1], 6);
    pat_sequences_fini(&s);
}

static void pat_unaligned_addresses_are_not_cut_off(void **state)
{
    static const struct {
        uint64_t elem, first, stride, unit; /* first: from the start of the range */
        int64_t index[2];
        bool has_no_width;
    } rows[] = {
        {8, 16, 16, 8, {2, 4}},                                        /* whole elements */
        {24, 8, 24, 8, {1, 4}},                                        /* a field: the unit is the access */
        {8, 4, 12, 4, {1, 4}},                                         /* half elements: the greatest
                                                                        * common divisor */
        {8, 3, 9, 3, {1, 4}},                                          /* odd ones */
        {0, 100, 8, 4, {25, 27}},                                      /* no element known */
        {0, 96, 8, 8, {12, 13}},       {0, 96, 32, 8, {12, 16}, true}, /* nor the access: words of 8 bytes */
        {0, 96, 4, 4, {24, 25}, true},                                 /* or smaller ones */
    };
    struct memory_source *m = *state;
    for (uint32_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const uint64_t start = BASE + i * UINT64_C(100000);
        memory_event(m, PAT_EVENT_RANGE_BORN, PAT_NONE,
                     memory_range(m, start, start + 50000, memory_home(m, "home", rows[i].elem)));
        memory_site(m, 0x401000 + i, rows[i].has_no_width ? 0 : 8, PAT_OP_LOAD);
        for (uint64_t k = 0; k < 50; k++)
            memory_access(m, i, 0, start + rows[i].first + k * rows[i].stride);
    }
    struct pat_sequences s;
    extract(m, (struct pat_extract_options){.keep_trivial = true}, &s);
    for (uint32_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct pat_sequence *q = of_site(&s, i);
        assert_int_equal(q->elem_size_bytes, rows[i].unit);
        assert_int_equal(q->indices.data[0], rows[i].index[0]);
        assert_int_equal(q->indices.data[1], rows[i].index[1]);
    }
    pat_sequences_fini(&s);
}

static void pat_more_than_8096_instructions_are_kept(void **state)
{
    struct memory_source *m = *state;
    for (uint32_t i = 0; i < 9000; i++)
        memory_site(m, 0x401000 + 4 * i, 8, i & 1 ? PAT_OP_STORE : PAT_OP_LOAD);
    for (int turn = 0; turn < 5; turn++)
        for (uint32_t i = 0; i < 9000; i++)
            memory_access(m, i, 0, anywhere(8));
    assert_int_equal(found_by(m, PAT_MODE_COST, 0, 9000), 9000);
}

static void pat_objects_far_apart_are_sequences_of_their_own(void **state)
{
    struct memory_source *m = *state;
    memory_site(m, 0x401000, 8, PAT_OP_LOAD);
    for (uint64_t i = 0; i < 1000; i++) /* heap and mappings without known ranges */
        memory_access(m, 0, 0, (i & 1 ? UINT64_C(0x555555500000) : UINT64_C(0x7ffff0000000)) + rng(500) * 8);
    struct pat_sequences s;
    extract(m, (struct pat_extract_options){0}, &s);
    assert_int_equal(s.len, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(s.rows[i].accesses, 500);
        for (size_t k = 0; k < 500; k++)
            assert_in_range(s.rows[i].indices.data[k], 0, 499);
    }
    pat_sequences_fini(&s);
}

static uint64_t mapped_bytes(void)
{
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "re");
    if (!f || fscanf(f, "%lu", &pages) != 1) fail_msg("no /proc/self/statm");
    fclose(f);
    return pages * UINT64_C(4096);
}

enum { BOUND_SITES = 300, BOUND_HOT = 300000, BOUND_EACH = 8000 };

/* One random site that costs much, many that cost less: some 25 MB of sequences, 30 MB of counts. */
static void make_large(struct memory_source *m)
{
    for (uint32_t i = 0; i <= BOUND_SITES; i++)
        memory_site(m, 0x401000 + 4 * i, 8, PAT_OP_LOAD);
    for (uint32_t i = 0; i < BOUND_HOT; i++) {
        memory_access(m, 0, 0, anywhere(8));
        for (int k = 0; k < BOUND_EACH / 1000; k++)
            memory_access(m, 1 + i % BOUND_SITES, 0, BASE + 2 * TABLE_BYTES + rng(300000) * 8);
    }
}

static void pat_memory_keeps_within_its_bound(void **state)
{
    struct memory_source *m = *state;
    struct rlimit before;
    const uint64_t memory_bytes = UINT64_C(16) << 20;
    make_large(m);
    getrlimit(RLIMIT_AS, &before);
    struct rlimit limit = before;
    limit.rlim_cur = mapped_bytes() + 2 * memory_bytes; /* the allocator's own share */
    setrlimit(RLIMIT_AS, &limit);
    struct pat_sequences s;
    extract(m, (struct pat_extract_options){.memory_bytes = memory_bytes, .top = 1000}, &s);
    setrlimit(RLIMIT_AS, &before);
    uint64_t indices = 0, cut = 0;
    assert_int_equal(s.len, BOUND_SITES + 1);
    assert_int_equal(s.rows[0].site, 0);
    assert_true(s.rows[0].is_whole); /* the costliest keeps its sequence */
    assert_int_equal(s.rows[0].indices.len, BOUND_HOT);
    for (size_t i = 0; i < s.len; i++) {
        indices += s.rows[i].indices.len;
        cut += !s.rows[i].is_whole;
        if (i > 0) assert_int_equal(s.rows[i].accesses, BOUND_HOT / BOUND_SITES * (BOUND_EACH / 1000));
        assert_true(s.rows[i].is_whole == (s.rows[i].indices.len == s.rows[i].accesses));
        assert_true(s.rows[i].distances_len > 0);
    }
    assert_true(indices * sizeof(int64_t) <= memory_bytes);
    assert_true(cut > 0);
    pat_sequences_fini(&s);
}

#define DEFECT(name) cmocka_unit_test_setup_teardown(name, begin, end)

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        DEFECT(pat_random_gather_around_a_loop_of_16_iterations_is_found),
        DEFECT(pat_vector_loads_of_64_bytes_at_random_addresses_are_found),
        DEFECT(pat_loop_of_3000_memory_instructions_is_found),
        DEFECT(pat_trailing_window_is_seen),
        DEFECT(pat_distances_of_multiples_of_4_gib_are_reported),
        DEFECT(pat_sizes_at_one_instruction_do_not_mix),
        DEFECT(pat_unaligned_addresses_are_not_cut_off),
        DEFECT(pat_more_than_8096_instructions_are_kept),
        DEFECT(pat_objects_far_apart_are_sequences_of_their_own),
        DEFECT(pat_memory_keeps_within_its_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
