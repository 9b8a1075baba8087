/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of the step engine: single-stepped bursts, isolated instructions, timed loads.
 *
 * Thread: the owner of the object, or any. */
#ifndef RT_STEP_SIGSAFE_H
#define RT_STEP_SIGSAFE_H

#include "runtime/bursts/rt_burst_access_sigsafe.h"
#include "runtime/bursts/rt_burst_engine_sigsafe.h"

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

/* --- rt_step_burst_sigsafe.c: rt_step_method, one instruction a trap, until a reason to stop. --- */

/* By atomics: instructions stepped in place, by mnemonic. */
extern uint64_t rt_step_in_place[ZYDIS_MNEMONIC_MAX_VALUE + 1];

/* For the calling thread. is_new: own is zeroed; else it is as another thread left it. */
void rt_step_thread_open(struct rt_burst_thread *t, bool is_new);

/* --- rt_step_length_sigsafe.c: was a step as long as steps are here? --- */

/* INTERRUPTED: something else had the processor, even if the kernel does not know, as when a hypervisor took it.
 * LONG: perhaps, ask the kernel. */
enum rt_step_length { RT_STEP_USUAL, RT_STEP_LONG, RT_STEP_INTERRUPTED };

/* By atomics, all threads. Zeroed: the first step that is judged counts as a typical one. */
struct rt_step_lengths {
    uint64_t typical_cycles; /* TSC, from trap to trap: about half of the steps are longer; 0: not known */
};
extern struct rt_step_lengths rt_step_lengths; /* the steps of this process */

/* The trial's steps took so long. */
void rt_step_lengths_begin(struct rt_step_lengths *l, uint64_t took_cycles);
/* Judge a step by those before, and learn from it. */
enum rt_step_length rt_step_judge(struct rt_step_lengths *l, uint64_t took_cycles, uint64_t cycles_per_us);

/* --- rt_step_trial_sigsafe.c: do single steps work here? --- */

/* Step three instructions of ours: return whether the trap flag, set in a signal's context, raises SIGTRAP
 * after each, with the registers of the program. It does not where a translator of code or an emulator runs
 * it. Begins rt_step_lengths. SIGTRAP, its mask and the signal stack are as before afterwards. Call before the handlers of the engine
 * are installed, in one thread. */
bool rt_step_try(void);

/* --- rt_step_isolate_sigsafe.c: execute one instruction with nothing after it. ---
 *
 * A core that single-steps still issues the instructions after the stepped one before it takes the trap (seen
 * on AMD Zen 5: a load that follows a branch is in L1 before its own step). So the instruction is copied to a
 * slot that goes on with lfence and int3, runs there, and the context is put back; branches are computed here
 * instead. A division goes to a slot only when it cannot fault, a repeated string instruction one iteration
 * at a time. Where none of this is possible the instruction steps in place, and the loads after it are not
 * measured. */

enum { RT_STEP_SLOT_BYTES = 64, RT_STEP_SLOTS = 64 };

struct rt_step_slot {
    uint64_t ip;    /* address of the instruction in the program */
    uint64_t next;  /* where the program goes on after it */
    uint64_t saved; /* scratch register's own value; for a call, the return address */
    uint8_t flow, flow_code;
    uint8_t len_bytes; /* length of the code in the slot */
    uint8_t scratch;   /* RT_BURST_REG_NONE: none */
};

struct rt_step_slots {
    uint8_t *page; /* NULL: no isolation here */
    unsigned used; /* the slot of the current burst; signal frames may still return to earlier slots */
    bool pending;  /* a context points into the current slot */
    struct rt_step_slot slots[RT_STEP_SLOTS];
};

/* Returns 0 or an errno; without slots every instruction steps in place. */
int rt_step_slots_open(struct rt_step_slots *s);
void rt_step_slots_close(struct rt_step_slots *s);

enum rt_step_isolated { RT_STEP_IN_PLACE, RT_STEP_IN_SLOT, RT_STEP_DONE };

/* Prepare uc to execute p (at uc's ip) isolated. operand: address of its first memory operand, for indirect
 * branches. IN_SLOT: uc points to a slot, whose int3 raises SIGTRAP. DONE: a branch, executed; uc points to
 * its target. IN_PLACE: step it there. */
enum rt_step_isolated rt_step_isolate(struct rt_step_slots *s, const struct rt_burst_plan *p, ucontext_t *uc,
                                      uint64_t operand);

/* At the entry of every handler: move a context from a slot back to the program's code, before or after the
 * instruction. True: it was in one. */
bool rt_step_unslot(struct rt_step_slots *s, ucontext_t *uc);

/* The frame that waits for the current slot may come back later, or never: leave the slot to it. */
void rt_step_slots_abandon(struct rt_step_slots *s);

/* Does dividend / divisor fit a register of len_bytes? Otherwise, and when divisor is 0, the processor raises
 * #DE (Intel SDM vol. 2, DIV and IDIV). Both extended to their types, by their sign if is_signed. */
bool rt_step_quotient_fits(unsigned __int128 dividend, uint64_t divisor, unsigned len_bytes, bool is_signed);

/* Does a condition code of jcc hold under these flags? (Intel SDM vol. 1, appendix B) */
bool rt_step_condition_holds(unsigned code, uint64_t eflags);

/* --- rt_step_near_sigsafe.c: the cache lines that a burst touched lately. ---
 *
 * Natively another touch of such a line is an L1 hit. The kernel and the handlers that run between two stepped
 * instructions push it out. */

/* RECENT: touches after which a line may have left L1 again, the lines of the smallest usual one (32 KiB). */
enum { RT_STEP_LINE_BYTES = 64, RT_STEP_LINES_SLOTS = 4096, RT_STEP_LINES_RECENT = 512 };

struct rt_step_lines {
    uint32_t clock; /* touches so far */
    uint32_t begin; /* entries from before are empty */
    struct {
        uint64_t line;
        uint32_t touched; /* clock of the last touch; 0: never */
    } slots[RT_STEP_LINES_SLOTS];
};

/* Forget all lines. */
void rt_step_lines_clear(struct rt_step_lines *l);
/* Touch the lines of [addr, addr + size_bytes). True: all of them were touched not more than
 * RT_STEP_LINES_RECENT touches before. A full neighbourhood forgets: then false. */
bool rt_step_lines_touch(struct rt_step_lines *l, uint64_t addr, uint32_t size_bytes);

/* --- rt_step_probe_sigsafe.c: time one load of the program under the conditions it has natively. --- */

/* State of the burst so far, as needed to time a load. */
struct rt_step_probe {
    uint64_t control_line;   /* always in L1 */
    uint64_t control_cycles; /* sum over the controls of this burst */
    uint32_t control_len;
    struct rt_step_lines lines;
};

/* Forget the touches of the last burst. */
void rt_step_probe_begin(struct rt_step_probe *p);

/* Every access of a burst passes here in order. measure: time it if it is a load. Returns flags of
 * spool_access (LINE_SEEN, LATENCY_VALID, FAULTED, NO_PROBE; none of the last three when the probe was
 * preempted); *reading_cycles: the probe's reading, its own cost included, written with LATENCY_VALID. Needs
 * the fault handler of the engine. */
uint16_t rt_step_probe_access(struct rt_step_probe *p, const struct rt_burst_access *a, bool measure,
                              uint32_t *reading_cycles);

#endif
