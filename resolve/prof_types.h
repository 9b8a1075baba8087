/* SPDX-License-Identifier: BSD-3-Clause */
/* Types of objects: from the declarations of variables, also of those in stack frames, from the template arguments of containers' allocators,
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

#define PROF_NO_TYPE UINT32_MAX

struct prof_caller_tables;
struct prof_sites;

/* Source of the type of an object. */
struct prof_type_origin {
    sym_file *file; /* NULL: a site; else it has the variable */
    uint64_t linked, len_bytes;
    uint32_t site;
    bool is_tls;
    bool is_frame;  /* linked is an instruction of the function whose frame it is */
    bool is_access; /* linked is the instruction that accesses the object */
    /* found at the end */
    uint32_t type;                  /* row of types, UINT32_MAX: not known */
    uint32_t first_bytes;           /* in front of the first element: the count of new[] */
    bool is_array;                  /* elements follow each other */
    uint32_t first_slot, slots_len; /* rows of slots, for a frame */
};

/* An instruction that accesses blocks of a site. The first ones of a site vote for its type; each shows the type of its own
 * accesses, if the site has none. */
enum { PROF_VOTERS_MAX = 8, PROF_SITE_VOTES_MAX = 512, PROF_VOTES_MAX = 1 << 20 };
struct prof_vote {
    uint32_t origin; /* from 1 */
    uint32_t number; /* in its site, from 1 */
    uint64_t ip;
    sym_file *file;
    uint64_t linked;
    uint64_t offset_bytes; /* from the begin of the block */
    /* found at the end */
    uint32_t type;        /* row of types, UINT32_MAX: not known */
    uint64_t place_bytes; /* of the access in the type */
};

/* Zeroed is empty. */
struct prof_typing {
    LS_VECTOR(struct prof_type_origin) origins;
    struct ls_index by_key;
    LS_VECTOR(struct prof_type_row) types;
    LS_VECTOR(struct prof_member) members;
    LS_VECTOR(struct prof_vote) votes;
    struct ls_index by_vote;           /* rows of votes by origin and ip */
    LS_VECTOR(uint32_t) votes_of;      /* by origin: number of votes */
    LS_VECTOR(struct sym_slot) slots;  /* types are rows of types */
    LS_VECTOR(uint32_t) first_members; /* by type, and one more */
    struct ls_index by_name;           /* types */
};

/* The number of an origin, from 1; 0: out of memory. */
uint32_t prof_typing_site(struct prof_typing *t, uint32_t site);
uint32_t prof_typing_variable(struct prof_typing *t, sym_file *file, const struct sym_thing *variable);

/* The stack frame of a function, at an instruction of it; offsets of accesses are from its canonical frame address. */
uint32_t prof_typing_frame(struct prof_typing *t, sym_file *file, uint64_t linked);

/* The object that an instruction accesses. */
uint32_t prof_typing_access(struct prof_typing *t, sym_file *file, uint64_t linked);

/* Does the site of this origin want the vote of an access by ip? */
bool prof_typing_wants_vote(const struct prof_typing *t, uint32_t origin, uint64_t ip);
/* Add a vote.  Errors: LS_ERR_NOMEM. */
ls_err prof_typing_vote(struct prof_typing *t, const struct prof_vote *vote);
/* Return the vote of an origin by an instruction, NULL: none. */
const struct prof_vote *prof_typing_vote_of(const struct prof_typing *t, uint32_t origin, uint64_t ip);

/* Find the types of all origins, and note them in the sites. The sites have their names.
 * Errors: LS_ERR_NOMEM. */
ls_err prof_typing_finish(struct prof_typing *t, struct prof_sites *sites,
                          const struct prof_caller_tables *tables, prof_names *names);
/* Complete the columns of the samples (prof_members.c).  Errors: as of prof_writer_rewrite, LS_ERR_NOMEM. */
ls_err prof_typing_rewrite(const struct prof_typing *t, prof_writer *w, uint64_t samples_len);
void prof_typing_fini(struct prof_typing *t);

#endif
