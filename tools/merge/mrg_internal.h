/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of a sum over ranks while it grows. */
#ifndef MRG_INTERNAL_H
#define MRG_INTERNAL_H

#include "analyse/an_cost.h"
#include "analyse/an_tables.h"
#include "common/ls_index.h"
#include "common/ls_vector.h"
#include "run_h5/prof_merge.h"
#include "run_h5/prof_writer.h"
#include "tools/merge/mrg_job.h"

/* A rank of the result. */
struct mrg_rank {
    struct prof_rank row;
    uint32_t file;
};

struct mrg_file {
    const char *path;
    uint64_t start_realtime_ns;
    uint32_t first_rank; /* the lowest of its ranks */
    bool is_sum;
};

/* Rows of the result that several ranks share; by_key finds them by the hash of their texts. */
struct mrg_tables {
    LS_VECTOR(struct prof_node) nodes;
    LS_VECTOR(struct prof_line) lines;
    LS_VECTOR(struct prof_phase) phases;
    LS_VECTOR(struct prof_type_row) types;
    LS_VECTOR(struct prof_member) members;
    LS_VECTOR(struct prof_sum) sums;
    LS_VECTOR(struct prof_kernel) kernels;
    LS_VECTOR(struct prof_event) events;
    LS_VECTOR(struct prof_source) sources;
    struct ls_index by_key[PROF_TABLE_COUNT];
};

/* Rows of the ranks whose samples are kept. */
struct mrg_kept {
    LS_VECTOR(struct prof_process) processes;
    LS_VECTOR(struct prof_thread) threads;
    LS_VECTOR(struct prof_burst) bursts;
    LS_VECTOR(struct prof_module) modules;
    LS_VECTOR(struct prof_frame) frames;   /* line: number in lines below */
    LS_VECTOR(struct prof_line) lines;     /* they follow the shared lines */
    LS_VECTOR(struct prof_inline) inlines; /* line: as above */
    uint64_t samples_len;
};

struct mrg_job {
    const struct mrg_options *options;
    prof_names *names;
    prof_writer *writer;
    LS_VECTOR(struct mrg_file) files;
    LS_VECTOR(struct mrg_rank) ranks;
    struct ls_index rank_by_number;
    struct prof_run run;
    const char *first_path; /* from the first file that was used; others must match it */
    uint64_t ranks_len;
    double precise, coarse, covered; /* samples, for the coverage of /run */
    struct mrg_tables tables;
    struct mrg_kept kept;
    LS_VECTOR(struct prof_rank_datum) rank_data; /* not yet written */
};

/* A file that is being read, with its rows in the result. UINT32_MAX: not (yet) in the result. */
struct mrg_input {
    struct mrg_job *job;
    const struct mrg_file *file;
    prof_profile *profile;
    struct an_tables tables;
    uint64_t shift_ns;
    uint32_t *node_of, *phase_of, *line_of, *member_of;
    uint32_t *rank_of; /* by process: row of job->ranks, or: */
};
enum { MRG_NO_RANK = UINT32_MAX, MRG_LEFT_OUT = UINT32_MAX - 1 };

/* Find or add a row of the result for a row of the file.  Errors: LS_ERR_NOMEM. */
ls_err mrg_node(struct mrg_input *in, uint32_t node, uint32_t *out);
ls_err mrg_line(struct mrg_input *in, uint32_t line, uint32_t *out);
ls_err mrg_phase(struct mrg_input *in, uint32_t phase, uint32_t *out);
ls_err mrg_member(struct mrg_input *in, uint32_t member, uint32_t *out);
/* Find or add the row of /sums with the key of `key`: its columns up to mpi_line.  Errors: LS_ERR_NOMEM. */
ls_err mrg_sum(struct mrg_tables *t, const struct prof_sum *key, struct prof_sum **out);
/* Add causes of kernel time, incidents and source lines; ranks that are left out add none.  Errors: LS_ERR_NOMEM. */
ls_err mrg_others(struct mrg_input *in);
void mrg_tables_fini(struct mrg_tables *t);

/* Samples of a file with their costs: from the model, or from the file. */
struct mrg_costs {
    struct an_input in;
    struct an_costs costs;
};
/* Owns:   the caller ends out with an_costs_fini(&out->costs), also after a failure. */
ls_err mrg_costs_init(struct mrg_costs *out, prof_profile *profile);

/* Add the bursts and samples of the processes to their ranks: rows by process, NULL: no rank. */
void mrg_measure(const struct an_tables *t, const struct mrg_costs *c, struct prof_rank *const *rank_of);
/* Add the bursts and samples of the file to /sums and /rank_data; from a sum only the ranks that are kept no longer, as
 * its rows contain the others. */
ls_err mrg_add_samples(struct mrg_input *in, const struct mrg_costs *c);
/* Add the rows of /sums and /rank_data of a sum. rank_row_of: by row of its /ranks. */
ls_err mrg_add_sums(struct mrg_input *in, const uint32_t *rank_row_of);
/* Write the rows of /rank_data that wait. */
ls_err mrg_flush_rank_data(struct mrg_job *job);
/* Copy the processes and samples of kept ranks. */
ls_err mrg_keep_samples(struct mrg_input *in, const struct mrg_costs *c);
/* Write the rows of kept ranks, and the sums of others as bursts and samples. */
ls_err mrg_write(struct mrg_job *job);

#endif
