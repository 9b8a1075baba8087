/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks: the processes of a parallel job that run a kernel together, by MPI or OpenSHMEM. The library is
 * loaded from a module (kn_ranks_module.h) that fits the launcher.
 *
 * Functions with a kn_ranks take NULL, which is one rank that runs alone.
 * Thread: one at a time. */
#ifndef KN_RANKS_H
#define KN_RANKS_H

#include "kernels/kn_options.h"

/* ---- the module ---- */

struct kn_ranks_launch {
    const char *launcher; /* the variable that names it, NULL: no launcher */
    const char *mpi;      /* file of its module; NULL: none */
    const char *shmem;
    uint32_t len; /* ranks that it started, 0: not known */
    uint32_t rank;
};

/* Find the launcher in the environment, through get (getenv), and the modules for it. Without a launcher, these
 * are the modules for a job of one rank. */
struct kn_ranks_launch kn_ranks_launch_find(char *(*get)(const char *name));

/* ---- ranks ---- */

typedef struct kn_ranks kn_ranks;

enum { KN_RANKS_HOST_BYTES = 64, KN_RANKS_LIBRARY_BYTES = 96 };

struct kn_ranks_info {
    char library[KN_RANKS_LIBRARY_BYTES]; /* "Open MPI v4.1.4"; "": alone */
    char host[KN_RANKS_HOST_BYTES];
    char processors[KN_RANKS_HOST_BYTES]; /* processors that this rank may use: "0-3" */
    unsigned rank, len, nodes;
    unsigned local, local_len; /* its number among the ranks on this node, and their count */
    unsigned threads;          /* a rank's share of its node's processors; 0: OMP_NUM_THREADS decides */
    bool bound;                /* no other rank of this node may use these processors */
};

struct kn_ranks_settings {
    const char *module; /* path */
    uint32_t len;       /* ranks that the launcher started, 0: not known */
    uint32_t rank;      /* of this process; 0 where the launcher sets no variable for it */
    double timeout_s;   /* the longest that a rank waits for the others */
    enum kn_pin pin;    /* NONE: no rank is bound to processors */
    /* Called in another thread if the library waits longer than that without end: report why, and end this
     * process; the launcher then ends the others. NULL: it may wait. */
    void (*late)(const struct kn_ranks_info *info, const char *why);
};

/* Load the module, start, and share out the processors of each node among its ranks: ranks that the launcher
 * bound keep their processors, others are bound to equal parts, where there is a processor for each.
 * Owns:   the caller ends *out with kn_ranks_free or kn_ranks_abort.
 * Errors: LS_ERR_NOT_FOUND when the module cannot be loaded; LS_ERR_VERSION when it, or another rank, is of
 *         another version; LS_ERR_UNSUPPORTED when its library does not start here or knows another number
 *         of ranks than the launcher. */
ls_err kn_ranks_new(const struct kn_ranks_settings *s, kn_ranks **out);
/* All ranks leave together. */
void kn_ranks_free(kn_ranks *r);
/* End all ranks with this exit status. Does not return unless r is NULL. */
void kn_ranks_abort(kn_ranks *r, int status);

const struct kn_ranks_info *kn_ranks_info(const kn_ranks *r);

/* Like kn_memory_check, for a rank: ranks of a node share its memory. The limit applies to each rank. */
ls_err kn_ranks_memory_check(const kn_ranks *r, const char *name, uint64_t need_bytes, uint64_t limit_bytes);

/* ---- steps of all ranks ---- */

/* If own is a failure on any rank, return the failure of the first such rank on every rank; ls_last_error()
 * names the rank. A step that times out is a failure that other ranks may not know (kn_ranks_is_alone). */
ls_err kn_ranks_agree(kn_ranks *r, ls_err own);
/* Does this rank have an error that the others do not know? Then only kn_ranks_abort ends all ranks. */
bool kn_ranks_is_alone(const kn_ranks *r);

/* Set each of values to its largest on any rank; with len 0, wait for all. At most 8.
 * Errors: LS_ERR_BUSY when the others did not arrive in time. */
ls_err kn_ranks_max(kn_ranks *r, double *values, size_t len);
/* Copy the data of rank 0 to all.  Errors: as kn_ranks_max. */
ls_err kn_ranks_broadcast(kn_ranks *r, void *data, size_t len_bytes);
/* Copy each rank's data to rank 0: all[rank * len_bytes]; NULL on the others.  Errors: as kn_ranks_max. */
ls_err kn_ranks_gather(kn_ranks *r, const void *data, size_t len_bytes, void *all);

/* ---- memory of all ranks ---- */

/* An array of elements, each in the memory of one rank, in contiguous parts: part r begins at element
 * r * len / ranks. Elements are read and written by one-sided communication. */
struct kn_ranks_array {
    kn_ranks *ranks;
    void *window;
    char *own;           /* the elements of this rank */
    uint64_t len;        /* elements of all ranks */
    uint64_t begin, end; /* the part in this rank */
    uint64_t *begins;    /* the parts of all ranks */
    double ranks_per_element;
    unsigned element_bytes;
};

/* All ranks call it together; r is not NULL.
 * Owns:   the caller ends out with kn_ranks_array_fini, also after a failure; all ranks do it together.
 * Errors: LS_ERR_NOMEM on all ranks if one of them has no memory. */
ls_err kn_ranks_array_init(struct kn_ranks_array *out, kn_ranks *r, uint64_t len, unsigned element_bytes);
void kn_ranks_array_fini(struct kn_ranks_array *a);

/* Begin to copy element e to `to`, or from `from` to it; an element of this rank is copied at once. The other memory stays
 * as it is until kn_ranks_array_settle, which waits for all copies.
 * Errors: LS_ERR_UNSUPPORTED when the library reports an error. */
ls_err kn_ranks_array_get(const struct kn_ranks_array *a, uint64_t e, void *to);
ls_err kn_ranks_array_put(const struct kn_ranks_array *a, uint64_t e, const void *from);
ls_err kn_ranks_array_settle(const struct kn_ranks_array *a);

#endif
