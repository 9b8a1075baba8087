/* SPDX-License-Identifier: BSD-3-Clause */
/* The ELF files that one process image mapped: finds the file of an address, and the address in that file's
 * own view. */
#ifndef PROF_MODULES_H
#define PROF_MODULES_H

#include "common/ls_error.h"
#include "resolve/prof_survey.h"
#include "run_h5/prof_schema.h"
#include "run_h5/prof_names.h"
#include "symbols/sym_files.h"
#include "symbols/sym_unwind.h"

#include <stdbool.h>
#include <stdint.h>

/* One loaded copy. */
struct prof_loaded {
    const char *path; /* from names */
    uint64_t base, end;
    uint64_t bias; /* address minus linked address */
    bool has_bias; /* false: the file could not be read, or is another one now */
    sym_file *file;
    uint64_t born_ns, died_ns; /* CLOCK_MONOTONIC; 0 from the start, UINT64_MAX to the end */
};
/* Zeroed is empty. */
struct prof_modules {
    LS_VECTOR(struct prof_loaded) rows;
    sym_files *files; /* borrowed */
};

/* The modules that the survey saw.  Owns: end with prof_modules_fini, also after a failure.
 * Errors: LS_ERR_NOMEM; files that cannot be read cost their names only. */
ls_err prof_modules_init(struct prof_modules *m, const struct prof_survey *survey, sym_files *files);
void prof_modules_fini(struct prof_modules *m);

/* The copy of path (from names; NULL: any file) whose hull holds addr, NULL: none. */
struct prof_loaded *prof_modules_at(const struct prof_modules *m, const char *path, uint64_t addr);
/* The copy that held addr at that time (CLOCK_MONOTONIC), else another one that holds it, NULL: none. */
struct prof_loaded *prof_modules_then(const struct prof_modules *m, uint64_t addr, uint64_t time_ns);

typedef LS_VECTOR(struct prof_module) prof_module_list;

/* Append rows for /modules. Errors: LS_ERR_NOMEM. */
ls_err prof_modules_write(const struct prof_modules *m, uint32_t process, prof_names *names,
                          prof_module_list *out);

/* A session that knows every module whose unwinding tables are sound.
 * Owns:   the caller ends it with sym_session_free.
 * Errors: LS_ERR_NOMEM; other files are left out. */
ls_err prof_session_open(const struct prof_modules *modules, sym_session **out);

#endif
