/* SPDX-License-Identifier: BSD-3-Clause */
/* Find the function at an address; cached, since the same addresses come again while samples are
 * attributed. */
#ifndef PROF_FUNCTIONS_H
#define PROF_FUNCTIONS_H

#include "resolve/prof_jit.h"
#include "resolve/prof_modules.h"
#include "run_h5/prof_names.h"

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
