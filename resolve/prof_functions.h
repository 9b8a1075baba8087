/* SPDX-License-Identifier: BSD-3-Clause */
/* Find the function at an address; cached, since the same addresses come again while samples are
 * attributed. */
#ifndef PROF_FUNCTIONS_H
#define PROF_FUNCTIONS_H

#include "common/ls_error.h"
#include "resolve/prof_lines.h"
#include "resolve/prof_modules.h"
#include "resolve/prof_survey.h"
#include "run_h5/prof_names.h"
#include "spool/spool_dir.h"

#include <stdbool.h>

/* --- generated code ---
 *
 * Names of generated code: from the program's own perf map, if it writes one. */

typedef struct prof_jit prof_jit;

/* All borrowed. The map is looked for when the first address asks.  Errors: LS_ERR_NOMEM. */
ls_err prof_jit_new(const struct spool_image *image, const struct prof_survey *survey, prof_names *names,
                    prof_jit **out);
void prof_jit_free(prof_jit *j);

struct prof_jit_counts {
    uint64_t named, nameless;
    const char *map_path; /* path of a map that was used, or "" */
};
/* Fill in the rows without a module that are generated code: module "[jit]", function by the map or
 * "[jit] anon+0xOFFSET" of its mapping; and functions that only the map knows. */
struct prof_jit_counts prof_jit_name_lines(prof_jit *j, struct prof_line *rows, size_t len);

typedef struct prof_functions prof_functions;

/* All borrowed.  NULL: out of memory. */
prof_functions *prof_functions_new(const struct prof_modules *modules, prof_jit *jit, prof_names *names);
void prof_functions_free(prof_functions *f);

/* The name (from names) of the function that holds ip; without symbols the name of its file in brackets;
 * "[jit]" in generated code without a name; "" when ip is in no code. Out of memory gives "". */
const char *prof_function_at(prof_functions *f, uint64_t ip);
/* The file that holds ip, "" for none. */
const char *prof_function_file(const prof_functions *f, uint64_t ip);

#endif
