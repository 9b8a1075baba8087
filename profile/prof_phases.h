/* SPDX-License-Identifier: BSD-3-Clause */
/* Phases nest: the innermost open one is what a process is in. */
#ifndef PROF_PHASES_H
#define PROF_PHASES_H

#include "common/ls_error.h"
#include "profile/prof_vector.h"

#include <stdint.h>

struct prof_run_state;

struct prof_open_phase {
    uint32_t id;
    const char *name; /* from the run's names: equal names are one pointer */
};
/* Zeroed is empty. */
struct prof_phase_stack {
    PROF_VECTOR(struct prof_open_phase) open;
};

/* A phase of one name inside one other is one row of /phases, however often it comes.  Errors: LS_ERR_NOMEM.
 */
ls_err prof_phase_begin(struct prof_phase_stack *s, struct prof_run_state *run, const char *name);
/* End the innermost open phase of that name and those inside it; without one nothing happens. */
void prof_phase_end(struct prof_phase_stack *s, const char *name);
/* Its id, UINT32_MAX outside of all. */
uint32_t prof_phase_now(const struct prof_phase_stack *s);
void prof_phase_fini(struct prof_phase_stack *s);

#endif
