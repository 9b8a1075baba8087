/* SPDX-License-Identifier: BSD-3-Clause */
/* Extraction against a naive one, on random accesses with begins and ends of nested ranges, breaks and
 * threads; and the single rules that define a sequence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "patterns/compact/pat_compact.h"
#include "patterns/extract/pat_ext_filter.h"
#include "tests/patterns/naive_extract.h"
#include "tests/unit.h"
#include "tests/xorshift.h"

#include <stdlib.h>
#include <string.h>

static uint64_t rng_state;

static uint64_t rng(uint64_t below)
{
    return xorshift(&rng_state) % below;
}

static const struct pat_extract_options everything = {
    .top = 1000000, .accesses_min = 1, .keep_trivial = true};

#define ARENA UINT64_C(0x7f0000100000)

/* Blocks of 4 KiB with gaps, each with two pieces inside, one of those with another inside; one twice. */
static void make_ranges(struct memory_source *m, uint32_t homes)
{
    for (uint32_t block = 0; block < 12; block++) {
        const uint64_t base = ARENA + block * UINT64_C(5000);
        memory_range(m, base, base + 4096, block % homes);
        memory_range(m, base + 96, base + 1000, (block + 1) % homes);
        memory_range(m, base + 2000, base + 4096, (block + 2) % homes);
        memory_range(m, base + 2400, base + 2496, block % homes);
        if (block == 3) memory_range(m, base, base + 4096, (block + 1) % homes);
    }
    for (uint32_t node = 0; node < 100; node++) /* nodes of a list */
        memory_range(m, ARENA + 70000 + node * 48, ARENA + 70000 + node * 48 + 32, homes);
}

struct walker {
    uint64_t addr;
    int64_t stride;
    uint32_t site;
};

static uint64_t walk(struct walker *w)
{
    switch (rng(8)) {
    case 0:
        w->addr = ARENA - 500 + rng(76000);
        w->stride = (int64_t)rng(5) * 8 - 8;
        break;
    case 1:
        w->addr = ARENA + 70000 + rng(100) * 48;
        w->stride = 48;
        break;
    default:
        w->addr += (uint64_t)w->stride;
    }
    return w->addr;
}

/* is_weighted: the breaks give the accesses a weight, as in a profile. */
static void make_random(struct memory_source *m, uint64_t seed, size_t steps, bool is_weighted)
{
    static const uint64_t elems[] = {0, 4, 8, 24, 12};
    static const uint16_t sizes[] = {8, 4, 1, 64, 16, 2};
    struct walker walkers[3] = {{ARENA, 8, 0}, {ARENA + 64, 4, 1}, {ARENA + 4096, -4, 2}};
    bool alive[200] = {false};
    rng_state = seed;
    for (int i = 0; i < 5; i++)
        memory_home(m, "home", elems[i]);
    make_ranges(m, 4);
    for (uint32_t i = 0; i < 6; i++)
        memory_site(m, 0x401000 + i, sizes[i], i % 2 ? PAT_OP_STORE : PAT_OP_LOAD);
    for (int i = 0; i < 3; i++)
        memory_thread(m);
    if (is_weighted) memory_event(m, PAT_EVENT_BREAK, PAT_NONE, 1);
    for (size_t i = 0; i < steps; i++) {
        struct walker *w = &walkers[rng(3)];
        if (rng(20) == 0) {
            const uint32_t range = (uint32_t)rng(m->tables.ranges_len);
            memory_event(m, alive[range] ? PAT_EVENT_RANGE_DIED : PAT_EVENT_RANGE_BORN, PAT_NONE, range);
            alive[range] = !alive[range];
        }
        if (rng(400) == 0 || (is_weighted && rng(20) == 0))
            memory_event(m, PAT_EVENT_BREAK, !is_weighted && rng(4) ? (uint32_t)rng(3) : PAT_NONE,
                         is_weighted ? 1 + (uint32_t)rng(2000) : 0);
        if (rng(3) == 0) w->site = (uint32_t)rng(6);
        for (uint64_t n = rng(12); n > 0; n--)
            memory_access(m, w->site, (uint32_t)(w - walkers), walk(w));
    }
}

static void pat_extraction_equals_the_naive_one_on_random_accesses(void **state)
{
    (void)state;
    static const size_t batches[] = {1, 7, 1000};
    for (uint64_t seed = 1; seed <= 30; seed++) {
        struct memory_source m = {.batch_max = batches[seed % 3]};
        struct pat_sequences s;
        make_random(&m, seed * 7919, 1500, seed % 2 == 0);
        memory_extract(&m, &everything, &s);
        naive_compare(&m, &s);
        pat_sequences_fini(&s);
        memory_fini(&m);
    }
}

#define FAR_AWAY UINT64_C(0x7fff00000000)

static const struct pat_sequence *only(const struct pat_sequences *s)
{
    assert_int_equal(s->len, 1);
    return &s->rows[0];
}

/* A list: nodes of 32 bytes, born one by one, walked in another order. */
static void pat_nodes_of_a_list_are_one_pool(void **state)
{
    (void)state;
    struct memory_source m = {0};
    struct pat_sequences s;
    memory_thread(&m);
    memory_home(&m, "node", 32);
    memory_site(&m, 0x401000, 8, PAT_OP_LOAD);
    for (uint32_t i = 0; i < 500; i++)
        memory_event(&m, PAT_EVENT_RANGE_BORN, PAT_NONE,
                     memory_range(&m, ARENA + i * 48, ARENA + i * 48 + 32, 0));
    for (uint64_t i = 0; i < 500; i++)
        memory_access(&m, 0, 0, ARENA + i * 7 % 500 * 48 + 8);
    memory_extract(&m, &everything, &s);
    assert_true(only(&s)->is_pool);
    assert_int_equal(s.rows[0].breaks_len, 0);
    assert_int_equal(s.rows[0].elem_size_bytes, 8);
    assert_int_equal(s.rows[0].distances_unique, 2);
    assert_int_equal(s.rows[0].distances[0].distance, 7 * 6);
    assert_int_equal(s.rows[0].indices.data[1], 7 * 6);
    naive_compare(&m, &s);
    pat_sequences_fini(&s);
    memory_fini(&m);
}

/* Blocks that are worked on for a while are not: each has its own indices. */
static void pat_blocks_are_indexed_one_by_one(void **state)
{
    (void)state;
    for (uint64_t visit = 7; visit <= 8; visit++) {
        struct memory_source m = {0};
        struct pat_sequences s;
        memory_thread(&m);
        memory_home(&m, "block", 8);
        memory_site(&m, 0x401000, 8, PAT_OP_LOAD);
        for (uint32_t i = 0; i < 100; i++) {
            const uint32_t range = memory_range(&m, ARENA + i * 4096, ARENA + i * 4096 + 4000, 0);
            memory_event(&m, PAT_EVENT_RANGE_BORN, PAT_NONE, range);
            for (uint64_t k = 0; k < visit; k++)
                memory_access(&m, 0, 0, ARENA + i * 4096 + k * k * 8);
            memory_event(&m, PAT_EVENT_RANGE_DIED, PAT_NONE, range);
        }
        memory_extract(&m, &everything, &s);
        assert_true(only(&s)->is_pool == (visit < 8));
        assert_int_equal(s.rows[0].breaks_len, visit < 8 ? 0 : 99);
        naive_compare(&m, &s);
        pat_sequences_fini(&s);
        memory_fini(&m);
    }
}

static void pat_range_that_another_overlaps_has_ended(void **state)
{
    (void)state;
    struct memory_source m = {0};
    struct pat_sequences s;
    memory_thread(&m);
    memory_home(&m, "old", 8);
    memory_home(&m, "new", 8);
    memory_site(&m, 0x401000, 8, PAT_OP_LOAD);
    memory_event(&m, PAT_EVENT_RANGE_BORN, PAT_NONE, memory_range(&m, ARENA, ARENA + 1000, 0));
    memory_access(&m, 0, 0, ARENA + 800);
    memory_event(&m, PAT_EVENT_RANGE_BORN, PAT_NONE, memory_range(&m, ARENA + 504, ARENA + 2000, 1));
    memory_event(&m, PAT_EVENT_RANGE_BORN, PAT_NONE, memory_range(&m, ARENA + 9, ARENA + 9, 1));
    memory_event(&m, PAT_EVENT_RANGE_BORN, PAT_NONE, 77); /* neither of these can be */
    memory_access(&m, 0, 0, ARENA + 800);
    memory_access(&m, 0, 0, ARENA);
    memory_extract(&m, &everything, &s);
    assert_int_equal(s.len, 3);
    for (size_t i = 0; i < 3; i++) {
        const struct pat_sequence *q = &s.rows[i];
        assert_int_equal(q->accesses, 1);
        assert_int_equal(q->indices.data[0], q->home == PAT_NONE ? 0 : q->home == 0 ? 100 : 37);
    }
    pat_sequences_fini(&s);
    memory_fini(&m);
}

static void make_threads(struct memory_source *m)
{
    memory_home(m, "array", 8);
    memory_site(m, 0x401000, 8, PAT_OP_LOAD);
    memory_event(m, PAT_EVENT_RANGE_BORN, PAT_NONE, memory_range(m, ARENA, ARENA + 100000, 0));
    for (uint32_t thread = 0; thread < 3; thread++) {
        memory_thread(m);
        for (uint64_t i = 0; i < 100 + 10 * (thread & 1); i++) /* the second is the longest */
            memory_access(m, 0, thread, ARENA + thread * UINT64_C(8192) + i * 24);
    }
}

static void pat_threads_that_do_the_same_become_one(void **state)
{
    (void)state;
    struct memory_source m = {0};
    struct pat_sequences apart, merged;
    make_threads(&m);
    memory_extract(&m, &everything, &apart);
    assert_int_equal(apart.len, 3);
    const struct pat_extract_options merge = {.merge_threads = true, .keep_trivial = true};
    memory_extract(&m, &merge, &merged);
    const struct pat_sequence *q = only(&merged);
    assert_int_equal(q->thread, 1);
    assert_int_equal(q->threads, 3);
    assert_int_equal(q->accesses, 310);
    assert_int_equal(q->indices.len, 110);
    assert_int_equal(q->indices.data[0], 1024);
    assert_int_equal(q->distances[0].count, 307);
    assert_int_equal(q->lines, apart.rows[0].lines + apart.rows[1].lines + apart.rows[2].lines);
    assert_true(q->is_whole);
    assert_int_equal(merged.accesses_filtered, 0);
    pat_sequences_fini(&apart);
    pat_sequences_fini(&merged);
    memory_fini(&m);
}

/* Three threads, whose places are `apart` bytes from one to the next: two sweeps by words, or random ones in 1 KiB. */
static const struct pat_sequence *extract_apart(struct memory_source *m, struct pat_sequences *s,
                                                uint64_t apart, bool is_random, uint64_t block_bytes)
{
    const struct pat_extract_options merge = {.merge_threads = true, .keep_trivial = true};
    memory_home(m, "x", 8);
    memory_site(m, 0x401000, 8, PAT_OP_LOAD);
    for (uint64_t at = ARENA; at < ARENA + 65536; at += block_bytes)
        memory_event(m, PAT_EVENT_RANGE_BORN, PAT_NONE, memory_range(m, at, at + block_bytes, 0));
    rng_state = 11;
    for (uint32_t thread = 0; thread < 3; thread++) {
        memory_thread(m);
        for (uint64_t i = 0; i < 200 + (thread == 1); i++)
            memory_access(m, 0, thread, ARENA + thread * apart + (is_random ? rng(128) : i % 100) * 8);
    }
    memory_extract(m, &merge, s);
    return only(s);
}

/* Threads of one line, of disjoint parts, of the same data, or of blocks whose distance is the allocator's. */
static void pat_threads_at_different_places_are_apart(void **state)
{
    (void)state;
    static const struct {
        uint64_t apart;
        bool is_random, is_told;
        uint64_t block_bytes;
    } rows[] = {{8, false, true, 65536},   {4096, false, true, 65536}, {4096, true, true, 65536},
                {0, false, false, 65536},  {0, true, false, 65536},    {8, true, false, 65536},
                {4096, true, false, 4096}, {4096, false, false, 4096}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct memory_source m = {0};
        struct pat_sequences s;
        const struct pat_sequence *q =
            extract_apart(&m, &s, rows[i].apart, rows[i].is_random, rows[i].block_bytes);
        assert_int_equal(q->threads, 3);
        assert_int_equal(q->threads_apart != NULL, rows[i].is_told);
        for (int t = 0; t < 3 && rows[i].is_told && !rows[i].is_random;
             t++) /* the second thread is the longest */
            assert_int_equal(q->threads_apart[t], (t - 1) * (int64_t)rows[i].apart);
        pat_sequences_fini(&s);
        memory_fini(&m);
    }
}

/* n accesses: `unique` different distances, `far` times a far one, in turn with those. */
static void make_filtered(struct memory_source *m, uint32_t site, uint64_t n, uint64_t unique, uint64_t far)
{
    uint64_t addr = FAR_AWAY + site * UINT64_C(0x1000000);
    for (uint64_t i = 0; i < n; i++) {
        memory_access(m, site, 0, addr * 8);
        addr += i < far ? (i & 1 ? -UINT64_C(600) : 600) : 2 + i % unique;
    }
}

struct filter_row {
    uint64_t n, unique, far;
    bool by[3]; /* paper, v1, v2 keep it */
};

/* Limits on both sides: accesses 1024, distances 6 and 16, half of them far. */
static const struct filter_row filter_rows[] = {
    {1023, 6, 0, {false, false, false}},   {1024, 6, 0, {true, false, false}},
    {1025, 6, 0, {true, true, false}},     {1025, 5, 0, {false, false, false}},
    {500, 16, 0, {false, false, true}},    {500, 15, 0, {false, false, false}},
    {1040, 2, 520, {true, false, false}},  {1040, 2, 521, {true, true, true}},
    {1040, 2, 519, {false, false, false}},
};

/* The loader's sequences are counted, and kept on request only. */
static void the_dynamic_loader_is_one_line(void **state)
{
    (void)state;
    static char *const paths[] = {"/usr/lib64/ld-linux-x86-64.so.2", "/usr/bin/ld-linux/solver"};
    for (int keep = 0; keep < 2; keep++) {
        const struct pat_extract_options o = {.keep_loader = keep};
        struct memory_source m = {0};
        struct pat_sequences s;
        struct pat_module modules[2] = {{paths[0], 0x1000, 0x2000, 0}, {paths[1], 0x401000, 0x402000, 0}};
        memory_thread(&m);
        memory_site(&m, 0x1000, 8, PAT_OP_LOAD);
        memory_site(&m, 0x401000, 8, PAT_OP_LOAD);
        m.tables.modules = modules;
        m.tables.modules_len = 2;
        m.tables.sites[0].module = 0;
        m.tables.sites[1].module = 1;
        make_filtered(&m, 0, 3000, 20, 0);
        make_filtered(&m, 1, 2000, 20, 0);
        memory_extract(&m, &o, &s);
        assert_int_equal(s.len, 1 + keep);
        assert_int_equal(s.rows[s.len - 1].site == 1 || s.rows[0].site == 1, 1);
        assert_int_equal(s.left_out[PAT_LEFT_OUT_LOADER].len, !keep);
        assert_int_equal(s.left_out[PAT_LEFT_OUT_LOADER].accesses, keep ? 0 : 3000);
        assert_int_equal(s.accesses_filtered, keep ? 0 : 3000);
        assert_true(keep ? s.left_out[PAT_LEFT_OUT_LOADER].cost == 0
                         : s.left_out[PAT_LEFT_OUT_LOADER].cost > 0 &&
                               s.left_out[PAT_LEFT_OUT_LOADER].cost < s.cost);
        pat_sequences_fini(&s);
        m.tables.modules = NULL;
        m.tables.modules_len = 0;
        memory_fini(&m);
    }
}

static void pat_published_modes_keep_the_published_sequences(void **state)
{
    (void)state;
    static const enum pat_mode modes[] = {PAT_MODE_PAPER, PAT_MODE_V1, PAT_MODE_V2};
    for (size_t i = 0; i < sizeof(filter_rows) / sizeof(filter_rows[0]); i++)
        for (size_t k = 0; k < 3; k++) {
            const struct filter_row *row = &filter_rows[i];
            const struct pat_extract_options o = {.mode = modes[k]};
            struct memory_source m = {0};
            struct pat_sequences s;
            memory_thread(&m);
            memory_site(&m, 0x401000, 8, PAT_OP_STORE);
            make_filtered(&m, 0, row->n, row->unique, row->far);
            memory_extract(&m, &o, &s);
            if ((s.len == 1) != row->by[k]) fail_msg("row %zu, mode %zu: %zu sequences", i, k, s.len);
            assert_int_equal(s.accesses_filtered, s.len ? 0 : row->n);
            if (s.len) assert_int_equal(s.rows[0].indices.len, row->n);
            pat_sequences_fini(&s);
            memory_fini(&m);
        }
}

static size_t lines_known; /* sites below this one have a source line */

static ls_err find_lines(const struct pat_tables *t, const uint32_t *sites, size_t len, bool *known)
{
    (void)t;
    for (size_t i = 0; i < len; i++)
        known[i] = sites[i] < lines_known;
    return LS_OK;
}

/* As the published tool leaves them out; but a program without any lines keeps its patterns. */
static void pat_published_modes_leave_out_instructions_without_a_line(void **state)
{
    (void)state;
    for (lines_known = 0; lines_known <= 2; lines_known++) {
        const struct pat_extract_options o = {.mode = PAT_MODE_V2, .lines = find_lines};
        struct memory_source m = {0};
        struct pat_sequences s;
        char path[] = "/usr/bin/solver";
        struct pat_module module = {path, 0x401000, 0x402000, 0};
        memory_thread(&m);
        for (uint32_t i = 0; i < 2; i++) {
            memory_site(&m, 0x401000 + i, 8, PAT_OP_LOAD);
            make_filtered(&m, i, 2000, 20, 0);
            m.tables.sites[i].module = 0;
        }
        m.tables.modules = &module;
        m.tables.modules_len = 1;
        memory_extract(&m, &o, &s);
        assert_int_equal(s.len, lines_known == 1 ? 1 : 2);
        if (lines_known == 1) assert_true(s.rows[0].site == 0 && s.rows[0].window_share == 1);
        pat_sequences_fini(&s);
        m.tables.modules = NULL;
        m.tables.modules_len = 0;
        memory_fini(&m);
    }
}

static void pat_published_modes_keep_the_ten_seen_in_most_windows(void **state)
{
    (void)state;
    struct memory_source m = {0};
    struct pat_sequences s;
    const struct pat_extract_options o = {.mode = PAT_MODE_PAPER}, four = {.mode = PAT_MODE_PAPER, .top = 4};
    memory_thread(&m);
    for (uint32_t i = 0; i < 24; i++) { /* later ones are longer; loads and stores count apart */
        memory_site(&m, 0x401000 + i, 8, i & 1 ? PAT_OP_STORE : PAT_OP_LOAD);
        make_filtered(&m, i, 1200 + i * 50, 20, 0);
    }
    memory_extract(&m, &o, &s);
    assert_int_equal(s.len, 20);
    for (size_t i = 0; i < s.len; i++)
        assert_in_range(s.rows[i].site, 4, 23);
    pat_sequences_fini(&s);
    memory_extract(&m, &four, &s);
    assert_int_equal(s.len, 8);
    pat_sequences_fini(&s);
    memory_fini(&m);
}

static void pat_trivial_sequences_show_when_they_cost_or_are_wanted(void **state)
{
    (void)state;
    struct memory_source m = {0};
    struct pat_sequences s;
    memory_thread(&m);
    for (uint32_t i = 0; i < 3; i++)
        memory_site(&m, 0x401000 + i, 8, PAT_OP_LOAD);
    rng_state = 4711;
    for (uint64_t i = 0; i < 40000; i++) {
        memory_access(&m, 0, 0, ARENA + i * 8);                   /* a stream: costs something */
        memory_access(&m, 1, 0, FAR_AWAY + i % 2 * 8);            /* always near */
        memory_access(&m, 2, 0, 2 * FAR_AWAY + rng(8000000) * 8); /* a gather */
    }
    const struct pat_extract_options o = {0};
    memory_extract(&m, &o, &s);
    assert_int_equal(s.len, 2);
    assert_int_equal(s.rows[0].site, 2);
    assert_int_equal(s.rows[1].site, 0);
    assert_true(s.rows[0].cost > 5 * s.rows[1].cost);
    assert_int_equal(s.accesses_filtered, 40000);
    assert_int_equal(s.sites, 3);
    assert_int_equal(s.left_out[PAT_LEFT_OUT_TRIVIAL].len, 1);
    assert_int_equal(s.left_out[PAT_LEFT_OUT_TRIVIAL].accesses, 40000);
    assert_true(s.left_out[PAT_LEFT_OUT_TRIVIAL].cost < 0.01 * s.cost);
    pat_sequences_fini(&s);
    const struct pat_extract_options first = {.top = 1}, many = {.accesses_min = 40001};
    memory_extract(&m, &first, &s);
    assert_int_equal(s.left_out[PAT_LEFT_OUT_CHEAP].len, 1);
    assert_int_equal(s.left_out[PAT_LEFT_OUT_CHEAP].accesses, 40000);
    pat_sequences_fini(&s);
    memory_extract(&m, &many, &s);
    assert_int_equal(s.left_out[PAT_LEFT_OUT_SHORT].len, 3);
    pat_sequences_fini(&s);
    memory_extract(&m, &everything, &s);
    assert_int_equal(s.len, 3);
    pat_sequences_fini(&s);
    memory_fini(&m);
}

/* The same lines in the same order, by loads, by stores, and by accesses that cross a line. */
static void pat_counts_are_estimates_above_their_limits(void **state)
{
    (void)state;
    struct memory_source m = {0};
    struct pat_sequences s;
    memory_thread(&m);
    memory_site(&m, 0x401000, 8, PAT_OP_LOAD);
    for (uint64_t i = 0; i < 60000; i++) { /* a permutation of pages, two lines in each */
        const uint64_t page = i * 40507 % 60000;
        memory_access(&m, 0, 0, ARENA + page * 4096);
        memory_access(&m, 0, 0, ARENA + page * 4096 + 64 * (1 + page % 63));
    }
    memory_extract(&m, &everything, &s);
    assert_in_range(only(&s)->pages, 57000, 63000);
    assert_in_range(s.rows[0].lines, 114000, 126000);
    pat_sequences_fini(&s);
    free(m.steps);
    m.steps = NULL;
    m.steps_len = 0;
    rng_state = 99;
    for (uint64_t i = 0; i < 60000; i++) { /* every third distance is 5 */
        const uint64_t addr = ARENA + rng(100000000) * 8;
        memory_access(&m, 0, 0, addr);
        memory_access(&m, 0, 0, addr + 5 * 8);
    }
    memory_extract(&m, &everything, &s);
    assert_int_equal(only(&s)->distances[0].distance, 5);
    assert_in_range(s.rows[0].distances[0].count, 59000, 60000);
    assert_in_range(s.rows[0].distances_unique, 16384, 60001);
    assert_in_range(s.rows[0].distances_far, 59900, 60000);
    pat_sequences_fini(&s);
    memory_fini(&m);
}

static void pat_source_with_missing_rows_is_refused(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        struct memory_source m = {0};
        struct pat_sequences s;
        memory_thread(&m);
        memory_site(&m, 0x401000, 8, PAT_OP_LOAD);
        memory_access(&m, i ? 1 : 0, i ? 0 : 1, ARENA);
        pat_source *source = memory_open(&m);
        assert_int_equal(pat_extract(source, NULL, &s), LS_ERR_FORMAT);
        assert_int_equal(s.len, 0);
        pat_source_close(source);
        memory_fini(&m);
    }
}

/* Sequences that do not fit into memory are distinguished from sequences that the mode leaves out. */
static void pat_accesses_without_room_are_counted(void **state)
{
    enum { SITES = 5000 };
    const struct pat_extract_options o = {
        .memory_bytes = 1, .top = SITES, .accesses_min = 1, .keep_trivial = true};
    struct memory_source m = {0};
    struct pat_sequences s;
    uint64_t kept = 0;
    (void)state;
    memory_thread(&m);
    for (uint32_t i = 0; i < SITES; i++) {
        memory_site(&m, 0x401000 + i, 8, PAT_OP_LOAD);
        memory_access(&m, i, 0, ARENA + (uint64_t)i * 64);
    }
    memory_extract(&m, &o, &s);
    for (size_t i = 0; i < s.len; i++)
        kept += s.rows[i].accesses;
    assert_true(s.accesses_unplaced > 0);
    assert_int_equal(s.accesses_filtered, 0);
    assert_int_equal(kept + s.accesses_unplaced, SITES);
    pat_sequences_fini(&s);
    memory_fini(&m);
}

/* Two loads of one home in turn, the second of which costs nothing: fields of a structure, or neighbours in
 * an array (trivial distances). A third one is elsewhere, and waits once. */
static void make_turns(struct memory_source *m, uint64_t step_bytes, uint64_t first_bytes,
                       uint64_t second_bytes)
{
    memory_thread(m);
    memory_home(m, "both", 8);
    memory_home(m, "other", 8);
    for (uint32_t i = 0; i < 3; i++)
        memory_site(m, 0x401000 + i, 8, PAT_OP_LOAD);
    memory_event(m, PAT_EVENT_RANGE_BORN, PAT_NONE, memory_range(m, ARENA, ARENA + 128 * 1000, 0));
    memory_event(m, PAT_EVENT_RANGE_BORN, PAT_NONE, memory_range(m, FAR_AWAY, FAR_AWAY + 128, 1));
    for (uint64_t i = 0; i < 990; i++) {
        memory_access(m, 0, 0, ARENA + i * step_bytes + first_bytes);
        memory_access(m, 1, 0, ARENA + i * step_bytes + second_bytes);
        memory_access(m, 2, 0, FAR_AWAY + i % 8 * 16);
    }
}

static const struct turns_case {
    uint64_t step_bytes, first_bytes, second_bytes;
    bool is_trivial;
} turns_cases[] = {{128, 0, 16, false}, {8, 8, 0, true}};

static void check_turns(const struct turns_case *t, bool with, bool no_join, uint32_t top)
{
    const struct pat_extract_options o = {.top = top, .with_companions = with};
    const struct pat_compact_options c = {.no_symbols = true, .no_join = no_join};
    struct memory_source m = {0};
    struct pat_sequences s;
    struct pat_findings f;
    make_turns(&m, t->step_bytes, t->first_bytes, t->second_bytes);
    pat_source *source = memory_open(&m);
    const bool is_joined = with && !no_join;
    assert_int_equal(pat_extract(source, &o, &s), LS_OK);
    assert_int_equal(s.len, top + with);
    for (uint32_t i = 0; i < s.len; i++)
        assert_int_equal(s.rows[i].is_companion, t->is_trivial && s.rows[i].site == 1);
    assert_int_equal(s.accesses_filtered, (3 - s.len) * 990);
    assert_int_equal(pat_compact(&s, pat_source_tables(source), &c, &f), LS_OK);
    assert_int_equal(pat_findings_cut(&f, top, &s.accesses_filtered), LS_OK);
    assert_int_equal(f.len, top);
    assert_string_equal(f.rows[0].home, "both");
    assert_int_equal(f.rows[0].members_len, is_joined ? 2 : 0);
    assert_int_equal(f.rows[0].accesses, is_joined ? 1980 : 990);
    if (top == 2 && is_joined) assert_string_equal(f.rows[1].home, "other");
    if (is_joined || !with) assert_int_equal(s.accesses_filtered, (3 - top - is_joined) * 990);
    pat_findings_fini(&f);
    pat_sequences_fini(&s);
    pat_source_close(source);
    memory_fini(&m);
}

static void pat_companions_of_the_costliest_are_included(void **state)
{
    (void)state;
    for (size_t t = 0; t < sizeof(turns_cases) / sizeof(turns_cases[0]); t++)
        for (int with = 0; with < 2; with++)
            for (int no_join = 0; no_join < 2; no_join++)
                for (uint32_t top = 1; top < 3; top++)
                    check_turns(&turns_cases[t], with, no_join, top);
}

static void pat_top_counts_groups(void **state)
{
    static const int a, b, c, d;
    /* ranked; the five of b cost more together than a and c, and the last one is of no wanted group */
    static const struct pat_ext_candidate rows[] = {
        {&a, 9, true, false}, {&c, 7, true, false},     {&b, 4, false, false}, {&b, 4, true, false},
        {&b, 4, true, false}, {&b, 3, true, false},     {&b, 3, false, false}, {&d, 2, true, false},
        {&d, 1, true, false}, {&rows, 1, false, false},
    };
    enum { ROWS = sizeof(rows) / sizeof(rows[0]) };
    static const char *const chosen[] = {"0000000000", "1011111000", "1111111000",
                                         "1111111000", "1111111110", "1111111110"};
    (void)state;
    for (uint32_t top = 0; top < sizeof(chosen) / sizeof(chosen[0]); top++) {
        struct pat_ext_candidate some[ROWS];
        memcpy(some, rows, sizeof(some));
        assert_int_equal(pat_ext_choose(some, ROWS, top), LS_OK);
        for (size_t i = 0; i < ROWS; i++)
            if (some[i].is_chosen != (chosen[top][i] == '1')) fail_msg("top %u, row %zu", top, i);
    }
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pat_extraction_equals_the_naive_one_on_random_accesses),
        cmocka_unit_test(pat_nodes_of_a_list_are_one_pool),
        cmocka_unit_test(pat_blocks_are_indexed_one_by_one),
        cmocka_unit_test(pat_range_that_another_overlaps_has_ended),
        cmocka_unit_test(pat_threads_that_do_the_same_become_one),
        cmocka_unit_test(pat_threads_at_different_places_are_apart),
        cmocka_unit_test(the_dynamic_loader_is_one_line),
        cmocka_unit_test(pat_published_modes_keep_the_published_sequences),
        cmocka_unit_test(pat_published_modes_leave_out_instructions_without_a_line),
        cmocka_unit_test(pat_published_modes_keep_the_ten_seen_in_most_windows),
        cmocka_unit_test(pat_trivial_sequences_show_when_they_cost_or_are_wanted),
        cmocka_unit_test(pat_counts_are_estimates_above_their_limits),
        cmocka_unit_test(pat_source_with_missing_rows_is_refused),
        cmocka_unit_test(pat_accesses_without_room_are_counted),
        cmocka_unit_test(pat_companions_of_the_costliest_are_included),
        cmocka_unit_test(pat_top_counts_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
