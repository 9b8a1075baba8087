/* SPDX-License-Identifier: BSD-3-Clause */
/* Fork children inherit their parents' state: when the replay of a parent passes a fork, it saves a copy of
 * its state, and the child's replay begins with it. The child need not record anything again. */
#ifndef PROF_FORKS_H
#define PROF_FORKS_H

#include "common/ls_error.h"
#include "common/ls_vector.h"
#include "resolve/prof_phases.h"
#include "resolve/prof_space.h"
#include "resolve/prof_survey.h"
#include "spool/spool_dir.h"

#include <stddef.h>
#include <stdint.h>

/* An image that began as a fork of another one of the spool. */
struct prof_fork {
    uint32_t parent, child; /* rows of images */
    uint32_t tid;           /* the parent's thread that forked */
    uint64_t fork_ns;       /* CLOCK_MONOTONIC */
    struct prof_survey *child_survey;
    prof_space *space;  /* the parent's at the fork, from there until the child is replayed */
    size_t space_bytes; /* about */
    struct prof_phase_stack phases;
};

struct prof_forks {
    LS_VECTOR(struct prof_fork) rows; /* by parent, then time */
    uint32_t *fork_of_child;          /* beside images: row of rows, or UINT32_MAX */
    uint32_t *by_pid;                 /* rows of images, sorted by pid and image */
    const struct spool_image *images; /* borrowed */
    size_t images_len;
    size_t waiting_bytes; /* about, of the copies put aside */
};

/* Copies beyond this are not saved: children then have coarse homes for the data of their parent, and /events
 * reports it. */
#define PROF_FORKS_WAITING_MAX_BYTES ((size_t)1 << 30)

/* Put images, and their surveys with them, into the order of their begins.  Errors: LS_ERR_NOMEM. */
ls_err prof_images_sort(struct spool_image *images, struct prof_survey *surveys, size_t images_len);

/* images are in the order of their begins, surveys is parallel to them; zeroed *out.  Owns: end with
 * prof_forks_fini, also after a failure. Errors: LS_ERR_NOMEM. */
ls_err prof_forks_init(struct prof_forks *out, const struct spool_image *images, struct prof_survey *surveys,
                       size_t images_len);
void prof_forks_fini(struct prof_forks *f);
/* Index in by_pid of the first image of pid; there may be none. */
size_t prof_forks_first_of_pid(const struct prof_forks *f, uint32_t pid);
/* The forks of one parent in the order of time. */
struct prof_fork *prof_forks_of_parent(const struct prof_forks *f, uint32_t parent, size_t *out_len);
/* The fork that began the image; NULL: it did not begin with a fork. */
struct prof_fork *prof_forks_of_child(const struct prof_forks *f, uint32_t child);

#endif
