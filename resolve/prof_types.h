/* SPDX-License-Identifier: BSD-3-Clause */
/* Types of objects: from the declarations of variables, from the template arguments of containers' allocators,
 * and from the source lines of allocation sites. While the recording is replayed, accesses note where the type
 * of their object will come from (an origin); at the end every origin is asked about once, and the columns
 * member and type_offset of /samples are completed. */
#ifndef PROF_TYPES_H
#define PROF_TYPES_H

#include "common/ls_error.h"
#include "common/ls_index.h"
#include "common/ls_vector.h"
#include "run_h5/prof_names.h"
#include "run_h5/prof_schema.h"
#include "run_h5/prof_writer.h"
#include "symbols/sym_files.h"

struct prof_caller_tables;
struct prof_sites;

/* Source of the type of an object. */
struct prof_type_origin {
    sym_file *file; /* NULL: a site; else it has the variable */
    uint64_t linked, len_bytes;
    uint32_t site;
    bool is_tls;
    /* found at the end */
    uint32_t type;        /* row of types, UINT32_MAX: not known */
    uint32_t first_bytes; /* in front of the first element: the count of new[] */
    bool is_array;        /* elements follow each other */
};

/* Zeroed is empty. */
struct prof_typing {
    LS_VECTOR(struct prof_type_origin) origins;
    struct ls_index by_key;
    LS_VECTOR(struct prof_type_row) types;
    LS_VECTOR(struct prof_member) members;
    LS_VECTOR(uint32_t) first_members; /* by type, and one more */
    struct ls_index by_name;           /* types */
};

/* The number of an origin, from 1; 0: out of memory. */
uint32_t prof_typing_site(struct prof_typing *t, uint32_t site);
uint32_t prof_typing_variable(struct prof_typing *t, sym_file *file, const struct sym_thing *variable);

/* Find the types of all origins, and note them in the sites. The sites have their names.
 * Errors: LS_ERR_NOMEM. */
ls_err prof_typing_finish(struct prof_typing *t, struct prof_sites *sites,
                          const struct prof_caller_tables *tables, prof_names *names);
/* Complete the columns of the samples.  Errors: as of prof_writer_rewrite, LS_ERR_NOMEM. */
ls_err prof_typing_rewrite(const struct prof_typing *t, prof_writer *w, uint64_t samples_len);
void prof_typing_fini(struct prof_typing *t);

#endif
