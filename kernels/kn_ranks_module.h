/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions that a module of ranks has: loadstone-mpi-openmpi.so, loadstone-mpi-mpich.so and
 * loadstone-shmem.so. The program itself links none of these libraries; it loads the module that fits the
 * launcher. A module uses nothing of Loadstone.
 *
 * Thread: the one that called start. */
#ifndef KN_RANKS_MODULE_H
#define KN_RANKS_MODULE_H

#include <stddef.h>
#include <stdint.h>

/* Changes with the table. */
enum { KN_RANKS_MODULE_VERSION = 3 };

/* Results of the steps below. */
enum kn_ranks_outcome {
    KN_RANKS_DONE,
    KN_RANKS_LATE,  /* the other ranks did not arrive in time; only abort may follow */
    KN_RANKS_FAILED /* the library reported an error */
};

/* Steps in which all ranks take part end after timeout_s. */
struct kn_ranks_module {
    uint32_t version; /* KN_RANKS_MODULE_VERSION */
    const char *name; /* "MPI" */
    enum kn_ranks_outcome (*start)(void);
    /* The library and its version: one line. */
    void (*describe)(char *out, size_t room);
    unsigned (*rank)(void);
    unsigned (*len)(void);
    /* Set each of values to its largest on any rank. len 0: wait for all. */
    enum kn_ranks_outcome (*max)(double *values, size_t len, double timeout_s);
    /* Copy data of rank root to all. */
    enum kn_ranks_outcome (*broadcast)(void *data, size_t len_bytes, unsigned root, double timeout_s);
    /* Copy each rank's data to rank 0: all[rank * len_bytes]. */
    enum kn_ranks_outcome (*gather)(const void *data, size_t len_bytes, void *all, double timeout_s);
    /* Copy all[rank * len_bytes] of rank 0 to each rank's data. */
    enum kn_ranks_outcome (*scatter)(const void *all, size_t len_bytes, void *data, double timeout_s);
    /* Allocate memory that all ranks read and write, the same number of bytes on each. All ranks call these three
     * together: window_new returns a handle, and the rank's own part, NULL without memory; if no rank got NULL,
     * window_open lets the others reach it. */
    void *(*window_new)(size_t len_bytes, void **base);
    enum kn_ranks_outcome (*window_open)(void *window);
    void (*window_free)(void *window); /* also one that was not opened */
    /* Begin to copy from or to another rank's part; settle waits until all copies are done. */
    enum kn_ranks_outcome (*get)(void *window, void *to, unsigned rank, size_t at_bytes, size_t len_bytes);
    enum kn_ranks_outcome (*put)(void *window, const void *from, unsigned rank, size_t at_bytes,
                                 size_t len_bytes);
    enum kn_ranks_outcome (*settle)(void *window);
    /* End all ranks, waiting ones too. Does not return. */
    void (*abort)(int status);
    void (*stop)(void);
};

/* Largest number of values in a call of max. */
enum { KN_RANKS_VALUES_MAX = 8 };

/* Name of the table in each module. */
#define KN_RANKS_TABLE kn_ranks_table

#endif
