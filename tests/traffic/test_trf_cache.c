/* SPDX-License-Identifier: BSD-3-Clause */
/* The model of the caches gives the same counts as a naive model: a list of lines that is searched from its
 * front. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/ls_error.h"
#include "common/ls_random.h"
#include "tests/unit.h"
#include "traffic/trf_cache.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static struct trf_geometry geometry(const char *text)
{
    struct trf_geometry g;
    assert_int_equal(trf_geometry_parse(text, &g), LS_OK);
    return g;
}

static struct trf_traffic traffic_of(const trf_cache *c, uint32_t owner)
{
    size_t len = 0;
    const struct trf_traffic *rows = trf_cache_traffic(c, &len);
    return owner < len ? rows[owner] : (struct trf_traffic){0};
}

static void geometry_is_read_and_written(void **state)
{
    (void)state;
    char text[64];
    const struct trf_geometry g = geometry("32K/8,1M/16,30M/15");
    assert_int_equal(g.len, 3);
    assert_int_equal(g.levels[2].size_bytes, 30 << 20);
    assert_int_equal(g.levels[2].ways, 15);
    trf_geometry_text(&g, text, sizeof text);
    assert_string_equal(text, "32K/8,1M/16,30M/15");
    static const char *const bad[] = {"",
                                      "32K",
                                      "32K/",
                                      "32K/0",
                                      "x/8",
                                      "1000/8",
                                      "32K/8,16K/8",
                                      "32K/8,,1M/16",
                                      "1K/1,2K/1,4K/1,8K/1",
                                      "32K/2000",
                                      "18446744073709551615/1"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct trf_geometry out = {.len = 77};
        assert_int_equal(trf_geometry_parse(bad[i], &out), LS_ERR_USAGE);
        assert_int_equal(out.len, 77);
    }
}

/* One fully associative level as a list: the reference for hits, fills and write-backs. */
struct list {
    uint64_t lines[64];
    bool dirty[64];
    unsigned len, most;
    uint64_t reads, writes;
};

static void list_access(struct list *l, uint64_t line, bool is_store)
{
    unsigned at = 0;
    bool dirty = is_store;
    while (at < l->len && l->lines[at] != line)
        at++;
    if (at < l->len) {
        dirty |= l->dirty[at];
    } else {
        l->reads++;
        if (l->len == l->most) {
            at = l->most - 1;
            l->writes += l->dirty[at];
        } else {
            at = l->len++;
        }
    }
    memmove(l->lines + 1, l->lines, at * sizeof l->lines[0]);
    memmove(l->dirty + 1, l->dirty, at * sizeof l->dirty[0]);
    l->lines[0] = line;
    l->dirty[0] = dirty;
}

static void one_level_is_a_list_of_recent_lines(void **state)
{
    (void)state;
    const struct trf_geometry g = geometry("2K/32");
    struct list list = {.most = 32};
    trf_cache *c = NULL;
    uint64_t random = 1;
    assert_int_equal(trf_cache_new(&g, &c), LS_OK);
    for (unsigned i = 0; i < 200000; i++) {
        const uint64_t r = ls_random_next(&random), line = r % 48;
        const bool is_store = r >> 40 & 1;
        list_access(&list, line, is_store);
        assert_int_equal(
            trf_cache_access(c, line * 64 + (r >> 20) % 57, 8, is_store ? TRF_STORE : TRF_LOAD, 0), LS_OK);
    }
    const struct trf_traffic t = traffic_of(c, 0);
    assert_int_equal(t.accesses, 200000);
    assert_int_equal(t.read_lines, list.reads);
    assert_int_equal(t.written_lines, list.writes);
    trf_cache_free(c);
}

static void sets_are_independent(void **state)
{
    (void)state;
    const struct trf_geometry g = geometry("512/2"); /* four sets of two lines */
    trf_cache *c = NULL;
    assert_int_equal(trf_cache_new(&g, &c), LS_OK);
    for (unsigned round = 0; round < 10; round++)
        for (unsigned i = 0; i < 3; i++) /* three lines of one set, accessed in turn: none remains cached */
            assert_int_equal(trf_cache_access(c, i * 4 * 64, 8, TRF_LOAD, 0), LS_OK);
    for (unsigned round = 0; round < 10; round++)
        for (unsigned i = 0; i < 2; i++) /* two lines of another set remain cached */
            assert_int_equal(trf_cache_access(c, 64 + i * 4 * 64, 8, TRF_LOAD, 1), LS_OK);
    assert_int_equal(traffic_of(c, 0).read_lines, 30);
    assert_int_equal(traffic_of(c, 1).read_lines, 2);
    trf_cache_free(c);
}

static void dirty_lines_are_written_back_once_through_all_levels(void **state)
{
    (void)state;
    const struct trf_geometry g = geometry("1K/2,4K/4");
    trf_cache *c = NULL;
    assert_int_equal(trf_cache_new(&g, &c), LS_OK);
    for (unsigned sweep = 0; sweep < 5; sweep++)
        for (uint64_t at = 0; at < 2048; at += 8) /* more than the first level, less than the second */
            assert_int_equal(trf_cache_access(c, at, 8, TRF_STORE, 3), LS_OK);
    assert_int_equal(traffic_of(c, 3).written_lines, 0);
    trf_cache_flush(c);
    assert_int_equal(traffic_of(c, 3).read_lines, 32);
    assert_int_equal(traffic_of(c, 3).written_lines, 32);
    assert_int_equal(traffic_of(c, 0).read_lines, 0);
    trf_cache_free(c);
}

static void stores_past_the_caches_read_nothing(void **state)
{
    (void)state;
    const struct trf_geometry g = geometry("1K/2,4K/4");
    trf_cache *c = NULL;
    assert_int_equal(trf_cache_new(&g, &c), LS_OK);
    assert_int_equal(trf_cache_access(c, 4096, 8, TRF_STORE, 0), LS_OK); /* a dirty copy is written back */
    for (uint64_t at = 4096; at < 4096 + 6400; at += 16)
        assert_int_equal(trf_cache_access(c, at, 16, TRF_STORE_NONTEMPORAL, 0), LS_OK);
    trf_cache_flush(c);
    assert_int_equal(traffic_of(c, 0).read_lines, 1);
    assert_int_equal(traffic_of(c, 0).written_lines, 101);
    trf_cache_free(c);
}

static void used_bytes_equal_the_touched_ones(void **state)
{
    (void)state;
    const struct trf_geometry g = geometry("1K/2,64K/16");
    trf_cache *c = NULL;
    assert_int_equal(trf_cache_new(&g, &c), LS_OK);
    for (uint64_t i = 0; i < 100; i++) {
        assert_int_equal(trf_cache_access(c, i * 64, 8, TRF_LOAD, 0), LS_OK);
        assert_int_equal(trf_cache_access(c, (1 << 20) + i * 64 + 60, 8, TRF_LOAD, 1),
                         LS_OK); /* over two lines */
    }
    trf_cache_flush(c);
    assert_int_equal(traffic_of(c, 0).used_bytes, 800);
    assert_int_equal(traffic_of(c, 1).used_bytes, 800);
    assert_int_equal(traffic_of(c, 1).read_lines, 101);
    trf_cache_free(c);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(geometry_is_read_and_written),
        cmocka_unit_test(one_level_is_a_list_of_recent_lines),
        cmocka_unit_test(sets_are_independent),
        cmocka_unit_test(dirty_lines_are_written_back_once_through_all_levels),
        cmocka_unit_test(stores_past_the_caches_read_nothing),
        cmocka_unit_test(used_bytes_equal_the_touched_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
