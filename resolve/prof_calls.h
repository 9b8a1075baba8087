/* SPDX-License-Identifier: BSD-3-Clause */
/* Call stacks while a process image is replayed: the path of each burst, and the function whose stack frame
 * an access touched. */
#ifndef PROF_CALLS_H
#define PROF_CALLS_H

#include "common/ls_vector.h"
#include "resolve/prof_frames.h"
#include "resolve/prof_functions.h"
#include "resolve/prof_modules.h"
#include "resolve/prof_space.h"
#include "resolve/prof_types.h"
#include "run_h5/prof_tree.h"
#include "spool/spool_format.h"
#include "symbols/sym_unwind.h"

/* --- frames of a stack ---
 *
 * Find the function whose frame holds an address on a thread's stack. A frame's canonical address (the first
 * byte above its return address) stays while the frame lives, so the frames at a burst's trigger, and the
 * calls and returns stepped since, show where each frame begins. */

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
/* The canonical address of the frame that holds addr, 0: not known. */
uint64_t prof_frame_homes_cfa(const struct prof_frame_homes *h, uint64_t addr);

typedef struct prof_calls prof_calls;

/* All borrowed. */
struct prof_calls_context {
    const struct prof_modules *modules;
    sym_session *session;
    prof_jit *jit;
    prof_names *names;
    prof_tree *tree;
    const prof_space *space;
    struct prof_frames *frames;
    struct prof_typing *typing; /* NULL: types are not wanted */
    uint32_t process;
};

/* Errors: LS_ERR_NOMEM. */
ls_err prof_calls_new(const struct prof_calls_context *context, prof_calls **out);
void prof_calls_free(prof_calls *c);

/* State of one thread. Initially all zero but for home. */
struct prof_calls_thread {
    uint32_t home; /* node of its stack, PROF_NO_NODE when not known */
    struct prof_frame_homes frames;
};

/* A burst of t begins with this stack. *out_path: row of /frames, PROF_NO_FRAME when none was asked for.
 * Errors: LS_ERR_NOMEM. */
ls_err prof_calls_begin(prof_calls *c, struct prof_calls_thread *t, const struct spool_stack *stack,
                        uint32_t *out_path);
/* Intern a call stack given as addresses, innermost first: an instruction (is_exact; else the address after
 * it), then return addresses. *out_path as above.  Errors: LS_ERR_NOMEM. */
ls_err prof_calls_chain(prof_calls *c, const uint64_t *ips, size_t len, bool is_exact, uint32_t *out_path);
/* Intern the call stack of a burst that began at ip, with these callers. *out_path as above.  Errors: LS_ERR_NOMEM. */
ls_err prof_calls_callers(prof_calls *c, uint64_t ip, const struct spool_chain *callers, uint32_t *out_path);
/* Follow an access of t to its target: the node becomes the frame's home where that is known, and the frame the origin of
 * its type.  Errors: LS_ERR_NOMEM. */
ls_err prof_calls_access(prof_calls *c, struct prof_calls_thread *t, const struct spool_access *a,
                         struct prof_target *target);
/* Begin a burst without a stack record: nothing is known. */
void prof_calls_forget(struct prof_calls_thread *t);

#endif
