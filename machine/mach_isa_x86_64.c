/* SPDX-License-Identifier: BSD-3-Clause */
/* x86-64: rate and step of the time stamp counter, issue width, flushes of lines, single steps. */
#include "config.h"

#include "machine/mach_isa.h"

#include "common/ls_checked.h"
#include "common/ls_clock.h"
#include "machine/mach_probe_sigsafe.h"

#include <cpuid.h>
#include <immintrin.h>
#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include <x86intrin.h>

/* Intel SDM vol. 2A, CPUID, leaves 01H and 07H */
#define CPUID_1_EDX_TSC (1u << 4)
#define CPUID_7_EBX_CLFLUSHOPT (1u << 23)

enum {
    LINE_BYTES = 64,
    TSC_EDGE_TRIES = 8,       /* readings of both clocks at each end of the window; the tightest counts */
    TSC_STEP_READINGS = 2000, /* enough that interrupts do not affect the greatest common divisor */
    ISSUE_RUNS = 20,
    ISSUE_LOOPS = 2000,
    ISSUE_PER_LOOP = 64,
};

struct tsc_edge {
    uint64_t tsc, mono_ns, width_cycles;
};

static uint64_t tsc_read(void)
{
    return __rdtsc();
}

/* Read both clocks at one moment: the reading least disturbed by interrupts. */
static struct tsc_edge tsc_edge_read(void)
{
    struct tsc_edge best = {.width_cycles = UINT64_MAX};
    for (int i = 0; i < TSC_EDGE_TRIES; i++) {
        const uint64_t before = __rdtsc();
        const uint64_t mono_ns = ls_clock_mono_ns();
        const uint64_t width = __rdtsc() - before;
        if (width < best.width_cycles)
            best = (struct tsc_edge){.tsc = before + width / 2, .mono_ns = mono_ns, .width_cycles = width};
    }
    return best;
}

/* Leaf 15H: EBX / EAX is the ratio to the crystal, ECX its frequency; 0 when the processor does not report
 * it. */
static uint64_t tsc_hz_by_cpuid(void)
{
    unsigned denominator = 0, numerator = 0, crystal_hz = 0, edx = 0;
    if (!__get_cpuid(0x15, &denominator, &numerator, &crystal_hz, &edx) || denominator == 0) return 0;
    return (uint64_t)crystal_hz * numerator / denominator;
}

static ls_err tsc_hz(uint64_t window_ns, uint64_t *out_hz)
{
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(edx & CPUID_1_EDX_TSC))
        return ls_fail(LS_ERR_UNSUPPORTED,
                       "this processor has no time stamp counter: latencies cannot be measured");
    const struct tsc_edge first = tsc_edge_read();
    while (ls_clock_mono_ns() - first.mono_ns < window_ns)
        ;
    const struct tsc_edge last = tsc_edge_read();
    if (last.tsc <= first.tsc || last.mono_ns <= first.mono_ns)
        return ls_fail(LS_ERR_UNSUPPORTED, "the time stamp counter of this processor does not advance");
    const double measured_hz = (double)(last.tsc - first.tsc) * 1e9 / (double)(last.mono_ns - first.mono_ns);
    const uint64_t named_hz = tsc_hz_by_cpuid();
    const bool agree = fabs((double)named_hz - measured_hz) < 0.005 * measured_hz;
    *out_hz = agree ? named_hz : (uint64_t)(measured_hz + 0.5);
    return LS_OK;
}

static uint32_t tsc_step_cycles(void)
{
    uint64_t step = 0, before = __rdtsc();
    for (int i = 0; i < TSC_STEP_READINGS; i++) {
        _mm_lfence();
        const uint64_t now = __rdtsc();
        step = ls_gcd_u64(step, now - before);
        before = now;
    }
    return step == 0 || step > UINT32_MAX ? 1 : (uint32_t)step;
}

/* 64 instructions in six independent chains: half additions, a quarter lea, a quarter xor. */
#define ISSUE_8                                                               \
    "add $1, %%r8\n\tlea 3(%%r9), %%r9\n\tadd $1, %%r10\n\txor $5, %%r11\n\t" \
    "add $1, %%rcx\n\tlea 7(%%rdx), %%rdx\n\tadd $1, %%r8\n\txor $9, %%r10\n\t"

static uint64_t issue_run_cycles(void)
{
    const uint64_t start = __rdtsc();
    for (int i = 0; i < ISSUE_LOOPS; i++)
        __asm__ volatile(ISSUE_8 ISSUE_8 ISSUE_8 ISSUE_8 ISSUE_8 ISSUE_8 ISSUE_8 ISSUE_8 ::
                             : "r8", "r9", "r10", "r11", "rcx", "rdx", "cc");
    return __rdtsc() - start;
}

static double issue_width(void)
{
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < ISSUE_RUNS; i++) {
        const uint64_t cycles = issue_run_cycles();
        if (cycles > 0 && cycles < best) best = cycles;
    }
    return (double)ISSUE_LOOPS * (ISSUE_PER_LOOP + 2) / (double)best;
}

/* A chain of additions: one in each cycle of the core, on all processors. */
static double core_cycle(void)
{
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < ISSUE_RUNS; i++) {
        const uint64_t start = __rdtsc();
        for (int k = 0; k < ISSUE_LOOPS; k++)
            __asm__ volatile(".rept 64\n\tadd %%r8, %%r8\n\t.endr" ::: "r8", "cc");
        const uint64_t cycles = __rdtsc() - start;
        if (cycles < best) best = cycles;
    }
    return (double)best / (64.0 * ISSUE_LOOPS);
}

/* clflush waits for the flush before it, clflushopt does not. */
__attribute__((target("clflushopt"))) static void flush_unordered(const char *begin, const char *end)
{
    for (const char *line = begin; line < end; line += LINE_BYTES)
        _mm_clflushopt((void *)(uintptr_t)line);
}

/* Remembered, because CPUID takes a virtual machine tens of microseconds. */
static bool has_clflushopt(void)
{
    enum { UNKNOWN, ABSENT, PRESENT };
    static atomic_int state = UNKNOWN;
    if (state == UNKNOWN) {
        unsigned eax, ebx, ecx, edx;
        const bool present =
            __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && (ebx & CPUID_7_EBX_CLFLUSHOPT);
        state = present ? PRESENT : ABSENT;
    }
    return state == PRESENT;
}

static void flush(const void *addr, size_t len_bytes)
{
    const char *end = (const char *)addr + len_bytes;
    const char *begin = (const char *)addr - (uintptr_t)addr % LINE_BYTES;
    if (has_clflushopt())
        flush_unordered(begin, end);
    else
        for (const char *line = begin; line < end; line += LINE_BYTES)
            _mm_clflush(line);
    _mm_mfence();
}

static void x86_copy_past_caches(double *to, const double *from, size_t pairs)
{
    for (size_t i = 0; i < 2 * pairs; i += 2)
        _mm_stream_pd(to + i, _mm_load_pd(from + i));
    _mm_sfence();
}

#define MACH_TRAP_FLAG 0x100 /* EFLAGS.TF, Intel SDM vol. 1, 3.4.3.3 */

static void step_try(void)
{
    __asm__ volatile("sub $128, %%rsp\n\t" /* the red zone */
                     "pushfq\n\t"
                     "orq $0x100, (%%rsp)\n\t"
                     "popfq\n\t"
                     "nop\n\tnop\n\tnop\n\tnop\n\t"
                     "add $128, %%rsp"
                     :
                     :
                     : "cc", "memory");
}

static void step_end(void *ucontext)
{
    ((ucontext_t *)ucontext)->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)MACH_TRAP_FLAG;
}

/* By the call that also kernels without FSGSBASE have. */
static bool can_set_gs(void)
{
    enum { SET_GS = 0x1001, GET_GS = 0x1004 }; /* ARCH_SET_GS, ARCH_GET_GS: asm/prctl.h */
    uint64_t before = 0, set = 0;
    if (syscall(SYS_arch_prctl, GET_GS, &before) != 0) return false;
    const bool is_set = syscall(SYS_arch_prctl, SET_GS, &before) == 0;
    syscall(SYS_arch_prctl, GET_GS, &set);
    syscall(SYS_arch_prctl, SET_GS, before);
    return is_set && set == (uint64_t)(uintptr_t)&before;
}

static uint64_t probe_control(const volatile void *line)
{
    return mach_probe_control(line);
}

const struct mach_isa mach_isa_x86_64 = {
    .tsc_read = tsc_read,
    .tsc_hz = tsc_hz,
    .tsc_step_cycles = tsc_step_cycles,
    .issue_width = issue_width,
    .core_cycle = core_cycle,
    .flush = flush,
    .copy_past_caches = x86_copy_past_caches,
    .probe_load = mach_probe_load,
    .probe_control = probe_control,
    .step_try = step_try,
    .step_end = step_end,
    .can_set_gs = can_set_gs,
};
