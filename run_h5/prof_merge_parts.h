/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of a merge: the offsets of each file's row numbers and times, and the functions that apply them.
 *
 * Thread: one of the process at a time. */
#ifndef PROF_MERGE_PARTS_H
#define PROF_MERGE_PARTS_H

#include "common/ls_vector.h"
#include "ndm/ndm_field.h"
#include "run_h5/prof_merge.h"
#include "run_h5/prof_names.h"
#include "run_h5/prof_writer.h"

struct prof_merge_file {
    const char *path;
    prof_profile *profile;
    uint64_t shift_ns;                    /* its start since the earliest one */
    uint64_t first_row[PROF_TABLE_COUNT]; /* its first row in each merged table that has all its rows */
    uint64_t samples_len, first_sample;
    uint32_t first_field;
    uint32_t *node_of, *phase_of; /* merged row for each row of the file */
    uint32_t *process_node_of;    /* the node above the ranges of each of its processes, UINT32_MAX: none */
};

struct prof_merge_job {
    const struct prof_merge_options *options;
    struct prof_merge_file *files;
    size_t files_len;
    prof_names *names;
    LS_VECTOR(struct prof_node) nodes;
    LS_VECTOR(struct prof_phase) phases;
    struct prof_run run;
    prof_writer *writer;
};

/* Merge starts and lengths, and check that the numbers of all files mean the same: fills shift_ns and
 * job->run.
 * Errors: LS_ERR_FORMAT, as prof_merge. */
ls_err prof_merge_run(struct prof_merge_job *job);

/* Fill job->nodes, and the merged row of each file's node (node_of).
 * Owns:   job.  Errors: LS_ERR_NOMEM. */
ls_err prof_merge_nodes(struct prof_merge_job *job);
/* Fill job->phases, and the merged row of each file's phase (phase_of).
 * Owns:   job.  Errors: LS_ERR_NOMEM. */
ls_err prof_merge_phases(struct prof_merge_job *job);

/* Count rows: first_row, first_sample of all files.  Errors: as of prof_load_samples. */
ls_err prof_merge_count(struct prof_merge_job *job);
/* Write every table, with its row numbers moved.
 * Owns:   job.  Errors: as of prof_writer_table, LS_ERR_NOMEM. */
ls_err prof_merge_tables(struct prof_merge_job *job);
/* Write the samples of all files, with their row numbers moved; the files are opened once more, one at a
 * time.
 * Owns:   job.  Errors: as of prof_open, prof_load_samples and prof_writer_add. */
ls_err prof_merge_samples(struct prof_merge_job *job);

/* Write domains and fields, one file after the other; later ones of equal names get a number. Fill
 * first_field. Errors: as of prof_atlas_read and prof_atlas_write. */
ls_err prof_merge_atlas(struct prof_merge_job *job);

/* Return the merged row of a row of table id in file f; missing stays missing. */
uint64_t prof_merge_row(const struct prof_merge_file *f, enum prof_table_id id, uint64_t row);
/* Convert a time of file f to the merged axis; missing (UINT64_MAX) stays missing. */
uint64_t prof_merge_time(const struct prof_merge_file *f, uint64_t time_ns);

#endif
