/* SPDX-License-Identifier: BSD-3-Clause */
/* The lockstep of the translator: a function runs twice from the same state, in two forked children. One
 * executes it in bursts of translated code and notes the machine's state after each; the other single-steps
 * and compares its own state when as many instructions are done. */
#ifndef TR_SESSION_H
#define TR_SESSION_H

#include "runtime/translate/rt_translate.h"

#include <signal.h>
#include <stdint.h>
#include <ucontext.h>

/* Plans of bursts are drawn at random; each kind names the parts of a burst. */
enum tr_plan_kind {
    TR_PLAN_MIXED,
    TR_PLAN_SHORT, /* a few instructions in fast code */
    TR_PLAN_WHOLE, /* with all four parts */
};

struct tr_region {
    void *base;
    size_t len_bytes;
};

struct tr_case {
    const char *name;
    void (*run)(void *);
    void *arg;
    uint64_t seed;
    enum tr_plan_kind plans;
    struct tr_region memory[8]; /* compared, beside the stack of run and the heap */
    struct tr_region guarded;   /* whole pages of memory whose first access faults and is then allowed */
    bool continues_past_faults; /* skips instructions that fault; otherwise a fault fails the case */
};

struct tr_figures {
    uint64_t instructions, bursts, stepped; /* stepped: natively, between bursts */
    uint64_t faults, accesses, probes, paces, paces_discarded, lates, translated;
    uint64_t ends[RT_TR_END_COUNT];
};

/* Set up handlers and the translator; once. without: instructions that it does without, as in LOADSTONE_WITHOUT.
 * Returns NULL or why the test must be skipped. */
const char *tr_session_open(unsigned trace_most, bool map_twice, const char *without);
/* Run c both ways. 0: no difference; otherwise it was printed to stderr. Adds to *figures. */
int tr_session_compare(const struct tr_case *c, struct tr_figures *figures);
/* Code in [base, end) may be translated from now on, in addition to code that was mapped executable at
 * tr_session_open. */
void tr_session_add_code(uint64_t base, uint64_t end);
/* All code counts as generated from now on: it is compared whenever a block is entered. */
void tr_session_generate(void);

/* Prepare tests of single bursts: from now on each TR_TRIGGER of a thread that called tr_session_thread
 * begins a burst of *plan, and the program continues natively after it. on_fault: handler of the program, or
 * NULL. */
void tr_session_each(const struct rt_tr_plan *plan, void (*on_fault)(int, siginfo_t *, ucontext_t *));
/* Call before on the stack of the burst, before each of these bursts; NULL: nothing. */
void tr_session_before_each(void (*before)(void));
#define TR_TRIGGER() __asm__ volatile("int3" ::: "memory")
/* Return the translator of the calling thread, which the first call makes, and its last burst. */
struct rt_tr_thread *tr_session_thread(void);
/* Free the translator of the calling thread, which triggers no more bursts. */
void tr_session_end_thread(void);
const struct rt_tr_result *tr_session_result(void);
enum rt_tr_refused tr_session_refused(void);

#endif
