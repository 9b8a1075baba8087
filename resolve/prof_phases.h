/* SPDX-License-Identifier: BSD-3-Clause */
/* Phases of a program. They belong to the thread that begins them and nest there. A thread without an open
 * phase is in the main thread's, and a phase it begins then is inside that one: the workers of a parallel
 * loop are in the phase of their master. */
#ifndef PROF_PHASES_H
#define PROF_PHASES_H

#include "common/ls_error.h"
#include "common/ls_index.h"
#include "common/ls_vector.h"
#include "run_h5/prof_schema.h"

#include <stdbool.h>
#include <stdint.h>

#define PROF_NO_PHASE UINT32_MAX
/* A phase nested deeper than this is counted as the one around it: such a program forgot to end phases. */
enum { PROF_PHASE_DEPTH_MAX = 64 };

/* The phases of all processes of a run. Zeroed is empty. */
struct prof_phase_tables {
    LS_VECTOR(struct prof_phase) phases;
    struct ls_index ids; /* rows of phases by parent and name */
    LS_VECTOR(struct prof_phase_span) spans;
    uint64_t hidden; /* nested too deep */
};

struct prof_open_phase {
    uint32_t id;
    uint32_t span;    /* row of /phase_spans, UINT32_MAX: too deep for one */
    const char *name; /* from the run's names: equal names are one pointer */
};
/* Zeroed is empty. */
struct prof_phase_stack {
    LS_VECTOR(struct prof_open_phase) open;
};

/* When and where; time_ns since the start of the run. */
struct prof_phase_point {
    uint32_t thread;
    uint64_t time_ns;
};

/* A phase of one name inside one other is one row of /phases, however often it comes. around: the phase that
 * holds where s is empty. Errors: LS_ERR_NOMEM. */
ls_err prof_phase_begin(struct prof_phase_stack *s, struct prof_phase_tables *t, const char *name,
                        uint32_t around, struct prof_phase_point at);
/* End the innermost open phase of that name and those inside it. False: there is none, nothing happens. */
bool prof_phase_end(struct prof_phase_stack *s, struct prof_phase_tables *t, const char *name,
                    uint64_t time_ns);
/* End all phases of a thread that ends.  Returns how many were open. */
size_t prof_phase_end_all(struct prof_phase_stack *s, struct prof_phase_tables *t, uint64_t time_ns);
/* Continue the phases of `from` in a fork child: open in `to` from now on.  Errors: LS_ERR_NOMEM. */
ls_err prof_phase_copy(const struct prof_phase_stack *from, struct prof_phase_stack *to,
                       struct prof_phase_tables *t, struct prof_phase_point at);
/* The id of the innermost one, PROF_NO_PHASE when empty. */
uint32_t prof_phase_now(const struct prof_phase_stack *s);
void prof_phase_fini(struct prof_phase_stack *s);
void prof_phase_tables_fini(struct prof_phase_tables *t);

#endif
