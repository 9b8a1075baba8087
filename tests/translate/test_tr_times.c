/* SPDX-License-Identifier: BSD-3-Clause */
/* Times that bursts measure: repeated instructions, the least time of loops, the processor, the part that is the program's. */
#include "runtime/translate/rt_tr_run.h"
#include "tests/translate/tr_session.h"
#include "tests/translate/tr_unit.h"
#include "tests/unit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cmocka.h>

/* Copies and clears 64 lines of 64 bytes, by turns. */
static void __attribute__((noinline)) copy_and_clear(uint64_t times)
{
    for (uint64_t i = 0; i < times; i++) {
        void *to = words, *clear = words + WORDS / 2;
        const void *from = words + 1024;
        uint64_t len = 4096, stores = 512;
        __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(len)::"memory");
        __asm__ volatile("rep stosq" : "+D"(clear), "+c"(stores) : "a"(UINT64_C(7)) : "memory");
    }
}

/* Each line of a repeated instruction counts, so that copies get their part of the lists, wherever those begin. */
static void repeated_strings_are_walked_by_lines(void **state)
{
    (void)state;
    unsigned copied = 0, cleared = 0;
    for (unsigned i = 0; i < 130; i++) {
        struct rt_tr_plan plan = {
            .warm_instructions = 100 + i, .pace_instructions = 300 + 7 * i, .accesses = 8, .random = i + 1};
        tr_session_each(&plan, NULL);
        TR_TRIGGER();
        copy_and_clear(2000);
        const struct rt_tr_result *r = checked_result(RT_TR_END_DONE);
        assert_int_equal(r->access_count, 8);
        assert_true(r->work >= plan.warm_instructions + plan.pace_instructions);
        assert_true(r->instructions < r->work);
        for (unsigned k = 0; k < r->access_count; k++) {
            const uint64_t word = (r->accesses[k].addr - (uint64_t)(uintptr_t)words) / 8;
            copied += word < 512 + 1024 && r->accesses[k].size_bytes == 64;
            cleared += word >= WORDS / 2 && word < WORDS / 2 + 512 && r->accesses[k].size_bytes == 64;
        }
    }
    assert_true(copied + cleared > 130 * 8 * 9 / 10);

    assert_true(copied > 130 * 8 / 3 && cleared > 130 * 8 / 3);
    for (unsigned i = 0; i < 512; i++)
        assert_int_equal(words[WORDS / 2 + i], 7);
}

static uint8_t *new_pages(size_t len_bytes)
{
    void *at = mmap(NULL, len_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(at != MAP_FAILED);
    return at;
}

/* An instruction that would take longer than a burst is left to the program. */
static void long_repeats_end_the_burst(void **state)
{
    (void)state;
    enum { BYTES = 8 << 20 };
    uint8_t *memory = new_pages(BYTES);
    struct rt_tr_plan plan = whole;
    plan.instructions_max = 40000;
    tr_session_each(&plan, NULL);
    TR_TRIGGER();
    void *to = memory;
    uint64_t len = BYTES;
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(len) : "a"(3) : "memory");
    const struct rt_tr_result *r = checked_result(RT_TR_END_INSTRUCTIONS);
    assert_true(r->instructions < 100);
    assert_int_equal(r->access_count, plan.accesses);
    for (unsigned k = 0; k < r->access_count; k++)
        assert_true(r->accesses[k].addr - (uint64_t)(uintptr_t)memory < BYTES);
    for (unsigned i = 0; i < BYTES; i++)
        if (memory[i] != 3) fail();
    munmap(memory, BYTES);
}

static long switches(void)
{
    struct rusage used;
    assert_int_equal(getrusage(RUSAGE_THREAD, &used), 0);
    return used.ru_nvcsw + used.ru_nivcsw;
}

/* The time of a long one inside the burst is the program's own, also that of its page faults. It is measured again where
 * another thread ran meanwhile. */
static void long_repeats_are_timed(void **state)
{
    (void)state;
    enum { BYTES = 4 << 20, TRIES = 50 };
    uint8_t *memory = NULL;
    struct rt_tr_plan plan = whole;
    plan.instructions_max = 2 * BYTES / 64;
    uint64_t took = 0;
    long before = -1;
    for (unsigned i = 0; i < TRIES && before != switches(); i++) {
        if (memory) munmap(memory, BYTES);
        memory = new_pages(BYTES);
        before = switches();
        tr_session_each(&plan, NULL);
        TR_TRIGGER();
        void *to = memory;
        uint64_t len = BYTES;
        const uint64_t begin = rt_tr_tsc();
        __asm__ volatile("rep stosb" : "+D"(to), "+c"(len) : "a"(3) : "memory");
        took = rt_tr_tsc() - begin;
        copy_and_clear(2000);
    }
    const struct rt_tr_result *r = checked_result(RT_TR_END_INSTRUCTIONS);
    assert_true(r->repeated_work >= BYTES / 64 && r->repeated_work <= r->work);
    assert_true(r->repeated_cycles > took / 2);
    const struct rt_tr_burst_time time = {.burst_ns = took, .pace_millicycles = 1, .tsc_per_us = 1000};
    assert_true(rt_tr_program_ns(r, &time) > took / 4);
    munmap(memory, BYTES);
}

/* Run the loop, whose data points to itself, in bursts until one has its pace: the first finds nothing translated, and a
 * window in which another thread ran is no pace. */
static const struct rt_tr_result *run_loop(uint8_t *code, const uint8_t *loop, size_t len_bytes)
{
    static uint64_t self_pointer[2];
    const struct rt_tr_result *r;
    unsigned k = 0;
    struct rt_tr_plan plan = whole;
    plan.accesses = 16;
    plan.probes = 0;
    memcpy(code, loop, len_bytes);
    rt_tr_invalidate((uint64_t)(uintptr_t)code, PAGE_BYTES);
    do {
        self_pointer[0] = (uint64_t)(uintptr_t)self_pointer;
        tr_session_each(&plan, NULL);
        TR_TRIGGER();
        ((void (*)(void *, uint64_t))(uintptr_t)code)(self_pointer, 100000);
        r = checked_result(RT_TR_END_DONE);
    } while (++k < 3 || (k < 100 && !r->pace.instructions && r->pace.discarded));
    return r;
}

/* The pace window is in a loop of one block whose least time is known; a loop whose time may have other reasons than
 * waiting for data is known as such. */
static void loops_have_a_least_time(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t least_millicycles;
        bool rest_waits;
        uint8_t code[20];
    } loops[] = {
        /* each ends with dec rsi; jnz to its begin */
        {"add rax, [rdi]", 333, true, {0x48, 0x03, 0x07, 0x48, 0xff, 0xce, 0x75, 0xf8, 0xc3}},
        {"addsd xmm0, [rdi]", 666, true, {0xf2, 0x0f, 0x58, 0x07, 0x48, 0xff, 0xce, 0x75, 0xf7, 0xc3}},
        {"divsd xmm0, [rdi]", 4333, true, {0xf2, 0x0f, 0x5e, 0x07, 0x48, 0xff, 0xce, 0x75, 0xf7, 0xc3}},
        {"divsd xmm0, [rdi]; addsd xmm0, [rdi]",
         4000,
         true,
         {0xf2, 0x0f, 0x5e, 0x07, 0xf2, 0x0f, 0x58, 0x07, 0x48, 0xff, 0xce, 0x75, 0xf3, 0xc3}},
        {"mov rdi, [rdi]", 1333, true, {0x48, 0x8b, 0x3f, 0x48, 0xff, 0xce, 0x75, 0xf8, 0xc3}},
        {"xor rax, rax; add rax, [rdi]",
         250,
         true,
         {0x48, 0x31, 0xc0, 0x48, 0x03, 0x07, 0x48, 0xff, 0xce, 0x75, 0xf5, 0xc3}},
        {"mov [rdi], rax; mov [rdi + 8], rax",
         500,
         true,
         {0x48, 0x89, 0x07, 0x48, 0x89, 0x47, 0x08, 0x48, 0xff, 0xce, 0x75, 0xf4, 0xc3}},
        /* one iteration waits for the value that the previous one stored */
        {"add [rdi], rax", 333, false, {0x48, 0x01, 0x07, 0x48, 0xff, 0xce, 0x75, 0xf8, 0xc3}},
        {"mov rax, [rdi + 8]; mov [rdi], rax",
         250,
         false,
         {0x48, 0x8b, 0x47, 0x08, 0x48, 0x89, 0x07, 0x48, 0xff, 0xce, 0x75, 0xf4, 0xc3}},
        {"lock add [rdi], rax", 333, false, {0xf0, 0x48, 0x01, 0x07, 0x48, 0xff, 0xce, 0x75, 0xf7, 0xc3}},
        {"crc32 rax, [rdi]",
         333,
         false,
         {0xf2, 0x48, 0x0f, 0x38, 0xf1, 0x07, 0x48, 0xff, 0xce, 0x75, 0xf5, 0xc3}},
    };
    const struct rt_tr_times measured = rt_tr_process.times;
    struct rt_tr_times *times = &rt_tr_process.times;
    times->latency[RT_TR_ADD_FP] = 3000;
    times->sum_after_sum = 2000;
    times->latency[RT_TR_DIV_DOUBLE] = 13000;
    times->latency[RT_TR_LOAD_L1] = 4000;
    times->issue = 0;
    uint8_t *code = map_code(PAGE_BYTES);
    for (unsigned i = 0; i < sizeof loops / sizeof loops[0]; i++) {
        const struct rt_tr_result *r = run_loop(code, loops[i].code, sizeof loops[i].code);
        if (!r->pace.instructions || r->pace.least_millicycles != loops[i].least_millicycles ||
            r->pace.rest_waits != loops[i].rest_waits)
            fail_msg("%s: %u in %u instructions, %s", loops[i].text, r->pace.least_millicycles,
                     (unsigned)r->pace.instructions,
                     r->pace.rest_waits ? "the rest waits" : "the rest is not known");
    }
    rt_tr_process.times = measured;
    rt_tr_invalidate((uint64_t)(uintptr_t)code, PAGE_BYTES);
    munmap(code, PAGE_BYTES);
}

/* A loop takes at least the time that the core needs for its instructions and for the 11 of the check of the counter. A
 * comparison or a subtraction counts as one instruction together with the branch that follows it. */
static void instructions_take_their_slots(void **state)
{
    (void)state;
    static const struct {
        uint32_t least_millicycles;
        uint8_t code[16];
    } loops[] = {
        /* add rax, [rdi]; dec rsi; jnz: 48 instructions, 16 of them joined */
        {(48 - 16 + 11) * 1000 / 48, {0x48, 0x03, 0x07, 0x48, 0xff, 0xce, 0x75, 0xf8, 0xc3}},
        /* dec rsi; mov rax, [rdi]; jnz */
        {(48 + 11) * 1000 / 48, {0x48, 0xff, 0xce, 0x48, 0x8b, 0x07, 0x75, 0xf8, 0xc3}},
        /* mov rax, [rdi]; sub rsi, 1; jnz */
        {(48 - 16 + 11) * 1000 / 48, {0x48, 0x8b, 0x07, 0x48, 0x83, 0xee, 0x01, 0x75, 0xf7, 0xc3}},
    };
    const struct rt_tr_times measured = rt_tr_process.times;
    rt_tr_process.times.issue = 1000;
    uint8_t *code = map_code(PAGE_BYTES);
    for (unsigned i = 0; i < sizeof loops / sizeof loops[0]; i++) {
        const struct rt_tr_result *r = run_loop(code, loops[i].code, sizeof loops[i].code);
        assert_true(r->pace.instructions > 0);
        assert_int_equal(r->pace.least_millicycles, loops[i].least_millicycles);
    }
    rt_tr_process.times = measured;
    rt_tr_invalidate((uint64_t)(uintptr_t)code, PAGE_BYTES);
    munmap(code, PAGE_BYTES);
}

/* The limits hold for all usual processors. */
static void processor_is_measured(void **state)
{
    (void)state;
    static const struct {
        enum rt_tr_kind kind;
        uint32_t least_cycles, most_cycles;
    } rows[] = {
        {RT_TR_ADD_FP, 2, 8},       {RT_TR_MUL_FP, 2, 8},      {RT_TR_FMA, 3, 8},
        {RT_TR_DIV_SINGLE, 6, 30},  {RT_TR_DIV_DOUBLE, 8, 40}, {RT_TR_CONVERT, 2, 9},
        {RT_TR_MUL_INTEGER, 2, 6},  {RT_TR_LOAD_L1, 3, 8},     {RT_TR_SQRT_SINGLE, 8, 36},
        {RT_TR_SQRT_DOUBLE, 9, 39},
    };
    enum { TRIES = 5 }; /* other programs may disturb one measurement */
    struct rt_tr_times t;
    bool holds = false;
    for (unsigned try = 0; try < TRIES && !holds; try++) {
        rt_tr_times_measure(&t);
        holds = t.occupied[RT_TR_DIV_DOUBLE] <= t.latency[RT_TR_DIV_DOUBLE] * 11 / 10 &&
                t.sum_after_sum <= t.latency[RT_TR_ADD_FP] && t.issue >= 80 && t.issue <= 600;
        for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
            if (t.latency[rows[i].kind] < rows[i].least_cycles * 950 ||
                t.latency[rows[i].kind] > rows[i].most_cycles * 1050)
                holds = false;
    }
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0] && !holds; i++)
        print_message("kind %u: %u thousandths of a cycle, expected %u to %u cycles\n", rows[i].kind,
                      t.latency[rows[i].kind], rows[i].least_cycles, rows[i].most_cycles);
    assert_true(holds);
}

/* A burst in a chain of multiplications, as it was measured: seven hundred returns to the dispatcher hardly delay it.
 * Native, its instructions take 21 us. */
static void waiting_of_the_program_hides_returns(void **state)
{
    (void)state;
    const struct rt_tr_result r = {.work = 55971, .dispatches = 688};
    const struct rt_tr_burst_time time = {.burst_ns = 28500, .pace_millicycles = 978, .tsc_per_us = 2600};
    const uint64_t native_ns = 55971 * UINT64_C(978) / 2600;
    assert_in_range(rt_tr_program_ns(&r, &time), native_ns * 95 / 100, native_ns);
}

/* A window in code of short blocks has a slower pace than the program. */
static void recording_takes_its_known_parts(void **state)
{
    (void)state;
    const struct rt_tr_result r = {
        .work = 10000, .translate_cycles = 26000, .probe_count = 70, .dispatches = 300};
    struct rt_tr_burst_time time = {.burst_ns = 40000, .pace_millicycles = 9000, .tsc_per_us = 2600};
    const uint64_t least_ns = 10000 + 70 * 130;
    assert_true(rt_tr_program_ns(&r, &time) < 40000 - least_ns);
    time.pace_millicycles = 0;
    assert_true(rt_tr_program_ns(&r, &time) < 40000 - least_ns);
    time.burst_ns = 1000;
    assert_int_equal(rt_tr_program_ns(&r, &time), 0);
}

int tr_time_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repeated_strings_are_walked_by_lines),
        cmocka_unit_test(long_repeats_end_the_burst),
        cmocka_unit_test(long_repeats_are_timed),
        cmocka_unit_test(loops_have_a_least_time),
        cmocka_unit_test(instructions_take_their_slots),
        cmocka_unit_test(processor_is_measured),
        cmocka_unit_test(waiting_of_the_program_hides_returns),
        cmocka_unit_test(recording_takes_its_known_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

UNIT_GROUP()
{
    return tr_unit_run("", tr_time_tests);
}
