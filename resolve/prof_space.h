/* SPDX-License-Identifier: BSD-3-Clause */
/* The address space of one process image as it changes: resolves an address at this moment. Layers, searched
 * in this order: registered ranges, thread-local storage, heap blocks, thread stacks, memory mapped at a
 * known site, mappings; then mappings that only a later or earlier snapshot showed (made by ld.so, the C
 * library or raw system calls: no hook saw them). */
#ifndef PROF_SPACE_H
#define PROF_SPACE_H

#include "common/ls_error.h"
#include "resolve/prof_heap.h"
#include "resolve/prof_place.h"
#include "resolve/prof_statics.h"
#include "resolve/prof_survey.h"
#include "resolve/prof_tls.h"
#include "run_h5/prof_tree.h"
#include "spool/spool_format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct prof_space prof_space;

/* survey (planted, the context's) and everything that context points to are borrowed.  Errors:
 * LS_ERR_NOMEM. */
ls_err prof_space_new(struct prof_survey *survey, const struct prof_heap_context *context, prof_space **out);
void prof_space_free(prof_space *s);
/* Approximate memory that a clone of s takes. */
size_t prof_space_clone_bytes(const prof_space *s);
/* Clone s for a fork child: the same objects at the same places. survey is the child's, with the parent's
 * nodes in it (prof_survey_inherit). Owns: the caller frees *out.  Errors: LS_ERR_NOMEM. */
ls_err prof_space_clone(const prof_space *s, struct prof_survey *survey, uint32_t process, prof_space **out);

/* The following functions follow the program, in the order of time. Records that make no sense (a free of
 * nothing, an extent that wraps) change nothing. */
/* From now on all mappings are as in this /proc/PID/maps.
 * Owns:   maps_text is only read.  Errors: LS_ERR_NOMEM. */
ls_err prof_space_snapshot(prof_space *s, const char *maps_text, size_t len_bytes);
/* Something was mapped: end everything at that place (ranges, blocks, thread-local storage), unless it is the
 * heap that grew.
 * Owns:   r is only read.  Errors: LS_ERR_NOMEM. */
ls_err prof_space_mmap(prof_space *s, const struct spool_mmap *r);
/* Something was unmapped: end everything at that place.
 * Owns:   r is only read.  Errors: LS_ERR_NOMEM. */
ls_err prof_space_munmap(prof_space *s, const struct spool_extent *r);
/* A block, or memory mapped at a known site, is born.
 * Owns:   r is only read.  Errors: LS_ERR_NOMEM. */
ls_err prof_space_alloc(prof_space *s, const struct spool_alloc *r);
/* The block that begins at r->base dies, and the ranges inside it.
 * Owns:   r is only read.  Errors: LS_ERR_NOMEM. */
ls_err prof_space_free_block(prof_space *s, const struct spool_extent *r);
/* NODE_ADD and NODE_RANGE: a registered node is here from now on, and where it was no longer. Groups are
 * nowhere.
 * Owns:   r is only read.  Errors: LS_ERR_NOMEM. */
ls_err prof_space_node_range(prof_space *s, const struct spool_node *r);
/* A registered node is nowhere from now on.
 * Owns:   r is only read.  Errors: none: always LS_OK. */
ls_err prof_space_node_remove(prof_space *s, const struct spool_node_remove *r);
/* A thread's stack [base, end) lives from now; home is its node.
 * Errors: LS_ERR_NOMEM. */
ls_err prof_space_stack_begin(prof_space *s, uint64_t base, uint64_t end, uint32_t home);
/* The stacks in [base, end) are gone.
 * Errors: LS_ERR_NOMEM. */
ls_err prof_space_stack_end(prof_space *s, uint64_t base, uint64_t end);

/* Is addr in an executable mapping, as far as is known? */
bool prof_space_is_code(const prof_space *s, uint64_t addr);

/* From now on give static and thread-local data homes below their modules' homes; both are borrowed. */
void prof_space_set_statics(prof_space *s, struct prof_statics *statics, struct prof_tls *tls);

/* Set the time of the following queries (CLOCK_MONOTONIC). */
void prof_space_set_time(prof_space *s, uint64_t time_ns);
/* Never fails: every address has a home. */
struct prof_place prof_space_find(prof_space *s, uint64_t addr);
/* The node of addr where all blocks of a site count as one. PROF_NO_NODE: out of memory. */
uint32_t prof_space_find_site(prof_space *s, uint64_t addr);
/* Number of blocks that the recorded heap block at addr represents; 1: there is none. */
double prof_space_blocks_at(const prof_space *s, uint64_t addr);

#endif
