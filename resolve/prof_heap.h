/* SPDX-License-Identifier: BSD-3-Clause */
/* The live heap blocks of one process image, and the anonymous memory it mapped: the owner of each address at
 * this moment of the replay. Memory use follows the live blocks, not all that ever existed. */
#ifndef PROF_HEAP_H
#define PROF_HEAP_H

#include "common/ls_error.h"
#include "resolve/prof_paths.h"
#include "resolve/prof_sites.h"
#include "smrtree/smr_live.h"

typedef struct prof_heap prof_heap;

/* All borrowed. */
struct prof_heap_context {
    struct prof_sites *sites;
    struct prof_frames *frames;
    const struct prof_survey *survey;
    prof_tree *tree;
    prof_names *names;
    uint64_t start_ns; /* 0 of the times in the tree */
    uint32_t process;
};

/* Errors: LS_ERR_NOMEM. */
ls_err prof_heap_new(const struct prof_heap_context *context, prof_heap **out);
void prof_heap_free(prof_heap *h);
/* About how much memory a clone of h takes. */
size_t prof_heap_clone_bytes(const prof_heap *h);
/* Clone h for a fork child; survey and process are the child's.  Errors: LS_ERR_NOMEM. */
ls_err prof_heap_clone(const prof_heap *h, const struct prof_survey *survey, uint32_t process,
                       prof_heap **out);

/* Follow the program. Records that make no sense change nothing.  Errors: LS_ERR_NOMEM. */
ls_err prof_heap_alloc(prof_heap *h, const struct spool_alloc *r);
/* *out_end: the end of the block that began at base, base when none did. */
ls_err prof_heap_end_block(prof_heap *h, uint64_t base, uint64_t time_ns, uint64_t *out_end);
/* [base, end) is something else from now on. */
ls_err prof_heap_evict(prof_heap *h, uint64_t base, uint64_t end);

/* The node of the block, or of the mapping, that holds addr. PROF_NO_NODE: none does. */
uint32_t prof_heap_find_block(prof_heap *h, uint64_t addr);
uint32_t prof_heap_find_mapping(prof_heap *h, uint64_t addr);
/* The same, but a block or mapping of a site belongs to the site's node, and gets none itself. */
uint32_t prof_heap_find_site(prof_heap *h, uint64_t addr);
/* Number of blocks that the recorded one at addr represents; 1: there is none. */
double prof_heap_blocks_at(const prof_heap *h, uint64_t addr);

#endif
