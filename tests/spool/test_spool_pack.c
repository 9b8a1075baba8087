/* SPDX-License-Identifier: BSD-3-Clause */
/* Accesses that are written together are read one by one, the same as they were. */
#include "spool/spool_packer_sigsafe.h"
#include "spool/spool_reader.h"
#include "spool/spool_unpack.h"
#include "tests/spool/spool_fixture.h"
#include "tests/unit.h"
#include "tests/xorshift.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PID = 77, ACCESSES = 5000, INSTRUCTIONS = 40000 };
static const uint64_t cycles = 123456;

static uint64_t random_number(uint64_t *state)
{
    return xorshift(state);
}

/* Loops with some instructions, jumps, and numbers of any length; more instructions than there are slots. */
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
        .site = (uint16_t)(n >> 58 & 3 ? 5 : n >> 44 & SPOOL_SITE_OTHERS),
        .site_units = (uint16_t)(n >> 60 & 3 ? n >> 40 & 3 : n >> 48),
        .latency_cycles = is_timed ? (uint32_t)random_number(state) >> (n >> 56 & 31) : 0,
        .drain_cycles = is_timed ? (uint32_t)random_number(state) >> (n >> 51 & 31) : 0};
    const unsigned kind = (unsigned)(n >> 1) % kinds;
    a.rec.flags = (uint16_t)((kind * 0x11u & ~SPOOL_PACK_TIMES) | (is_timed ? SPOOL_PACK_TIMES : 0));
    a.tsc_delta = spool_pack_tsc_delta(cycles, INSTRUCTIONS, a.position);
    return a;
}

static void spool_packed_accesses_are_read_back(void **state)
{
    (void)state;
    struct spool_fixture f;
    struct spool_writer w;
    struct spool_packer p;
    static struct spool_access accesses[ACCESSES];
    uint64_t random = XORSHIFT_SEED;
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

/* For damaged bytes the reader returns accesses or reports the damage. It never reads beyond the bytes. */
static void spool_damaged_accesses_are_refused(void **state)
{
    (void)state;
    struct spool_packer p;
    struct spool_access a = {0};
    uint64_t random = XORSHIFT_SEED;
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

/* In code without loops, too, accesses are of few kinds, which are not repeated. */
static void spool_new_instructions_of_known_kinds_take_few_bytes(void **state)
{
    (void)state;
    struct spool_packer p;
    spool_packer_begin(&p, NULL, cycles, INSTRUCTIONS);
    for (uint32_t i = 0; i < 120; i++) {
        const struct spool_access a = {.ip = 0x401000 + 8 * i,
                                       .addr = 0x7f0000000000 + i * 24,
                                       .position = 3 * i,
                                       .size_bytes = i % 3 == 0 ? 4 : 8};
        spool_packer_add(&p, SPOOL_LOCKED_NO | (i % 5 ? 0 : SPOOL_OP_STORE) | SPOOL_ACCESS_AFTER_GAP, &a);
    }
    assert_int_equal(p.head.accesses_len, 120);
    assert_in_range(p.head.bytes_len, 5 * 120, 6 * 120 + 20);
}

/* Most instructions access the stack, the heap or the data of the program, in turn. */
static void spool_addresses_in_several_regions_take_few_bytes(void **state)
{
    static const uint64_t regions[] = {0x7ffc00001000, 0x555555900000, 0x7f1200000000};
    (void)state;
    struct spool_packer p;
    spool_packer_begin(&p, NULL, cycles, INSTRUCTIONS);
    for (uint32_t i = 0; i < 120; i++) {
        const struct spool_access a = {.ip = 0x401000 + 8 * i,
                                       .addr = regions[i * 5 % 7 % 3] + i * 24,
                                       .position = i + 1,
                                       .size_bytes = 8};
        spool_packer_add(&p, SPOOL_LOCKED_NO, &a);
    }
    assert_int_equal(p.head.accesses_len, 120);
    assert_in_range(p.head.bytes_len, 3 * 120, 4 * 120 + 60);
}

/* Positions at the end of their range, and addresses at any distance. */
static void spool_extreme_accesses_are_read_back(void **state)
{
    static const uint32_t positions[] = {0, UINT32_MAX, 0, 1, UINT32_MAX - 1, UINT32_MAX};
    static const uint64_t addrs[] = {0, UINT64_MAX, UINT64_C(1) << 63, 1, UINT64_C(1) << 36, UINT64_MAX - 1};
    (void)state;
    struct spool_packer p;
    spool_packer_begin(&p, NULL, cycles, INSTRUCTIONS);
    for (uint32_t i = 0; i < 36; i++) {
        const struct spool_access a = {
            .ip = i % 3 ? 0x1000 + i : UINT64_MAX, .addr = addrs[i % 6], .position = positions[i / 6]};
        spool_packer_add(&p, 0, &a);
    }
    struct spool_accesses *rec = malloc(sizeof(*rec) + p.head.bytes_len);
    assert_non_null(rec);
    *rec = p.head;
    memcpy(rec + 1, p.bytes, p.head.bytes_len);
    struct spool_unpack u;
    spool_unpack_begin(&u, rec);
    for (uint32_t i = 0; i < 36; i++) {
        struct spool_access a;
        assert_true(spool_unpack_next(&u, &a));
        assert_int_equal(a.addr, addrs[i % 6]);
        assert_int_equal(a.position, positions[i / 6]);
    }
    free(rec);
}

enum { STACKS = 1000 };

/* The stack pointer moves, some words change, and now and then all of them. */
static void change_stack(uint64_t *state, struct spool_whole_stack *s)
{
    const uint64_t n = random_number(state);
    uint64_t words[SPOOL_STACK_LEAF_BYTES / 8];
    memcpy(words, s->bytes, sizeof(words));
    for (unsigned i = 0; i < (n & 31 ? n >> 5 & 7 : SPOOL_STACK_LEAF_BYTES / 8); i++)
        words[random_number(state) % (SPOOL_STACK_LEAF_BYTES / 8)] += random_number(state) >> (n >> 8 & 63);
    for (unsigned i = 0; i < (n >> 16 & 3); i++)
        s->head.regs[random_number(state) % SPOOL_REGS] += random_number(state) >> (n >> 24 & 63);
    s->head.regs[SPOOL_REG_RSP] = 0x7ffc00001000 + (n >> 32 & 15) * 16 + (n >> 40 & 31 ? 0 : 3);
    s->head.bytes_len = n >> 48 & 7 ? SPOOL_STACK_LEAF_BYTES : (uint32_t)(n >> 52) % SPOOL_STACK_LEAF_BYTES;
    s->head.time_ns = n;
    memcpy(s->bytes, words, s->head.bytes_len);
    memset(s->bytes + s->head.bytes_len, 0, SPOOL_STACK_LEAF_BYTES - s->head.bytes_len);
}

/* Copy the records of a stream of STACK_DIFF as they are in the file. */
static size_t packed_stacks(const struct spool_writer *w, const struct spool_stack_diff *out[STACKS],
                            uint32_t begin)
{
    size_t len = 0;
    for (uint32_t at = begin; at < w->chunk.used_bytes && len < STACKS;) {
        const struct spool_rec_header *rec = (const void *)(w->chunk.at + at);
        if (rec->type == SPOOL_REC_STACK_DIFF) out[len++] = (const void *)rec;
        at += rec->len_bytes;
    }
    return len;
}

static void spool_packed_stacks_are_read_back(void **state)
{
    (void)state;
    struct spool_fixture f;
    struct spool_writer w;
    struct spool_stack_packer p = {0};
    static struct spool_whole_stack stacks[STACKS];
    uint64_t random = XORSHIFT_SEED;
    spool_fixture_init(&f);
    spool_fixture_open(&f, &w, PID, 0, PID);
    for (unsigned i = 0; i < STACKS; i++) {
        if (i) stacks[i] = stacks[i - 1];
        change_stack(&random, &stacks[i]);
        assert_true(spool_packer_put_stack(&p, &w, &stacks[i].head, stacks[i].bytes));
    }
    spool_writer_close(&w);
    struct spool_stream stream;
    spool_reader *r;
    assert_int_equal(spool_stream_of_file(spool_fixture_path(&f, PID, 0, PID), &stream), LS_OK);
    assert_int_equal(spool_reader_open(&stream, &r), LS_OK);
    const struct spool_rec_header *rec;
    unsigned i = 0;
    while (spool_reader_next(r, &rec) == LS_OK && rec) {
        const struct spool_stack *s = (const void *)rec;
        assert_true(i < STACKS);
        assert_int_equal(rec->type, SPOOL_REC_STACK);
        assert_int_equal(s->bytes_len, stacks[i].head.bytes_len);
        assert_int_equal(rec->len_bytes, sizeof(*s) + (s->bytes_len + 7) / 8 * 8);
        assert_int_equal(s->time_ns, stacks[i].head.time_ns);
        assert_int_equal(s->links_len, 0);
        assert_memory_equal(s->regs, stacks[i].head.regs, sizeof(s->regs));
        assert_memory_equal(s + 1, stacks[i].bytes, s->bytes_len);
        i++;
    }
    assert_int_equal(i, STACKS);
    spool_reader_free(r);
    spool_fixture_fini(&f);
}

/* If a record is missing, the following ones are left out until the next complete one. Damaged bytes give
 * stacks with damaged content, or are refused. */
static void spool_stacks_after_a_missing_one_are_left_out(void **state)
{
    (void)state;
    struct spool_fixture f;
    struct spool_writer w;
    struct spool_stack_packer p = {0};
    struct spool_whole_stack s = {0}, out;
    struct spool_stack_pack last = {0};
    const struct spool_stack_diff *recs[STACKS] = {NULL};
    uint64_t random = XORSHIFT_SEED;
    unsigned missing = 0, damaged = 0;
    spool_fixture_init(&f);
    spool_fixture_open(&f, &w, PID, 0, PID);
    const uint32_t begin = w.chunk.used_bytes;
    for (unsigned i = 0; i < 200; i++) {
        change_stack(&random, &s);
        assert_true(spool_packer_put_stack(&p, &w, &s.head, s.bytes));
    }
    const size_t len = packed_stacks(&w, recs, begin);
    assert_in_range(len, 150, 200);
    assert_int_equal(recs[0]->rec.flags, SPOOL_STACK_FIRST);
    for (size_t i = 0; i < len; i++)
        if (i != 70) missing += spool_unpack_stack(&last, recs[i], &out) == SPOOL_UNPACKED_MISSING;
    assert_int_equal(missing, 127 - 70); /* until recs[128] */
    for (unsigned round = 0; round < 20000; round++) {
        struct spool_stack_diff *rec = malloc(recs[5]->rec.len_bytes);
        assert_non_null(rec);
        memcpy(rec, recs[5], recs[5]->rec.len_bytes);
        uint8_t *bytes = (uint8_t *)(rec + 1);
        rec->bytes_len -= (uint32_t)(random_number(&random) % 3);
        rec->rec.flags = SPOOL_STACK_FIRST;
        rec->sequence = 0;
        bytes[random_number(&random) % rec->bytes_len] = (uint8_t)random_number(&random);
        damaged += spool_unpack_stack(&last, rec, &out) == SPOOL_UNPACKED_DAMAGED;
        free(rec);
    }
    assert_in_range(damaged, 1000, 19900);
    spool_writer_close(&w);
    spool_fixture_fini(&f);
}

/* Bursts in one function: the same stack, other values in some registers. */
static void spool_a_stack_of_a_loop_takes_few_bytes(void **state)
{
    (void)state;
    struct spool_fixture f;
    struct spool_writer w;
    struct spool_stack_packer p = {0};
    struct spool_whole_stack s = {0};
    const struct spool_stack_diff *recs[STACKS] = {NULL};
    uint64_t random = XORSHIFT_SEED;
    spool_fixture_init(&f);
    spool_fixture_open(&f, &w, PID, 0, PID);
    const uint32_t begin = w.chunk.used_bytes;
    for (unsigned i = 0; i < sizeof(s.bytes); i++)
        s.bytes[i] = (uint8_t)random_number(&random);
    s.head.bytes_len = sizeof(s.bytes);
    for (unsigned i = 0; i < 20; i++) {
        s.head.regs[0] = 0x555555550000 + i * 24;
        s.head.regs[2] = i;
        assert_true(spool_packer_put_stack(&p, &w, &s.head, s.bytes));
    }
    assert_int_equal(packed_stacks(&w, recs, begin), 20);
    assert_in_range(recs[0]->rec.len_bytes, 512, 800);
    assert_in_range(recs[9]->rec.len_bytes, 40, 56);
    spool_writer_close(&w);
    spool_fixture_fini(&f);
}

enum { SITES = 3000 };
struct site {
    struct spool_site head;
    uint64_t frames[SPOOL_PACK_FRAMES + 8];
};

/* Paths of a program: most share their outer frames with the last one and go on to functions that were seen before. */
static void change_site(uint64_t *state, struct site *s)
{
    const uint64_t n = random_number(state);
    uint64_t outer[SPOOL_PACK_FRAMES + 8];
    const uint32_t last_len = s->head.frames_len;
    for (uint32_t i = 0; i < last_len; i++)
        outer[i] = s->frames[last_len - 1 - i];
    uint32_t len = last_len ? (uint32_t)(n >> 4) % (last_len + 1) : 0;
    const uint32_t wanted =
        n & 15 ? len + (uint32_t)(n >> 12) % 8 : (uint32_t)(n >> 12) % (SPOOL_PACK_FRAMES + 8);
    while (len < wanted && len < SPOOL_PACK_FRAMES + 8)
        outer[len++] = n >> 20 & 15 ? 0x400000 + random_number(state) % 200 * 16 : random_number(state);
    for (uint32_t i = 0; i < len; i++)
        s->frames[i] = outer[len - 1 - i];
    s->head = (struct spool_site){
        .time_ns = n, .len_bytes = n >> (n & 63), .site = (uint32_t)n & SPOOL_SITE_OTHERS, .frames_len = len};
}

static void spool_packed_sites_are_read_back(void **state)
{
    (void)state;
    struct spool_fixture f;
    struct spool_writer w;
    struct spool_site_packer p = {0};
    static struct site sites[SITES];
    uint64_t random = XORSHIFT_SEED;
    spool_fixture_init(&f);
    spool_fixture_open(&f, &w, PID, 0, PID);
    for (unsigned i = 0; i < SITES; i++) {
        if (i) sites[i] = sites[i - 1];
        change_site(&random, &sites[i]);
        assert_true(spool_packer_put_site(&p, &w, 1, &sites[i].head, sites[i].frames));
    }
    spool_writer_close(&w);
    struct spool_stream stream;
    spool_reader *r;
    assert_int_equal(spool_stream_of_file(spool_fixture_path(&f, PID, 0, PID), &stream), LS_OK);
    assert_int_equal(spool_reader_open(&stream, &r), LS_OK);
    const struct spool_rec_header *rec;
    unsigned i = 0, plain = 0;
    while (spool_reader_next(r, &rec) == LS_OK && rec) {
        const struct spool_site *s = (const void *)rec;
        assert_true(i < SITES);
        assert_int_equal(rec->type, SPOOL_REC_SITE);
        assert_int_equal(rec->len_bytes, sizeof(*s) + 8 * (size_t)sites[i].head.frames_len);
        assert_memory_equal(&s->time_ns, &sites[i].head.time_ns, sizeof(*s) - sizeof(s->rec));
        assert_memory_equal(s + 1, sites[i].frames, 8 * (size_t)s->frames_len);
        plain += s->frames_len > SPOOL_PACK_FRAMES;
        i++;
    }
    assert_int_equal(i, SITES);
    assert_true(plain > 0);
    spool_reader_free(r);
    spool_fixture_fini(&f);
}

/* Copy the next record of w that is written. */
static const struct spool_site_diff *written_site(struct spool_site_packer *p, struct spool_writer *w,
                                                  uint32_t stream, const struct site *s)
{
    const uint32_t at = w->chunk.used_bytes;
    assert_true(spool_packer_put_site(p, w, stream, &s->head, s->frames));
    return (const void *)(w->chunk.at + at);
}

/* A path that differs in its innermost frames takes a fraction of its words. In another stream, and after a record that was
 * dropped, it is complete again. */
static void spool_sites_build_on_earlier_ones_of_their_stream(void **state)
{
    (void)state;
    struct spool_fixture f;
    struct spool_writer w;
    struct spool_site_packer p = {0};
    struct site s = {.head = {.site = 1, .frames_len = 20}};
    spool_fixture_init(&f);
    spool_fixture_open(&f, &w, PID, 0, PID);
    for (unsigned i = 0; i < 20; i++)
        s.frames[i] = 0x7f0000001000 + i * 0x12345;
    const struct spool_site_diff *first = written_site(&p, &w, 1, &s);
    assert_int_equal(first->rec.flags, SPOOL_SITE_FIRST);
    assert_in_range(first->rec.len_bytes, 60, 24 + 80);
    s.frames[0] += 0x40;
    const struct spool_site_diff *second = written_site(&p, &w, 1, &s);
    assert_int_equal(second->rec.flags, 0);
    assert_int_equal(second->rec.len_bytes, 32);
    assert_int_equal(written_site(&p, &w, 2, &s)->rec.flags, SPOOL_SITE_FIRST);
    assert_int_equal(written_site(&p, &w, 2, &s)->rec.flags, 0);
    struct spool_writer closed = {0};
    assert_false(spool_packer_put_site(&p, &closed, 2, &s.head, s.frames));
    assert_int_equal(written_site(&p, &w, 2, &s)->rec.flags, SPOOL_SITE_FIRST);
    struct spool_site_pack last = {0};
    struct spool_whole_site out;
    assert_int_equal(spool_unpack_site(&last, second, &out), SPOOL_UNPACKED_MISSING);
    assert_int_equal(spool_unpack_site(&last, first, &out), SPOOL_UNPACKED);
    assert_int_equal(spool_unpack_site(&last, second, &out), SPOOL_UNPACKED);
    assert_memory_equal(out.frames, s.frames, 20 * sizeof(s.frames[0]));
    spool_writer_close(&w);
    spool_fixture_fini(&f);
}

/* Damaged bytes give a site with a damaged path, or are refused. The reader never reads beyond them. */
static void spool_damaged_sites_are_refused(void **state)
{
    (void)state;
    struct spool_fixture f;
    struct spool_writer w;
    struct spool_site_packer p = {0};
    struct site s = {0};
    struct spool_whole_site out;
    struct spool_site_pack before = {0};
    uint64_t random = XORSHIFT_SEED;
    unsigned damaged = 0;
    spool_fixture_init(&f);
    spool_fixture_open(&f, &w, PID, 0, PID);
    const struct spool_site_diff *rec = NULL;
    for (unsigned i = 0; i < 30 || s.head.frames_len < 10 || s.head.frames_len > 40; i++) {
        before = p.last;
        change_site(&random, &s);
        if (s.head.frames_len <= SPOOL_PACK_FRAMES) rec = written_site(&p, &w, 1, &s);
    }
    for (unsigned round = 0; round < 20000; round++) {
        struct spool_site_pack last = before;
        struct spool_site_diff *copy = malloc(rec->rec.len_bytes);
        assert_non_null(copy);
        memcpy(copy, rec, rec->rec.len_bytes);
        copy->bytes_len = (uint16_t)(copy->bytes_len - random_number(&random) % 3);
        uint8_t *bytes = (uint8_t *)(copy + 1);
        bytes[random_number(&random) % copy->bytes_len] = (uint8_t)random_number(&random);
        const enum spool_unpacked is = spool_unpack_site(&last, copy, &out);
        assert_true(is == SPOOL_UNPACKED || is == SPOOL_UNPACKED_DAMAGED);
        damaged += is == SPOOL_UNPACKED_DAMAGED;
        free(copy);
    }
    assert_in_range(damaged, 1000, 19900);
    spool_writer_close(&w);
    spool_fixture_fini(&f);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spool_packed_accesses_are_read_back),
        cmocka_unit_test(spool_damaged_accesses_are_refused),
        cmocka_unit_test(spool_a_loop_takes_three_bytes_an_access),
        cmocka_unit_test(spool_new_instructions_of_known_kinds_take_few_bytes),
        cmocka_unit_test(spool_addresses_in_several_regions_take_few_bytes),
        cmocka_unit_test(spool_extreme_accesses_are_read_back),
        cmocka_unit_test(spool_packed_stacks_are_read_back),
        cmocka_unit_test(spool_stacks_after_a_missing_one_are_left_out),
        cmocka_unit_test(spool_a_stack_of_a_loop_takes_few_bytes),
        cmocka_unit_test(spool_packed_sites_are_read_back),
        cmocka_unit_test(spool_sites_build_on_earlier_ones_of_their_stream),
        cmocka_unit_test(spool_damaged_sites_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
