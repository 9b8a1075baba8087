/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of bursts in this program itself: accesses that they list, loads that they time, and their ends. lockstep tests that translated
 * code computes the same as the original. */
#include "runtime/bursts/rt_burst_gs_sigsafe.h"
#include "runtime/translate/rt_tr_run.h"
#include "tests/translate/tr_session.h"
#include "tests/translate/tr_unit.h"
#include "tests/unit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

enum { FAULTED_PAGES = 64 };

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

static uint64_t refused_flags;

/* Skip the instruction of three bytes that the processor refuses. */
static void note_flags(int sig, siginfo_t *info, ucontext_t *uc)
{
    (void)info;
    if (sig != SIGILL) abort();
    refused_flags = (uint64_t)uc->uc_mcontext.gregs[REG_EFL] & 0x8d5;
    uc->uc_mcontext.gregs[REG_RIP] += 3;
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

int tr_burst_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(burst_has_its_four_parts),
        cmocka_unit_test(list_holds_consecutive_accesses),
        cmocka_unit_test(probes_are_of_loads_of_the_program),
        cmocka_unit_test(probes_fall_on_every_load_of_a_loop),
        cmocka_unit_test(loads_after_taken_branches_are_timed),
        cmocka_unit_test(ranges_that_must_not_be_probed_are_not),
        cmocka_unit_test(faults_are_the_programs),
        cmocka_unit_test(flags_are_exact_where_a_prefetch_is_refused),
        cmocka_unit_test(new_code_is_watched_less),
        cmocka_unit_test(quiet_code_is_executed_only),
        cmocka_unit_test(bursts_end_in_quiet_code),
        cmocka_unit_test(gs_base_refuses),
        cmocka_unit_test(gs_base_is_zero_after_a_burst),
        cmocka_unit_test(probes_read_the_time_as_told),
        cmocka_unit_test(system_call_ends_a_burst),
        cmocka_unit_test(limit_of_instructions_holds),
        cmocka_unit_test(translations_are_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

UNIT_GROUP()
{
    return tr_unit_run("", tr_burst_tests);
}
