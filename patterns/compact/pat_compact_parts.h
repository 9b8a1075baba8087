/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of pat_compact.c, a source file each: forms, sequences that go together, names, work in parallel, and
 * drawn sequences. */
#ifndef PAT_COMPACT_PARTS_H
#define PAT_COMPACT_PARTS_H

#include "patterns/compact/pat_compact.h"
#include "patterns/compact/pat_measure.h"

/* ---- the configuration that represents one sequence: exact if the sequence repeats, otherwise as close as
 * the length limit allows, and marked accordingly ---- */

/* The repeating part, before iterations were joined. */
struct pat_basis {
    int64_t *points; /* NULL: nothing repeats */
    size_t len;
    int64_t delta; /* the most frequent one */
    int64_t outer; /* sum of its list of deltas; 0: there is none */
};

/* Set pattern, deltas, count of f's configuration, its form and the accesses it leaves out, in two steps:
 * pat_form_repeating handles sequences that repeat, without measures (*out_done: it does); else, once the
 * measures of f are known, pat_form_other handles the rest.
 * Owns:   the caller frees out->points, which are NULL at first. Errors: LS_ERR_NOMEM. */
ls_err pat_form_repeating(const struct pat_sequence *s, const struct pat_compact_options *o,
                          struct pat_found *f, struct pat_basis *out, bool *out_done);
ls_err pat_form_other(const struct pat_sequence *s, const struct pat_compact_options *o, struct pat_found *f,
                      struct pat_basis *out);

/* ---- sequences that go together ---- */

/* Joined sequences: instructions that alternate on one piece of data with the same distances, like the loads
 * of a stencil's points, or the load and the store of one address. A single sequence has one member. */
struct pat_join {
    const uint32_t *members; /* rows of the sequences, in the order of their accesses */
    size_t len;
    bool is_update; /* each address that is stored was loaded before: half of the members are loads */
};

struct pat_joins {
    struct pat_join *rows; /* every sequence is in one of them; by their first members */
    size_t len;
    uint32_t *members; /* members of all rows */
};

/* Find the sequences of s that go together. Sequences that are not fully known (not all accesses were kept,
 * or the home is unknown) are not joined.
 * Owns:   the caller ends out with pat_joins_fini.
 * Errors: LS_ERR_NOMEM; then out is empty. */
ls_err pat_join_find(const struct pat_sequences *s, const struct pat_tables *t, struct pat_joins *out);

/* Make a group of each single sequence.  Owns and errors: as pat_join_find. */
ls_err pat_join_none(const struct pat_sequences *s, struct pat_joins *out);

void pat_joins_fini(struct pat_joins *j);

/* Join the members of j, two at least, to one sequence: an access of each in turn; for an update its stores
 * only.
 * Owns:   the caller frees out->indices.data and out->breaks.
 * Errors: LS_ERR_NOMEM, LS_ERR_RANGE; then out holds nothing. */
ls_err pat_join_sequence(const struct pat_sequences *s, const struct pat_tables *t, const struct pat_join *j,
                         struct pat_sequence *out);

/* ---- names: functions, files and lines of instructions, also in position-independent programs ---- */

/* Set function, file and line of every row from its ip and module_row. A file that cannot be read leaves them
 * "" and 0. All addresses of a file are asked at once. Errors: LS_ERR_NOMEM. */
ls_err pat_names_read(struct pat_findings *f, const struct pat_tables *t);

/* Set the name of every row's configuration: "gather of `x` through `col` in spmv_row (spmv.c:41)".
 * Errors: LS_ERR_NOMEM. */
ls_err pat_names_write(struct pat_findings *f, const struct pat_tables *t);

/* ---- work in parallel ---- */

/* Independent pieces of work, run on all processors that this process may use. */
struct pat_jobs {
    size_t len;
    ls_err (*run)(void *user, size_t i);
    /* Weight of job i, for instance memory; concurrent jobs together weigh at most weight_max, but one job
     * may always run. NULL: no weights. */
    uint64_t (*weigh)(const void *user, size_t i);
    uint64_t weight_max;
    void *user;
    uint64_t weight_min; /* least work for which a thread is started */
};

/* Calls run for each i below len, begun in that order, on this thread and others; returns when all are done.
 * After a failure no further job begins.
 * Errors: that of the failed job with the least number, with its text. */
ls_err pat_parallel(const struct pat_jobs *jobs);

/* ---- drawn sequences ---- */

/* The properties that a drawn sequence reproduces: the distribution of distances, and of reuse distances
 * where no distance is known (all other distances, or one that would leave the range). */
struct pat_likeness {
    const struct pat_distance *distances; /* the most frequent ones */
    size_t distances_len;
    uint64_t distances_seen; /* all distances that were counted, including unlisted ones */
    const uint64_t *reuse;   /* PAT_REUSE_BINS, in lines */
    uint64_t cold;
    uint64_t range_elements; /* indices are below, at least 1 */
    uint64_t elem_size_bytes;
};

/* Draw len indices; the same seed gives the same indices.
 * Owns:   the caller frees out->data.
 * Errors: LS_ERR_NOMEM. */
ls_err pat_synthetic_draw(const struct pat_likeness *like, size_t len, uint64_t seed,
                          struct pat_indices *out);

#endif
