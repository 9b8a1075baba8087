/* SPDX-License-Identifier: BSD-3-Clause */
/* Executing one instruction with nothing behind it. A core that single-steps still issues the instructions
 * after the stepped one before it takes the trap (seen on AMD Zen 5: a load that follows a branch is in L1
 * before its own step). So the instruction is copied to a slot that goes on with lfence and int3, runs there,
 * and the context is put back; branches are computed here instead. A division goes to a slot only when it
 * cannot fault, a repeated string instruction one iteration at a time. Where none of this is possible the
 * instruction steps in place, and the loads behind it are not measured. */
#ifndef RT_STEP_ISOLATE_SIGSAFE_H
#define RT_STEP_ISOLATE_SIGSAFE_H

#include "runtime/bursts/rt_burst_decode_sigsafe.h"

#include <ucontext.h>

enum { RT_STEP_SLOT_BYTES = 64, RT_STEP_SLOTS = 64 };

struct rt_step_slot {
    uint64_t ip;    /* of the instruction in the program */
    uint64_t next;  /* where the program goes on after it */
    uint64_t saved; /* scratch register's own value; of a call: the return address */
    uint8_t flow, flow_code;
    uint8_t len_bytes; /* of the code in the slot */
    uint8_t scratch;   /* RT_BURST_REG_NONE: none */
};

struct rt_step_slots {
    uint8_t *page; /* NULL: no isolation here */
    unsigned used; /* the slot of the current burst; those before may still be waited for by signal frames */
    bool pending;  /* a context points into the current slot */
    struct rt_step_slot slots[RT_STEP_SLOTS];
};

/* Returns 0 or an errno; without slots every instruction steps in place. */
int rt_step_slots_open(struct rt_step_slots *s);
void rt_step_slots_close(struct rt_step_slots *s);

enum rt_step_isolated { RT_STEP_IN_PLACE, RT_STEP_IN_SLOT, RT_STEP_DONE };

/* Prepare uc to execute p (at uc's ip) isolated. operand: address of its first memory operand, for indirect
 * branches. IN_SLOT: uc points to a slot, whose int3 raises SIGTRAP. DONE: a branch, executed; uc stands at
 * its target. IN_PLACE: step it there. Thread: the owner of s.  Signal: safe. */
enum rt_step_isolated rt_step_isolate(struct rt_step_slots *s, const struct rt_burst_plan *p, ucontext_t *uc,
                                      uint64_t operand);

/* At the entry of every handler: a context in a slot goes back to the program's code, before or after the
 * instruction. True: it was in one. */
bool rt_step_unslot(struct rt_step_slots *s, ucontext_t *uc);

/* The frame that waits for the current slot may come back later, or never: leave the slot to it. */
void rt_step_slots_abandon(struct rt_step_slots *s);

/* Does dividend / divisor fit a register of len_bytes? Otherwise, and when divisor is 0, the processor raises
 * #DE (Intel SDM vol. 2, DIV and IDIV). Both extended to their types, by their sign if is_signed. */
bool rt_step_quotient_fits(unsigned __int128 dividend, uint64_t divisor, unsigned len_bytes, bool is_signed);

/* Does a condition code of jcc hold under these flags? (Intel SDM vol. 1, appendix B) */
bool rt_step_condition_holds(unsigned code, uint64_t eflags);

#endif
