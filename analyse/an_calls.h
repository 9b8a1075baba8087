/* SPDX-License-Identifier: BSD-3-Clause */
/* Call tree: the call stacks of all bursts as one tree of functions, inlined ones included. Stacks that
 * differ only in the place of a call share their rows. */
#ifndef AN_CALLS_H
#define AN_CALLS_H

#include "analyse/an_tables.h"
#include "common/ls_error.h"

/* Down: from main to the function that was interrupted. Up: from that function to its callers. */
enum an_call_order { AN_CALLS_DOWN, AN_CALLS_UP };

struct an_call {
    uint32_t parent;               /* row before this one; UINT32_MAX at the top */
    const char *function, *module; /* module "" where there is none */
};

struct an_call_tree {
    struct an_call *rows;
    uint32_t len;
    uint32_t *call_of_burst; /* last row of its stack; UINT32_MAX: no stack */
};

/* From frames, inlines, lines and bursts of t.
 * Owns:   the caller ends out with an_calls_fini, also after a failure; texts are borrowed from t.
 * Errors: LS_ERR_NOMEM. */
ls_err an_calls_init(struct an_call_tree *out, const struct an_tables *t, enum an_call_order order);
/* Owns:   frees the contents of c. */
void an_calls_fini(struct an_call_tree *c);

#endif
