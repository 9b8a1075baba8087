/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of series: read back, truncated, and with impossible records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "spool/spool_series.h"
#include "tests/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint8_t bytes[4096];
static size_t bytes_len;

static void put(uint32_t record, const void *data, size_t len)
{
    const struct spool_series_head head = {record, (uint32_t)len};
    memcpy(bytes + bytes_len, &head, sizeof(head));
    memcpy(bytes + bytes_len + sizeof(head), data, len);
    bytes_len += sizeof(head) + len;
}

static void put_begin(uint32_t version)
{
    struct spool_series_begin b = {.version = version, .interval_ns = 10000000};
    memcpy(b.magic, SPOOL_SERIES_MAGIC, sizeof(b.magic));
    bytes_len = 0;
    put(SPOOL_SERIES_BEGIN, &b, sizeof(b));
}

static void put_point(struct spool_series_point p)
{
    put(SPOOL_SERIES_POINT, &p, sizeof(p));
}

static void put_file(void)
{
    struct spool_series_counter c = {.kind = 99, .is_level = 7, .factor = 1.02, .roof_per_s = NAN};
    const struct spool_series_end end = {1234};
    put_begin(SPOOL_SERIES_VERSION);
    memset(c.name, 'x', sizeof(c.name)); /* without its end */
    put(SPOOL_SERIES_COUNTER, &c, sizeof(c));
    put_point((struct spool_series_point){0, LS_GAP_NONE, 10, 20, 3.5});
    put_point((struct spool_series_point){0, LS_GAP_GONE, 20, 30, 1});
    put(SPOOL_SERIES_END, &end, sizeof(end));
}

static void a_file_is_read_back(void **state)
{
    struct spool_series s;
    (void)state;
    put_file();
    assert_int_equal(spool_series_parse(bytes, bytes_len, &s), LS_OK);
    assert_true(s.counters.len == 1 && s.points.len == 2);
    assert_int_equal(strlen(s.counters.rows[0].name), sizeof(s.counters.rows[0].name) - 1);
    assert_true(s.counters.rows[0].kind == LS_COUNTER_OTHER && s.counters.rows[0].is_level == 1);
    assert_true(s.points.rows[0].value == 3.5 && isnan(s.points.rows[1].value));
    assert_true(s.interval_ns == 10000000 && s.cpu_ns == 1234);
    spool_series_fini(&s);
}

/* Every length: as much is read as is there. */
static void a_truncated_file_is_read_up_to_its_end(void **state)
{
    struct spool_series s;
    (void)state;
    put_file();
    for (size_t len = 0; len < bytes_len; len++) {
        uint8_t *copy = malloc(len + 1); /* a sanitizer then sees reads beyond its end */
        memcpy(copy, bytes, len);
        const ls_err err = spool_series_parse(copy, len, &s);
        const size_t begin = sizeof(struct spool_series_head) + sizeof(struct spool_series_begin);
        assert_int_equal(err, len < begin ? LS_ERR_FORMAT : LS_OK);
        assert_true(s.points.len <= 2 && s.cpu_ns == UINT64_MAX);
        spool_series_fini(&s);
        free(copy);
    }
}

static void damage_ends_the_reading(void **state)
{
    static const struct spool_series_point bad[] = {{1, LS_GAP_NONE, 10, 20, 1},    /* no such counter */
                                                    {0, LS_GAPS_LEN, 10, 20, 1},    /* no such gap */
                                                    {0, LS_GAP_NONE, 20, 10, 1},    /* backwards */
                                                    {0, LS_GAP_NONE, 10, 20, NAN}}; /* no value, no gap */
    struct spool_series s;
    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        put_file();
        put_point(bad[i]);
        put_point((struct spool_series_point){0, LS_GAP_NONE, 30, 40, 1});
        assert_int_equal(spool_series_parse(bytes, bytes_len, &s), LS_OK);
        assert_int_equal(s.points.len, 2);
        spool_series_fini(&s);
    }
    put_begin(SPOOL_SERIES_VERSION + 1);
    assert_int_equal(spool_series_parse(bytes, bytes_len, &s), LS_ERR_VERSION);
    spool_series_fini(&s);
    bytes[sizeof(struct spool_series_head)] = 'x';
    assert_int_equal(spool_series_parse(bytes, bytes_len, &s), LS_ERR_FORMAT);
    spool_series_fini(&s);
}

static void a_spool_without_series_is_empty(void **state)
{
    struct spool_series s;
    (void)state;
    assert_int_equal(spool_series_read("/no/such/spool", &s), LS_OK);
    assert_int_equal(s.counters.len + s.points.len, 0);
    spool_series_fini(&s);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_read_back),
        cmocka_unit_test(a_truncated_file_is_read_up_to_its_end),
        cmocka_unit_test(damage_ends_the_reading),
        cmocka_unit_test(a_spool_without_series_is_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
