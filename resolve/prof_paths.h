/* SPDX-License-Identifier: BSD-3-Clause */
/* The call paths of a process image's allocations by their hash: a file gives each path once and refers to it
 * by hash afterwards (spool/spool_path.h). */
#ifndef PROF_PATHS_H
#define PROF_PATHS_H

#include "common/ls_error.h"
#include "common/ls_index.h"
#include "common/ls_vector.h"
#include "spool/spool_format.h"

#include <stddef.h>
#include <stdint.h>

struct prof_path {
    uint32_t frame;  /* row of /frames, PROF_NO_FRAME until somebody sets it */
    uint32_t blocks; /* recorded at it; saturates */
};
/* Zeroed is empty. */
struct prof_paths {
    LS_VECTOR(struct prof_path) rows;
    struct ls_index by_hash;
};

/* The hash of an allocation's path, 0 when it has none. */
uint64_t prof_path_hash_of(const struct spool_alloc *r);
/* The path of this hash, made when it is new; valid until the next call.  NULL: out of memory. */
struct prof_path *prof_paths_at(struct prof_paths *p, uint64_t hash);
/* NULL: not there. */
struct prof_path *prof_paths_find(const struct prof_paths *p, uint64_t hash);
/* First pass: one block more at the path of r.  Errors: LS_ERR_NOMEM. */
ls_err prof_paths_count(struct prof_paths *p, const struct spool_alloc *r);
void prof_paths_fini(struct prof_paths *p);

#endif
