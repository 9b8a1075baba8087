/* SPDX-License-Identifier: BSD-3-Clause */
/* Site tags: every byte of a block has its site. */
#include "runtime/core/rt_tags_sigsafe.h"
#include "tests/unit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static int init_tags(void **state)
{
    (void)state;
    memset(&rt_tags, 0, sizeof(rt_tags));
    return rt_tags_init(false);
}

static int init_packed_tags(void **state)
{
    (void)state;
    memset(&rt_tags, 0, sizeof(rt_tags));
    return rt_tags_init(true);
}

#define REGION (UINT64_C(1) << RT_TAG_REGION_BITS)

static void put(uint64_t base, size_t len_bytes, uint32_t site)
{
    if (rt_tag_put_quickly(base, len_bytes, site, RT_TAG_SHORT_BYTES)) return;
    if (!rt_tag_put_quickly(base, len_bytes, site, RT_TAG_LONG_BYTES))
        rt_tag_put_slowly(base, len_bytes, site);
}

/* The addresses of tags are numbers: nothing is read or written there. */
static void assert_block(uint64_t base, size_t len_bytes, uint32_t site)
{
    for (uint64_t at = base; at < base + len_bytes; at++) {
        uint16_t back;
        assert_int_equal(rt_tag_find(at, &back), site);
        const uint64_t expected = (at >> RT_TAG_UNIT_BITS) - (base >> RT_TAG_UNIT_BITS);
        assert_int_equal(back, expected <= RT_TAG_SEARCH_UNITS ? expected : RT_TAG_BACK_UNKNOWN);
    }
}

/* From a block of the C library to the next one. */
static size_t distance(size_t len_bytes)
{
    const size_t distance_bytes = (len_bytes + 8 + 15) & ~(size_t)15;
    return distance_bytes < 32 ? 32 : distance_bytes;
}

static void every_byte_of_a_block_has_its_site(void **state)
{
    const uint64_t base = 0x5555000000;
    (void)state;
    for (size_t len_bytes = 1; len_bytes < 3000; len_bytes++) {
        const uint64_t at = base + len_bytes * 4096 + (len_bytes / 16 % 2) * 16,
                       after = at + distance(len_bytes);
        put(at - 80, 72, 8);
        put(after, 72, 9);
        put(at, len_bytes, 7);
        put(at - 80, 72, 6);
        put(after, 72, 5);
        assert_block(at - 80, 72, 6);
        assert_block(at, len_bytes, 7);
        assert_block(after, 72, 5);
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

/* A block that ends in the lower half of a granule leaves the tag of the one that begins in the upper half. */
static void blocks_share_a_granule(void **state)
{
    uint16_t back;
    (void)state;
    put(0x7100000030, 24, 2);
    put(0x7100000010, 24, 1);
    assert_block(0x7100000010, 24, 1);
    assert_block(0x7100000030, 24, 2);
    put(0x7100000010, 56, 3); /* both were freed */
    assert_block(0x7100000010, 56, 3);
    put(0x7100000000, 40, 4);
    assert_block(0x7100000000, 40, 4);
    assert_int_equal(rt_tag_find(0x7100000040, &back), 3);
    assert_int_equal(back, RT_TAG_BACK_UNKNOWN);
    rt_tag_put_slowly(0x7100000010, 24, 0);
    assert_int_equal(rt_tag_find(0x7100000020, &back), 0);
    const uint64_t border = 0x7200 * REGION;
    put(border + 16, 24, 5);
    put(border - 32, 40, 6);
    assert_block(border - 32, 40, 6);
    assert_block(border + 16, 24, 5);
}

/* Other allocators make blocks of 16 bytes. */
static void packed_blocks_have_their_own_tags(void **state)
{
    enum { BLOCKS = 3000 };
    uint16_t back;
    (void)state;
    for (uint64_t i = 0; i < BLOCKS; i++)
        put(0x7400 * REGION - 16 * BLOCKS / 2 + 16 * (i * 7 % BLOCKS), 16, 1 + (uint32_t)(i * 7 % BLOCKS));
    for (uint64_t i = 0; i < BLOCKS; i++)
        assert_block(0x7400 * REGION - 16 * BLOCKS / 2 + 16 * i, 16, 1 + (uint32_t)i);
    rt_tags_clear(0x7400 * REGION, 4096);
    assert_int_equal(rt_tag_find(0x7400 * REGION - 1, &back), BLOCKS / 2);
    assert_int_equal(rt_tag_find(0x7400 * REGION, &back), 0);
    assert_int_equal(rt_tag_find(0x7400 * REGION + 4096, &back), 1 + BLOCKS / 2 + 256);
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

/* Blocks of all lengths replace each other in any order; each unit of the living ones has the right tag. */
static void blocks_of_all_lengths_share_memory(void **state)
{
    enum { UNITS = 4096, SITES = 1000 };
    static uint16_t site_of_unit[UNITS], begin_of_unit[UNITS];
    const uint64_t base = 0x4321 * REGION - UNITS / 2 * 16; /* over a border of regions */
    uint64_t random = 1;
    (void)state;
    memset(site_of_unit, 0, sizeof(site_of_unit));
    for (int i = 0; i < 20000; i++) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const uint32_t limit = 1u << (random >> 59 & 7) << (random >> 57 & 3);
        const uint32_t len = 2 + (uint32_t)(random >> 32 & 0xffff) % limit;
        const uint32_t at = (uint32_t)(random >> 16 & 0xffff) % (UNITS - len);
        const uint16_t site = (uint16_t)(i % 17 == 0 ? 0 : 1 + (random >> 40) % SITES);
        for (uint32_t g = 0; g < UNITS; g++) { /* free the blocks that are there */
            const bool overlaps = site_of_unit[g] && g >= at && g < at + len;
            if (!overlaps) continue;
            const uint16_t begin = begin_of_unit[g];
            for (uint32_t k = begin; k < UNITS && site_of_unit[k] && begin_of_unit[k] == begin; k++)
                site_of_unit[k] = 0;
        }
        if (site)
            put(base + at * 16, len * 16 - random % 16, site);
        else
            rt_tag_put_slowly(base + at * 16, len * 16, 0);
        for (uint32_t g = at; g < at + len; g++) {
            uint16_t back;
            site_of_unit[g] = site;
            begin_of_unit[g] = (uint16_t)at;
            assert_int_equal(rt_tag_find(base + g * 16, &back), site);
        }
        if (i % 50) continue;
        for (uint32_t g = 0; g < UNITS; g++) {
            uint16_t back;
            if (!site_of_unit[g]) continue;
            assert_int_equal(rt_tag_find(base + g * 16 + 15, &back), site_of_unit[g]);
            const uint32_t expected = g - begin_of_unit[g];
            assert_int_equal(back, expected <= RT_TAG_SEARCH_UNITS ? expected : RT_TAG_BACK_UNKNOWN);
        }
    }
}

static size_t resident_pages(const uint16_t *tags)
{
    unsigned char pages[RT_TAG_REGION_BYTES / 4096];
    size_t found = 0;
    assert_int_equal(mincore((void *)(uintptr_t)tags, RT_TAG_REGION_BYTES, pages), 0);
    for (size_t i = 0; i < sizeof(pages); i++)
        found += pages[i] & 1;
    return found;
}

/* The tags of a small heap take few pages. Those of a region after two others are mapped at once. */
static void tags_are_mapped_with_the_heap(void **state)
{
    enum { FIRST = 0x3000 };
    const long page_bytes = sysconf(_SC_PAGESIZE);
    (void)state;
    for (uint64_t i = 0; i < 3; i++)
        put((FIRST + i) * REGION, 16, 1);
    if (page_bytes != 4096) skip();
    assert_int_equal(resident_pages(rt_tags.regions[FIRST].tags), 1);
    assert_int_equal(resident_pages(rt_tags.regions[FIRST + 1].tags), 1);
    if (madvise(rt_tags.regions[FIRST].tags, 4096, 23) != 0) skip(); /* MADV_POPULATE_WRITE */
    assert_int_equal(resident_pages(rt_tags.regions[FIRST + 2].tags), RT_TAG_REGION_BYTES / 4096);
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

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(every_byte_of_a_block_has_its_site, init_tags),
        cmocka_unit_test_setup(rest_of_an_older_block_has_no_begin, init_tags),
        cmocka_unit_test_setup(blocks_share_a_granule, init_tags),
        cmocka_unit_test_setup(packed_blocks_have_their_own_tags, init_packed_tags),
        cmocka_unit_test_setup(blocks_cross_borders_of_regions, init_tags),
        cmocka_unit_test_setup(blocks_cross_borders_of_regions, init_packed_tags),
        cmocka_unit_test_setup(blocks_of_all_lengths_share_memory, init_packed_tags),
        cmocka_unit_test_setup(new_mappings_have_no_blocks, init_packed_tags),
        cmocka_unit_test_setup(blocks_of_many_pages_are_found_at_every_place, init_tags),
        cmocka_unit_test_setup(blocks_of_all_lengths_share_memory, init_tags),
        cmocka_unit_test_setup(tags_are_mapped_with_the_heap, init_tags),
        cmocka_unit_test_setup(regions_do_not_mix, init_tags),
        cmocka_unit_test_setup(new_mappings_have_no_blocks, init_tags),
        cmocka_unit_test_setup(a_child_has_separate_tags, init_tags),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
