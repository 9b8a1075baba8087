/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows that repeat themselves: extraction returns the accesses that were fed, access by access, distance by
 * distance, line by line, with rounds of all lengths, rounds that move, and interruptions. */
#include "common/ls_random.h"
#include "patterns/extract/pat_ext_engine.h"
#include "patterns/extract/pat_extract.h"
#include "tests/patterns/memory_source.h"
#include "tests/unit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { ACCESSES = 200000, SITES_MOST = 6, CASES = 16, AREA_LOG2 = 25, ROUND_MOST = 6000 };
#define BASE UINT64_C(0x10000000000)

static uint64_t state;

static uint64_t rng(uint64_t below)
{
    return ls_random_below(&state, below);
}

/* The accesses of one site: a beginning without order, then rounds. */
struct walk {
    uint64_t addrs[ACCESSES];
    size_t len;
};

static uint64_t somewhere(void)
{
    return rng(UINT64_C(1) << (AREA_LOG2 - 3)) * 8;
}

static void walk_put(struct walk *w, uint64_t offset)
{
    if (w->len < ACCESSES) w->addrs[w->len++] = BASE + (offset & ((UINT64_C(1) << AREA_LOG2) - 1));
}

/* Rounds of addresses without order and of runs; each round `drift` bytes further on, and now and then, if
 * odd is not 0, an address is another one or the round ends early. */
static void walk_rounds(struct walk *w, size_t until, uint64_t odd)
{
    static uint64_t addrs[ROUND_MOST];
    if (until > ACCESSES) until = ACCESSES;
    const size_t len = 1 + rng(rng(4) ? ROUND_MOST : 20);
    const uint64_t drift = rng(3) ? 0 : (rng(4) * 64 + 8 * rng(2)) * (rng(2) ? 1 : UINT64_MAX);
    const uint64_t runs = rng(3);
    for (size_t i = 0; i < len; i++)
        addrs[i] = i && rng(3) < runs ? addrs[i - 1] + 8 : somewhere();
    for (uint64_t round = 0; w->len < until; round++)
        for (size_t i = 0; i < len && w->len < until; i++) {
            const bool is_odd = odd && rng(odd) == 0;
            if (is_odd && rng(2)) break;
            walk_put(w, is_odd ? somewhere() : addrs[i] + round * drift);
        }
}

static void walk_make(struct walk *w)
{
    static const uint64_t odds[] = {0, 0, 300, 20000, 100000};
    w->len = 0;
    for (uint64_t before = rng(3) ? 0 : 70000 + rng(3000); before > 0; before--)
        walk_put(w, before * 8);
    for (int parts = 1 + (int)rng(3); parts > 0; parts--)
        walk_rounds(w, parts == 1 ? ACCESSES : w->len + 1000 + rng(120000), odds[rng(5)]);
}

static int by_value(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static size_t count_different(const struct walk *w, unsigned shift)
{
    static int64_t all[ACCESSES];
    size_t len = 0;
    for (size_t i = 0; i < w->len; i++)
        all[i] = (int64_t)(w->addrs[i] >> shift);
    qsort(all, w->len, sizeof(*all), by_value);
    for (size_t i = 0; i < w->len; i++)
        len += i == 0 || all[i] != all[i - 1];
    return len;
}

/* breaks: the number of interruptions of the thread; there are no distances across them. */
static void check_distances(const struct walk *w, const struct pat_sequence *s)
{
    static int64_t all[ACCESSES];
    size_t different = 0, breaks = 0, len = 0;
    for (size_t i = 0; i + 1 < w->len; i++) {
        if (breaks < s->breaks_len && s->breaks[breaks] == i + 1)
            breaks++;
        else
            all[len++] = (int64_t)(w->addrs[i + 1] - w->addrs[i]) / (int64_t)s->elem_size_bytes;
    }
    qsort(all, len, sizeof(*all), by_value);
    for (size_t i = 0, to; i < len; i = to) {
        for (to = i; to < len && all[to] == all[i]; to++)
            ;
        different++;
        for (size_t k = 0; k < s->distances_len; k++)
            if (s->distances[k].distance == all[i]) assert_int_equal(s->distances[k].count, to - i);
    }
    assert_int_equal(s->distances_unique, different);
    assert_int_equal(s->distances_len, different < 64 ? different : 64);
}

static uint64_t sequence_addr(const struct pat_sequence *s, size_t i)
{
    return s->base + (uint64_t)pat_fold_index(&s->fold, s->indices.data, i) * s->elem_size_bytes;
}

static void assert_begins_as(const struct pat_sequence *s, const uint64_t *addrs, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (sequence_addr(s, i) != addrs[i])
            fail_msg("access %zu of %zu is at %#zx, not %#zx", i, len, (size_t)sequence_addr(s, i),
                     (size_t)addrs[i]);
}

static void check(const struct walk *w, const struct pat_sequence *s, bool is_whole)
{
    const size_t len = pat_sequence_len(s);
    int64_t lowest = INT64_MAX, highest = 0;
    for (size_t i = 0; i < len; i++) {
        const int64_t index = pat_fold_index(&s->fold, s->indices.data, i);
        if (index < lowest) lowest = index;
        if (index > highest) highest = index;
    }
    assert_true(!s->is_whole || lowest == 0); /* indices count from the lowest address */
    assert_true(highest < 1 << AREA_LOG2);
    assert_int_equal(s->accesses, w->len);
    if (is_whole) assert_true(s->is_whole);
    if (s->is_whole) assert_int_equal(len, w->len);
    assert_begins_as(s, w->addrs, len);
    if (!is_whole) return; /* with little memory these are estimates */
    assert_int_equal(s->lines, count_different(w, 6));
    assert_int_equal(s->pages, count_different(w, 12));
    check_distances(w, s);
}

struct setting {
    uint32_t sites;
    uint64_t breaks; /* an interruption after this number of accesses; 0: none */
    bool is_short;   /* memory limit: all sites but the first make random accesses */
    struct pat_extract_options options;
};

/* One access of each site after the other. */
static void run_walks(const struct walk *walks, const struct setting *g, struct pat_sequences *out)
{
    struct memory_source m = {0};
    memory_thread(&m);
    for (uint32_t i = 0; i < g->sites; i++)
        memory_site(&m, 0x1000 + 16 * i, 8, PAT_OP_LOAD);
    for (size_t i = 0; i < ACCESSES; i++) {
        if (g->breaks && rng(g->breaks) == 0) memory_event(&m, PAT_EVENT_BREAK, 0, 0);
        for (uint32_t site = 0; site < g->sites; site++)
            memory_access(&m, site, 0, walks[site].addrs[i]);
    }
    pat_source *s = memory_open(&m);
    if (pat_extract(s, &g->options, out) != LS_OK) fail_msg("%s", ls_last_error());
    assert_int_equal(out->len, g->sites);
    pat_source_close(s);
    memory_fini(&m);
}

/* Nothing repeats. */
static void walk_wander(struct walk *w)
{
    w->len = 0;
    while (w->len < ACCESSES)
        walk_put(w, somewhere());
}

/* Returns how many sequences were folded. */
static size_t compare(const struct setting *g)
{
    static struct walk walks[SITES_MOST];
    size_t folded = 0;
    for (int i = 0; i < CASES; i++) {
        struct pat_sequences s;
        walk_make(&walks[0]);
        for (uint32_t k = 1; k < g->sites; k++)
            if (g->is_short)
                walk_wander(&walks[k]);
            else
                walk_make(&walks[k]);
        run_walks(walks, g, &s);
        for (size_t k = 0; k < s.len; k++) {
            check(&walks[s.rows[k].site], &s.rows[k], !g->is_short);
            folded += s.rows[k].fold.period > 0;
        }
        pat_sequences_fini(&s);
    }
    return folded;
}

static void rounds_are_read_back_unchanged(void **unused)
{
    const struct setting g = {.sites = 2, .options = {.keep_trivial = true}};
    (void)unused;
    assert_int_equal(compare(&g), 0);
}

static void rounds_are_folded(void **unused)
{
    const struct setting g = {.sites = 2, .options = {.keep_trivial = true, .fold_min = 1000}};
    (void)unused;
    assert_true(compare(&g) > 0);
}

static void interruptions_end_rounds(void **unused)
{
    const struct setting g = {.sites = 2, .breaks = 30000, .options = {.keep_trivial = true}};
    (void)unused;
    compare(&g);
}

/* The beginning is kept; everything is counted. */
static void little_memory_keeps_less(void **unused)
{
    const struct setting g = {
        .sites = SITES_MOST, .is_short = true, .options = {.keep_trivial = true, .memory_bytes = 6 << 20}};
    (void)unused;
    compare(&g);
}

/* One site makes the accesses of addrs, interrupted before access `broken`; SIZE_MAX: never. The caller ends
 * *out. */
static void run_one(const uint64_t *addrs, size_t len, size_t broken, const struct pat_extract_options *o,
                    struct pat_sequences *out)
{
    struct memory_source m = {0};
    memory_thread(&m);
    memory_site(&m, 0x1000, 8, PAT_OP_LOAD);
    for (size_t i = 0; i < len; i++) {
        if (i == broken) memory_event(&m, PAT_EVENT_BREAK, 0, 0);
        memory_access(&m, 0, 0, addrs[i]);
    }
    pat_source *source = memory_open(&m);
    if (pat_extract(source, o, out) != LS_OK) fail_msg("%s", ls_last_error());
    assert_int_equal(out->len, 1);
    pat_source_close(source);
    memory_fini(&m);
}

/* Many more accesses than memory can hold as indices: all of them are in the pattern. */
static void many_rounds_take_no_memory(void **unused)
{
    enum { ROUND = 5000, ROUNDS = 400, LEN = ROUND * ROUNDS + 10 };
    const struct pat_extract_options o = {.fold_min = 1000, .memory_bytes = 6 << 20};
    static uint64_t addrs[LEN];
    struct pat_sequences s;
    (void)unused;
    for (size_t i = 0; i < LEN; i++)
        addrs[i] = i < ROUND ? BASE + somewhere() : addrs[i - ROUND];
    run_one(addrs, LEN, SIZE_MAX, &o, &s);
    assert_true(s.rows[0].is_whole);
    assert_int_equal(s.rows[0].fold.period, ROUND);
    assert_int_equal(s.rows[0].fold.len, LEN);
    assert_begins_as(&s.rows[0], addrs, LEN);
    pat_sequences_fini(&s);
}

/* Rows of a matrix, each repeated: the inner rounds are followed, all of it is folded. */
static void rounds_inside_rounds_are_folded(void **unused)
{
    enum { ROWS = 30, AGAIN = 50, COLUMNS = 40, ALL = ROWS * AGAIN * COLUMNS, LEN = 5 * ALL };
    const struct pat_extract_options o = {.fold_min = 1000, .keep_trivial = true};
    static uint64_t addrs[LEN];
    struct pat_sequences s;
    (void)unused;
    for (size_t i = 0; i < LEN; i++)
        addrs[i] = BASE + (i / (AGAIN * COLUMNS) % ROWS * COLUMNS + i % COLUMNS) * 8;
    run_one(addrs, LEN, SIZE_MAX, &o, &s);
    assert_int_equal(s.rows[0].fold.period, ALL);
    assert_int_equal(s.rows[0].fold.len, LEN);
    pat_sequences_fini(&s);
}

/* The distance after an interruption is no run: a round begins after it. The distance that the interruption
 * hides is 0 for a reader that takes it for a run. */
static void rounds_begin_after_interruptions(void **unused)
{
    enum { ROUND = 40, LEN = PAT_EXT_REPETITION_ACCESSES + 200 * ROUND };
    const struct pat_extract_options o = {.keep_trivial = true};
    static uint64_t addrs[LEN];
    (void)unused;
    for (size_t twice = 1; twice <= ROUND; twice++) {
        struct pat_sequences s;
        for (size_t i = 0; i < LEN; i++)
            addrs[i] = i < ROUND ? BASE + somewhere() : addrs[i - ROUND];
        for (size_t i = twice; i < LEN; i += ROUND)
            addrs[i] = addrs[i - 1];
        const size_t broken = PAT_EXT_REPETITION_ACCESSES / ROUND * ROUND + 100 * ROUND + twice;
        run_one(addrs, LEN, broken, &o, &s);
        assert_true(s.rows[0].is_whole);
        assert_int_equal(pat_sequence_len(&s.rows[0]), LEN);
        assert_begins_as(&s.rows[0], addrs, LEN);
        pat_sequences_fini(&s);
    }
}

/* Rounds that were followed are read where they were kept, also for a row without room for later ones. */
static void rounds_of_a_truncated_row_are_read_back_unchanged(void **unused)
{
    enum { BEFORE = 20000, ROUND = 20000, ROUNDS = 12, ALL = BEFORE + ROUND * ROUNDS + 200000 };
    const struct pat_extract_options o = {.memory_bytes = 12 << 20};
    static uint64_t addrs[ALL];
    struct pat_sequences s;
    (void)unused;
    for (size_t i = 0; i < ALL; i++)
        addrs[i] = i >= BEFORE + ROUND && i < BEFORE + ROUND * ROUNDS ? addrs[i - ROUND] : BASE + somewhere();
    run_one(addrs, ALL, SIZE_MAX, &o, &s);
    assert_false(s.rows[0].is_whole);
    assert_true(s.rows[0].indices.len > BEFORE + ROUND * ROUNDS);
    assert_begins_as(&s.rows[0], addrs, s.rows[0].indices.len);
    pat_sequences_fini(&s);
}

/* Rounds of many accesses and few runs: all of them are kept as far as memory allows. */
static void rounds_keep_within_memory(void **unused)
{
    enum { SITES = 24, ROUND = 30000, RUN = 100, LEN = 4 * ROUND + 10, MEMORY_BYTES = 6 << 20 };
    const struct pat_extract_options o = {
        .fold_min = 1000, .memory_bytes = MEMORY_BYTES, .keep_trivial = true};
    static uint64_t addrs[ROUND];
    struct memory_source m = {0};
    struct pat_sequences s;
    size_t folded = 0, indices = 0;
    (void)unused;
    memory_thread(&m);
    for (uint32_t i = 0; i < SITES; i++)
        memory_site(&m, 0x1000 + 16 * i, 8, PAT_OP_LOAD);
    for (size_t i = 0; i < ROUND; i++)
        addrs[i] = i % RUN ? addrs[i - 1] + 8 : BASE + somewhere();
    for (uint32_t site = 0; site < SITES; site++)
        for (size_t i = 0; i < LEN; i++)
            memory_access(&m, site, 0, addrs[i % ROUND]);
    pat_source *source = memory_open(&m);
    if (pat_extract(source, &o, &s) != LS_OK) fail_msg("%s", ls_last_error());
    for (size_t i = 0; i < s.len; i++) {
        folded += s.rows[i].fold.period > 0;
        indices += s.rows[i].indices.len;
        assert_begins_as(&s.rows[i], addrs, s.rows[i].indices.len < ROUND ? s.rows[i].indices.len : ROUND);
    }
    assert_true(folded > 0);
    assert_true(indices * sizeof(int64_t) <= MEMORY_BYTES);
    pat_sequences_fini(&s);
    pat_source_close(source);
    memory_fini(&m);
}

/* A run that is longer than a round ago touches the lines after it. */
static void longer_runs_touch_more(void **unused)
{
    enum { RUN = 100, ROUNDS = 2000, MORE = 5000, LEN = RUN * ROUNDS + MORE };
    const struct pat_extract_options o = {.keep_trivial = true};
    static uint64_t addrs[LEN];
    struct pat_sequences s;
    (void)unused;
    for (size_t i = 0; i < LEN; i++)
        addrs[i] = BASE + 8 * (i < RUN * ROUNDS ? i % RUN : i - RUN * ROUNDS);
    run_one(addrs, LEN, SIZE_MAX, &o, &s);
    assert_int_equal(s.rows[0].lines, MORE * 8 / 64);
    assert_int_equal(s.rows[0].pages, (MORE * 8 + 4095) / 4096);
    pat_sequences_fini(&s);
}

/* Memory is short while the cheapest row follows a round: its sequence is given up, its distances are not. */
static void rows_that_lose_their_sequence_are_counted(void **unused)
{
    enum { ROUND = 50 };
    const struct pat_extract_options o = {.keep_trivial = true, .memory_bytes = 6 << 20};
    struct memory_source m = {0};
    struct pat_sequences s;
    uint64_t addrs[ROUND], counted = 0;
    (void)unused;
    for (size_t i = 0; i < ROUND; i++)
        addrs[i] = BASE + rng(200) * 8;
    memory_thread(&m);
    for (uint32_t i = 0; i < SITES_MOST; i++)
        memory_site(&m, 0x1000 + 16 * i, 8, PAT_OP_LOAD);
    for (size_t i = 0; i < ACCESSES; i++)
        for (uint32_t site = 0; site < SITES_MOST; site++)
            memory_access(&m, site, 0, site ? BASE + somewhere() : addrs[i % ROUND]);
    pat_source *source = memory_open(&m);
    if (pat_extract(source, &o, &s) != LS_OK) fail_msg("%s", ls_last_error());
    const struct pat_sequence *first = &s.rows[s.len - 1];
    assert_int_equal(first->site, 0);
    assert_false(first->is_whole);
    for (size_t i = 0; i < first->distances_len; i++)
        counted += first->distances[i].count;
    assert_int_equal(counted, ACCESSES - 1);
    pat_sequences_fini(&s);
    pat_source_close(source);
    memory_fini(&m);
}

/* ---- a row alone ---- */

enum { WIDE_MOST = 100 };

static void row_run(struct pat_ext *e, struct pat_ext_row *r, int64_t distance, uint64_t run)
{
    r->distance = distance;
    r->run = run;
    pat_ext_flush(e, r);
}

static uint64_t row_accesses_in_stream(const struct pat_ext_row *r)
{
    struct pat_ext_reader reader = pat_ext_stream_read(&r->stream);
    struct pat_ext_token t;
    uint64_t len = 0;
    while (pat_ext_stream_next(&reader, &t))
        len += t.count;
    return len;
}

/* Runs without order, `wide` of which take more room, then rounds, until the given number of runs is
 * followed. True: its stream has no room for another token. */
static bool row_is_full(struct pat_ext *e, struct pat_ext_row *r, size_t wide, size_t followed)
{
    enum { TOKEN_BYTES = 40, ROUND = 5 };
    const struct pat_ext_token first = {.kind = PAT_EXT_JUMP, .addr = BASE, .range = PAT_NONE, .count = 1};
    *r = (struct pat_ext_row){.kept = PAT_EXT_REPETITION_ACCESSES};
    assert_true(pat_ext_stream_put(&r->stream, &e->budget, &first));
    for (size_t i = 0; i < WIDE_MOST; i++)
        row_run(e, r, ((int64_t)i + 1) << (i < wide ? 50 : 0), 1);
    for (size_t i = 0; !r->repetition->next.count || r->repetition->tokens < followed; i++)
        row_run(e, r, (int64_t)(i % ROUND) + 1, 1);
    return r->stream.end - r->stream.at < TOKEN_BYTES;
}

/* followed: few runs are kept one by one, many as a repeat. */
static void check_no_memory(size_t followed)
{
    struct pat_extract_options o = {.memory_bytes = 6 << 20, .far_elements = 1};
    struct pat_ext e;
    size_t full = 0;
    assert_int_equal(pat_ext_init(&e, &o), LS_OK);
    const uint64_t limit_bytes = e.budget.limit_bytes;
    for (size_t wide = 0; wide < WIDE_MOST; wide++) {
        struct pat_ext_row r;
        if (row_is_full(&e, &r, wide, followed)) {
            const uint64_t kept = r.kept - r.repetition->accesses;
            full++;
            e.budget.limit_bytes = e.budget.used_bytes;
            pat_ext_repetition_leave(&e, &r);
            assert_true(r.is_cut);
            assert_int_equal(r.kept, kept);
            assert_true(row_accesses_in_stream(&r) >= kept - PAT_EXT_REPETITION_ACCESSES + 1);
        }
        e.budget.limit_bytes = limit_bytes;
        pat_ext_row_drop(&e, &r);
    }
    assert_true(full > 0);
    pat_ext_fini(&e);
}

static void accesses_without_memory_are_not_kept(void **unused)
{
    (void)unused;
    check_no_memory(20);
    check_no_memory(200);
}

/* Few runs, but with so large a number of accesses that no more would be kept: a repeat takes none. */
static void long_runs_leave_room(void **unused)
{
    enum { ROUND = 40, NOTICED = 64 + ROUND, FOLLOWED = 30 };
    struct pat_extract_options o = {.memory_bytes = 6 << 20, .far_elements = 1};
    const struct pat_ext_token first = {.kind = PAT_EXT_JUMP, .addr = BASE, .range = PAT_NONE, .count = 1};
    struct pat_ext_row r = {.kept = PAT_EXT_REPETITION_ACCESSES};
    struct pat_ext e;
    (void)unused;
    assert_int_equal(pat_ext_init(&e, &o), LS_OK);
    const uint64_t run = (e.kept_max - r.kept) / (NOTICED + FOLLOWED / 2);
    assert_true(pat_ext_stream_put(&r.stream, &e.budget, &first));
    for (uint64_t i = 0; !r.repetition || r.repetition->tokens < FOLLOWED; i++)
        row_run(&e, &r, (int64_t)(i % ROUND) + 1, run);
    assert_true(r.kept > e.kept_max);
    pat_ext_repetition_leave(&e, &r);
    assert_true(r.kept - r.repetition->spared <= e.kept_max);
    assert_int_equal(row_accesses_in_stream(&r), r.kept - PAT_EXT_REPETITION_ACCESSES + 1);
    pat_ext_row_drop(&e, &r);
    pat_ext_fini(&e);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rounds_are_read_back_unchanged),
                                       cmocka_unit_test(rounds_are_folded),
                                       cmocka_unit_test(interruptions_end_rounds),
                                       cmocka_unit_test(little_memory_keeps_less),
                                       cmocka_unit_test(many_rounds_take_no_memory),
                                       cmocka_unit_test(rounds_inside_rounds_are_folded),
                                       cmocka_unit_test(rounds_begin_after_interruptions),
                                       cmocka_unit_test(rounds_of_a_truncated_row_are_read_back_unchanged),
                                       cmocka_unit_test(rounds_keep_within_memory),
                                       cmocka_unit_test(longer_runs_touch_more),
                                       cmocka_unit_test(rows_that_lose_their_sequence_are_counted),
                                       cmocka_unit_test(accesses_without_memory_are_not_kept),
                                       cmocka_unit_test(long_runs_leave_room)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
