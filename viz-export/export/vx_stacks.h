/* SPDX-License-Identifier: BSD-3-Clause */
/* Call stacks with their costs, for the formats of profilers: CPU time by the stack at which a burst began,
 * and waiting by the same stack with the data, for which the program waited, below its innermost function. */
#ifndef VX_STACKS_H
#define VX_STACKS_H

#include "analyse/an_calls.h"
#include "common/ls_index.h"
#include "common/ls_vector.h"
#include "viz-export/export/vx_export.h"

/* A function, or a piece of data ("data: Input/B", module ""). */
struct vx_frame {
    const char *name, *module;
    bool is_data;
};

/* A frame below its callers. */
struct vx_stack {
    uint32_t parent, frame; /* parent: an earlier row; UINT32_MAX at the top */
};

struct vx_stack_cost {
    uint32_t stack, thread;
    uint64_t time_ns; /* since the start; 0 in sums */
    uint64_t bursts;
    double cpu_ns, wait_ns; /* a row of data has only waiting */
};

struct vx_stacks {
    LS_VECTOR(struct vx_frame) frames;
    LS_VECTOR(struct vx_stack) stacks;
    LS_VECTOR(struct vx_stack_cost) costs; /* by thread, then time */
    LS_VECTOR(char *) texts;               /* names of data */
    struct an_call_tree calls;
    struct ls_index by_name, by_parent;
};

/* Compute the costs of each burst of s, which has tables, in and costs (VX_NEEDS_TREE).
 * Owns:   the caller ends out with vx_stacks_fini, also after a failure; names are borrowed from s.
 * Errors: LS_ERR_NOMEM. */
ls_err vx_stacks_init(struct vx_stacks *out, const struct vx_source *s);
/* Owns:   frees the contents of s. */
void vx_stacks_fini(struct vx_stacks *s);
/* Replace the costs of bursts by sums of each stack in each thread. */
void vx_stacks_sum(struct vx_stacks *s);

#endif
