/* SPDX-License-Identifier: BSD-3-Clause */
/* One configuration from Spatter's keys and values, whoever reads them: a pattern file or a command line. */
#ifndef PAT_BUILDER_H
#define PAT_BUILDER_H

#include "patterns/pat_config.h"
#include "patterns/pat_list.h"

#include <stdbool.h>

enum pat_value {
    PAT_VALUE_TEXT,      /* any text */
    PAT_VALUE_KERNEL,    /* the name of a kernel */
    PAT_VALUE_OPERATION, /* the name of an operation */
    PAT_VALUE_PATTERN,   /* a list, a text for pat_generate, or RAW=FILE */
    PAT_VALUE_DELTA,     /* an integer, or a list of them (Spatter 1) */
    PAT_VALUE_COUNT,     /* an integer from a minimum on */
    PAT_VALUE_UNUSED,    /* known, without effect here */
    PAT_VALUE_COMMENT    /* a text for people */
};

/* The pattern or delta of which array a key means. */
enum pat_role { PAT_ROLE_BOTH, PAT_ROLE_GATHER, PAT_ROLE_SCATTER, PAT_ROLE_COUNT };

struct pat_key {
    const char *name; /* as Spatter 2 spells it; Spatter 1's names are further rows */
    enum pat_value kind;
    enum pat_role role; /* of patterns and deltas */
    size_t offset;      /* of counts and texts: in struct pat_config */
    int64_t minimum;    /* of counts; -1 means "not set" and leaves the default */
};

struct pat_builder {
    struct pat_config config;
    const char *dir;            /* where RAW=FILE is looked for, NULL: the current directory */
    size_t indices_max;         /* of a generator, 0: no limit */
    bool no_raw_files;          /* refuse RAW=FILE */
    bool generator_wins;        /* a generator's delta overrides the key also when that comes later (files) */
    bool given[PAT_ROLE_COUNT]; /* delta by key */
    bool generated[PAT_ROLE_COUNT]; /* delta by generator */
    int64_t generated_delta[PAT_ROLE_COUNT];
    char note[256]; /* of the last value, "" for none */
};

/* The key called name, NULL when there is none. */
const struct pat_key *pat_key_find(const char *name, size_t len);

/* What a value of k must be: "an integer of at least 1". */
const char *pat_key_expects(const struct pat_key *k);

/* Defaults as pat_config_init.
 * Owns:   the caller ends b with pat_builder_fini or pat_builder_finish.
 * Errors: LS_ERR_NOMEM. */
ls_err pat_builder_init(struct pat_builder *b);
void pat_builder_fini(struct pat_builder *b);

/* Set k by a text, a number as it is written, or a list (whose indices are taken over).
 * Errors: LS_ERR_ARG or LS_ERR_RANGE with what is wrong with the value, LS_ERR_NOMEM, and those of
 * pat_raw_read_file. */
ls_err pat_builder_text(struct pat_builder *b, const struct pat_key *k, const char *text, size_t len);
ls_err pat_builder_number(struct pat_builder *b, const struct pat_key *k, const char *text, size_t len);
ls_err pat_builder_list(struct pat_builder *b, const struct pat_key *k, struct pat_list *l);

/* Transform and check the configuration and append it to s.
 * Owns:   b is ended in any case.
 * Errors: those of pat_config_finish; s is then unchanged. */
ls_err pat_builder_finish(struct pat_builder *b, bool compress, struct pat_suite *s);

#endif
