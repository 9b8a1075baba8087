/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of generated code: from the program's own perf map, if it writes one. */
#ifndef PROF_JIT_H
#define PROF_JIT_H

#include "common/ls_error.h"
#include "resolve/prof_lines.h"
#include "resolve/prof_survey.h"
#include "run_h5/prof_names.h"
#include "spool/spool_dir.h"

#include <stdbool.h>

typedef struct prof_jit prof_jit;

/* All borrowed. The map is looked for when the first address asks.  Errors: LS_ERR_NOMEM. */
ls_err prof_jit_new(const struct spool_image *image, const struct prof_survey *survey, prof_names *names,
                    prof_jit **out);
void prof_jit_free(prof_jit *j);

/* NULL: ip is not in generated code; "": no map names it; else its function, from names. *out_base: where the
 * mapping begins. */
const char *prof_jit_function(prof_jit *j, uint64_t ip, uint64_t *out_base);

/* The map's name for ip, "" for none: engines have code without symbols inside their files, and their maps
 * name that too. */
const char *prof_jit_named(prof_jit *j, uint64_t ip);

struct prof_jit_counts {
    uint64_t named, nameless;
    const char *map_path; /* path of a map that was used; "" without one */
};
/* Fill in the rows without a module that are generated code: module "[jit]", function by the map or
 * "[jit] anon+0xOFFSET" of its mapping; and functions that only the map knows. */
struct prof_jit_counts prof_jit_name_lines(prof_jit *j, struct prof_line *rows, size_t len);

#endif
