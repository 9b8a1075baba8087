/* SPDX-License-Identifier: BSD-3-Clause */
/* Thread-local storage: finds the variable and module of an address in a thread's block. A variable is one
 * node for all threads; the sample holds the thread that accessed it. */
#ifndef PROF_TLS_H
#define PROF_TLS_H

#include "common/ls_error.h"
#include "resolve/prof_modules.h"
#include "resolve/prof_place.h"
#include "run_h5/prof_tree.h"
#include "smrtree/smr_live.h"
#include "spool/spool_format.h"

#include <stdbool.h>

/* A block of one thread. */
struct prof_tls_block {
    uint64_t base, end;
    struct prof_loaded *module; /* NULL: the thread's control block */
    uint32_t lane;
    uint32_t next_free; /* used in free rows */
    bool is_live;
};
struct prof_tls {
    const struct prof_modules *modules; /* borrowed, as survey and tree are */
    const struct prof_survey *survey;
    prof_tree *tree;
    smr_live *live;                          /* values: rows of blocks */
    LS_VECTOR(struct prof_tls_block) blocks; /* rows of ended threads are used again */
    uint32_t first_free;                     /* UINT32_MAX: none */
};

/* Zeroed *t.  Owns: end with prof_tls_fini.  Errors: LS_ERR_NOMEM. */
ls_err prof_tls_init(struct prof_tls *t, const struct prof_modules *modules, const struct prof_survey *survey,
                     prof_tree *tree);
void prof_tls_fini(struct prof_tls *t);

/* The thread of lane has these blocks from now on; no others.  Errors: LS_ERR_NOMEM. */
ls_err prof_tls_blocks(struct prof_tls *t, uint32_t lane, const struct spool_tls_blocks *r);
/* The thread of lane ended. */
ls_err prof_tls_end(struct prof_tls *t, uint32_t lane);
/* Drop blocks in memory that now has another use. */
ls_err prof_tls_evict(struct prof_tls *t, uint64_t base, uint64_t end);

/* False: addr is in no block. Out of memory gives false too. */
bool prof_tls_find(struct prof_tls *t, uint64_t addr, struct prof_place *out);

#endif
