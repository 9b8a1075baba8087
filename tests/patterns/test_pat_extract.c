/* SPDX-License-Identifier: BSD-3-Clause */
/* Extraction against a naive one, on random accesses with births and deaths of nested ranges, breaks and
 * threads; and the single rules of what a sequence is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/patterns/naive_extract.h"

#include <stdlib.h>

static uint64_t rng_state;

/* xorshift64 (Marsaglia, "Xorshift RNGs", 2003) */
static uint64_t rng(uint64_t below)
{
    rng_state ^= rng_state << 13;
    rng_state ^= rng_state >> 7;
    rng_state ^= rng_state << 17;
    return rng_state % below;
}

static void extract(struct memory_source *m, const struct pat_extract_options *o, struct pat_sequences *out)
{
    pat_source *s = memory_open(m);
    if (pat_extract(s, o, out) != LS_OK) fail_msg("%s", ls_last_error());
    pat_source_close(s);
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

static void make_random(struct memory_source *m, uint64_t seed, size_t steps)
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
    for (size_t i = 0; i < steps; i++) {
        struct walker *w = &walkers[rng(3)];
        if (rng(20) == 0) {
            const uint32_t range = (uint32_t)rng(m->tables.ranges_len);
            memory_event(m, alive[range] ? PAT_EVENT_RANGE_DIED : PAT_EVENT_RANGE_BORN, PAT_NONE, range);
            alive[range] = !alive[range];
        }
        if (rng(400) == 0) memory_event(m, PAT_EVENT_BREAK, rng(4) ? (uint32_t)rng(3) : PAT_NONE, 0);
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
        make_random(&m, seed * 7919, 1500);
        extract(&m, &everything, &s);
        naive_compare(&m, &s);
        pat_sequences_fini(&s);
        memory_fini(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pat_extraction_equals_the_naive_one_on_random_accesses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
