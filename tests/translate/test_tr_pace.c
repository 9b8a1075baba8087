/* SPDX-License-Identifier: BSD-3-Clause */
/* The pace that bursts measure in a loop whose body is far larger than a block, beside the loop's own pace; and indirect
 * branches to many targets, which must not return to the dispatcher. */
#include "tests/translate/tr_session.h"
#include "tests/unit.h"
#include "tests/xorshift.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include <cmocka.h>

enum { WORDS = 4096 };
static uint64_t words[WORDS];

/* A loop of BODY different instructions, entered anywhere, as bursts begin anywhere. */
enum { BODY = 3000, INSN_BYTES = 7, BODY_BURSTS = 40, CODE_BYTES = 32 * 1024 };

/* add rax, rcx, rdx or r8 to or from a word, each at another address; then dec rsi, jnz to the begin, ret */
static void write_body(uint8_t *at)
{
    static const uint8_t registers[] = {0x87, 0x8f, 0x97};
    uint8_t *const begin = at;
    for (uint32_t i = 0; i < BODY - 2; i++, at += INSN_BYTES) {
        const uint32_t disp = i % (WORDS / 2) * 8;
        at[0] = 0x48; /* add or mov reg, [rdi + disp] */
        at[1] = i % 4 ? 0x03 : 0x8b;
        at[2] = registers[i % 3];
        memcpy(at + 3, &disp, sizeof disp);
    }
    static const uint8_t end[] = {0x48, 0xff, 0xce, 0x0f, 0x85}; /* dec rsi; jnz */
    memcpy(at, end, sizeof end);
    const int32_t back = (int32_t)(begin - (at + sizeof end + 4));
    memcpy(at + sizeof end, &back, sizeof back);
    at[sizeof end + 4] = 0xc3;
}

static void run_body(const uint8_t *code, unsigned from, uint64_t times)
{
    uint64_t len = times;
    __asm__ volatile("call *%1"
                     : "+S"(len)
                     : "r"(code + from * INSN_BYTES), "D"(words)
                     : "rax", "rcx", "rdx", "memory", "cc");
}

static uint64_t body_cycles(const uint8_t *code, uint64_t times)
{
    uint64_t least = UINT64_MAX;
    for (unsigned i = 0; i < 5; i++) {
        const uint64_t begin = __builtin_ia32_rdtsc();
        run_body(code, 0, times);
        const uint64_t took = __builtin_ia32_rdtsc() - begin;
        if (took < least) least = took;
    }
    return least;
}

static uint32_t tsc_per_us(void)
{
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    const uint64_t from = __builtin_ia32_rdtsc();
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while (now.tv_sec == begin.tv_sec && now.tv_nsec - begin.tv_nsec < 5000000);
    const int64_t ns = (now.tv_sec - begin.tv_sec) * INT64_C(1000000000) + now.tv_nsec - begin.tv_nsec;
    return (uint32_t)((int64_t)(__builtin_ia32_rdtsc() - from) * 1000 / ns);
}

/* As the program does between two bursts, and the handler: translations are evicted. */
static void evict_caches(void)
{
    enum { BYTES = 8 << 20 };
    static uint8_t *memory;
    if (!memory) memory = calloc(1, BYTES);
    assert_non_null(memory);
    for (unsigned i = 0; i < BYTES; i += 64)
        memory[i]++;
}

/* A burst that begins in code that others went through finds it translated, wherever they began; and it has the pace
 * of the loop, which is measured beside. */
static void large_loops_have_their_pace(void **state)
{
    (void)state;
    enum {
        TRIES = 5,       /* other programs may disturb one measurement */
        JOINED_MOST = 4, /* blocks until a burst comes to an old one; the whole loop has some 60 */
    };
    uint8_t *code =
        mmap(NULL, CODE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(code != MAP_FAILED);
    tr_session_add_code((uint64_t)(uintptr_t)code, (uint64_t)(uintptr_t)code + CODE_BYTES);
    write_body(code);
    struct rt_tr_plan plan = {.warm_instructions = 640,
                              .settle_instructions = 12000,
                              .pace_instructions = 16000,
                              .pace_us = 15,
                              .tsc_per_us = tsc_per_us(),
                              .accesses = 64,
                              .probes = 50,
                              .cold_share = 6};
    double ratio = 0;
    for (unsigned try = 0; try < TRIES; try++) {
        const double native = (double)body_cycles(code, 400) / (400.0 * BODY);
        double rates = 0;
        unsigned paces = 0, late = 0;
        for (unsigned i = 0; i < BODY_BURSTS; i++) {
            evict_caches();
            plan.random = i + 1;
            tr_session_each(&plan, NULL);
            TR_TRIGGER();
            run_body(code, (i * 1117 + try * 101) % (BODY - 2), 200);
            const struct rt_tr_result *r = tr_session_result();
            late += i >= BODY_BURSTS / 2 ? r->translated : 0;
            assert_int_equal(r->end, RT_TR_END_DONE);
            if (!r->pace.instructions) continue;
            paces++;
            rates += (double)r->pace.instructions / (double)(r->pace.cycles - r->pace.overhead_cycles);
        }
        assert_in_range(late, 0, BODY_BURSTS / 2 * JOINED_MOST);
        ratio = paces ? paces / rates / native : 0;
        if (paces >= BODY_BURSTS * 8 / 10 && ratio > 0.7 && ratio < 1.5) break;
        print_message("%u bursts have a pace, %.2f times the native one\n", paces, ratio);
    }
    assert_true(ratio > 0.7 && ratio < 1.5);
    rt_tr_invalidate((uint64_t)(uintptr_t)code, CODE_BYTES);
    munmap(code, CODE_BYTES);
}

enum { FUNCTIONS = 1500, FUNCTIONS_BYTES = 1 << 20 };
typedef void function(void);

/* inc rax; ret: at random places */
static void write_functions(uint8_t *code, function **out)
{
    static const uint8_t text[] = {0x48, 0xff, 0xc0, 0xc3};
    uint64_t random = XORSHIFT_SEED;
    for (unsigned i = 0; i < FUNCTIONS; i++) {
        uint8_t *at;
        do
            at = code + xorshift(&random) % (FUNCTIONS_BYTES / 16) * 16;
        while (*at);
        memcpy(at, text, sizeof text);
        memcpy(&out[i], &at, sizeof at);
    }
}

static __attribute__((noinline)) void call_functions(function *const *functions, unsigned len, unsigned times)
{
    for (unsigned i = 0; i < times; i++)
        functions[i % len]();
}

static void indirect_branches_find_many_targets(void **state)
{
    (void)state;
    enum { BURSTS_MOST = 1000, INSTRUCTIONS_A_MISS = 1000 };
    static function *functions[FUNCTIONS];
    uint8_t *code =
        mmap(NULL, FUNCTIONS_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(code != MAP_FAILED);
    tr_session_add_code((uint64_t)(uintptr_t)code, (uint64_t)(uintptr_t)code + FUNCTIONS_BYTES);
    write_functions(code, functions);
    const struct rt_tr_plan plan = {
        .warm_instructions = 200, .pace_instructions = 50000, .accesses = 1, .random = 1};
    const struct rt_tr_result *r = NULL;
    for (unsigned i = 0; i < BURSTS_MOST && (i < 2 || r->translated || r->misses); i++) {
        tr_session_each(&plan, NULL);
        TR_TRIGGER(); /* a burst ends soon after some translations: many of them translate it all */
        call_functions(functions, FUNCTIONS, 20 * FUNCTIONS);
        r = tr_session_result();
        assert_int_equal(r->end, RT_TR_END_DONE);
    }
    assert_int_equal(r->translated, 0);
    assert_true(r->instructions > 40000);
    assert_in_range(r->misses, 0, r->instructions / INSTRUCTIONS_A_MISS);
    rt_tr_invalidate((uint64_t)(uintptr_t)code, FUNCTIONS_BYTES);
    munmap(code, FUNCTIONS_BYTES);
}

UNIT_GROUP()
{
    const char *skip = tr_session_open(0, false, "");
    if (skip) {
        print_message("skipped: %s\n", skip);
        return UNIT_SKIPPED;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(large_loops_have_their_pace),
                                       cmocka_unit_test(indirect_branches_find_many_targets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
