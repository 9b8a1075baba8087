/* SPDX-License-Identifier: BSD-3-Clause */
/* Results in files: kept as HDF5, compared with the results of other machines, drawn. */
#ifndef RPL_FILES_H
#define RPL_FILES_H

#include "common/ls_error.h"

#include <stddef.h>

struct rpl_session;
struct vx_results;

/* The results of this machine first, if anything runs here, then those named by --with. */
struct rpl_machines {
    struct vx_results *rows;
    size_t len;
};

struct rpl_files {
    /* Look at all files before the work: a wrong name fails at once.
     * Owns: the caller ends out, which is all zero, with end, also after a failure. */
    ls_err (*begin)(const struct rpl_session *s, struct rpl_machines *out);
    /* Write, draw and compare the results of s. */
    ls_err (*publish)(const struct rpl_session *s, struct rpl_machines *m);
    void (*end)(struct rpl_machines *m);
    /* Write r to path.  Errors: as vx_results_write. */
    ls_err (*keep)(const struct vx_results *r, const char *path);
    void (*drop)(struct vx_results *r);
};

/* NULL in the light program, whose calls name no such file. */
extern const struct rpl_files *const rpl_files;

#endif
