/* SPDX-License-Identifier: BSD-3-Clause */
/* Results of kernels in a file that keeps the machine with them: columns of equal length, readable by h5py
 * and pandas. */
#ifndef VX_RESULTS_H
#define VX_RESULTS_H

#include "common/ls_error.h"
#include "run_h5/prof_tables.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- results ---- */

/* X(type, member): one column of /results each; doc/replay-h5.md describes them. */
#define VX_RESULT_COLUMNS(X)   \
    X(TEXT, name)              \
    X(TEXT, kernel)            \
    X(TEXT, pattern)           \
    X(TEXT, delta)             \
    X(U64, count)              \
    X(U64, wrap)               \
    X(TEXT, backend)           \
    X(TEXT, variant)           \
    X(U64, threads)            \
    X(U64, index_bits)         \
    X(U64, element_bytes)      \
    X(U64, bytes)              \
    X(U64, bytes_with_indices) \
    X(U64, memory_bytes)       \
    X(U64, huge_bytes)         \
    X(U64, runs)               \
    X(U64, warmups)            \
    X(F64, seconds_min)        \
    X(F64, seconds_quartile1)  \
    X(F64, seconds_median)     \
    X(F64, seconds_quartile3)  \
    X(F64, seconds_max)        \
    X(F64, seconds_mean)       \
    X(F64, seconds_deviation)  \
    X(F64, mb_per_s)           \
    X(F64, mb_per_s_hmean)     \
    X(F64, mb_per_s_hstderr)   \
    X(F64, mb_per_s_regular)   \
    X(F64, stream_share)       \
    X(U64, valid)              \
    X(U64, interrupted)        \
    X(U64, program_bytes)      \
    X(F64, worst_error)        \
    X(F64, cycles)             \
    X(F64, instructions)       \
    X(F64, llc_misses)         \
    X(F64, dtlb_load_misses)   \
    X(F64, dram_read_bytes)    \
    X(F64, dram_write_bytes)   \
    X(F64, page_faults)        \
    X(F64, context_switches)   \
    X(U64, ranks)              \
    X(U64, nodes)              \
    X(F64, x)

/* The same for /ranks: the work of a rank in a row of /results. */
#define VX_RANK_COLUMNS(X) \
    X(U64, result)         \
    X(U64, rank)           \
    X(TEXT, host)          \
    X(TEXT, processors)    \
    X(TEXT, variant)       \
    X(U64, threads)        \
    X(U64, bytes)          \
    X(U64, memory_bytes)   \
    X(F64, seconds_min)    \
    X(F64, seconds_mean)   \
    X(U64, valid)

typedef char *vx_type_TEXT;
typedef uint64_t vx_type_U64;
typedef double vx_type_F64;

#define VX_RESULT_MEMBER(type, member) vx_type_##type member;
struct vx_result {
    VX_RESULT_COLUMNS(VX_RESULT_MEMBER)
};
struct vx_rank {
    VX_RANK_COLUMNS(VX_RESULT_MEMBER)
};
#undef VX_RESULT_MEMBER

/* Owns everything. Texts read by vx_results_read are never NULL. */
struct vx_results {
    char *host, *cpu, *topology, *command, *version, *study;
    double stream_mb_per_s;         /* NAN: not measured */
    double stream_regular_mb_per_s; /* with regular stores; NAN: not measured */
    struct vx_result *rows;
    size_t len;
    struct vx_rank *ranks; /* by row, ascending; none where one process ran */
    size_t ranks_len;
};

/* Free all that r holds; r is zeroed. */
void vx_results_fini(struct vx_results *r);

/* Write r to path, replacing an existing file, which stays as it is after a failure.
 * Errors: LS_ERR_IO and other errors of the file, LS_ERR_NOMEM.
 * Thread: one at a time (HDF5). */
ls_err vx_results_write(const struct vx_results *r, const char *path);

/* Read path.
 * Owns:   the caller ends *out with vx_results_fini.
 * Errors: LS_ERR_NOT_FOUND, LS_ERR_FORMAT for a file that is none or is damaged, LS_ERR_VERSION,
 * LS_ERR_NOMEM; *out is then empty. Thread: one at a time (HDF5). */
ls_err vx_results_read(const char *path, struct vx_results *out);

/* Return whether path is a readable HDF5 file of another kind, such as a profile. */
bool vx_results_is_other(const char *path);

/* ---- as HDF5 ---- */

/* Schema, columns and attributes that the writer and the reader of results share. */

/* Schema 1 had text of variable length, schema 2 no rates with regular stores, schema 3 no ranks, no interrupted runs
 * and no bytes of the program. */
enum { VX_RESULTS_SCHEMA = 4 };
#define VX_RESULTS_KIND "loadstone replay results"

struct vx_column {
    const char *name;
    enum prof_type type; /* PROF_TEXT, PROF_U64 or PROF_F64 */
    size_t offset;       /* in a row */
};
extern const struct vx_column vx_columns[];
extern const size_t vx_columns_len;

/* Texts of the file as attributes. */
struct vx_attribute {
    const char *name;
    size_t offset; /* in struct vx_results */
};
extern const struct vx_attribute vx_attributes[];
extern const size_t vx_attributes_len;

#endif
