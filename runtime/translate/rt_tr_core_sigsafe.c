/* SPDX-License-Identifier: BSD-3-Clause */
/* How fast the core is at this moment: it depends on its clock, and on other programs on the same core. Both are
 * measured at the ends of bursts. The vector registers keep the program's values while this runs. */
#include "runtime/translate/rt_tr_run.h"

enum { RUNS = 2, ROUNDS = 64, FEW_ROUNDS = 8, UNROLLED = 16, MILLI = 1000 };

/* Each addition needs the one before, and takes one cycle of the core on all processors. */
static uint64_t time_of_chain(unsigned rounds)
{
    uint64_t x = 1;
    const uint64_t begin = rt_tr_tsc_fenced();
    __asm__ volatile("1: .rept 16\n\tadd %[x], %[x]\n\t.endr\n\tsub $1, %[rounds]\n\tjnz 1b"
                     : [rounds] "+r"(rounds), [x] "+r"(x)::"cc");
    return rt_tr_tsc_fenced() - begin;
}

/* As many simple instructions in seven chains. */
static uint64_t time_of_simple(unsigned rounds)
{
    uint64_t a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0;
    const uint64_t begin = rt_tr_tsc_fenced();
    __asm__ volatile("1: .rept 2\n\tadd $1, %[a]\n\tlea 3(%[b]), %[b]\n\tadd $1, %[c]\n\txor $5, %[d]\n\t"
                     "add $1, %[e]\n\tlea 7(%[f]), %[f]\n\tadd $1, %[g]\n\tnop\n\t.endr\n\t"
                     "sub $1, %[rounds]\n\tjnz 1b"
                     : [rounds] "+r"(rounds), [a] "+r"(a), [b] "+r"(b), [c] "+r"(c), [d] "+r"(d), [e] "+r"(e),
                       [f] "+r"(f), [g] "+r"(g)::"cc");
    return rt_tr_tsc_fenced() - begin;
}

/* TSC cycles of a thousand instructions; the shortest runs count, because something else may have the processor in one. */
static uint64_t time_of_thousand(uint64_t (*time_of)(unsigned))
{
    uint64_t all = UINT64_MAX, few = UINT64_MAX;
    for (unsigned i = 0; i < RUNS; i++) {
        const uint64_t f = time_of(FEW_ROUNDS), a = time_of(ROUNDS);
        few = f < few ? f : few;
        all = a < all ? a : all;
    }
    return all > few ? (all - few) * MILLI / ((ROUNDS - FEW_ROUNDS) * UNROLLED) : 0;
}

bool rt_tr_core_measure(uint32_t *core_cycle, uint32_t *issue)
{
    enum { CYCLE_LEAST = 100, CYCLE_MOST = 4000, ISSUE_LEAST = 80, ISSUE_MOST = 2000 };
    const uint64_t chain = time_of_thousand(time_of_chain), simple = time_of_thousand(time_of_simple);
    if (chain < CYCLE_LEAST || chain > CYCLE_MOST) return false;
    const uint64_t each = simple * MILLI / chain;
    if (each < ISSUE_LEAST || each > ISSUE_MOST) return false;
    *core_cycle = (uint32_t)chain;
    *issue = (uint32_t)each;
    return true;
}
