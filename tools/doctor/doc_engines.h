/* SPDX-License-Identifier: BSD-3-Clause */
/* The sampling engines as doctor tells them: which work here, found by trying, what each gives, and what is
 * missing. */
#ifndef DOC_ENGINES_H
#define DOC_ENGINES_H

#include "machine/mach_capability.h"

#include <stdbool.h>

enum doc_engine_id { DOC_HW, DOC_STEP, DOC_FAULTS, DOC_WATCH, DOC_ENGINES };

struct doc_engine {
    const char *name;
    const char *gives; /* what a profile has from it */
    bool works;
    int error;        /* errno of the call that failed, 0 none */
    char detail[768]; /* what was found */
    char
        remedy[320]; /* the step that enables it, or where it works makes it better; "" where nothing helps */
};

/* The engines best first, then what record --watch needs. can: what was tried for the step engine;
 * has_preload: the runtime was found. */
void doc_engines_try(const struct mach_capability *can, bool has_preload, struct doc_engine out[DOC_ENGINES]);

#endif
