/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernel time of a process by cause, data and line: sampled page faults and timed calls of the spool become
 * rows of /kernel. */
#ifndef PROF_KERNEL_H
#define PROF_KERNEL_H

#include "common/ls_error.h"
#include "common/ls_index.h"
#include "common/ls_vector.h"
#include "spool/spool_format.h"

#include <stddef.h>
#include <stdint.h>

struct prof_replay;
struct prof_stream;
struct prof_run_state;

struct mach_calibration;

/* Totals of one cause, node and instruction. */
struct prof_kernel_cell {
    uint32_t cause, node; /* node PROF_NO_NODE: none */
    uint64_t ip;          /* the instruction, or the call */
    double calls, bytes, time_ns;
    double variance; /* variance of time_ns, because only a sample was seen */
};

/* Zeroed is empty. */
struct prof_kernel_cells {
    LS_VECTOR(struct prof_kernel_cell) rows;
    struct ls_index by_cell;
};

/* The block that a thread is about to free. */
struct prof_kernel_announced {
    uint32_t node;
    double blocks; /* number of blocks it represents */
};

/* FAULT and CALL, in the order of time.  Errors: LS_ERR_NOMEM. */
ls_err prof_kernel_take(struct prof_replay *r, struct prof_stream *stream,
                        const struct spool_rec_header *rec);

/* Cost of a page fault of a small page, in nanoseconds; calibration may be NULL. */
double prof_kernel_fault_ns(const struct mach_calibration *calibration);
/* Write the rows of the process. Its lines must have their rows already.  Errors: LS_ERR_NOMEM. */
ls_err prof_kernel_write(struct prof_replay *r);

/* The kernel spent kernel_ns for the process: scale the rows down if they add up to more, and add a row for
 * the rest if they add up to less. UINT64_MAX: it is not known, and the rows stay as they are.  Errors:
 * LS_ERR_NOMEM. */
ls_err prof_kernel_finish(struct prof_run_state *run, uint32_t process, uint64_t kernel_ns);

void prof_kernel_fini(struct prof_kernel_cells *c);

#endif
