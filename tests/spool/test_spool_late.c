/* SPDX-License-Identifier: BSD-3-Clause */
/* Late samples are read in order of time, with their other records; others stay as they are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "spool/spool_late.h"
#include "tests/spool/spool_fixture.h"
#include "tests/unit.h"

#include <stdlib.h>
#include <unistd.h>

enum { SAMPLES = 20000, BEGIN_NS = 1000, PID = 70, TID = 71 };

/* A permutation of 0 to SAMPLES - 1: pieces in succession, far apart in time. */
static uint64_t time_of(uint64_t i)
{
    return 2000 + (i * 7919) % SAMPLES;
}

static void write_file(struct spool_fixture *f, unsigned flags)
{
    struct spool_writer w;
    const struct spool_sampling sampling = {.time_ns = BEGIN_NS};
    spool_fixture_open(f, &w, PID, 0, TID);
    spool_put_sampling(&w, flags, sampling, "SPE");
    for (uint64_t i = 0; i < SAMPLES; i++) {
        const struct spool_sample s = {
            .time_ns = i == 5 ? 1 : time_of(i), .addr = i, .kind = SPOOL_SAMPLE_ACCESS};
        const uint64_t chain[1] = {i};
        spool_put_sample(&w, 0, &s);
        spool_put_chain(&w, 0, s.time_ns, (const uint8_t *)chain, 1);
    }
    spool_writer_close(&w);
}

static struct spool_stream stream_of(const struct spool_fixture *f)
{
    struct spool_stream stream;
    assert_int_equal(spool_stream_of_file(spool_fixture_path(f, PID, 0, TID), &stream), LS_OK);
    return stream;
}

static uint64_t chain_first(const struct spool_rec_header *rec)
{
    uint64_t ip;
    memcpy(&ip, (const char *)rec + sizeof(struct spool_chain), sizeof(ip));
    return ip;
}

static void late_samples_come_in_the_order_of_time(void **state)
{
    (void)state;
    struct spool_fixture f;
    const struct spool_rec_header *rec;
    spool_late *l;
    uint64_t last_ns = 0, seen = 0;
    spool_fixture_init(&f);
    write_file(&f, SPOOL_SAMPLING_LATE);
    struct spool_stream stream = stream_of(&f);
    assert_int_equal(spool_late_open(&stream, &l), LS_OK);
    assert_non_null(l);
    assert_int_equal(spool_late_next(l, &rec), LS_OK);
    assert_int_equal(rec->type, SPOOL_REC_SAMPLING); /* nothing comes before the first record */
    for (; spool_late_next(l, &rec) == LS_OK && rec; seen++) {
        const struct spool_sample *s = (const void *)rec;
        const uint64_t addr = s->addr, time_ns = s->time_ns;
        assert_int_equal(rec->type, SPOOL_REC_SAMPLE);
        assert_true(time_ns >= last_ns);
        last_ns = time_ns;
        assert_int_equal(spool_late_next(l, &rec), LS_OK);
        assert_int_equal(rec->type, SPOOL_REC_CHAIN);
        assert_int_equal(chain_first(rec), addr);
    }
    assert_int_equal(seen, SAMPLES);
    spool_late_free(l);
    spool_fixture_fini(&f);
}

static void streams_without_late_samples_are_not_sorted(void **state)
{
    (void)state;
    struct spool_fixture f;
    spool_late *l;
    spool_fixture_init(&f);
    write_file(&f, 0);
    struct spool_stream stream = stream_of(&f);
    assert_int_equal(spool_late_open(&stream, &l), LS_OK);
    assert_null(l);
    stream.own = (struct spool_source){.path = "/nonexistent"};
    assert_int_equal(spool_late_open(&stream, &l), LS_OK);
    assert_null(l);
    spool_fixture_fini(&f);
}

static void damage_is_reported_after_intact_records(void **state)
{
    (void)state;
    struct spool_fixture f;
    const struct spool_rec_header *rec;
    spool_late *l;
    size_t len, whole = 0;
    spool_fixture_init(&f);
    write_file(&f, SPOOL_SAMPLING_LATE);
    const char *path = spool_fixture_path(&f, PID, 0, TID);
    free(fixture_read_file(path, &len));
    assert_int_equal(truncate(path, (long)len / 2 + 4), 0);
    const struct spool_stream stream = stream_of(&f);
    assert_int_equal(spool_late_open(&stream, &l), LS_OK);
    ls_err e;
    while ((e = spool_late_next(l, &rec)) == LS_OK && rec)
        whole++;
    assert_int_equal(e, LS_ERR_TRUNCATED);
    assert_in_range(whole, SAMPLES / 2, 3 * SAMPLES / 2);
    spool_late_free(l);
    spool_fixture_fini(&f);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(late_samples_come_in_the_order_of_time),
        cmocka_unit_test(streams_without_late_samples_are_not_sorted),
        cmocka_unit_test(damage_is_reported_after_intact_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
