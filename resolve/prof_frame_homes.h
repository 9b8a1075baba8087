/* SPDX-License-Identifier: BSD-3-Clause */
/* Find the function whose frame holds an address on a thread's stack. A frame's canonical address (the first
 * byte above its return address) stays while the frame lives, so the frames at a burst's trigger, and the
 * calls and returns stepped since, show where each frame begins. */
#ifndef PROF_FRAME_HOMES_H
#define PROF_FRAME_HOMES_H

#include "common/ls_vector.h"
#include "symbols/sym_unwind.h"

/* The frame from cfa on belongs to the function that holds ip; 0: to an unknown one. */
struct prof_frame_edge {
    uint64_t cfa, ip;
};

/* Edges of one thread, outermost first. Zeroed: nothing is known. */
struct prof_frame_homes {
    LS_VECTOR(struct prof_frame_edge) edges;
};

/* Begin anew with the frames of a stack, innermost first.  Errors: LS_ERR_NOMEM. */
ls_err prof_frame_homes_begin(struct prof_frame_homes *h, const struct sym_frame *frames, size_t len);
void prof_frame_homes_fini(struct prof_frame_homes *h);

/* A call at ip pushed its return address at slot.  Errors: LS_ERR_NOMEM. */
ls_err prof_frame_homes_call(struct prof_frame_homes *h, uint64_t slot, uint64_t ip);
/* A return popped slot. Frames that a longjmp or an exception left go too. */
void prof_frame_homes_return(struct prof_frame_homes *h, uint64_t slot);

/* The ip of the function whose frame holds addr, when the instruction at ip accesses it; 0: not known. */
uint64_t prof_frame_homes_find(const struct prof_frame_homes *h, uint64_t addr, uint64_t ip);

#endif
