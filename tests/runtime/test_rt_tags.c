/* SPDX-License-Identifier: BSD-3-Clause */
/* Site tags: every granule of a block has its site, and signatures of calls become sites. */
#include "runtime/core/rt_tags_sigsafe.h"
#include "tests/unit.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static int init_tags(void **state)
{
    (void)state;
    memset(&rt_tags, 0, sizeof(rt_tags));
    return rt_tags_init();
}

#define REGION (UINT64_C(1) << RT_TAG_REGION_BITS)

static void put(uint64_t base, size_t len_bytes, uint32_t site)
{
    if (!rt_tag_put_quickly(base, len_bytes, site)) rt_tag_put_slowly(base, len_bytes, site);
}

/* The addresses of tags are numbers: nothing is read or written there. */
static void assert_block(uint64_t base, size_t len_bytes, uint32_t site)
{
    for (uint64_t at = base; at < base + len_bytes; at++) {
        uint16_t back;
        assert_int_equal(rt_tag_find(at, &back), site);
        const uint64_t expected = (at >> RT_TAG_GRANULE_BITS) - (base >> RT_TAG_GRANULE_BITS);
        assert_int_equal(back, expected <= RT_TAG_SEARCH_GRANULES ? expected : RT_TAG_BACK_UNKNOWN);
    }
}

static void every_byte_of_a_block_has_its_site(void **state)
{
    const uint64_t base = 0x5555000000;
    (void)state;
    for (size_t len_bytes = 1; len_bytes < 700; len_bytes++) {
        const uint64_t after = base + ((len_bytes + 15) & ~(size_t)15);
        put(base - 64, 64, 8);
        put(after, 64, 9);
        put(base, len_bytes, 7);
        assert_block(base - 64, 64, 8);
        assert_block(base, len_bytes, 7);
        assert_block(after, 64, 9);
    }
    put(base, 70000, 11);
    assert_block(base, 70000, 11);
    put(base, 0, 12); /* a block without bytes has an address */
    assert_block(base, 1, 12);
}

/* The second granule of an older block is left when a shorter one takes its begin. */
static void rest_of_an_older_block_has_no_begin(void **state)
{
    uint16_t back;
    (void)state;
    put(0x7000000000, 64, 5);
    put(0x7000000000, 16, 6);
    assert_int_equal(rt_tag_find(0x7000000020, &back), 5);
    assert_int_equal(back, RT_TAG_BACK_UNKNOWN);
    assert_int_equal(rt_tag_find(0x7000000000, &back), 6);
    assert_int_equal(back, 0);
}

static void blocks_cross_borders_of_regions(void **state)
{
    (void)state;
    for (uint64_t before = 16; before <= 4096; before += 16) {
        const uint64_t base = 0x600000 * REGION + REGION - before;
        put(base, 2 * before, 21);
        assert_block(base, 2 * before, 21);
        put(base + 2 * before, 16, 22);
        assert_block(base, 2 * before, 21);
    }
}

/* A long block gets few tags, whatever is in the table. */
static void long_blocks_need_few_tags(void **state)
{
    enum { OLD = 0x1234 };
    const uint64_t base = 0x4444 * REGION;
    (void)state;
    put(base, 16, 1);
    uint16_t *tags = rt_tags.regions[0x4444 % RT_TAG_REGIONS].tags;
    for (size_t len_bytes = 4096; len_bytes <= 65536; len_bytes *= 2) {
        size_t written = 0;
        for (size_t i = 0; i < RT_TAG_REGION_BYTES / sizeof(*tags); i++)
            tags[i] = OLD;
        put(base + 0x10010, len_bytes, 7);
        for (size_t i = 0; i < RT_TAG_REGION_BYTES / sizeof(*tags); i++)
            written += tags[i] != OLD;
        assert_true(written > 0 && written <= 40 + len_bytes / 256);
        assert_block(base + 0x10010, len_bytes, 7);
    }
}

/* Long blocks are left out of the records, too, where a program allocates them again and again. */
static void blocks_of_many_pages_are_found_at_every_place(void **state)
{
    const uint64_t base = 0x4321 * REGION + 4096 + 16, len_bytes = 3 * REGION + 48;
    uint16_t back;
    (void)state;
    put(base, len_bytes, 7);
    for (uint64_t at = 0; at < len_bytes; at += 4080)
        assert_int_equal(rt_tag_find(base + at, &back), 7);
    assert_int_equal(rt_tag_find(base + len_bytes - 1, &back), 7);
    assert_int_equal(rt_tag_find(base + len_bytes, &back), 0);
}

/* Blocks of all lengths replace each other in any order; each granule of the living ones has the right tag. */
static void blocks_of_all_lengths_share_memory(void **state)
{
    enum { GRANULES = 4096, SITES = 1000 };
    static uint16_t site_of_granule[GRANULES], begin_of_granule[GRANULES];
    const uint64_t base = 0x4321 * REGION - GRANULES / 2 * 16; /* over a border of regions */
    uint64_t random = 1;
    (void)state;
    memset(site_of_granule, 0, sizeof(site_of_granule));
    for (int i = 0; i < 20000; i++) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const uint32_t limit = 1u << (random >> 59 & 7) << (random >> 57 & 3);
        const uint32_t len = 1 + (uint32_t)(random >> 32 & 0xffff) % limit;
        const uint32_t at = (uint32_t)(random >> 16 & 0xffff) % (GRANULES - len);
        const uint16_t site = (uint16_t)(i % 17 == 0 ? 0 : 1 + (random >> 40) % SITES);
        for (uint32_t g = 0; g < GRANULES; g++) { /* free the blocks that are there */
            const bool overlaps = site_of_granule[g] && g >= at && g < at + len;
            if (!overlaps) continue;
            const uint16_t begin = begin_of_granule[g];
            for (uint32_t k = begin; k < GRANULES && site_of_granule[k] && begin_of_granule[k] == begin; k++)
                site_of_granule[k] = 0;
        }
        if (site)
            put(base + at * 16, len * 16 - random % 16, site);
        else
            rt_tag_put_slowly(base + at * 16, len * 16, 0);
        for (uint32_t g = at; g < at + len; g++) {
            uint16_t back;
            site_of_granule[g] = site;
            begin_of_granule[g] = (uint16_t)at;
            assert_int_equal(rt_tag_find(base + g * 16, &back), site);
        }
        if (i % 50) continue;
        for (uint32_t g = 0; g < GRANULES; g++) {
            uint16_t back;
            if (!site_of_granule[g]) continue;
            assert_int_equal(rt_tag_find(base + g * 16 + 15, &back), site_of_granule[g]);
            const uint32_t expected = g - begin_of_granule[g];
            assert_int_equal(back, expected <= RT_TAG_SEARCH_GRANULES ? expected : RT_TAG_BACK_UNKNOWN);
        }
    }
}

/* Number 0 is a number, and regions whose numbers have the same last bits are several. */
static void regions_do_not_mix(void **state)
{
    enum { SAME = 8 };
    uint16_t back;
    (void)state;
    for (uint32_t i = 0; i < SAME; i++)
        put(i * RT_TAG_REGIONS * REGION + 0x100, 48, 100 + i);
    for (uint32_t i = 0; i < SAME; i++)
        assert_block(i * RT_TAG_REGIONS * REGION + 0x100, 48, 100 + i);
    assert_int_equal(rt_tag_find(SAME * RT_TAG_REGIONS * REGION + 0x100, &back), 0);
    assert_int_equal(rt_tag_find(0x200, &back), 0);
}

static void new_mappings_have_no_blocks(void **state)
{
    const uint64_t base = 0x700 * REGION;
    uint16_t back;
    (void)state;
    for (uint64_t at = base; at < base + 2 * REGION; at += 1 << 20)
        put(at, 1 << 20, 3);
    rt_tags_clear(base + 0x1000, REGION);
    assert_int_equal(rt_tag_find(base + 0xfff, &back), 3);
    assert_int_equal(rt_tag_find(base + 0x1000, &back), 0);
    assert_int_equal(rt_tag_find(base + REGION / 2, &back), 0);
    assert_int_equal(rt_tag_find(base + REGION + 0xfff, &back), 0);
    assert_int_equal(rt_tag_find(base + REGION + 0x1000, &back), 3);
    rt_tags_clear(UINT64_MAX - 4096, 8192); /* it wraps: nothing happens */
}

static void a_child_has_separate_tags(void **state)
{
    int status;
    (void)state;
    put(0x7777770000, 32, 4);
    const pid_t child = fork();
    if (child == 0) {
        uint16_t back;
        const bool inherits = rt_tag_find(0x7777770010, &back) == 4 && back == 1;
        put(0x7777770000, 32, 5);
        _exit(inherits && rt_tag_find(0x7777770010, &back) == 5 ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_block(0x7777770000, 32, 4);
}

/* --- signatures --- */

/* A simulated stack: the return addresses of a path at the positions of its frames. */
struct fake {
    uint64_t stack[64];
    uint64_t frames[16], places[16];
    uint32_t len;
    unsigned given; /* new sites */
};

static void give(void *arg, uint32_t site)
{
    struct fake *f = arg;
    assert_true(site > 0 && site <= RT_TAG_SITES);
    f->given++;
}

/* Frames of 4 words; frame 0 is the allocator's caller. */
static struct rt_tag_call call_of(struct fake *f, const char *path)
{
    f->len = (uint32_t)strlen(path);
    for (uint32_t i = 0; i < f->len; i++) {
        f->frames[i] = 0x400000 + (uint64_t)path[i];
        f->places[i] = (uint64_t)(uintptr_t)&f->stack[4 * (size_t)i];
        f->stack[4 * i] = f->frames[i];
    }
    return (struct rt_tag_call){.ret = f->frames[0], .cfa = f->places[0] + 8, .depth = sizeof(f->stack) - 8};
}

static uint32_t learn(struct fake *f, const struct rt_tag_call *c)
{
    const struct rt_tag_path p = {
        .frames = f->frames, .places = f->places, .len = f->len, .give = give, .arg = f};
    return rt_tag_learn(c, &p);
}

static uint32_t known(const struct rt_tag_call *c)
{
    uint64_t signature;
    const uint32_t site = rt_tag_known(c, &signature);
    return site ? site : rt_tag_known_slowly(c, signature);
}

static uint64_t row_of(const struct rt_tag_call *c)
{
    const uint64_t signature = rt_tag_signature(c), row = rt_tag_row(signature);
    assert_true(rt_tag_row_has(row, signature));
    return row;
}

/* Tag a block as the hooks do. */
static uint32_t site_of(struct fake *f, const char *path)
{
    const struct rt_tag_call c = call_of(f, path);
    uint32_t site = known(&c);
    if (site) return site;
    rt_tags.unwound++;
    return learn(f, &c);
}

static void paths_of_one_signature_become_several_sites(void **state)
{
    static const char *const paths[] = {"abcdef", "abcxef", "abydef", "abcxeg", "abcdeh"};
    enum { PATHS = sizeof(paths) / sizeof(paths[0]), ROUNDS = 40 };
    uint32_t sites[PATHS];
    static struct fake f;
    (void)state;
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < PATHS; i++)
            sites[i] = site_of(&f, paths[i]);
    assert_int_equal(f.given, PATHS);
    for (int i = 0; i < PATHS; i++) {
        const struct rt_tag_call c = call_of(&f, paths[i]);
        assert_int_equal(known(&c), sites[i]); /* without another unwinding */
        for (int k = 0; k < i; k++)
            assert_true(sites[i] != sites[k]);
    }
}

/* Frames above the compared ones, and equal paths, do not refine a signature. */
static void equal_paths_stay_one_row(void **state)
{
    static struct fake f;
    (void)state;
    uint32_t site = 0;
    for (int i = 0; i < 100; i++) {
        const struct rt_tag_call c = call_of(&f, i % 2 ? "abcdefghijklm" : "abcdefghijklx");
        site = learn(&f, &c);
        assert_int_equal(rt_tag_row_place(row_of(&c)), 0);
    }
    assert_int_equal(f.given, 1);
    assert_int_equal(site, 1);
}

/* A signature gets a second path long after its first checks, from a call that is unwound anyway. */
static void later_paths_are_learned_from_sampled_calls(void **state)
{
    static struct fake f;
    (void)state;
    uint32_t first = 0;
    for (int i = 0; i < 100; i++)
        first = site_of(&f, "mnopq");
    assert_int_equal(site_of(&f, "mnoxq"), first);
    const struct rt_tag_call c = call_of(&f, "mnoxq");
    learn(&f, &c);
    const uint32_t second = site_of(&f, "mnoxq");
    assert_true(second != first);
    assert_int_equal(site_of(&f, "mnopq"), first);
    assert_int_equal(f.given, 2);
}

/* A place that is a return address in one path is a counter in another one. */
static void local_variables_are_no_sites(void **state)
{
    static struct fake f;
    (void)state;
    for (int i = 0; i < 10; i++) {
        site_of(&f, "rstu");
        site_of(&f, "rsvu");
    }
    f.given = 0;
    for (uint64_t i = 0; i < 10000; i++) {
        struct rt_tag_call c = call_of(&f, "rs");
        f.stack[8] = i; /* the place of the third return address */
        uint32_t site = known(&c);
        if (!site) site = learn(&f, &c);
        assert_true(site > 0);
    }
    assert_true(f.given <= 2);
    assert_true(rt_tags.sites < 100);
}

/* Stacks of coroutines are not known: their calls are distinguished by the return address alone. */
static void unknown_stacks_are_not_read(void **state)
{
    static struct fake f;
    (void)state;
    for (int i = 0; i < 20; i++) {
        struct rt_tag_call c = call_of(&f, i % 2 ? "kl" : "kj");
        c.depth = 0;
        c.cfa = 0x10; /* reading there would crash */
        uint32_t site = known(&c);
        assert_true(site || learn(&f, &c));
    }
    assert_true(f.given <= 2);
}

/* Tag a block as the hooks do while the budget is used up; nothing is unwound then. */
static uint32_t site_of_held(struct fake *f, const char *path)
{
    const struct rt_tag_call c = call_of(f, path);
    const struct rt_tag_path cut = {
        .frames = f->frames, .places = f->places + 8, .len = 1, .is_cut = true, .give = give, .arg = f};
    uint32_t site = known(&c);
    if (!site) site = rt_tag_cut(&c);
    return site ? site : rt_tag_learn(&c, &cut);
}

static void hold(bool is_over_budget)
{
    rt_tags.unwound = RT_TAG_WHOLE_LEAST;
    rt_tags_hold(is_over_budget);
}

/* Many signatures of one wrapper: while the budget is used up they have its site, and their own sites afterwards. */
static void signatures_are_unwound_when_there_is_budget(void **state)
{
    enum { DEPTHS = 16, CALLERS = 20 };
    static struct fake f;
    static uint32_t sites[DEPTHS][CALLERS];
    (void)state;
    for (int phase = 0; phase < 2; phase++) {
        hold(phase == 0);
        for (int round = 0; round < 20; round++)
            for (int i = 0; i < DEPTHS * CALLERS; i++) {
                char path[] = "abxef";
                path[2] = (char)('A' + i % CALLERS);
                struct rt_tag_call c = call_of(&f, path);
                c.depth -= 8 * (uint64_t)(i / CALLERS);
                const struct rt_tag_path p = {.frames = f.frames,
                                              .places = f.places,
                                              .len = phase ? f.len : 1,
                                              .is_cut = phase == 0,
                                              .give = give,
                                              .arg = &f};
                uint32_t site = known(&c);
                if (!site && phase == 0) site = rt_tag_cut(&c);
                rt_tags.unwound += !site && phase;
                if (!site) site = rt_tag_learn(&c, &p);
                sites[i / CALLERS][i % CALLERS] = site;
            }
        assert_int_equal(f.given, phase ? 1 + CALLERS : 1);
        assert_int_equal(rt_tags.unwound > RT_TAG_WHOLE_LEAST, phase);
    }
    for (int i = 1; i < CALLERS; i++) {
        assert_true(sites[0][i] != sites[0][i - 1]);
        assert_int_equal(sites[DEPTHS - 1][i], sites[0][i]);
    }
}

/* Known sites stay, and new callers of a refined signature do not change how it is refined. */
static void held_tags_keep_known_sites(void **state)
{
    static struct fake f;
    (void)state;
    uint32_t first = 0, second = 0;
    for (int i = 0; i < 20; i++) {
        first = site_of(&f, "abcdef");
        second = site_of(&f, "abxdef");
    }
    const struct rt_tag_call c = call_of(&f, "abcdef");
    const uint64_t row = row_of(&c);
    hold(true);
    f.given = 0;
    for (int i = 0; i < 20; i++) {
        assert_int_equal(site_of_held(&f, "abcdef"), first);
        assert_int_equal(site_of_held(&f, "abxdef"), second);
        const uint32_t third = site_of_held(&f, "abydef");
        assert_true(third != first && third != second);
        f.stack[8] = (uint64_t)i; /* a counter where the third return address is */
    }
    assert_int_equal(f.given, 1);
    assert_true(row_of(&c) == row);
    hold(false);
    const uint32_t third = site_of(&f, "abydef");
    assert_int_equal(f.given, 2);
    assert_int_equal(site_of(&f, "abydef"), third);
}

/* The paths of a wrapper's callers differ on the stack, which is compared without an unwinding. No block gets the site
 * of another caller, also not while the budget is used up. */
static void second_path_of_a_signature_is_seen_on_the_stack(void **state)
{
    static struct fake f;
    (void)state;
    for (int is_held = 0; is_held < 2; is_held++) {
        const char *const one = is_held ? "ABCDEF" : "abcdef", *const other = is_held ? "ABCDXF" : "abcdxf";
        hold(false);
        const uint32_t unwound = rt_tags.unwound, first = site_of(&f, one);
        hold(is_held);
        rt_tags.unwound = unwound + 1;
        for (int i = 0; i < 30; i++)
            assert_int_equal(is_held ? site_of_held(&f, one) : site_of(&f, one), first);
        assert_int_equal(rt_tags.unwound, unwound + 1);
        const uint32_t second = is_held ? site_of_held(&f, other) : site_of(&f, other);
        assert_true(second != first);
        assert_int_equal(rt_tags.unwound, unwound + 2 - (uint32_t)is_held);
        hold(false);
        assert_true(site_of(&f, other) != first);
        assert_int_equal(site_of(&f, one), first);
    }
}

/* Paths of the sites that were given, cut ones as the first letter alone. */
static char path_of_site[RT_TAG_OTHERS][8];
static const char *path_now;
static bool is_cut_now;

static void give_path(void *arg, uint32_t site)
{
    (void)arg;
    snprintf(path_of_site[site], sizeof(path_of_site[site]), "%.*s", is_cut_now ? 1 : 7, path_now);
}

/* Whatever the budget, and however often it changes, a block has its own path or the return address of the call alone. */
static void no_block_gets_the_path_of_another_caller(void **state)
{
    enum { CALLS = 200000, DEPTHS = 40 };
    static struct fake f;
    uint64_t random = 1;
    (void)state;
    for (int i = 0; i < CALLS; i++) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const unsigned bits = (unsigned)(random >> 33);
        char path[] = "aefghi";
        path[0] = (char)('a' + (bits & 1));
        for (unsigned k = 1; k < 6; k += 2)
            path[k] = (char)('A' + (bits >> k) % 2);
        path_now = path;
        if (i % 50 == 0) hold((bits >> 8) % 2);
        struct rt_tag_call c = call_of(&f, path);
        c.depth += 8 * (uint64_t)((bits >> 16) % DEPTHS);
        const bool is_sampled = (bits >> 12) % 64 == 0;
        uint32_t site = is_sampled ? 0 : known(&c);
        is_cut_now = !is_sampled && rt_tags_hold_paths();
        if (!site && is_cut_now) site = rt_tag_cut(&c);
        const struct rt_tag_path p = {.frames = f.frames,
                                      .places = f.places,
                                      .len = is_cut_now ? 1 : f.len,
                                      .is_cut = is_cut_now,
                                      .give = give_path};
        if (!site) site = rt_tag_learn(&c, &p);
        const char *found = path_of_site[site];
        if (strcmp(found, path) != 0 && !(found[0] == path[0] && !found[1]))
            fail_msg("call %d: %s got the path %s", i, path, found);
    }
}

/* Where the stack cannot be compared, calls are unwound instead, or get the site of the caller alone. */
static void paths_without_places_are_unwound(void **state)
{
    static struct fake f;
    (void)state;
    struct rt_tag_call c = call_of(&f, "abc");
    c.depth = 0;
    const uint32_t first = learn(&f, &c);
    assert_int_equal(known(&c), 0);
    hold(true);
    assert_int_equal(known(&c), 0);
    const struct rt_tag_path cut = {
        .frames = f.frames, .places = f.places, .len = 1, .is_cut = true, .give = give, .arg = &f};
    assert_true(rt_tag_learn(&c, &cut) != first);
    assert_int_equal(f.given, 2);
}

/* While a program starts the budget is used up, but its first paths are unwound. */
static void first_paths_are_unwound_without_budget(void **state)
{
    static struct fake f;
    (void)state;
    const struct rt_tag_call c = call_of(&f, "abcdef");
    for (uint32_t i = 0; i <= RT_TAG_WHOLE_LEAST; i++) {
        rt_tags_hold(true);
        assert_int_equal(rt_tags_hold_paths(), i >= RT_TAG_WHOLE_LEAST);
        learn(&f, &c);
        rt_tags.unwound++;
    }
    rt_tags_hold(false);
    assert_false(rt_tags_hold_paths());
}

static uint64_t inner_of_site[RT_TAG_OTHERS];

static void give_inner(void *arg, uint32_t site)
{
    const struct fake *f = arg;
    inner_of_site[site] = f->frames[1] << 32 ^ f->frames[2] << 16 ^ f->frames[3] << 8 ^ f->frames[4];
}

/* A deep recursion has more paths than there are numbers, but few of them differ in the inner frames. */
static void paths_of_a_recursion_are_told_apart_by_their_inner_frames(void **state)
{
    enum { CALLS = 3 * RT_TAG_OTHERS, LATE = CALLS / 2 };
    static struct fake f;
    uint32_t unwound_late = 0, wrong = 0;
    (void)state;
    for (uint64_t i = 0; i < CALLS; i++) {
        char path[] = "abcdefghij";
        for (int k = 1; k < 5; k++)
            path[k] = (char)('A' + (i * 7919 >> (3 * k)) % 4);
        struct rt_tag_call c = call_of(&f, path);
        for (int k = 5; k < 10; k++)
            f.stack[4 * k] = f.frames[k] = 0x500000 + i * 16;
        c.depth += i * 64;
        uint32_t site = known(&c);
        if (!site) {
            const struct rt_tag_path p = {
                .frames = f.frames, .places = f.places, .len = f.len, .give = give_inner, .arg = &f};
            unwound_late += i >= LATE;
            site = rt_tag_learn(&c, &p);
        }
        const uint64_t own = f.frames[1] << 32 ^ f.frames[2] << 16 ^ f.frames[3] << 8 ^ f.frames[4];
        wrong += inner_of_site[site] != own;
    }
    assert_int_equal(wrong, 0);
    assert_int_equal(rt_tags.others, 0);
    assert_true(rt_tags.sites < RT_TAG_FLAT_SITES + 4 * 4 * 4 * 4 + 1);
    assert_true(unwound_late < CALLS / 100);
}

static void sites_after_the_last_number_are_counted(void **state)
{
    static struct fake f;
    uint32_t site = 0;
    (void)state;
    for (uint64_t i = 0; i < 3 * RT_TAG_OTHERS; i++) {
        call_of(&f, "zy");
        f.frames[0] = f.stack[0] = 0x500000 + i * 16;
        const struct rt_tag_call c = {
            .ret = f.frames[0], .cfa = f.places[0] + 8, .depth = sizeof(f.stack) - 8};
        site = known(&c);
        if (!site) site = learn(&f, &c);
    }
    assert_int_equal(site, RT_TAG_OTHERS);
    assert_int_equal(rt_tags.sites, RT_TAG_SITES);
    assert_true(rt_tags.others >= RT_TAG_OTHERS);
    assert_true(f.given <= RT_TAG_SITES);
}

/* --- threads --- */

enum { WORKERS = 4, ROUNDS = 20000 };
struct worker {
    pthread_t thread;
    uint32_t number;
    size_t bad;
};

static void *tag_and_find(void *arg)
{
    static const char *const paths[] = {"abcde", "abcdf", "abxde", "bcdef", "bcdeg", "cdefg"};
    struct worker *w = arg;
    struct fake f = {0};
    for (uint64_t i = 0; i < ROUNDS; i++) {
        const uint32_t site = site_of(&f, paths[(i + w->number) % 6]);
        const uint64_t base = 0x611111000000 + (i * WORKERS + w->number) * 48;
        uint16_t back;
        put(base, 40, site);
        w->bad += rt_tag_find(base + 39, &back) != site || back != 2;
        if (i > 0) w->bad += rt_tag_find(base - WORKERS * 48, &back) == 0;
    }
    return NULL;
}

static void threads_tag_their_own_blocks(void **state)
{
    static struct worker workers[WORKERS];
    (void)state;
    for (uint32_t i = 0; i < WORKERS; i++) {
        workers[i].number = i;
        assert_int_equal(pthread_create(&workers[i].thread, NULL, tag_and_find, &workers[i]), 0);
    }
    for (int i = 0; i < WORKERS; i++) {
        pthread_join(workers[i].thread, NULL);
        assert_int_equal(workers[i].bad, 0);
    }
    assert_true(rt_tags.sites >= 6 && rt_tags.sites < 6 * WORKERS);
}

static size_t touched_pages(const void *table, size_t len_bytes)
{
    enum { PAGE_BYTES = 4096 };
    static unsigned char is_there[1024];
    const uintptr_t begin = (uintptr_t)table & -(uintptr_t)PAGE_BYTES;
    const size_t len = ((uintptr_t)table + len_bytes - begin + PAGE_BYTES - 1) / PAGE_BYTES;
    size_t pages = 0;
    assert_true(len <= sizeof is_there && mincore((void *)begin, len * PAGE_BYTES, is_there) == 0);
    for (size_t i = 0; i < len; i++)
        pages += is_there[i] & 1;
    return pages;
}

/* Short processes have some hundred sites: each of them in other pages would cost them more than all else. */
static void few_sites_need_few_pages(void **state)
{
    enum { SITES = 300, PATHS_BYTES = 1 << 19 };
    static struct fake f;
    (void)state;
    for (uint64_t i = 0; i < SITES; i++) {
        struct rt_tag_call c = call_of(&f, "abcdef");
        c.ret = f.frames[0] = f.stack[0] = 0x400000 + 48 * i;
        assert_int_equal(known(&c), 0);
        assert_int_equal(learn(&f, &c), i + 1);
    }
    const size_t pages = touched_pages(rt_tags.rows, RT_TAG_ROWS * sizeof(uint64_t));
    assert_in_range(pages + touched_pages(rt_tags.paths, PATHS_BYTES), 0, 20);
}

/* In near_rows, in the small table, and in the large one. */
static void quick_lookups_find_the_rows_of_all_tables(void **state)
{
    enum { SITES = RT_TAG_FLAT_SITES - 100 };
    static struct fake f;
    size_t in_large = 0;
    (void)state;
    for (uint64_t i = 0; i < 2 * SITES; i++) {
        struct rt_tag_call c = call_of(&f, "abcdef");
        c.ret = f.frames[0] = f.stack[0] = 0x400000 + 48 * (i % SITES);
        if (i < SITES)
            learn(&f, &c);
        else
            row_of(&c);
    }
    for (size_t i = 1 << RT_TAG_SMALL_BITS; i < RT_TAG_ROWS; i++)
        in_large += rt_tags.rows[i] != 0;
    assert_true(in_large > 0);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(quick_lookups_find_the_rows_of_all_tables, init_tags),
        cmocka_unit_test_setup(every_byte_of_a_block_has_its_site, init_tags),
        cmocka_unit_test_setup(rest_of_an_older_block_has_no_begin, init_tags),
        cmocka_unit_test_setup(blocks_cross_borders_of_regions, init_tags),
        cmocka_unit_test_setup(long_blocks_need_few_tags, init_tags),
        cmocka_unit_test_setup(blocks_of_many_pages_are_found_at_every_place, init_tags),
        cmocka_unit_test_setup(blocks_of_all_lengths_share_memory, init_tags),
        cmocka_unit_test_setup(regions_do_not_mix, init_tags),
        cmocka_unit_test_setup(new_mappings_have_no_blocks, init_tags),
        cmocka_unit_test_setup(a_child_has_separate_tags, init_tags),
        cmocka_unit_test_setup(paths_of_one_signature_become_several_sites, init_tags),
        cmocka_unit_test_setup(equal_paths_stay_one_row, init_tags),
        cmocka_unit_test_setup(later_paths_are_learned_from_sampled_calls, init_tags),
        cmocka_unit_test_setup(local_variables_are_no_sites, init_tags),
        cmocka_unit_test_setup(unknown_stacks_are_not_read, init_tags),
        cmocka_unit_test_setup(signatures_are_unwound_when_there_is_budget, init_tags),
        cmocka_unit_test_setup(held_tags_keep_known_sites, init_tags),
        cmocka_unit_test_setup(second_path_of_a_signature_is_seen_on_the_stack, init_tags),
        cmocka_unit_test_setup(no_block_gets_the_path_of_another_caller, init_tags),
        cmocka_unit_test_setup(paths_without_places_are_unwound, init_tags),
        cmocka_unit_test_setup(first_paths_are_unwound_without_budget, init_tags),
        cmocka_unit_test_setup(paths_of_a_recursion_are_told_apart_by_their_inner_frames, init_tags),
        cmocka_unit_test_setup(sites_after_the_last_number_are_counted, init_tags),
        cmocka_unit_test_setup(threads_tag_their_own_blocks, init_tags),
        cmocka_unit_test_setup(few_sites_need_few_pages, init_tags),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
