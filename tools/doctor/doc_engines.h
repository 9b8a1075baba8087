/* SPDX-License-Identifier: BSD-3-Clause */
/* Try the sampling engines for doctor: which of them work here, the data of each, and missing parts. */
#ifndef DOC_ENGINES_H
#define DOC_ENGINES_H

#include "machine/mach_capability.h"

#include <stdbool.h>

enum doc_engine_id { DOC_HW, DOC_TRANSLATE, DOC_STEP, DOC_FAULTS, DOC_WATCH, DOC_ENGINES };

struct doc_engine {
    const char *name;
    const char *gives; /* data that it adds to a profile */
    bool works;
    int error;        /* errno of the call that failed, 0 none */
    char detail[768]; /* findings */
    char remedy[320]; /* the step that enables or improves it; "": no such step */
};

/* Try the engines, best first, then the needs of record --watch. can: results for the engines translate and step;
 * has_preload: the runtime was found. */
void doc_engines_try(const struct mach_capability *can, bool has_preload, struct doc_engine out[DOC_ENGINES]);

/* Try one of the engines that sample an event of the kernel: DOC_FAULTS or DOC_WATCH. */
void doc_engine_try_event(enum doc_engine_id which, struct doc_engine *out);

#endif
