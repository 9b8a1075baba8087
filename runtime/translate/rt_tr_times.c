/* SPDX-License-Identifier: BSD-3-Clause */
/* Latency and throughput of this processor for the kinds of instructions that loops over data consist of. Chains of
 * dependent instructions and sets of independent ones are timed, beside a chain of integer additions, each of which
 * takes one cycle of the core on all processors. */
#include "runtime/translate/rt_tr_run.h"

#include <cpuid.h>

enum {
    RUNS = 3, /* the shortest one counts: disturbances only add time */
    /* of 16 instructions; enough that a step of the time stamp counter, 26 cycles on some processors, hardly matters */
    SHORT_ROUNDS = 6,
    ROUNDS = 24,
    LONG_ROUNDS = 192,
    ADDITION_ROUNDS = 96,
    MILLI = 1000,
};

/* Usual values of processors since about 2018, for a measurement that is out of bounds: where something else had the
 * processor in each run. */
static const struct rt_tr_times usual = {
    .latency = {[RT_TR_ADD_FP] = 3 * MILLI,
                [RT_TR_MUL_FP] = 3 * MILLI,
                [RT_TR_FMA] = 4 * MILLI,
                [RT_TR_DIV_SINGLE] = 10 * MILLI,
                [RT_TR_DIV_DOUBLE] = 13 * MILLI,
                [RT_TR_SQRT_SINGLE] = 12 * MILLI,
                [RT_TR_SQRT_DOUBLE] = 13 * MILLI,
                [RT_TR_CONVERT] = 3 * MILLI,
                [RT_TR_MUL_INTEGER] = 3 * MILLI,
                [RT_TR_LOAD_L1] = 4 * MILLI},
    .occupied = {[RT_TR_DIV_SINGLE] = 3 * MILLI,
                 [RT_TR_DIV_DOUBLE] = 4 * MILLI,
                 [RT_TR_SQRT_SINGLE] = 3 * MILLI,
                 [RT_TR_SQRT_DOUBLE] = 4 * MILLI},
    .sum_after_sum = 3 * MILLI,
    .issue = MILLI / 5,
    .core_cycle = MILLI,
};

#define REPEAT(text) "1:\n\t.rept 16\n\t" text "\n\t.endr\n\tsubl $1, %k[rounds]\n\tjnz 1b"

#define CHAIN(name, type, text)                                                                  \
    static void name(unsigned rounds)                                                            \
    {                                                                                            \
        type x = 1.0, y = 1.0000001;                                                             \
        __asm__ volatile(REPEAT(text) : [rounds] "+r"(rounds), [x] "+x"(x) : [y] "x"(y) : "cc"); \
    }

CHAIN(chain_add, double, "addsd %[y], %[x]")
CHAIN(chain_add_and_mul, double, "addsd %[y], %[x]\n\tmulsd %[y], %[x]")
CHAIN(chain_mul, double, "mulsd %[y], %[x]")
CHAIN(chain_fma, double, "vfmadd231sd %[y], %[y], %[x]")
CHAIN(chain_div_single, float, "divss %[y], %[x]")
CHAIN(chain_div_double, double, "divsd %[y], %[x]")
CHAIN(chain_sqrt_single, float, "sqrtss %[x], %[x]")
CHAIN(chain_sqrt_double, double, "sqrtsd %[x], %[x]")
CHAIN(chain_convert, double, "cvtps2dq %[x], %[x]")

static void chain_mul_integer(unsigned rounds)
{
    uint64_t x = 3;
    __asm__ volatile(REPEAT("imul %[x], %[x]") : [rounds] "+r"(rounds), [x] "+r"(x)::"cc");
}

static void chain_load(unsigned rounds)
{
    const void *x = &x;
    __asm__ volatile(REPEAT("mov (%[x]), %[x]") : [rounds] "+r"(rounds), [x] "+r"(x)::"cc", "memory");
}

static void chain_addition(unsigned rounds)
{
    uint64_t x = 1;
    __asm__ volatile(REPEAT("add %[x], %[x]") : [rounds] "+r"(rounds), [x] "+r"(x)::"cc");
}

/* Sixteen instructions on four results: more than the latency over the time between two hides all of it. */
#define TOGETHER(name, type, instruction)                                                            \
    static void name(unsigned rounds)                                                                \
    {                                                                                                \
        type a = 2.0, b = 3.0, c = 5.0, d = 7.0, y = 1.0000001;                                      \
        __asm__ volatile("1:\n\t.rept 4\n\t" instruction(a) instruction(b) instruction(c)            \
                             instruction(d) ".endr\n\tsubl $1, %k[rounds]\n\tjnz 1b"                 \
                         : [rounds] "+r"(rounds), [a] "+x"(a), [b] "+x"(b), [c] "+x"(c), [d] "+x"(d) \
                         : [y] "x"(y)                                                                \
                         : "cc");                                                                    \
    }
#define DIVSS(r) "divss %[y], %[" #r "]\n\t"
#define DIVSD(r) "divsd %[y], %[" #r "]\n\t"
#define SQRTSS(r) "sqrtss %[" #r "], %[" #r "]\n\t"
#define SQRTSD(r) "sqrtsd %[" #r "], %[" #r "]\n\t"
TOGETHER(together_div_single, float, DIVSS)
TOGETHER(together_div_double, double, DIVSD)
TOGETHER(together_sqrt_single, float, SQRTSS)
TOGETHER(together_sqrt_double, double, SQRTSD)

static __attribute__((noinline)) void nothing(unsigned rounds)
{
    __asm__ volatile("" ::"r"(rounds));
}

static uint64_t shortest(void (*work)(unsigned rounds), unsigned rounds)
{
    uint64_t least = UINT64_MAX;
    for (unsigned i = 0; i < RUNS; i++) {
        const uint64_t begin = rt_tr_tsc_fenced();
        work(rounds);
        const uint64_t took = rt_tr_tsc_fenced() - begin;
        if (took < least) least = took;
    }
    return least;
}

static bool has_fma(void)
{
    unsigned a, b, c = 0, d;
    return __get_cpuid(1, &a, &b, &c, &d) && c & bit_FMA && c & bit_OSXSAVE;
}

struct ruler {
    uint64_t fences, additions; /* TSC cycles of nothing, and of the chain of additions */
};

/* Measure *out, which keeps its value where the measurement is more than three times off. */
static void take(const struct ruler *r, void (*work)(unsigned rounds), uint32_t *out)
{
    const unsigned rounds = *out > 8 * MILLI ? SHORT_ROUNDS : *out < MILLI ? LONG_ROUNDS : ROUNDS;
    const uint64_t took = shortest(work, rounds);
    if (took <= r->fences) return;
    const uint64_t millicycles = (took - r->fences) * MILLI * ADDITION_ROUNDS / rounds / r->additions;
    if (millicycles > *out / 3 && millicycles < *out * UINT64_C(3)) *out = (uint32_t)millicycles;
}

void rt_tr_times_measure(struct rt_tr_times *out)
{
    static void (*const chains[RT_TR_KIND_COUNT])(unsigned) = {
        [RT_TR_ADD_FP] = chain_add,
        [RT_TR_MUL_FP] = chain_mul,
        [RT_TR_FMA] = chain_fma,
        [RT_TR_DIV_SINGLE] = chain_div_single,
        [RT_TR_DIV_DOUBLE] = chain_div_double,
        [RT_TR_SQRT_SINGLE] = chain_sqrt_single,
        [RT_TR_SQRT_DOUBLE] = chain_sqrt_double,
        [RT_TR_CONVERT] = chain_convert,
        [RT_TR_MUL_INTEGER] = chain_mul_integer,
        [RT_TR_LOAD_L1] = chain_load,
    };
    static void (*const together[RT_TR_KIND_COUNT])(unsigned) = {
        [RT_TR_DIV_SINGLE] = together_div_single,
        [RT_TR_DIV_DOUBLE] = together_div_double,
        [RT_TR_SQRT_SINGLE] = together_sqrt_single,
        [RT_TR_SQRT_DOUBLE] = together_sqrt_double,
    };
    *out = usual;
    struct ruler r = {shortest(nothing, 0), shortest(chain_addition, ADDITION_ROUNDS)};
    if (r.additions <= r.fences) return;
    r.additions -= r.fences;
    for (int k = 0; k < RT_TR_KIND_COUNT; k++) {
        if (k == RT_TR_FMA && !has_fma()) continue;
        take(&r, chains[k], &out->latency[k]);
        if (together[k]) take(&r, together[k], &out->occupied[k]);
    }
    /* some processors add faster where the operand comes from another addition */
    uint32_t both = out->latency[RT_TR_ADD_FP] + out->latency[RT_TR_MUL_FP];
    out->sum_after_sum = out->latency[RT_TR_ADD_FP];
    take(&r, chain_add_and_mul, &both);
    if (both > out->latency[RT_TR_MUL_FP] + out->sum_after_sum)
        out->latency[RT_TR_ADD_FP] = both - out->latency[RT_TR_MUL_FP];
    rt_tr_core_measure(&out->core_cycle, &out->issue);
    if (out->core_cycle > MILLI) out->core_cycle = MILLI; /* the clock of a core that was idle may be low */
}
