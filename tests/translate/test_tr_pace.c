/* SPDX-License-Identifier: BSD-3-Clause */
/* The pace that bursts measure in loops whose bodies are far larger than a block, one of them of short blocks, beside the
 * loops' own pace; indirect branches to many targets, which must not return to the dispatcher; and loads of many blocks,
 * which have the same chance to be timed. */
#include "tests/translate/tr_session.h"
#include "tests/unit.h"
#include "tests/xorshift.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include <cmocka.h>

enum { WORDS = 4096 };
static uint64_t words[WORDS];

/* Loops of BODY instructions, entered anywhere, as bursts begin anywhere. */
enum { BODY = 3000, BODY_BURSTS = 40, CODE_BYTES = 32 * 1024 };

/* dec rsi; jnz to the begin; ret */
static void write_end(uint8_t *at, const uint8_t *begin)
{
    static const uint8_t end[] = {0x48, 0xff, 0xce, 0x0f, 0x85};
    memcpy(at, end, sizeof end);
    const int32_t back = (int32_t)(begin - (at + sizeof end + 4));
    memcpy(at + sizeof end, &back, sizeof back);
    at[sizeof end + 4] = 0xc3;
}

enum { INSN_BYTES = 7 };

static unsigned place_in_words(unsigned number)
{
    return number * INSN_BYTES;
}

/* add rax, rcx, rdx or r8 to or from a word, each at another address */
static void write_words(uint8_t *at)
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
    write_end(at, begin);
}

/* Four times lea, which needs the flags of the last comparison no more than it changes them, and a jump to the next group: a
 * block of five instructions, whose check of the counter has to keep the flags. */
enum { GROUP = 5, GROUP_BYTES = 22 };

static unsigned place_in_groups(unsigned number)
{
    return number / GROUP * GROUP_BYTES + number % GROUP * 5;
}

static void write_groups(uint8_t *at)
{
    static const uint8_t group[GROUP_BYTES] = {0x48, 0x8d, 0x44, 0x17, 1,    0x48, 0x8d, 0x4c,
                                               0x17, 2,    0x48, 0x8d, 0x44, 0x17, 3,    0x48,
                                               0x8d, 0x4c, 0x17, 4,    0xeb, 0};
    uint8_t *const begin = at;
    for (uint32_t i = 0; i < BODY / GROUP; i++, at += sizeof group)
        memcpy(at, group, sizeof group);
    write_end(at, begin);
}

struct body {
    void (*write)(uint8_t *at);
    unsigned (*place)(unsigned number); /* of an instruction, in bytes */
    double least, most;                 /* pace of bursts by the native one */
};

static void run_body(const uint8_t *code, uint64_t times)
{
    uint64_t len = times;
    __asm__ volatile("call *%1" : "+S"(len) : "r"(code), "D"(words) : "rax", "rcx", "rdx", "memory", "cc");
}

static uint64_t body_cycles(const uint8_t *code, uint64_t times)
{
    uint64_t least = UINT64_MAX;
    for (unsigned i = 0; i < 5; i++) {
        const uint64_t begin = __builtin_ia32_rdtsc();
        run_body(code, times);
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

static struct rt_tr_plan plan_of_pace(void)
{
    return (struct rt_tr_plan){.warm_instructions = 640,
                               .settle_instructions = 24000,
                               .pace_instructions = 16000,
                               .pace_us = 40,
                               .tsc_per_us = tsc_per_us(),
                               .accesses = 64};
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
static void loop_has_its_pace(const struct body *body)
{
    enum {
        TRIES = 10,      /* other programs may disturb one measurement */
        JOINED_MOST = 4, /* blocks until a burst comes to an old one; the whole loop has some 60 */
    };
    uint8_t *code =
        mmap(NULL, CODE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(code != MAP_FAILED);
    tr_session_add_code((uint64_t)(uintptr_t)code, (uint64_t)(uintptr_t)code + CODE_BYTES);
    body->write(code);
    struct rt_tr_plan plan = plan_of_pace();
    plan.cold_share = 6;
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
            run_body(code + body->place((i * 1117 + try * 101) % (BODY - 2)), 200);
            const struct rt_tr_result *r = tr_session_result();
            late += i >= BODY_BURSTS / 2 ? r->translated : 0;
            assert_int_equal(r->end, RT_TR_END_DONE);
            if (!r->pace.instructions) continue;
            paces++;
            rates += (double)r->pace.instructions / (double)(r->pace.cycles - r->pace.overhead_cycles);
        }
        assert_in_range(late, 0, BODY_BURSTS / 2 * JOINED_MOST);
        ratio = paces ? paces / rates / native : 0;
        if (paces >= BODY_BURSTS * 8 / 10 && ratio > body->least && ratio < body->most) break;
        print_message("%u bursts have a pace, %.2f times the native one\n", paces, ratio);
    }
    assert_true(ratio > body->least && ratio < body->most);
    rt_tr_invalidate((uint64_t)(uintptr_t)code, CODE_BYTES);
    munmap(code, CODE_BYTES);
}

static void large_loops_have_their_pace(void **state)
{
    (void)state;
    loop_has_its_pace(&(struct body){write_words, place_in_words, 0.7, 1.5});
}

/* The checks take longer than the instructions: their time is not the program's. */
static void short_blocks_have_their_pace(void **state)
{
    (void)state;
    loop_has_its_pace(&(struct body){write_groups, place_in_groups, 0.5, 2.8});
}

static __attribute__((noinline)) void run_slow(uint64_t times)
{
    __asm__ volatile("fldpi\n1: fsin\n fsin\n fsin\n fsin\n fsin\n fsin\n dec %0\n jnz 1b\n fstp %%st(0)"
                     : "+r"(times)
                     :
                     : "cc", "st(7)");
}

/* The time for settling ends before the number of its instructions does, and a short stretch for the rest of this time must
 * not be repeated until the burst ends. */
static void slow_loop_has_a_pace(uint32_t pace_us)
{
    enum { BURSTS = 40, TIMES = 10000 };
    struct rt_tr_plan plan = plan_of_pace();
    unsigned paces = 0;
    plan.pace_us = pace_us;
    for (unsigned i = 0; i < BURSTS; i++) {
        plan.random = i + 1;
        tr_session_each(&plan, NULL);
        TR_TRIGGER();
        run_slow(TIMES);
        const struct rt_tr_result *r = tr_session_result();
        assert_int_equal(r->end, RT_TR_END_DONE);
        paces += r->pace.instructions > 0;
    }
    assert_in_range(paces, BURSTS * 8 / 10, BURSTS);
}

static void slow_instructions_have_a_pace(void **state)
{
    (void)state;
    slow_loop_has_a_pace(40);
    slow_loop_has_a_pace(8); /* as pointer chases in memory, which execute some 300 instructions in 40 us */
}

static __attribute__((noinline)) void run_additions(uint64_t times)
{
    __asm__ volatile("1: add $1, %%rax\n xor $3, %%rax\n add $5, %%rax\n dec %0\n jnz 1b"
                     : "+r"(times)
                     :
                     : "rax", "cc");
}

/* After its samples, a burst goes on until the time of the plan, and measures the pace again. A system call before this time
 * ends the burst, and spoils nothing else. Other programs may keep some bursts from having a pace. */
static void pace_is_measured_again_at_the_end(void **state)
{
    (void)state;
    enum { BURSTS = 40, LATE_US = 100, NEVER_US = 10000000, LONG = 2000000, SHORT = 40000 };
    struct rt_tr_plan plan = plan_of_pace();
    plan.settle_instructions = 1000;
    plan.pace_instructions = 4000;
    plan.accesses = 4;
    plan.instructions_max = 12000;
    unsigned lates = 0, cut = 0, measured = 0;
    double rates = 0, late_rates = 0;
    for (unsigned i = 0; i < 2 * BURSTS; i++) {
        const bool is_cut = i >= BURSTS;
        plan.random = i + 1;
        plan.late_tsc = (uint64_t)__rdtsc() + (is_cut ? NEVER_US : LATE_US) * (uint64_t)plan.tsc_per_us;
        tr_session_each(&plan, NULL);
        TR_TRIGGER();
        run_additions(is_cut ? SHORT : LONG);
        const bool is_late = (uint64_t)__rdtsc() >= plan.late_tsc;
        if (is_cut) syscall(SYS_getppid);
        const struct rt_tr_result *r = tr_session_result();
        assert_int_equal(r->end, RT_TR_END_DONE);
        assert_in_range(r->sampled_work, 5000, 12100);
        cut += is_cut && r->work > 2 * r->sampled_work;
        if (is_cut) assert_int_equal(r->late.instructions, 0);
        if (!r->late.instructions) continue;
        assert_true(is_late && r->pace.instructions && r->sampled_work < r->work);
        assert_in_range(r->late.instructions, 512, 5000);
        assert_true(r->late.is_near);
        measured += r->late.core_millicycles >= 100 && r->late.core_millicycles <= 4000;
        lates++;
        late_rates += (double)r->late.instructions / (double)r->late.cycles;
        rates += (double)r->pace.instructions / (double)(r->pace.cycles - r->pace.overhead_cycles);
    }
    assert_true(measured >= lates * 8 / 10);
    assert_in_range(lates, BURSTS * 8 / 10, BURSTS);
    assert_in_range(cut, BURSTS * 8 / 10, BURSTS);
    assert_true(late_rates / rates > 0.4 && late_rates / rates < 2.5);
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

/* Blocks of different lengths with a load each, and one that only each eighth iteration executes. */
enum { CHAIN = 24, CHAIN_BURSTS = 400, CHAIN_BYTES = 4096, SELDOM = 8 };

static void write_chain(uint8_t *at)
{
    static const uint8_t load[] = {0x48, 0x8b, 0x87};                      /* mov rax, [rdi + disp] */
    static const uint8_t skip[] = {0x40, 0xf6, 0xc6, SELDOM - 1, 0x75, 9}; /* test sil, 7; jnz */
    uint8_t *const begin = at;
    for (uint32_t i = 0; i <= CHAIN; i++) {
        const uint32_t disp = i * 8;
        if (i == CHAIN) {
            memcpy(at, skip, sizeof skip);
            at += sizeof skip;
        } else {
            memset(at, 0x90, i % 7); /* nop */
            at += i % 7;
        }
        memcpy(at, load, sizeof load);
        memcpy(at + sizeof load, &disp, sizeof disp);
        at += sizeof load + sizeof disp;
        *at++ = 0xeb; /* jmp to the next block */
        *at++ = 0;
    }
    write_end(at, begin);
}

/* One draw takes one return to the dispatcher, whatever counters the blocks use. */
static void loads_of_all_blocks_are_timed(void **state)
{
    static uint64_t data[CHAIN + 1];
    unsigned timed[CHAIN + 1] = {0}, all = 0;
    uint64_t dispatches = 0;
    (void)state;
    uint8_t *code =
        mmap(NULL, CHAIN_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(code != MAP_FAILED);
    write_chain(code);
    tr_session_add_code((uint64_t)(uintptr_t)code, (uint64_t)(uintptr_t)code + CHAIN_BYTES);
    rt_tr_invalidate((uint64_t)(uintptr_t)code, CHAIN_BYTES);
    for (unsigned i = 0; i < CHAIN_BURSTS; i++) {
        const struct rt_tr_plan plan = {
            .warm_instructions = 500, .accesses = 1, .probes = 50, .probe_loads = 64, .random = i + 1};
        tr_session_each(&plan, NULL);
        TR_TRIGGER();
        ((void (*)(void *, uint64_t))(uintptr_t)code)(data, 1000);
        const struct rt_tr_result *r = tr_session_result();
        assert_int_equal(r->end, RT_TR_END_DONE);
        for (unsigned k = 0; k < r->probe_count; k++) {
            const uint64_t at = (r->probes[k].addr - (uint64_t)(uintptr_t)data) / sizeof data[0];
            if (at <= CHAIN) timed[at]++;
        }
        all += r->probe_count;
        dispatches += r->dispatches;
    }
    const double mean = all / (CHAIN + 1.0 / SELDOM);
    for (unsigned i = 0; i <= CHAIN; i++) {
        const double expected = i < CHAIN ? mean : mean / SELDOM;
        if (fabs(timed[i] - expected) > 4 * sqrt(expected))
            fail_msg("load %u was timed %u times, expected %.0f", i, timed[i], expected);
    }
    const double instructions = (CHAIN * 5 + 4.25) / (CHAIN + 1.0 / SELDOM); /* for each load */
    assert_true((double)dispatches < 1.5 * all * instructions);
    rt_tr_invalidate((uint64_t)(uintptr_t)code, CHAIN_BYTES);
    munmap(code, CHAIN_BYTES);
}

UNIT_GROUP()
{
    const char *skip = tr_session_open(0, false, "");
    if (skip) {
        print_message("skipped: %s\n", skip);
        return UNIT_SKIPPED;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(large_loops_have_their_pace),
                                       cmocka_unit_test(short_blocks_have_their_pace),
                                       cmocka_unit_test(slow_instructions_have_a_pace),
                                       cmocka_unit_test(pace_is_measured_again_at_the_end),
                                       cmocka_unit_test(indirect_branches_find_many_targets),
                                       cmocka_unit_test(loads_of_all_blocks_are_timed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
