/* SPDX-License-Identifier: BSD-3-Clause */
/* Accesses that are written together are read one by one, the same as they were. */
#include "spool/spool_packer_sigsafe.h"
#include "spool/spool_reader.h"
#include "spool/spool_unpack.h"
#include "tests/spool/spool_fixture.h"
#include "tests/unit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PID = 77, ACCESSES = 5000, INSTRUCTIONS = 40000 };
static const uint64_t cycles = 123456;

static uint64_t random_number(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Loops with some instructions, jumps, and numbers of any length; more instructions than there are places. */
static struct spool_access random_access(uint64_t *state, struct spool_access last, unsigned kinds)
{
    const uint64_t n = random_number(state);
    const bool is_timed = n & 1;
    struct spool_access a = {
        .ip = 0x400000 + (n >> 8) % 40 * 4,
        .addr = n >> 16 & 1 ? last.addr + 8 : random_number(state) >> (n >> 20 & 63),
        .position = n >> 26 & 7 ? last.position + (uint32_t)(n >> 32 & 15) : (uint32_t)random_number(state),
        .size_bytes = (uint16_t)(1 << (n >> 36 & 7)),
        .lane = (uint16_t)(n >> 40 & 63 ? 0 : n >> 46),
        .latency_cycles = is_timed ? (uint32_t)random_number(state) >> (n >> 56 & 31) : 0,
        .drain_cycles = is_timed ? (uint32_t)random_number(state) >> (n >> 51 & 31) : 0};
    const unsigned kind = (unsigned)(n >> 1) % kinds;
    a.rec.flags = (uint16_t)((kind * 0x11u & ~SPOOL_PACK_TIMES) | (is_timed ? SPOOL_PACK_TIMES : 0));
    a.tsc_delta = spool_pack_tsc_delta(cycles, INSTRUCTIONS, a.position);
    return a;
}

static void spool_packed_accesses_come_back(void **state)
{
    (void)state;
    struct spool_fixture f;
    struct spool_writer w;
    struct spool_packer p;
    static struct spool_access accesses[ACCESSES];
    uint64_t random = 88172645463325252u;
    spool_fixture_init(&f);
    spool_fixture_open(&f, &w, PID, 0, PID);
    spool_packer_begin(&p, &w, cycles, INSTRUCTIONS);
    for (unsigned i = 0; i < ACCESSES; i++) {
        accesses[i] = random_access(&random, i ? accesses[i - 1] : (struct spool_access){0}, 1 + i % 30);
        spool_packer_add(&p, accesses[i].rec.flags, &accesses[i]);
    }
    spool_packer_end(&p);
    spool_writer_close(&w);
    struct spool_stream stream;
    spool_reader *r;
    assert_int_equal(spool_stream_of_file(spool_fixture_path(&f, PID, 0, PID), &stream), LS_OK);
    assert_int_equal(spool_reader_open(&stream, &r), LS_OK);
    const struct spool_rec_header *rec;
    unsigned i = 0;
    while (spool_reader_next(r, &rec) == LS_OK && rec) {
        assert_int_equal(rec->type, SPOOL_REC_ACCESS);
        assert_true(i < ACCESSES);
        accesses[i].rec.type = SPOOL_REC_ACCESS;
        accesses[i].rec.len_bytes = sizeof(accesses[i]);
        assert_memory_equal(rec, &accesses[i], sizeof(accesses[i]));
        i++;
    }
    assert_int_equal(i, ACCESSES);
    spool_reader_free(r);
    spool_fixture_fini(&f);
}

/* From damaged bytes the reader returns accesses, or it reports the damage. It never reads beyond them. */
static void spool_damaged_accesses_are_refused(void **state)
{
    (void)state;
    struct spool_packer p;
    struct spool_access a = {0};
    uint64_t random = 88172645463325252u;
    unsigned refused = 0, rounds = 20000;
    spool_packer_begin(&p, NULL, cycles, INSTRUCTIONS);
    for (unsigned i = 0; i < 30; i++) {
        a = random_access(&random, a, 3);
        spool_packer_add(&p, a.rec.flags, &a);
    }
    for (unsigned round = 0; round < rounds; round++) {
        const uint32_t len = p.head.bytes_len - (uint32_t)(random_number(&random) % 3);
        struct spool_accesses *rec = malloc(sizeof(*rec) + len);
        assert_non_null(rec);
        *rec = p.head;
        rec->bytes_len = len;
        uint8_t *bytes = (uint8_t *)(rec + 1);
        memcpy(bytes, p.bytes, len);
        bytes[random_number(&random) % len] = (uint8_t)random_number(&random);
        struct spool_unpack u;
        spool_unpack_begin(&u, rec);
        while (u.head.accesses_len && spool_unpack_next(&u, &a))
            assert_int_equal(a.rec.type, SPOOL_REC_ACCESS);
        refused += u.head.accesses_len > 0;
        free(rec);
    }
    assert_in_range(refused, rounds / 2, rounds - 100);
}

static void spool_a_loop_takes_three_bytes_an_access(void **state)
{
    (void)state;
    struct spool_packer p;
    spool_packer_begin(&p, NULL, cycles, INSTRUCTIONS);
    for (uint32_t i = 0; i < 64; i++) {
        const struct spool_access a = {.ip = 0x401000 + i % 2 * 8,
                                       .addr = 0x7f0000000000 + i % 2 * 0x10000000 + i / 2 * 8,
                                       .position = 3 * i,
                                       .size_bytes = 8};
        spool_packer_add(&p, SPOOL_LOCKED_NO, &a);
    }
    assert_int_equal(p.head.accesses_len, 64);
    assert_in_range(p.head.bytes_len, 3 * 64, 3 * 64 + 40);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spool_packed_accesses_come_back),
        cmocka_unit_test(spool_damaged_accesses_are_refused),
        cmocka_unit_test(spool_a_loop_takes_three_bytes_an_access),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
