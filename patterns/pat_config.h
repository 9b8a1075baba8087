/* SPDX-License-Identifier: BSD-3-Clause */
/* One gather/scatter configuration and a suite of them: the contents of a pattern file, and the input of the
 * kernels.
 *
 * Iteration i (0 <= i < count) works on element base + index of a sparse array, where base is pat_base(i):
 * i * delta, or, with a list of k deltas (Spatter 1), (i / k) * sum(list) + the sum of the first i % k of it.
 * Indices and deltas may be negative: the array is then placed so that every element is valid
 * (patterns/pat_extent.h computes its extent on both sides). */
#ifndef PAT_CONFIG_H
#define PAT_CONFIG_H

#include "common/ls_error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* X(enumerator, name as Spatter takes it) */
#define PAT_KERNEL_LIST(X)            \
    X(PAT_GATHER, "gather")           \
    X(PAT_SCATTER, "scatter")         \
    X(PAT_GS, "gs")                   \
    X(PAT_MULTIGATHER, "multigather") \
    X(PAT_MULTISCATTER, "multiscatter")

#define PAT_KERNEL_ENUM(id, name) id,
enum pat_kernel { PAT_KERNEL_LIST(PAT_KERNEL_ENUM) PAT_KERNEL_COUNT };
#undef PAT_KERNEL_ENUM

/* Operations on the elements: copies to and from a dense buffer are Spatter's; the others keep values in
 * registers, as the loops do in which patterns are found. X(enumerator, name, which kernels, text) */
#define PAT_OPERATION_LIST(X)                                                                        \
    X(PAT_OPERATION_COPY, "copy", PAT_ALL_KERNELS, "through a dense buffer, as Spatter does")        \
    X(PAT_OPERATION_REDUCE, "reduce", PAT_GATHERS, "loads add up in a register")                     \
    X(PAT_OPERATION_CHASE, "chase", PAT_GATHERS, "the same, and each load waits for the one before") \
    X(PAT_OPERATION_FILL, "fill", PAT_SCATTERS, "a register is stored")                              \
    X(PAT_OPERATION_UPDATE, "update", PAT_SCATTERS, "each element is loaded, changed, stored again")

#define PAT_GATHERS (1u << PAT_GATHER | 1u << PAT_MULTIGATHER)
#define PAT_SCATTERS (1u << PAT_SCATTER | 1u << PAT_MULTISCATTER)
#define PAT_ALL_KERNELS (PAT_GATHERS | PAT_SCATTERS | 1u << PAT_GS)

#define PAT_OPERATION_ENUM(id, name, kernels, text) id,
enum pat_operation { PAT_OPERATION_LIST(PAT_OPERATION_ENUM) PAT_OPERATION_COUNT };
#undef PAT_OPERATION_ENUM

/* A list of indices or deltas; data is on the heap, NULL when len is 0. */
struct pat_indices {
    int64_t *data;
    size_t len;
};

/* Defaults are Spatter's: pat_config_init. */
struct pat_config {
    char *name; /* never NULL */
    /* Set for a pattern that was found in a program and read from a file; NULL: not given. */
    char *found_as;    /* identifies it in other runs: "load x[col] in multiply" (pat_found_key) */
    char *found_class; /* "random": pat_class_name */
    /* Patterns of one array use the same memory where they are replayed together. */
    char *array;            /* its name; NULL: not given */
    uint64_t first;         /* the array's element at element 0 of the pattern */
    uint64_t index_bits;    /* width of the indices in the program, 32 or 64; 0: not known */
    uint64_t element_bytes; /* the unit of the indices in the program; 0: not known */
    uint64_t object_bytes;  /* the program's elements, where these are larger; 0: they are not */
    uint64_t threads;       /* threads of the program that had the pattern; 0: not known */
    /* Where the threads use different places: the element at which each one begins, one for each thread. The
     * iterations are divided into equal parts, one for each thread (pat_config_is_apart). */
    struct pat_indices thread_firsts;
    uint64_t accesses; /* the program's accesses that the pattern represents; 0: not known */
    enum pat_kernel kernel;
    enum pat_operation operation;
    struct pat_indices pattern;                 /* all kernels but gs */
    struct pat_indices gather, scatter;         /* gs uses both, multigather gather, multiscatter scatter */
    int64_t delta, delta_gather, delta_scatter; /* elements; the last two are gs' */
    struct pat_indices deltas, deltas_gather, deltas_scatter; /* instead of one delta when len > 0 */
    /* Rows of the program's loop: the accesses that each of its iterations makes here, in order. Their sum is that of all
     * accesses; len 0: not known. */
    struct pat_indices row_lengths;
    uint64_t rows_wait;       /* not 0: whether a row goes on depends on the value of its last access */
    uint64_t count;           /* iterations */
    uint64_t wrap;            /* dense rows that are used in turn */
    uint64_t runs;            /* timed runs, at most UINT32_MAX */
    uint64_t boundary;        /* indices were taken modulo this; 0: they were not */
    uint64_t seed;            /* seed of Spatter's random data: printed, without effect; 0: not given */
    uint64_t pattern_size;    /* patterns were cut to this length; 0: they were not */
    uint64_t local_work_size; /* accepted, without effect on CPUs */
};

struct pat_suite {
    struct pat_config *rows;
    size_t len;
};

/* Initialise an empty gather with Spatter's defaults: delta 8, count 1024, wrap 1, 10 runs.
 * Owns:   the caller ends c with pat_config_fini.
 * Errors: LS_ERR_NOMEM; c may then be passed to pat_config_fini. */
ls_err pat_config_init(struct pat_config *c);

/* Free the contents of c and zero it. */
void pat_config_fini(struct pat_config *c);

/* Release all configurations; s is zeroed. */
void pat_suite_fini(struct pat_suite *s);

/* Append a configuration that is initialised to its defaults.
 * Owns:   s; *out stays valid until the next append.
 * Errors: LS_ERR_NOMEM; s is unchanged. */
ls_err pat_suite_append(struct pat_suite *s, struct pat_config **out);

/* "gather" and so on; "?" for an invalid kernel. */
const char *pat_kernel_name(enum pat_kernel k);

/* Describe c in one word, the same in all tables, pictures and pages: its kernel's name, or "update". */
const char *pat_config_word(const struct pat_config *c);

/* The kernel named text, in any case.
 * Errors: LS_ERR_ARG, with the names there are; *out is unchanged. */
ls_err pat_kernel_parse(const char *text, enum pat_kernel *out);

/* "copy" and so on; "?" for an invalid operation. */
const char *pat_operation_name(enum pat_operation o);

/* The operation named text, in any case.
 * Errors: LS_ERR_ARG, with the names there are; *out is unchanged. */
ls_err pat_operation_parse(const char *text, enum pat_operation *out);

/* True if kernel k has operation o. */
bool pat_operation_fits(enum pat_operation o, enum pat_kernel k);

/* Indices that an iteration uses: the length of the row it reads or writes. */
size_t pat_config_len(const struct pat_config *c);

/* Return the bytes of an element when c is replayed: 4 for elements of up to 4 bytes, otherwise 8. */
unsigned pat_config_element_bytes(const struct pat_config *c);

/* Bytes that Spatter counts for one run with elements of element_bytes: gs counts both sides (and so does an
 * update), indices count nothing. 0 when the product does not fit 64 bits. */
uint64_t pat_config_bytes(const struct pat_config *c, uint64_t element_bytes);

/* Does each of this many threads begin at its own element of thread_firsts? Only threads as many as these; they
 * need equal parts of the iterations, with whole turns of the deltas. Otherwise the list has no effect. */
bool pat_config_is_apart(const struct pat_config *c, unsigned threads);

/* Do the rows of c hold as many accesses as c makes? False where it has no rows. */
bool pat_rows_hold_all(const struct pat_config *c);

/* A distance from an index to the next one, and how often it occurs. */
struct pat_distance {
    int64_t distance;
    size_t count;
};

/* List every distance once, the most frequent first, equally frequent ones ascending.
 * Owns:   the caller frees *out. It is NULL and *out_len 0 when p has fewer than two indices.
 * Errors: LS_ERR_NOMEM. */
ls_err pat_distances(const struct pat_indices *p, struct pat_distance **out, size_t *out_len);

#endif
