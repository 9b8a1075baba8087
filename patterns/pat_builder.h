/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds one configuration from Spatter's keys and values, read from a pattern file or a command line, with
 * its generators, transformations and files of raw indices.
 *
 * Thread: any, one at a time for one object. */
#ifndef PAT_BUILDER_H
#define PAT_BUILDER_H

#include "patterns/pat_config.h"
#include "patterns/pat_list.h"
#include "patterns/source/pat_input.h"

#include <stdbool.h>

enum pat_value {
    PAT_VALUE_TEXT,      /* any text */
    PAT_VALUE_KERNEL,    /* the name of a kernel */
    PAT_VALUE_OPERATION, /* the name of an operation */
    PAT_VALUE_PATTERN,   /* a list, a text for pat_generate, or RAW=FILE */
    PAT_VALUE_DELTA,     /* an integer, or a list of them (Spatter 1) */
    PAT_VALUE_LIST,      /* a list of numbers that are not negative */
    PAT_VALUE_COUNT,     /* an integer from a minimum on */
    PAT_VALUE_UNUSED,    /* known, without effect here */
    PAT_VALUE_COMMENT    /* a text for readers */
};

/* Which array's pattern or delta a key sets. */
enum pat_role { PAT_ROLE_BOTH, PAT_ROLE_GATHER, PAT_ROLE_SCATTER, PAT_ROLE_COUNT };

struct pat_key {
    const char *name; /* as Spatter 2 spells it; Spatter 1's names are further rows */
    enum pat_value kind;
    enum pat_role role; /* for patterns and deltas */
    size_t offset;      /* for counts and texts: offset in struct pat_config */
    int64_t minimum;    /* for counts; -1 means "not set" and leaves the default */
    int64_t maximum;    /* for counts; 0: none */
};

struct pat_builder {
    struct pat_config config;
    const char *dir;            /* directory of RAW=FILE; NULL: the current directory */
    size_t indices_max;         /* limit for a generator, 0: no limit */
    bool no_raw_files;          /* refuse RAW=FILE */
    bool generator_wins;        /* a generator's delta overrides the key also when that comes later (files) */
    bool given[PAT_ROLE_COUNT]; /* delta by key */
    bool generated[PAT_ROLE_COUNT]; /* delta by generator */
    int64_t generated_delta[PAT_ROLE_COUNT];
    char note[256]; /* note on the last value, "" for none */
};

/* The key called name, NULL when there is none. */
const struct pat_key *pat_key_find(const char *name, size_t len);

/* Return the least number that a list of k may hold. */
int64_t pat_key_list_minimum(const struct pat_key *k);

/* Describe the values that k takes: "an integer of at least 1". */
const char *pat_key_expects(const struct pat_key *k);

/* Defaults as pat_config_init.
 * Owns:   the caller ends b with pat_builder_fini or pat_builder_finish.
 * Errors: LS_ERR_NOMEM. */
ls_err pat_builder_init(struct pat_builder *b);
void pat_builder_fini(struct pat_builder *b);

/* Set k by a text, a number as it is written, or a list (whose indices are taken over).
 * Errors: LS_ERR_ARG or LS_ERR_RANGE describing the invalid value, LS_ERR_NOMEM, as pat_raw_read_file. */
ls_err pat_builder_text(struct pat_builder *b, const struct pat_key *k, const char *text, size_t len);
ls_err pat_builder_number(struct pat_builder *b, const struct pat_key *k, const char *text, size_t len);
ls_err pat_builder_list(struct pat_builder *b, const struct pat_key *k, struct pat_list *l);

/* Transform and check the configuration and append it to s.
 * Owns:   b is ended in any case.
 * Errors: as pat_config_finish; s is then unchanged. */
ls_err pat_builder_finish(struct pat_builder *b, bool compress, struct pat_suite *s);

/* ---- generators ---- */

enum { PAT_NOTE_BYTES = 160 };

struct pat_generated {
    struct pat_indices indices;
    bool sets_delta; /* the text sets the delta of the configuration too */
    int64_t delta;
    char note[PAT_NOTE_BYTES]; /* a warning about a doubtful text, "" for none */
};

/* Make indices by the generators of Spatter (paper, section 3.3; version 2 for the third field of UNIFORM):
 *   UNIFORM:LENGTH:STRIDE[:DELTA|:NR]        i * STRIDE; NR (no reuse): delta is LENGTH * STRIDE
 *   MS1:LENGTH:LOCATIONS:GAPS                mostly stride 1: from -1 on, + gap at each location, else + 1
 *   LAPLACIAN:DIMENSIONS:ORDER:SIZE          the stencil with ORDER points on each branch; delta is 1
 *   0,4,8,12                                 itself
 * Names in any case, blanks around numbers allowed. Indices are never negative.
 * Owns:   the caller frees out->indices.data.
 * Errors: LS_ERR_ARG for any other text, with the form that was expected; LS_ERR_RANGE for numbers below
 * their minimum or beyond 64 bits; LS_ERR_NOMEM with the memory needed. *out is then empty. */
ls_err pat_generate(const char *text, struct pat_generated *out);

/* The same, but LS_ERR_RANGE for more than limit indices; 0: no limit.
 * Owns, errors: as pat_generate. */
ls_err pat_generate_within(const char *text, size_t limit, struct pat_generated *out);

/* ---- transformations that Spatter applies to indices before a run, in this order: truncate, boundary,
 * compress ---- */

/* Renumber pages of 4 KiB (512 elements of 8 bytes) in the order in which they are first seen; the offset
 * in a page stays: 0,10,600,5000,1000000 becomes 0,10,600,1416,1600. Errors: LS_ERR_NOMEM; p is unchanged. */
ls_err pat_compress(struct pat_indices *p);

/* Transform all lists of c by its pattern_size and boundary, then compress them when asked; then check as
 * Spatter does: the lists its kernel needs exist, the two of gs are equally long, count, wrap and runs are 1
 * at least; and that the rows hold all accesses. Rows of a truncated pattern are dropped. Errors: as above and LS_ERR_ARG, naming the list. */
ls_err pat_config_finish(struct pat_config *c, bool compress);

/* ---- files of raw indices ---- */

/* Read all little-endian 64-bit integers of in, as GS Patterns writes them (.sbin), packed or not.
 * Owns:   the caller frees out->data; the old contents of out are freed.
 * Errors: LS_ERR_TRUNCATED when the length is no multiple of 8, LS_ERR_FORMAT for an empty file or a negative
 * index (with its position), as pat_input_read, LS_ERR_NOMEM. *out is then unchanged. */
ls_err pat_raw_read(pat_input *in, struct pat_indices *out);

/* Call pat_raw_read for a file.  Errors: also as pat_input_open. */
ls_err pat_raw_read_file(const char *path, struct pat_indices *out);

#endif
