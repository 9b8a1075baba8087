/* SPDX-License-Identifier: BSD-3-Clause */
/* Convert a STACK record to the frames of its thread, and to the call path that run.h5 keeps. */
#ifndef PROF_STACKS_H
#define PROF_STACKS_H

#include "resolve/prof_frames.h"
#include "resolve/prof_functions.h"
#include "spool/spool_format.h"
#include "symbols/sym_unwind.h"

/* Innermost first. */
struct prof_stack {
    struct sym_frame frames[PROF_PATH_FRAMES_MAX];
    size_t len;
    bool is_whole; /* the outermost frame is the thread's first */
};

typedef struct prof_stacks prof_stacks;

/* session and functions are borrowed.  Errors: LS_ERR_NOMEM. */
ls_err prof_stacks_new(sym_session *session, prof_functions *functions, prof_stacks **out);
void prof_stacks_free(prof_stacks *s);

/* Unwind by the copied bytes and the files' unwind tables first; beyond these bytes, along the frame
 * pointers. code distinguishes return addresses from other words. Never fails: there is one frame at
 * least. */
void prof_stacks_unwind(prof_stacks *s, const struct spool_stack *rec, const struct sym_code *code,
                        struct prof_stack *out);

/* The path as /frames has it, without the frames of the runtime and, outside of main or of a thread's
 * function, without the frames of the C library's start; an outermost ip 0 means that the stack continues.
 * Returns its length. */
size_t prof_stacks_path(prof_stacks *s, const struct prof_stack *stack, uint64_t ips[PROF_PATH_FRAMES_MAX]);

#endif
