/* SPDX-License-Identifier: BSD-3-Clause */
/* The loaded object that an instruction of a profile was of. Addresses alone do not tell: processes have the
 * same ones, and what is loaded after dlclose may lie where another object was. There the profile's lines
 * tell, which have a row for each of them. */
#ifndef PAT_RUN_MODULES_H
#define PAT_RUN_MODULES_H

#include "patterns/pat_access.h"
#include "profile/prof_reader.h"

/* All zero: empty. */
struct pat_run_modules {
    const struct prof_module *modules;
    const struct prof_line *lines;
    size_t len, lines_len;
    struct pat_run_module *rows; /* of each module */
    size_t last;
};

struct pat_run_place {
    uint64_t ip, time_ns;
    uint32_t process;
};

/* Owns:   p stays open as long as m is used; the caller ends m with pat_run_modules_fini.
 * Errors: LS_ERR_NOMEM. */
ls_err pat_run_modules_init(struct pat_run_modules *m, const prof_profile *p);
void pat_run_modules_fini(struct pat_run_modules *m);

/* The row of a place's module in t, made when it is asked for first; PAT_NONE where no module was.
 * Errors: LS_ERR_NOMEM, LS_ERR_RANGE (the table is full). */
ls_err pat_run_modules_row(struct pat_run_modules *m, const struct pat_run_place *at, struct pat_tables *t,
                           uint32_t *out);

#endif
