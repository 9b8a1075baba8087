/* SPDX-License-Identifier: BSD-3-Clause */
/* The steps of fields that are resolved in time: the phases at the top of a process, each time one was
 * entered, or equal slices of the run.
 *
 * Thread: one at a time for one object, any number may read it. */
#ifndef PROF_STEPS_H
#define PROF_STEPS_H

#include "common/ls_error.h"
#include "run_h5/prof_reader.h"

#include <stddef.h>
#include <stdint.h>

#define PROF_NO_STEP UINT32_MAX
enum { PROF_STEPS_MAX = 200 };

struct prof_step {
    uint64_t begin_ns, end_ns;
    char *label;
};
struct prof_steps {
    struct prof_step *rows; /* in the order of time, none overlaps the next one */
    uint32_t len;           /* 0: not resolved in time */
};

struct prof_step_source {
    const struct prof_phase *phases;
    const struct prof_phase_span *spans;
    size_t phases_len, spans_len;
    const struct prof_thread *threads;
    uint32_t process;
    uint32_t slices;      /* that many equal parts of the run; 0: by phase */
    uint64_t duration_ns; /* duration of the run */
};
/* Make at most max steps: if there are more spans, adjacent ones are joined. Fewer than two steps give none:
 * they would equal the whole run. If several threads of a process have phases, the first thread's are used.
 * Owns:   the caller ends out with prof_steps_fini.  Errors: LS_ERR_NOMEM. */
ls_err prof_steps_init(struct prof_steps *out, const struct prof_step_source *from, uint32_t max);
void prof_steps_fini(struct prof_steps *s);
/* The step at a time, PROF_NO_STEP: between them. */
uint32_t prof_steps_find(const struct prof_steps *s, uint64_t time_ns);

#endif
