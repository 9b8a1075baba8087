/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/bursts/rt_burst_altstack.h"
#include "runtime/bursts/rt_burst_eintr_sigsafe.h"
#include "runtime/step/rt_step_sigsafe.h"
#include "runtime/bursts/rt_burst_traced_sigsafe.h"
#include "tests/unit.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static struct rt_burst_zydis zydis;

static int open_zydis(void **state)
{
    (void)state;
    zydis.decode_full = ZydisDecoderDecodeFull;
    return ZYAN_SUCCESS(ZydisDecoderInit(&zydis.decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64))
               ? 0
               : -1;
}

static struct rt_burst_plan plan_of(const uint8_t *code, uint64_t ip)
{
    struct rt_burst_scratch scratch;
    struct rt_burst_plan plan;
    uint8_t bytes[15] = {0};
    memcpy(bytes, code, 8);
    assert_int_equal(rt_burst_decode_slot(&zydis, &scratch, &plan, bytes, 15, ip), RT_BURST_DECODED);
    return plan;
}

static void step_eintr_restarts_only_repeatable_calls(void **state)
{
    (void)state;
    static const uint8_t poll_call[7] = {0xb8, 7, 0, 0, 0, 0x0f, 0x05};
    static const uint8_t xor_call[7] = {0x90, 0x90, 0x90, 0x31, 0xc0, 0x0f, 0x05};
    static const uint8_t no_call[7] = {0xb8, 7, 0, 0, 0, 0x90, 0x90};
    assert_int_equal(rt_burst_eintr_judge(-EINTR, poll_call, true), RT_BURST_EINTR_RESTART);
    assert_int_equal(rt_burst_eintr_judge(0, poll_call, true), RT_BURST_EINTR_NONE);
    assert_int_equal(rt_burst_eintr_judge(-EINTR, xor_call, true), RT_BURST_EINTR_SEEN);
    assert_int_equal(rt_burst_eintr_judge(-EINTR, no_call, true), RT_BURST_EINTR_NONE);
    assert_int_equal(rt_burst_eintr_judge(-EINTR, poll_call, false), RT_BURST_EINTR_NONE);
}

static void step_traced_reads_the_tracer(void **state)
{
    (void)state;
    static const char traced[] = "Name:\tx\nPid:\t5\nTracerPid:\t4711\nUid:\t0\n";
    static const char alone[] = "Name:\tTracerPid:9\nPid:\t5\nTracerPid:\t0\n";
    assert_int_equal(rt_burst_tracer_of(traced, sizeof traced - 1), 4711);
    assert_int_equal(rt_burst_tracer_of(alone, sizeof alone - 1), 0);
    assert_int_equal(rt_burst_tracer_of("", 0), 0);
}

static void step_altstack_must_hold_two_frames(void **state)
{
    (void)state;
    assert_false(rt_burst_altstack_suffices(8192, 3632));
    assert_false(rt_burst_altstack_suffices(2048, 1000));
    assert_true(rt_burst_altstack_suffices(65536, 11000));
}

static void step_conditions_follow_the_flags(void **state)
{
    (void)state;
    enum { CF = 1, PF = 4, ZF = 0x40, SF = 0x80, OF = 0x800 };
    static const struct {
        unsigned code;
        uint64_t flags;
        bool holds;
    } rows[] = {
        {0x0, OF, true},      {0x1, OF, false}, {0x2, CF, true},       {0x3, CF, false},
        {0x4, ZF, true},      {0x5, ZF, false}, {0x6, CF, true},       {0x6, ZF, true},
        {0x7, 0, true},       {0x8, SF, true},  {0x9, SF, false},      {0xa, PF, true},
        {0xb, PF, false},     {0xc, SF, true},  {0xc, SF | OF, false}, {0xd, OF, false},
        {0xd, SF | OF, true}, {0xe, ZF, true},  {0xe, OF, true},       {0xe, 0, false},
        {0xf, 0, true},       {0xf, SF, false}, {0xf, SF | OF, true},  {0xf, ZF | SF | OF, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(rt_step_condition_holds(rows[i].code, rows[i].flags), rows[i].holds);
}

static void step_isolation_computes_branches(void **state)
{
    (void)state;
    struct rt_step_slots slots = {0};
    ucontext_t uc = {0};
    greg_t *g = uc.uc_mcontext.gregs;
    uint64_t stack[2] = {0x1234, 0x5678};
    assert_int_equal(rt_step_slots_open(&slots), 0);
    static const uint8_t jne[] = {0x75, 0xf8, 0, 0, 0, 0, 0, 0}, ret16[] = {0xc2, 8, 0, 0, 0, 0, 0, 0};
    struct rt_burst_plan p = plan_of(jne, 0x1000);
    assert_int_equal(rt_step_isolate(&slots, &p, &uc, 0), RT_STEP_DONE);
    assert_int_equal(g[REG_RIP], 0x1002 - 8);
    g[REG_EFL] = 0x40;
    assert_int_equal(rt_step_isolate(&slots, &p, &uc, 0), RT_STEP_DONE);
    assert_int_equal(g[REG_RIP], 0x1002);
    p = plan_of(ret16, 0x1000);
    g[REG_RSP] = (greg_t)(uintptr_t)stack;
    assert_int_equal(rt_step_isolate(&slots, &p, &uc, 0), RT_STEP_DONE);
    assert_int_equal(g[REG_RIP], 0x1234);
    assert_int_equal(g[REG_RSP], (greg_t)(uintptr_t)stack + 16);
    static const uint8_t ret[] = {0xc3, 0, 0, 0, 0, 0, 0, 0};
    p = plan_of(ret, 0x1000);
    g[REG_RSP] = (greg_t)(uintptr_t)(stack + 1);
    assert_int_equal(rt_step_isolate(&slots, &p, &uc, 0), RT_STEP_DONE);
    assert_int_equal(g[REG_RIP], 0x5678);
    assert_int_equal(g[REG_RSP], (greg_t)(uintptr_t)(stack + 2));
    g[REG_RSP] =
        (greg_t)(uintptr_t)stack + 4; /* across words: another thread's store could be seen in part */
    assert_int_equal(rt_step_isolate(&slots, &p, &uc, 0), RT_STEP_IN_PLACE);
    rt_step_slots_close(&slots);
}

static void step_isolation_computes_loops(void **state)
{
    (void)state;
    struct rt_step_slots slots = {0};
    ucontext_t uc = {0};
    greg_t *g = uc.uc_mcontext.gregs;
    enum { ZERO_FLAG = 0x40 };
    assert_int_equal(rt_step_slots_open(&slots), 0);
    static const uint8_t jrcxz[8] = {0xe3, 0x10}, loop[8] = {0xe2, 0x10}, loope[8] = {0xe1, 0x10},
                         loopne[8] = {0xe0, 0x10};
    static const struct {
        const uint8_t *code;
        greg_t count, flags, left;
        bool jumps;
    } rows[] = {
        {jrcxz, 0, 0, 0, true},           {jrcxz, 1, 0, 1, false},         {loop, 2, 0, 1, true},
        {loop, 1, 0, 0, false},           {loop, 0, ZERO_FLAG, -1, true},  {loope, 2, 0, 1, false},
        {loope, 2, ZERO_FLAG, 1, true},   {loope, 1, ZERO_FLAG, 0, false}, {loopne, 2, 0, 1, true},
        {loopne, 2, ZERO_FLAG, 1, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct rt_burst_plan p = plan_of(rows[i].code, 0x1000);
        g[REG_RCX] = rows[i].count;
        g[REG_EFL] = rows[i].flags;
        assert_int_equal(rt_step_isolate(&slots, &p, &uc, 0), RT_STEP_DONE);
        assert_int_equal(g[REG_RCX], rows[i].left);
        assert_int_equal(g[REG_RIP], rows[i].jumps ? 0x1012 : 0x1002);
    }
    rt_step_slots_close(&slots);
}

static void step_isolation_takes_the_returns_of_all_compilers(void **state)
{
    (void)state;
    static const uint8_t returns[][8] = {
        {0xc3},       /* ret: its first operand is the hidden rip */
        {0xc2, 8},    /* ret 8 */
        {0xf3, 0xc3}, /* for the branch prediction of old processors */
        {0xf2, 0xc3}, /* bnd */
        {0x48, 0xc3}, {0x66, 0x48, 0xc3},
    };
    for (size_t i = 0; i < sizeof returns / sizeof returns[0]; i++)
        assert_int_equal(plan_of(returns[i], 0x1000).flow, RT_BURST_FLOW_RET);
    static const uint8_t tls_call[8] = {0x66, 0x66, 0x48, 0xe8}; /* call of __tls_get_addr, padded */
    assert_int_equal(plan_of(tls_call, 0x1000).flow, RT_BURST_FLOW_CALL);
}

/* All pairs of 8 bits against plain arithmetic, then the extremes of the other widths. */
static void step_quotients_that_fit_are_known(void **state)
{
    (void)state;
    for (int dividend = -32768; dividend < 65536; dividend++)
        for (int divisor = -128; divisor < 256; divisor++) {
            const bool u = dividend >= 0 && divisor >= 0, s = dividend < 32768 && divisor < 128;
            const int quotient = divisor ? dividend / divisor : 1000;
            if (u &&
                rt_step_quotient_fits((unsigned)dividend, (unsigned)divisor, 1, false) != (quotient < 256))
                fail_msg("%d / %d without sign", dividend, divisor);
            if (s && rt_step_quotient_fits((unsigned __int128)dividend, (uint64_t)divisor, 1, true) !=
                         (quotient >= -128 && quotient < 128))
                fail_msg("%d / %d with sign", dividend, divisor);
        }
    static const struct {
        int64_t high;
        uint64_t low;
        int64_t divisor;
        unsigned len_bytes;
        bool is_signed, fits;
    } rows[] = {
        {0, UINT64_MAX, 1, 8, false, true},
        {1, 0, 1, 8, false, false},
        {-2, UINT64_MAX, -1, 8, false, true},
        {-1, 0, -1, 8, false, false},
        {0, 5, 0, 8, false, false},
        {0, 5, 0, 8, true, false},
        {-1, UINT64_C(1) << 63, 1, 8, true, true}, /* INT64_MIN / 1 */
        {-1, UINT64_C(1) << 63, -1, 8, true, false},
        {0, UINT64_C(1) << 63, -1, 8, true, true},
        {0, UINT64_C(1) << 63, 1, 8, true, false},
        {INT64_MIN, 0, INT64_MIN, 8, true, false}, /* 2^64 */
        {INT64_MIN / 2, 0, INT64_MIN, 8, true, false},
        {INT64_MIN / 2, 1, INT64_MIN, 8, true, true},
        {-1, (uint64_t)INT32_MIN, -1, 4, true, false},
        {-1, (uint64_t)INT32_MIN, 1, 4, true, true},
        {0, UINT32_MAX, 1, 4, false, true},
        {0, UINT64_C(1) << 32, 1, 4, false, false},
        {-1, (uint64_t)INT16_MIN, -1, 2, true, false},
        {0, 32768, -1, 2, true, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const unsigned __int128 dividend = (unsigned __int128)(uint64_t)rows[i].high << 64 | rows[i].low;
        if (rt_step_quotient_fits(dividend, (uint64_t)rows[i].divisor, rows[i].len_bytes,
                                  rows[i].is_signed) != rows[i].fits)
            fail_msg("row %zu", i);
    }
}

static void step_isolation_divides_only_where_it_cannot_fault(void **state)
{
    (void)state;
    struct rt_step_slots slots = {0};
    ucontext_t uc = {0};
    greg_t *g = uc.uc_mcontext.gregs;
    assert_int_equal(rt_step_slots_open(&slots), 0);
    static const uint8_t by_ch[8] = {0xf6, 0xfd},
                         by_memory[8] = {0x66, 0xf7, 0x36}; /* idiv ch; div word [rsi] */
    struct rt_burst_plan p = plan_of(by_ch, 0x1000);
    g[REG_RBX] = 77;
    g[REG_RAX] = -300;
    g[REG_RCX] = 0x5a0011;
    assert_int_equal(rt_step_isolate(&slots, &p, &uc, 0), RT_STEP_IN_PLACE); /* ch is 0 */
    g[REG_RCX] = 0x5a0211;
    assert_int_equal(rt_step_isolate(&slots, &p, &uc, 0), RT_STEP_IN_PLACE); /* -300 / 2 */
    g[REG_RCX] = 0x5a0311;
    assert_int_equal(rt_step_isolate(&slots, &p, &uc, 0), RT_STEP_IN_SLOT);
    static const uint8_t by_bl[] = {0xf6, 0xfb, 0x0f, 0xae, 0xe8, 0xcc};
    assert_memory_equal(slots.page, by_bl, sizeof by_bl);
    assert_int_equal(g[REG_RBX], 3);
    g[REG_RIP] += 5;
    assert_true(rt_step_unslot(&slots, &uc));
    assert_int_equal(g[REG_RIP], 0x1002);
    assert_int_equal(g[REG_RBX], 77);
    uint16_t words[8] = {9, 9, 500};
    p = plan_of(by_memory, 0x1000);
    g[REG_RAX] = 1;
    g[REG_RDX] = 500;
    assert_int_equal(rt_step_isolate(&slots, &p, &uc, (uint64_t)(uintptr_t)(words + 2)), RT_STEP_IN_PLACE);
    g[REG_RDX] = 499;
    assert_int_equal(rt_step_isolate(&slots, &p, &uc, (uint64_t)(uintptr_t)(words + 2)), RT_STEP_IN_SLOT);
    assert_int_equal(g[REG_RBX], 500);
    rt_step_slots_close(&slots);
}

static void step_isolation_repeats_one_iteration_at_a_time(void **state)
{
    (void)state;
    struct rt_step_slots slots = {0};
    ucontext_t uc = {0};
    greg_t *g = uc.uc_mcontext.gregs;
    enum { ZERO_FLAG = 0x40 };
    assert_int_equal(rt_step_slots_open(&slots), 0);
    static const uint8_t fs_movsq[8] = {0x64, 0xf3, 0x48, 0xa5}, repe_cmpsb[8] = {0xf3, 0xa6},
                         repne_scasb[8] = {0xf2, 0xae};
    struct rt_burst_plan p = plan_of(fs_movsq, 0x1000);
    assert_int_equal(rt_step_isolate(&slots, &p, &uc, 0), RT_STEP_DONE); /* rcx is 0 */
    assert_int_equal(g[REG_RIP], 0x1004);
    static const struct {
        const uint8_t *code;
        unsigned len_bytes;
        greg_t count, flags;
        uint64_t next;
    } rows[] = {
        {fs_movsq, 4, 2, 0, 0x1000},
        {fs_movsq, 4, 1, ZERO_FLAG, 0x1004},
        {repe_cmpsb, 2, 2, ZERO_FLAG, 0x1000},
        {repe_cmpsb, 2, 2, 0, 0x1002},
        {repe_cmpsb, 2, 1, ZERO_FLAG, 0x1002},
        {repne_scasb, 2, 2, 0, 0x1000},
        {repne_scasb, 2, 2, ZERO_FLAG, 0x1002},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        p = plan_of(rows[i].code, 0x1000);
        g[REG_RCX] = rows[i].count;
        assert_int_equal(rt_step_isolate(&slots, &p, &uc, 0), RT_STEP_IN_SLOT);
        ucontext_t early = uc;
        assert_true(rt_step_unslot(&slots, &early)); /* a fault: not executed */
        assert_int_equal(early.uc_mcontext.gregs[REG_RIP], 0x1000);
        assert_int_equal(early.uc_mcontext.gregs[REG_RCX], rows[i].count);
        g[REG_RIP] += rows[i].len_bytes - 1 + 4;
        g[REG_EFL] = rows[i].flags;
        assert_true(rt_step_unslot(&slots, &uc));
        assert_int_equal(g[REG_RCX], rows[i].count - 1);
        assert_int_equal(g[REG_RIP], rows[i].next);
    }
    static const uint8_t without[] = {0x64, 0x48, 0xa5};
    p = plan_of(fs_movsq, 0x1000);
    assert_int_equal(p.slot_len_bytes, sizeof without);
    assert_memory_equal(p.slot_code, without, sizeof without);
    rt_step_slots_close(&slots);
}

static void step_isolation_puts_the_context_back(void **state)
{
    (void)state;
    struct rt_step_slots slots = {0};
    ucontext_t uc = {0};
    greg_t *g = uc.uc_mcontext.gregs;
    assert_int_equal(rt_step_slots_open(&slots), 0);
    static const uint8_t by_rip[] = {0x48, 0x8b, 0x1d, 0x10, 0, 0, 0, 0}; /* mov rbx, [rip + 16] */
    const struct rt_burst_plan p = plan_of(by_rip, 0x1000);
    g[REG_RSI] = 99;
    assert_int_equal(p.scratch, 6); /* rbx is taken */
    assert_int_equal(rt_step_isolate(&slots, &p, &uc, 0x1017), RT_STEP_IN_SLOT);
    assert_int_equal(g[REG_RSI], 0x1017);
    assert_int_equal(g[REG_RIP], (greg_t)(uintptr_t)slots.page);
    ucontext_t early = uc;
    assert_true(rt_step_unslot(&slots, &early)); /* before it executed */
    assert_int_equal(early.uc_mcontext.gregs[REG_RIP], 0x1000);
    assert_int_equal(early.uc_mcontext.gregs[REG_RSI], 99);
    g[REG_RIP] += 7 + 4;
    assert_true(rt_step_unslot(&slots, &uc));
    assert_int_equal(g[REG_RIP], 0x1007);
    assert_int_equal(g[REG_RSI], 99);
    assert_false(rt_step_unslot(&slots, &uc));
    rt_step_slots_close(&slots);
}

static void step_isolation_leaves_address_dependent_instructions(void **state)
{
    (void)state;
    static const uint8_t in_place[][8] = {
        {0x67, 0xf3, 0xa4},       /* rep movsb that counts in ecx */
        {0x0f, 0x0b},             /* ud2: its SIGILL shows the ip */
        {0x64, 0x48, 0x8b, 0x05}, /* mov rax, fs:[rip]: no register can replace both */
        {0x67, 0xe2, 0xfe},       /* loop that counts in ecx */
        {0x67, 0xe3, 0xfe},       /* jecxz */
        {0xff, 0x28},             /* far jump */
        {0x66, 0xc3},             /* ret whose target has 16 bits on AMD's processors */
        {0x66, 0xc2, 8},
        {0x66, 0xe8}, /* likewise call, jmp and je */
        {0x66, 0xeb},
        {0x66, 0x0f, 0x84},
        {0x66, 0xff, 0xe0},
        {0x0f, 0x01, 0xef}, /* wrpkru: may close the slots */
    };
    for (size_t i = 0; i < sizeof in_place / sizeof in_place[0]; i++)
        assert_int_equal(plan_of(in_place[i], 0x1000).flow, RT_BURST_FLOW_NONE);
}

/* A loop in which each round has one that is not would have no latency at all. */
static void step_isolation_moves_the_instructions_of_loops(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint8_t code[8];
    } rows[] = {
        {"tileloadd tmm0,[rax+rcx]", {0xc4, 0xe2, 0x7b, 0x4b, 0x04, 0x08}},
        {"tilestored [rax+rcx],tmm0", {0xc4, 0xe2, 0x7a, 0x4b, 0x04, 0x08}},
        {"tdpbssd tmm0,tmm1,tmm2", {0xc4, 0xe2, 0x6b, 0x5e, 0xc1}},
        {"vaddph zmm1,zmm2,[rax]", {0x62, 0xf5, 0x6c, 0x48, 0x58, 0x08}},
        {"vpdpbusd ymm1,ymm2,[rax]", {0xc4, 0xe2, 0x6d, 0x50, 0x08}},
        {"movdir64b rax,[rcx]", {0x66, 0x0f, 0x38, 0xf8, 0x01}},
        {"movdiri [rax],rcx", {0x48, 0x0f, 0x38, 0xf9, 0x08}},
        {"clwb [rax]", {0x66, 0x0f, 0xae, 0x30}},
        {"clflushopt [rax]", {0x66, 0x0f, 0xae, 0x38}},
        {"cldemote [rax]", {0x0f, 0x1c, 0x00}},
        {"endbr64", {0xf3, 0x0f, 0x1e, 0xfa}},
        {"rdsspq rax", {0xf3, 0x48, 0x0f, 0x1e, 0xc8}},
        {"rdtsc", {0x0f, 0x31}},
        {"rdtscp", {0x0f, 0x01, 0xf9}},
        {"xsavec [rsp]", {0x0f, 0xc7, 0x24, 0x24}}, /* code of the dynamic linker, at the first call */
        {"xrstor [rsp]", {0x0f, 0xae, 0x2c, 0x24}},
        {"xgetbv", {0x0f, 0x01, 0xd0}},
        {"rdrand eax", {0x0f, 0xc7, 0xf0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (plan_of(rows[i].code, 0x1000).flow != RT_BURST_FLOW_COPY)
            fail_msg("%s is stepped in place", rows[i].text);
}

static void on_program_trap(int sig)
{
    (void)sig;
}

static void step_trial_passes_and_leaves_nothing(void **state)
{
    const struct sigaction mine = {.sa_handler = on_program_trap};
    struct sigaction after;
    sigset_t trap, mask;
    stack_t stack;
    (void)state;
    assert_int_equal(sigaction(SIGTRAP, &mine, NULL), 0);
    sigemptyset(&trap);
    sigaddset(&trap, SIGTRAP);
    for (int how = SIG_BLOCK; how <= SIG_UNBLOCK; how++) {
        sigprocmask(how, &trap, NULL);
        assert_true(rt_step_try());
        sigprocmask(SIG_BLOCK, NULL, &mask);
        assert_int_equal(sigismember(&mask, SIGTRAP), how == SIG_BLOCK);
    }
    assert_int_equal(sigaction(SIGTRAP, NULL, &after), 0);
    assert_ptr_equal(after.sa_handler, on_program_trap);
    assert_int_equal(sigaltstack(NULL, &stack), 0);
    assert_true(stack.ss_flags & SS_DISABLE);
}

/* Run the trial in a child whose SIGTRAPs arrive up to the given number: a guest of a translator. */
static int trial_with_traps(int arriving)
{
    int status;
    const pid_t child = fork();
    if (child == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        raise(SIGSTOP);
        _exit(rt_step_try() ? 1 : 0);
    }
    while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
        const bool arrives = WSTOPSIG(status) == SIGTRAP && arriving-- > 0;
        ptrace(PTRACE_CONT, child, NULL, arrives ? (void *)(uintptr_t)SIGTRAP : NULL);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void step_trial_fails_where_traps_are_missing(void **state)
{
    (void)state;
    assert_int_equal(trial_with_traps(4), 1);
    for (int arriving = 0; arriving < 4; arriving++)
        assert_int_equal(trial_with_traps(arriving), 0);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(step_trial_passes_and_leaves_nothing),
        cmocka_unit_test(step_trial_fails_where_traps_are_missing),
        cmocka_unit_test(step_eintr_restarts_only_repeatable_calls),
        cmocka_unit_test(step_traced_reads_the_tracer),
        cmocka_unit_test(step_altstack_must_hold_two_frames),
        cmocka_unit_test(step_conditions_follow_the_flags),
        cmocka_unit_test(step_isolation_computes_branches),
        cmocka_unit_test(step_isolation_computes_loops),
        cmocka_unit_test(step_isolation_takes_the_returns_of_all_compilers),
        cmocka_unit_test(step_quotients_that_fit_are_known),
        cmocka_unit_test(step_isolation_divides_only_where_it_cannot_fault),
        cmocka_unit_test(step_isolation_repeats_one_iteration_at_a_time),
        cmocka_unit_test(step_isolation_puts_the_context_back),
        cmocka_unit_test(step_isolation_leaves_address_dependent_instructions),
        cmocka_unit_test(step_isolation_moves_the_instructions_of_loops),
    };
    return cmocka_run_group_tests(tests, open_zydis, NULL);
}
