/* SPDX-License-Identifier: BSD-3-Clause */
/* Bursts of the translator in this program itself. lockstep tests that translated code computes the same as
 * the original. */
#include "runtime/bursts/rt_burst_gs_sigsafe.h"
#include "runtime/translate/rt_tr_run.h"
#include "tests/translate/tr_session.h"
#include "tests/unit.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { PAGE_BYTES = 4096, WORDS = 4096, FAULTED_PAGES = 64 };

static const struct rt_tr_plan whole = {.warm_instructions = 600,
                                        .pace_instructions = 4000,
                                        .accesses = 64,
                                        .probes = 50,
                                        .probe_loads = 8,
                                        .random = 12345};
static const struct rt_tr_plan brief = {.warm_instructions = 2000};
static uint64_t words[WORDS];

/* Four instructions a word, whatever the compiler's options are. */
static uint64_t __attribute__((noinline)) sum_words(const uint64_t *from, uint64_t len)
{
    uint64_t sum = 0;
    __asm__ volatile("1: addq (%1), %0\n\t"
                     "addq $8, %1\n\t"
                     "decq %2\n\t"
                     "jnz 1b"
                     : "+r"(sum), "+r"(from), "+r"(len)
                     :
                     : "memory", "cc");
    return sum;
}

static void fill_words(void)
{
    for (unsigned i = 0; i < WORDS; i++)
        words[i] = i * i;
}

/* sum_words in a burst that begins before the call. */
static uint64_t __attribute__((noinline)) sum_in_burst(const struct rt_tr_plan *plan)
{
    tr_session_each(plan, NULL);
    TR_TRIGGER();
    return sum_words(words, WORDS);
}

static const struct rt_tr_result *checked_result(enum rt_tr_end end)
{
    assert_int_equal(tr_session_refused(), RT_TR_ACCEPTED);
    assert_string_equal(rt_tr_end_name(tr_session_result()->end), rt_tr_end_name(end));
    return tr_session_result();
}

/* Run bursts until one finds all of its code translated. */
static void warm_up(void)
{
    for (unsigned i = 0; i < 20; i++) {
        sum_in_burst(&whole);
        if (!tr_session_result()->translated) return;
    }
}

static void burst_has_its_four_parts(void **state)
{
    (void)state;
    fill_words();
    const uint64_t expected = sum_words(words, WORDS);
    warm_up();
    assert_int_equal(sum_in_burst(&whole), expected);
    const struct rt_tr_result *r = checked_result(RT_TR_END_DONE);
    assert_int_equal(r->translated, 0);
    assert_true(r->pace.instructions >= whole.pace_instructions - 48);
    assert_true(r->pace.instructions <= whole.pace_instructions * 5 / 4);
    assert_true(r->pace.cycles > r->pace.overhead_cycles);
    assert_int_equal(r->access_count, whole.accesses);
    assert_int_equal(r->probe_count, whole.probes);
    assert_true(r->control_len > 0);
    assert_true(r->instructions > 600 + 4000);
}

static bool is_word(uint64_t addr)
{
    return addr - (uint64_t)(uintptr_t)words < sizeof words;
}

static void list_holds_consecutive_accesses(void **state)
{
    (void)state;
    fill_words();
    sum_in_burst(&whole);
    const struct rt_tr_result *r = checked_result(RT_TR_END_DONE);
    uint64_t before = 0;
    unsigned of_words = 0;
    for (unsigned i = 0; i < r->access_count; i++) {
        const struct rt_tr_access *a = &r->accesses[i];
        if (!is_word(a->addr)) continue;
        of_words++;
        assert_int_equal(a->size_bytes, 8);
        assert_int_equal(a->does, RT_TR_LOAD);
        if (before) assert_int_equal(a->addr, before + 8);
        before = a->addr;
    }
    assert_true(of_words > 20);
}

static void probes_are_of_loads_of_the_program(void **state)
{
    (void)state;
    fill_words();
    sum_in_burst(&whole);
    const struct rt_tr_result *r = checked_result(RT_TR_END_DONE);
    uint32_t position = 0;
    for (unsigned i = 0; i < r->probe_count; i++) {
        const struct rt_tr_probe *p = &r->probes[i];
        assert_int_equal(p->state, RT_TR_PROBE_TIMED);
        assert_true(is_word(p->addr));
        assert_true(p->cycles > 0);
        assert_true(p->position > position);
        position = p->position;
    }
}

/* Each load is as likely to be probed as any other, whatever its position in the unrolled block. */
static void probes_fall_on_every_load_of_a_loop(void **state)
{
    enum { PHASES = 8 };
    (void)state;
    unsigned hits[PHASES] = {0}, all = 0;
    struct rt_tr_plan plan = whole;
    for (unsigned i = 0; i < 200; i++) {
        plan.random = i * UINT64_C(0x9e3779b97f4a7c15) + 1;
        sum_in_burst(&plan);
        const struct rt_tr_result *r = tr_session_result();
        for (unsigned k = 0; k < r->probe_count; k++, all++)
            hits[(r->probes[k].addr - (uint64_t)(uintptr_t)words) / 8 % PHASES]++;
    }
    assert_true(all > 5000);
    for (unsigned i = 0; i < PHASES; i++) {
        assert_true(hits[i] > all / PHASES * 8 / 10);
        assert_true(hits[i] < all / PHASES * 12 / 10);
    }
}

static void ranges_that_must_not_be_probed_are_not(void **state)
{
    (void)state;
    const struct rt_tr_range never[] = {{1, 2},
                                        {(uint64_t)(uintptr_t)words, (uint64_t)(uintptr_t)(words + WORDS)}};
    struct rt_tr_plan plan = whole;
    plan.never_probe = never;
    plan.never_probe_len = 2;
    sum_in_burst(&plan);
    const struct rt_tr_result *r = checked_result(RT_TR_END_DONE);
    assert_int_equal(r->probe_count, plan.probes);
    for (unsigned i = 0; i < r->probe_count; i++)
        assert_int_equal(r->probes[i].state, RT_TR_PROBE_NEVER);
}

static uint8_t *lazy;
static unsigned lazy_faults;

/* Makes the page accessible, as a garbage collector or a lazily loading program does. */
static void give_page(int sig, siginfo_t *info, ucontext_t *uc)
{
    (void)uc;
    if (sig != SIGSEGV) abort();
    lazy_faults++;
    const uintptr_t page = (uintptr_t)info->si_addr & ~(uintptr_t)(PAGE_BYTES - 1);
    mprotect((void *)page, PAGE_BYTES, PROT_READ | PROT_WRITE);
}

static void faults_are_the_programs(void **state)
{
    (void)state;
    lazy = mmap(NULL, FAULTED_PAGES * PAGE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    lazy_faults = 0;
    uint64_t sum = 0;
    unsigned ended_by_fault = 0, probes_faulted = 0;
    for (unsigned i = 0; i < FAULTED_PAGES; i++) {
        struct rt_tr_plan plan = {.warm_instructions = i % 3 ? 0 : 100,
                                  .accesses = i % 3 == 1 ? 50 : 0,
                                  .probes = i % 3 == 2 ? 50 : 0,
                                  .probe_loads = 1,
                                  .random = i + 1};
        tr_session_each(&plan, give_page);
        TR_TRIGGER();
        for (unsigned k = 0; k < 8; k++) {
            volatile uint8_t *p = lazy + i * PAGE_BYTES + k * 64;
            *p = (uint8_t)(*p + k + i);
            sum += *p;
        }
        const struct rt_tr_result *r = tr_session_result();
        ended_by_fault += r->end == RT_TR_END_FAULT;
        for (unsigned k = 0; k < r->probe_count; k++)
            probes_faulted += r->probes[k].state == RT_TR_PROBE_FAULTED;
    }
    uint64_t expected = 0;
    for (unsigned i = 0; i < FAULTED_PAGES; i++)
        for (unsigned k = 0; k < 8; k++)
            expected += (uint8_t)(k + i);
    assert_int_equal(sum, expected);
    assert_int_equal(lazy_faults, FAULTED_PAGES); /* a probe's own faults are not shown to the program */
    assert_int_equal(ended_by_fault, FAULTED_PAGES);
    assert_true(probes_faulted > 0);
    munmap(lazy, FAULTED_PAGES * PAGE_BYTES);
}

/* A page of code that returns value. */
static void write_return(uint8_t *code, uint32_t value)
{
    code[0] = 0xb8;
    memcpy(code + 1, &value, sizeof value);
    code[5] = 0xc3;
}

static uint64_t refused_flags;

/* Skip the instruction of three bytes that the processor refuses. */
static void note_flags(int sig, siginfo_t *info, ucontext_t *uc)
{
    (void)info;
    if (sig != SIGILL) abort();
    refused_flags = (uint64_t)uc->uc_mcontext.gregs[REG_EFL] & 0x8d5;
    uc->uc_mcontext.gregs[REG_RIP] += 3;
}

static uint32_t call_in_burst(const uint8_t *code)
{
    tr_session_each(&brief, NULL);
    TR_TRIGGER();
    uint32_t v = 0;
    for (unsigned i = 0; i < 3; i++)
        v = ((uint32_t(*)(void))(uintptr_t)code)();
    return v;
}

static uint8_t *map_code(size_t len_bytes)
{
    uint8_t *code =
        mmap(NULL, len_bytes, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(code != MAP_FAILED);
    tr_session_add_code((uint64_t)(uintptr_t)code, (uint64_t)(uintptr_t)code + len_bytes);
    rt_tr_invalidate((uint64_t)(uintptr_t)code, len_bytes); /* another test may have unmapped code here */
    return code;
}

/* A prefetch of a register, which AMD's processors refuse: the program's handler sees its flags, although the next
 * instruction overwrites them. */
static void flags_are_exact_where_a_prefetch_is_refused(void **state)
{
    static const uint8_t begin[] = {0x31, 0xc0, 0x48, 0xba}; /* xor eax, eax; mov rdx, the prefetch */
    static const uint8_t rest[] = {0x83, 0xf8, 0x01,         /* cmp eax, 1 */
                                   0xff, 0xe2,               /* jmp rdx */
                                   0x0f, 0x0d, 0xc8,         /* prefetchw eax */
                                   0x83, 0xc0, 0x01, 0xc3};  /* add eax, 1; ret */
    enum { FLAGS_OF_BORROW = 0x95 };
    (void)state;
    uint8_t *code = map_code(PAGE_BYTES);
    const uint64_t prefetch = (uint64_t)(uintptr_t)code + sizeof begin + sizeof prefetch + 5;
    memcpy(code, begin, sizeof begin);
    memcpy(code + sizeof begin, &prefetch, sizeof prefetch);
    memcpy(code + sizeof begin + sizeof prefetch, rest, sizeof rest);
    for (unsigned i = 0; i < 3; i++) {
        refused_flags = 0;
        tr_session_each(&brief, note_flags);
        TR_TRIGGER();
        assert_int_equal(((uint32_t(*)(void))(uintptr_t)code)(), 1);
        if (!refused_flags) skip(); /* Intel's processors do nothing */
        assert_int_equal(tr_session_result()->end, RT_TR_END_FAULT);
        assert_int_equal(refused_flags, FLAGS_OF_BORROW);
    }
}

/* len blocks of a load and a jump to the next block, then a return. Returns the end of the code. */
static uint8_t *write_jumps(uint8_t *at, unsigned len)
{
    static const uint8_t block[] = {0x48, 0x8b, 0x07, 0xeb, 0x00}; /* mov rax, [rdi]; jmp to the next one */
    for (unsigned i = 0; i < len; i++, at += sizeof block)
        memcpy(at, block, sizeof block);
    *at++ = 0xc3;
    return at;
}

static const struct rt_tr_result *jump_in_burst(const uint8_t *code, const struct rt_tr_plan *plan)
{
    tr_session_each(plan, NULL);
    TR_TRIGGER();
    assert_int_equal(((uint64_t(*)(uint64_t *))(uintptr_t)code)(words + 7), words[7]);
    return checked_result(RT_TR_END_DONE);
}

/* The second time the same code is no longer new. */
static void new_code_is_watched_less(void **state)
{
    (void)state;
    enum { BLOCKS = 20000, BYTES = 128 * 1024 };
    uint8_t *code = map_code(BYTES);
    write_jumps(code, BLOCKS);
    struct rt_tr_plan plan = whole;
    plan.warm_instructions = 2000;
    plan.probe_loads = 64;
    plan.cold_share = 4;
    const struct rt_tr_result *r = jump_in_burst(code, &plan);
    assert_int_equal(r->probe_loads, 16);
    assert_int_equal(r->access_count, plan.accesses / 4);
    assert_int_equal(r->probe_count, (plan.probes + 3) / 4);
    assert_true(r->instructions > plan.warm_instructions); /* no load is timed before */
    assert_true(r->probes[0].position > plan.warm_instructions);
    assert_int_equal(r->pace.instructions, 0);
    plan.cold_share = 0;
    for (unsigned i = 0; i < 3; i++)
        jump_in_burst(code, &plan);
    plan.cold_share = 4;
    r = jump_in_burst(code, &plan);
    assert_int_equal(r->probe_loads, 64);
    assert_int_equal(r->access_count, plan.accesses);
    assert_int_equal(r->probe_count, plan.probes);
    rt_tr_invalidate((uint64_t)(uintptr_t)code, BYTES);
    munmap(code, BYTES);
}

/* A hook is executed, but its accesses are not the program's. */
static void quiet_code_is_executed_only(void **state)
{
    (void)state;
    uint8_t *code = map_code(PAGE_BYTES);
    const uint64_t base = (uint64_t)(uintptr_t)code, end = (uint64_t)(uintptr_t)write_jumps(code, 8);
    struct rt_tr_plan plan = whole;
    plan.warm_instructions = 100;
    plan.pace_instructions = 0;
    plan.probe_loads = 2;
    for (unsigned quiet = 0; quiet < 2; quiet++) {
        if (quiet) rt_tr_process.options.quiet = (struct rt_tr_range){base, end};
        rt_tr_invalidate(base, PAGE_BYTES);
        tr_session_each(&plan, NULL);
        TR_TRIGGER();
        uint64_t sum = 0;
        for (unsigned i = 0; i < 400; i++) {
            sum += ((uint64_t(*)(uint64_t *))(uintptr_t)code)(words + 7);
            sum += *(volatile uint64_t *)&words[i];
        }
        uint64_t expected = 400 * words[7];
        for (unsigned i = 0; i < 400; i++)
            expected += words[i];
        assert_int_equal(sum, expected);
        const struct rt_tr_result *r = checked_result(RT_TR_END_DONE);
        unsigned within = 0;
        for (unsigned i = 0; i < r->access_count; i++)
            within += r->accesses[i].ip - base < end - base;
        for (unsigned i = 0; i < r->probe_count; i++)
            within += r->probes[i].ip - base < end - base;
        assert_int_equal(r->access_count, plan.accesses);
        assert_int_equal(r->probe_count, plan.probes);
        assert_true(quiet ? within == 0 : within > plan.accesses / 2);
    }
    rt_tr_process.options.quiet = (struct rt_tr_range){0, 0};
    rt_tr_invalidate(base, PAGE_BYTES);
    munmap(code, PAGE_BYTES);
}

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

/* Loads after a branch that leaves a block early are timed as often as others: the instruction that lies at the same
 * distance in the block is not executed. */
static void loads_after_taken_branches_are_timed(void **state)
{
    (void)state;
    enum { NOPS = 8, LOADS = 3, BURSTS = 200 };
    static const uint8_t loop[] = {0x48, 0x8b, 0x07,                               /* mov rax, [rdi] */
                                   0x48, 0x85, 0xc9,                               /* test rcx, rcx */
                                   0x75, NOPS,                                     /* jnz to the next load */
                                   0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, /* nop */
                                   0x48, 0x8b, 0x47, 0x08,                         /* mov rax, [rdi + 8] */
                                   0x48, 0x8b, 0x47, 0x10,                         /* mov rax, [rdi + 16] */
                                   0x48, 0xff, 0xce,                               /* dec rsi */
                                   0x75, 0xe3,                                     /* jnz to the begin */
                                   0xc3};
    static uint64_t data[LOADS];
    struct rt_tr_plan plan = whole;
    uint32_t timed[LOADS] = {0};
    uint8_t *code = map_code(PAGE_BYTES);
    memcpy(code, loop, sizeof loop);
    plan.probe_loads = 16;
    for (unsigned i = 0; i < BURSTS; i++) {
        plan.random = i + 1;
        tr_session_each(&plan, NULL);
        TR_TRIGGER();
        ((void (*)(void *, uint64_t, uint64_t, uint64_t))(uintptr_t)code)(data, 20000, 0, 1);
        const struct rt_tr_result *r = checked_result(RT_TR_END_DONE);
        for (uint32_t k = 0; k < r->probe_count; k++) {
            const uint64_t at = (r->probes[k].addr - (uint64_t)(uintptr_t)data) / sizeof data[0];
            if (at < LOADS) timed[at]++;
        }
    }
    rt_tr_invalidate((uint64_t)(uintptr_t)code, PAGE_BYTES);
    munmap(code, PAGE_BYTES);
    for (unsigned i = 0; i < LOADS; i++)
        if (timed[i] < 500 || timed[i] > timed[0] * 1.3 || timed[i] < timed[0] * 0.7)
            fail_msg("loads were timed %u, %u and %u times", timed[0], timed[1], timed[2]);
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

/* The limit of instructions is also reached in code that needs no flags and has no slow version. */
static void bursts_end_in_quiet_code(void **state)
{
    (void)state;
    static const uint8_t quiet[] = {0x31, 0xc0,             /* xor eax, eax */
                                    0xff, 0xc0, 0xff, 0xc0, /* inc eax, twice */
                                    0x90, 0x90, 0x90, 0x90, 0xc3};
    uint8_t *code = map_code(PAGE_BYTES);
    const uint64_t base = (uint64_t)(uintptr_t)code;
    memcpy(code, quiet, sizeof quiet);
    rt_tr_process.options.quiet = (struct rt_tr_range){base, base + sizeof quiet};
    rt_tr_invalidate(base, PAGE_BYTES);
    for (unsigned i = 0; i < 60; i++) {
        struct rt_tr_plan plan = {.warm_instructions = 100,
                                  .accesses = 4,
                                  .probes = 50,
                                  .probe_loads = 64,
                                  .instructions_max = 400 + i,
                                  .random = i + 1};
        tr_session_each(&plan, NULL);
        TR_TRIGGER();
        uint64_t sum = 0;
        for (unsigned k = 0; k < 200; k++)
            sum += ((uint32_t(*)(void))(uintptr_t)code)();
        assert_int_equal(sum, 400);
        const struct rt_tr_result *r = checked_result(RT_TR_END_INSTRUCTIONS);
        assert_in_range(r->instructions, plan.instructions_max - 50, plan.instructions_max + 50);
    }
    rt_tr_process.options.quiet = (struct rt_tr_range){0, 0};
    rt_tr_invalidate(base, PAGE_BYTES);
    munmap(code, PAGE_BYTES);
}

static void changed_code_is_translated_again(void **state)
{
    (void)state;
    uint8_t *code = map_code(PAGE_BYTES);
    write_return(code, 7);
    assert_int_equal(call_in_burst(code), 7);
    assert_int_equal(call_in_burst(code), 7);
    write_return(code, 8);
    assert_int_equal(call_in_burst(code),
                     7); /* the translation of the old code: this is why there is a hook */
    write_return(code, 9);
    rt_tr_invalidate((uint64_t)(uintptr_t)code, PAGE_BYTES);
    assert_int_equal(call_in_burst(code), 9);
    assert_int_equal(call_in_burst(code), 9);
}

/* More code than the cache holds. */
static void full_cache_is_dropped(void **state)
{
    enum { CODE_BYTES = 3 << 20, LEA_BYTES = 4, FUNCTION = 60 };
    (void)state;
    uint8_t *code = map_code(CODE_BYTES);
    static const uint8_t lea[] = {0x48, 0x8d, 0x40, 0x01}; /* lea 1(rax), rax */
    const unsigned functions = CODE_BYTES / (LEA_BYTES * FUNCTION);
    for (unsigned i = 0; i < functions; i++) {
        uint8_t *at = code + i * LEA_BYTES * FUNCTION;
        for (unsigned k = 0; k + 1 < FUNCTION; k++)
            memcpy(at + k * LEA_BYTES, lea, sizeof lea);
        at[(FUNCTION - 1) * LEA_BYTES] = 0xc3;
    }
    unsigned full = 0;
    uint64_t most_bytes = 0, all_bytes, code_bytes;
    for (unsigned i = 0; i < functions; i += 4) {
        tr_session_each(&whole, NULL);
        TR_TRIGGER();
        for (unsigned k = 0; k < 4 && i + k < functions; k++) {
            uint64_t counted;
            __asm__ volatile("xorl %%eax, %%eax\n\tcall *%1"
                             : "=&a"(counted)
                             : "r"(code + (i + k) * LEA_BYTES * FUNCTION)
                             : "memory", "cc");
            if (counted != FUNCTION - 1) fail_msg("%lu", (unsigned long)counted);
        }
        full += tr_session_refused() == RT_TR_ACCEPTED && tr_session_result()->end == RT_TR_END_FULL;
        rt_tr_memory(&all_bytes, &code_bytes);
        if (all_bytes > most_bytes) most_bytes = all_bytes;
    }
    assert_true(full > 0);
    assert_true(most_bytes <= 16 << 20);
    assert_int_equal(sum_in_burst(&whole), sum_words(words, WORDS));
    sum_in_burst(&whole);
    checked_result(RT_TR_END_DONE);
    munmap(code, CODE_BYTES);
}

static void child_has_a_separate_cache(void **state)
{
    (void)state;
    const uint64_t expected = sum_words(words, WORDS);
    warm_up();
    const pid_t child = fork();
    if (!child) {
        if (sum_in_burst(&whole) != expected || !tr_session_result()->translated) _exit(1);
        warm_up();
        if (sum_in_burst(&whole) != expected || tr_session_result()->translated) _exit(2);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(sum_in_burst(&whole), expected);
    assert_int_equal(checked_result(RT_TR_END_DONE)->translated, 0);
}

static uint64_t __attribute__((noinline)) use_stack(unsigned depth)
{
    volatile uint8_t frame[1024];
    for (unsigned i = 0; i < sizeof frame; i++)
        frame[i] = (uint8_t)depth;
    return depth ? use_stack(depth - 1) + frame[depth] : 0;
}

static uint64_t on_alternate_stack;

/* The kernel puts the frame of the trigger just below: the program then writes over it. */
static void use_alternate_stack(int sig)
{
    (void)sig;
    tr_session_each(&brief, NULL);
    TR_TRIGGER();
    on_alternate_stack = use_stack(20);
}

static void program_may_be_on_the_alternate_stack(void **state)
{
    (void)state;
    const struct sigaction a = {.sa_handler = use_alternate_stack, .sa_flags = SA_ONSTACK};
    sigaction(SIGUSR1, &a, NULL);
    raise(SIGUSR1);
    assert_int_equal(on_alternate_stack, 20 * 21 / 2);
    checked_result(RT_TR_END_DONE);
}

static void on_signal_on_alternate_stack(int sig)
{
    (void)sig;
    use_stack(8);
}

static void get_signal(void)
{
    sigset_t set, before;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    sigprocmask(SIG_UNBLOCK, &set, &before);
    raise(SIGUSR2);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

/* A signal before the burst, such as the sample of a page fault, does not begin over the program's frames, which include
 * the frame of its own signal. */
static void signal_in_a_burst_spares_the_alternate_stack(void **state)
{
    (void)state;
    const struct sigaction a = {.sa_handler = use_alternate_stack, .sa_flags = SA_ONSTACK},
                           b = {.sa_handler = on_signal_on_alternate_stack, .sa_flags = SA_ONSTACK};
    stack_t after;
    sigaction(SIGUSR1, &a, NULL);
    sigaction(SIGUSR2, &b, NULL);
    tr_session_before_each(get_signal);
    raise(SIGUSR1);
    tr_session_before_each(NULL);
    assert_int_equal(on_alternate_stack, 20 * 21 / 2);
    checked_result(RT_TR_END_DONE);
    sigaltstack(NULL, &after);
    assert_int_equal(after.ss_flags & SS_DISABLE, 0);
}

static void gs_base_refuses(void **state)
{
    (void)state;
    tr_session_each(&brief, NULL);
    rt_burst_set_gs_base(false, 0x1000);
    TR_TRIGGER();
    const uint64_t base = rt_burst_gs_base(false);
    rt_burst_set_gs_base(false, 0);
    assert_int_equal(tr_session_refused(), RT_TR_GS_IN_USE);
    assert_int_equal(base, 0x1000);
}

static void gs_base_is_zero_after_a_burst(void **state)
{
    (void)state;
    sum_in_burst(&whole);
    checked_result(RT_TR_END_DONE);
    assert_int_equal(rt_burst_gs_base(false), 0);
}

/* The arena of the last burst has its probe without the instruction that the processor may not have. */
static void probes_read_the_time_as_told(void **state)
{
    (void)state;
    static const uint8_t rdtscp[] = {0x0f, 0x01, 0xf9};
    const struct rt_tr_cache *c = rt_tr_process.cache;
    sum_in_burst(&whole);
    assert_true(c->arena_count > 0);
    for (uint32_t i = 0; i < c->arena_count; i++) {
        const void *code = (const void *)(uintptr_t)c->arenas[i].base;
        const bool found = memmem(code, rt_tr_template_at(rt_tr_template_end), rdtscp, sizeof rdtscp);
        assert_int_equal(found, rt_tr_process.options.has_rdtscp);
    }
}

static void system_call_ends_a_burst(void **state)
{
    (void)state;
    tr_session_each(&brief, NULL);
    TR_TRIGGER();
    const long pid = getpid();
    const struct rt_tr_result *r = checked_result(RT_TR_END_SYSCALL);
    assert_int_equal(((const uint8_t *)(uintptr_t)r->end_ip)[0], 0x0f);
    assert_int_equal(((const uint8_t *)(uintptr_t)r->end_ip)[1], 0x05);
    assert_true(pid > 0);
}

enum { THREADS = 4, ROUNDS = 3000, LIMIT_S = 60 };
static uint8_t *shared_code[8];
static uint32_t threads_failed;

static void *burst_on_and_on(void *arg)
{
    unsigned *accepted = arg;
    const time_t end = time(NULL) + LIMIT_S;
    tr_session_thread();
    /* while the thread that holds the cache's lock is preempted, all others are refused */
    for (unsigned i = 0; i < ROUNDS || (*accepted < ROUNDS / 10 && time(NULL) < end); i++) {
        TR_TRIGGER();
        if (sum_words(words, 400) != (uint64_t)399 * 400 * 799 / 6)
            __atomic_store_n(&threads_failed, 1, __ATOMIC_RELAXED);
        for (unsigned k = 0; k < 8; k++)
            if (((uint32_t(*)(void))(uintptr_t)shared_code[k])() != k)
                __atomic_store_n(&threads_failed, 2, __ATOMIC_RELAXED);
        *accepted += tr_session_refused() == RT_TR_ACCEPTED;
    }
    tr_session_end_thread();
    return NULL;
}

static void threads_share_the_cache_while_it_is_dropped(void **state)
{
    (void)state;
    fill_words();
    for (unsigned k = 0; k < 8; k++)
        write_return(shared_code[k] = map_code(PAGE_BYTES), k);
    static const struct rt_tr_plan plan = {.warm_instructions = 200,
                                           .pace_instructions = 300,
                                           .accesses = 30,
                                           .probes = 10,
                                           .probe_loads = 4,
                                           .random = 3};
    tr_session_each(&plan, NULL);
    pthread_t threads[THREADS];
    unsigned accepted[THREADS] = {0};
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, burst_on_and_on, &accepted[i]), 0);
    for (unsigned i = 0; i < 200; i++) {
        rt_tr_invalidate((uint64_t)(uintptr_t)shared_code[i % 8], PAGE_BYTES);
        usleep(500);
    }
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(threads_failed, 0);
    for (unsigned i = 0; i < THREADS; i++)
        assert_true(accepted[i] >= ROUNDS / 10);
    sum_in_burst(&whole);
    sum_in_burst(&whole);
    checked_result(RT_TR_END_DONE); /* the count of threads in bursts is complete */
}

static void limit_of_instructions_holds(void **state)
{
    (void)state;
    for (uint64_t max = 1; max < 400; max += 7) {
        const struct rt_tr_plan plan = {.warm_instructions = 1000, .instructions_max = max};
        sum_in_burst(&plan);
        const struct rt_tr_result *r = checked_result(RT_TR_END_INSTRUCTIONS);
        assert_true(r->instructions + 48 > max && r->instructions < max + 48);
    }
}

static void translations_are_limited(void **state)
{
    (void)state;
    rt_tr_invalidate(0, UINT64_MAX);
    struct rt_tr_plan plan = whole;
    plan.translations_max = 3;
    const uint64_t expected = sum_words(words, WORDS);
    assert_int_equal(sum_in_burst(&plan), expected);
    const struct rt_tr_result *r = checked_result(RT_TR_END_TRANSLATIONS);
    assert_int_equal(r->translated, 3);
    for (unsigned i = 0; i < 20 && r->end == RT_TR_END_TRANSLATIONS; i++)
        assert_int_equal(sum_in_burst(&plan), expected); /* each continues where the cache ended */
    checked_result(RT_TR_END_DONE);
}

static uint64_t end_of_stack(uint64_t *highest_arena_end)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[512];
    uint64_t base, end, stack_end = 0;
    *highest_arena_end = 0;
    while (fgets(line, sizeof line, maps)) {
        if (sscanf(line, "%lx-%lx", &base, &end) != 2) continue;
        if (strstr(line, "[stack]"))
            stack_end = end;
        else if (strstr(line, " rwxp ") && !stack_end)
            *highest_arena_end = end;
    }
    fclose(maps);
    return stack_end;
}

/* On some kernels the vDSO is directly above the stack; memory for its translation must not block the growth
 * of the stack. */
static void stack_keeps_its_room(void **state)
{
    (void)state;
    uint64_t highest_end;
    const uint64_t above = end_of_stack(&highest_end) + (16 << 20);
    uint8_t *code = mmap((void *)(uintptr_t)above, PAGE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (code == MAP_FAILED) skip(); /* the stack ends with the address space */
    tr_session_add_code(above, above + PAGE_BYTES);
    write_return(code, 5);
    assert_int_equal(call_in_burst(code), 5);
    assert_int_equal(call_in_burst(code), 5);
    const uint64_t stack_end = end_of_stack(&highest_end);
    assert_true(stack_end - highest_end >= (uint64_t)128 << 20);
    munmap(code, PAGE_BYTES);
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

int tr_unit_run(const char *without)
{
    const char *skip = tr_session_open(0, false, without);
    if (skip) {
        print_message("skipped: %s\n", skip);
        return UNIT_SKIPPED;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stack_keeps_its_room), /* while there is memory for more code */
        cmocka_unit_test(burst_has_its_four_parts),
        cmocka_unit_test(list_holds_consecutive_accesses),
        cmocka_unit_test(probes_are_of_loads_of_the_program),
        cmocka_unit_test(probes_fall_on_every_load_of_a_loop),
        cmocka_unit_test(ranges_that_must_not_be_probed_are_not),
        cmocka_unit_test(limit_of_instructions_holds),
        cmocka_unit_test(translations_are_limited),
        cmocka_unit_test(faults_are_the_programs),
        cmocka_unit_test(flags_are_exact_where_a_prefetch_is_refused),
        cmocka_unit_test(new_code_is_watched_less),
        cmocka_unit_test(quiet_code_is_executed_only),
        cmocka_unit_test(repeated_strings_are_walked_by_lines),
        cmocka_unit_test(long_repeats_are_timed),
        cmocka_unit_test(long_repeats_end_the_burst),
        cmocka_unit_test(loops_have_a_least_time),
        cmocka_unit_test(instructions_take_their_slots),
        cmocka_unit_test(processor_is_measured),
        cmocka_unit_test(loads_after_taken_branches_are_timed),
        cmocka_unit_test(bursts_end_in_quiet_code),
        cmocka_unit_test(changed_code_is_translated_again),
        cmocka_unit_test(full_cache_is_dropped),
        cmocka_unit_test(child_has_a_separate_cache),
        cmocka_unit_test(program_may_be_on_the_alternate_stack),
        cmocka_unit_test(signal_in_a_burst_spares_the_alternate_stack),
        cmocka_unit_test(gs_base_refuses),
        cmocka_unit_test(gs_base_is_zero_after_a_burst),
        cmocka_unit_test(probes_read_the_time_as_told),
        cmocka_unit_test(system_call_ends_a_burst),
        cmocka_unit_test(waiting_of_the_program_hides_returns),
        cmocka_unit_test(recording_takes_its_known_parts),
        cmocka_unit_test(threads_share_the_cache_while_it_is_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

UNIT_GROUP()
{
    return tr_unit_run("");
}
