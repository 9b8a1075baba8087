/* SPDX-License-Identifier: BSD-3-Clause */
/* The core of the translate engine: inside a signal handler, execute the next instructions of the interrupted
 * program from translated copies, at nearly native pace, and return further ahead.
 *
 * Order of calls: rt_tr_open once a process, rt_tr_thread_new once a thread. In the handler of a trigger:
 * rt_tr_on_own_stack, which moves the signal frame to private memory; in the function that it calls:
 * rt_tr_burst, once or several times. The handler of SIGSEGV, SIGBUS, SIGFPE and SIGILL calls rt_tr_fault
 * first. A hook of munmap, mprotect, dlclose and MAP_FIXED calls rt_tr_invalidate after the mapping changed.
 *
 * States of a burst. Each part begins where the one before it ended, at the border of a block.
 *
 * | part   | code           | lasts until                                  | records                    |
 * |--------|----------------|----------------------------------------------|----------------------------|
 * | warm   | fast           | plan.warm_instructions                       | nothing                    |
 * | settle | fast           | plan.settle_instructions, or plan.pace_us;   | nothing                    |
 * |        |                | 500 more after each translation              |                            |
 * | pace   | fast           | plan.pace_instructions, or plan.pace_us      | cycles and instructions of |
 * |        |                |                                              | one window; returns to the |
 * |        |                |                                              | dispatcher are left out    |
 * | list   | slow           | plan.accesses, or 2,048 instructions         | each access                |
 * | probe  | slow at probes | plan.probes                                  | latency, drain, address    |
 * | late   | fast           | plan.late_tsc, then as pace; left out where  | cycles and instructions of |
 * |        |                | there is no pace                             | a second window            |
 *
 * Ends of a burst (enum rt_tr_end): the instruction at result.end_ip is the next one that the program
 * executes, the registers of the ucontext are those before it.
 *
 * | reason       | cause                                                                                   |
 * |--------------|-----------------------------------------------------------------------------------------|
 * | DONE         | all parts but the last are over                                                         |
 * | INSTRUCTIONS | plan.instructions_max, before the last part                                             |
 * | SYSCALL      | syscall, sysenter, int                                                                  |
 * | UNSUPPORTED  | an instruction that is not translated (popf, far branches, segment registers, ...)      |
 * | GS           | an operand in the segment GS                                                            |
 * | UNDECODABLE  | unknown to the decoder, or its bytes cannot be read                                     |
 * | CODE         | options.may_translate refused the code, or it is about to open a restartable sequence   |
 * | REACH        | no memory for translations within reach of the code, or an operand out of reach         |
 * | FULL         | the cache is full; it is dropped when no thread is in a burst                           |
 * | LOCKED       | another thread translates                                                               |
 * | TRANSLATIONS | plan.translations_max                                                                   |
 * | FAULT        | the instruction faulted; it will fault again in the program itself                      |
 *
 * All registers are exact, with one exception: see result.flags_dead. */
#ifndef RT_TRANSLATE_H
#define RT_TRANSLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

enum { RT_TR_ACCESSES_MAX = 256, RT_TR_PROBES_MAX = 128 };

enum rt_tr_end {
    RT_TR_END_NONE,
    RT_TR_END_DONE,
    RT_TR_END_INSTRUCTIONS,
    RT_TR_END_SYSCALL,
    RT_TR_END_UNSUPPORTED,
    RT_TR_END_GS,
    RT_TR_END_UNDECODABLE,
    RT_TR_END_CODE,
    RT_TR_END_REACH,
    RT_TR_END_FULL,
    RT_TR_END_LOCKED,
    RT_TR_END_TRANSLATIONS,
    RT_TR_END_FAULT,
    RT_TR_END_COUNT
};

/* Why nothing was executed. */
enum rt_tr_refused {
    RT_TR_ACCEPTED,
    RT_TR_NO_GS,        /* the GS base cannot be set: no FSGSBASE, and no arch_prctl either */
    RT_TR_NO_XSAVE,     /* or no lahf */
    RT_TR_SHADOW_STACK, /* calls would not match it */
    RT_TR_NO_MEMORY,    /* mmap, or MADV_WIPEONFORK, which keeps a fork from sharing the cache */
    RT_TR_NO_ARENA,     /* no executable memory that can be written, also not mapped twice */
    RT_TR_NOT_OPEN,     /* rt_tr_open did not succeed */
    RT_TR_BUSY,         /* a burst of this thread is running: a trigger came inside of it */
    RT_TR_FRAME,        /* the signal frame holds no extended state, or more than there is room for */
    RT_TR_GS_IN_USE,    /* the program has a GS base */
    RT_TR_FLAGS,        /* trap, nested-task or alignment-check flag set */
    RT_TR_DROPPING,     /* the cache waits for the last burst, to be dropped */
    RT_TR_REFUSED_COUNT
};

struct rt_burst_zydis;

struct rt_tr_range {
    uint64_t base, end;
};

struct rt_tr_options {
    const struct rt_burst_zydis *zydis; /* borrowed until the end of the process */
    struct rt_tr_range quiet; /* code that is executed, but whose accesses are neither listed nor timed */
    /* May the instruction at ip be translated? RT_TR_END_NONE: yes, and *end becomes the end of the code
     * around ip for which that holds, at most to the end of the mapping; *is_generated: the program may change it
     * without a call of rt_tr_invalidate. Otherwise the reason with which the burst ends. Called in the handler, on
     * the stack of the thread. */
    enum rt_tr_end (*may_translate)(void *arg, uint64_t ip, uint64_t *end, bool *is_generated);
    void *may_translate_arg;
    unsigned trace_most; /* instructions in a block; 0: the default. 1 ends bursts anywhere */
    bool map_twice;      /* behave as where memory is not writable and executable at once */
    /* Use these instructions, which the processor has and the kernel allows; false: do without. */
    bool has_fsgsbase, has_rdtscp, has_bmi2;
};

struct rt_tr_plan {
    uint32_t warm_instructions;
    uint32_t settle_instructions; /* between the warm-up and the pace window */
    uint32_t pace_instructions;   /* the window may be a fifth longer; 0: no pace window */
    uint32_t pace_us;             /* the two parts above end after this time each */
    uint32_t tsc_per_us;          /* 0: pace_us is not looked at */
    uint64_t late_tsc;            /* when the pace is measured again, after all samples; 0: it is not */
    uint32_t accesses;            /* <= RT_TR_ACCESSES_MAX */
    uint32_t probes;              /* <= RT_TR_PROBES_MAX */
    uint32_t probe_loads;         /* mean distance of probes in loads; 0: 64 */
    uint32_t cold_share;          /* new code: by this are the three numbers above divided; 0: they stay */
    uint64_t instructions_max; /* before the last part; 0: no limit; the burst ends within one block of it */
    uint32_t translations_max; /* blocks that the burst may translate; 0: no limit */
    const struct rt_tr_range *never_probe; /* borrowed during the burst */
    uint32_t never_probe_len;
    uint64_t random; /* seed */
};

enum {
    RT_TR_LOAD = 1,
    RT_TR_STORE = 2,
    RT_TR_PREFETCH = 4,
    RT_TR_LOCKED = 8,
    RT_TR_CALL = 16,
    RT_TR_RETURN = 32
};

struct rt_tr_access {
    uint64_t ip, addr;
    uint32_t position; /* instructions since the burst began */
    uint16_t size_bytes, lane;
    uint8_t does; /* RT_TR_LOAD | ...: a load that is stored back to is one access */
};

enum rt_tr_probe_state { RT_TR_PROBE_NONE, RT_TR_PROBE_TIMED, RT_TR_PROBE_FAULTED, RT_TR_PROBE_NEVER };

struct rt_tr_probe {
    uint64_t ip, addr;
    uint32_t position;
    uint32_t cycles;       /* TSC; cost of the probe included: subtract the mean of the control */
    uint32_t drain_cycles; /* until all older instructions were done */
    uint16_t size_bytes;
    uint8_t state; /* enum rt_tr_probe_state */
};

/* The window consists of stretches between two returns to the dispatcher, each fenced at both ends. Cycles include the
 * checks of the counter and the look-ups of indirect branches: a few per cent in loops of up to 48 instructions, which
 * are unrolled, about twice the program's own in code of short blocks, three to four times in chains of small functions
 * and in interpreters. */
struct rt_tr_pace {
    uint64_t cycles, instructions; /* TSC; 0 instructions: no window is valid */
    uint64_t low, high;            /* code of the block in which the window began */
    uint32_t overhead_cycles;      /* cost of entering and leaving, of all stretches, not subtracted */
    uint32_t discarded; /* stretches that a signal interrupted, and windows in which another thread ran */
    /* of an instruction: core cycles with all data in L1, where the window lies in a loop that is one block; 0: not
     * known */
    uint32_t least_millicycles;
    uint32_t
        slots_permille; /* in such a loop: slots of the core that a thousand instructions take with the checks */
    /* No instruction of the loop has a reason but waiting for data to take longer, and all later accesses of the burst
     * are the loop's. */
    bool rest_waits;
};

/* The pace once more, long after the trigger. */
struct rt_tr_late {
    uint64_t cycles, instructions; /* as of a pace, but without the cost of entering and leaving */
    uint16_t core_millicycles; /* TSC cycles of a thousand cycles of the core afterwards; 0: not measured */
    bool is_near;              /* it began in the same code, within 4096 bytes */
};

struct rt_tr_result {
    enum rt_tr_end end;
    uint64_t begin_ip, end_ip;
    uint64_t instructions; /* executed; a repeated string instruction counts once */
    uint64_t work;         /* the same, but one for each 64 bytes that it goes through: positions count so */
    uint64_t sampled_work, sampled_tsc; /* at the end of the last part but one */
    uint64_t translate_cycles;
    uint64_t repeated_cycles,
        repeated_work;      /* TSC of string instructions that went through many lines; their work */
    uint32_t translated;    /* blocks, in this burst */
    uint32_t dispatches;    /* returns to the dispatcher */
    uint32_t links, misses; /* branches that were linked, indirect branches that were not in the table */
    uint32_t unlisted;      /* accesses of the list that were not recorded: the lock was taken */
    uint32_t control_cycles, control_len; /* sum, number of probes of a line in L1 */
    bool flags_dead; /* LOCKED, FULL or TRANSLATIONS came where the program's flags were lost, because the
                      * code ahead overwrites them before anything can see them: by instructions on general
                      * registers alone */
    struct rt_tr_pace pace;
    struct rt_tr_late late;
    uint32_t probe_loads; /* mean distance that applied */
    uint32_t access_count, probe_count;
    struct rt_tr_access accesses[RT_TR_ACCESSES_MAX];
    struct rt_tr_probe probes[RT_TR_PROBES_MAX];
};

struct rt_tr_thread;

/* Set up the process. Call once, before any burst; not in a handler. */
enum rt_tr_refused rt_tr_open(const struct rt_tr_options *options);
/* NULL: no memory. Under 64 KiB. Not in a handler. */
struct rt_tr_thread *rt_tr_thread_new(void);
void rt_tr_thread_free(struct rt_tr_thread *t);

/* Copy the signal frame of uc, run work(t, the copy, arg) on the stack of t, and return from the signal by
 * that copy: does not return when it accepts, because the program's stack may grow over the frame and over
 * the stack of the handler. work must not end otherwise than by returning.  Signal: safe. */
enum rt_tr_refused rt_tr_on_own_stack(struct rt_tr_thread *t, const ucontext_t *uc,
                                      void (*work)(struct rt_tr_thread *, ucontext_t *, void *), void *arg);

/* Execute the program's next instructions, beginning at the state of uc, which must be the copy. uc becomes
 * the state at the end. All signals but SIGSEGV, SIGBUS, SIGFPE and SIGILL must be blocked, and SIGTRAP
 * where its handler calls rt_tr_interrupted. Changes nothing when it refuses. Touches neither errno nor any memory of the program but by the program's own instructions.
 * Thread: the owner of t.  Signal: safe. */
enum rt_tr_refused rt_tr_burst(struct rt_tr_thread *t, ucontext_t *uc, const struct rt_tr_plan *plan,
                               struct rt_tr_result *result);

struct rt_tr_burst_time {
    uint64_t burst_ns;         /* CPU time of the burst */
    uint64_t pace_millicycles; /* TSC, of an instruction, in this burst or an earlier one; 0: not known */
    uint32_t tsc_per_us;       /* 0: not known */
};

/* Estimate the CPU time that the program itself would have needed for the instructions of the burst: by its
 * pace, long string instructions by their own time. Recording took the rest, and at least its known parts.  Signal: safe. */
uint64_t rt_tr_program_ns(const struct rt_tr_result *r, const struct rt_tr_burst_time *time);

/* A fault of this thread, uc as the kernel gave it. True: it belongs to the burst, uc was changed, return
 * from the handler. t may be NULL.  Signal: safe. */
bool rt_tr_fault(struct rt_tr_thread *t, ucontext_t *uc);
/* A signal after the page at addr was faulted in, or at no address (0), came in a burst of this thread: a time
 * that it disturbed is dropped, which may change uc. Return the program's instruction at which it came, or 0
 * where that is the runtime's own code.  Signal: safe. */
uint64_t rt_tr_interrupted(struct rt_tr_thread *t, uint64_t addr, ucontext_t *uc);
/* Does a burst of t run? A signal that some process sent, and that is not blocked, must then wait until the
 * burst is over. */
bool rt_tr_is_running(const struct rt_tr_thread *t);

/* Note that the code in [base, base + len_bytes) has changed. No burst that begins later uses its old
 * translations.  Thread: any.  Signal: safe. */
void rt_tr_invalidate(uint64_t base, uint64_t len_bytes);

/* Return how many threads are in bursts. Where none begins for a moment, 0 means that none runs.
 * Thread: any.  Signal: safe. */
uint32_t rt_tr_active(void);

/* Return the bytes that the cache of the process uses, and how many of them are code. */
void rt_tr_memory(uint64_t *all_bytes, uint64_t *code_bytes);

const char *rt_tr_end_name(enum rt_tr_end end);
const char *rt_tr_refused_text(enum rt_tr_refused refused);

#endif
