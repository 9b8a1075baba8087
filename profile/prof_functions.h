/* SPDX-License-Identifier: BSD-3-Clause */
/* The function at an address, asked again and again while samples are attributed. */
#ifndef PROF_FUNCTIONS_H
#define PROF_FUNCTIONS_H

#include "profile/prof_names.h"
#include "symbols/sym_session.h"

typedef struct prof_functions prof_functions;

/* session and names are borrowed.  NULL: out of memory. */
prof_functions *prof_functions_new(sym_session *session, prof_names *names);
void prof_functions_free(prof_functions *f);

/* The name (from names) of the function that holds ip; of its file in brackets without symbols; "" when ip is
 * in no file. Out of memory gives "". */
const char *prof_function_at(prof_functions *f, uint64_t ip);

#endif
