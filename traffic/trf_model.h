/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels and exact traces through the cache model.
 *
 * Thread: the owner of the objects. */
#ifndef TRF_MODEL_H
#define TRF_MODEL_H

#include "patterns/source/pat_source.h"
#include "smrtree/smr_avl.h"
#include "traffic/trf_cache.h"
#include "traffic/trf_kernel.h"

#include <stdbool.h>

/* Run k at s through empty caches, which are written back at the end. out[i] is the traffic of array i.
 * Errors: as of trf_kernel_check; LS_ERR_UNSUPPORTED: a library's loops; LS_ERR_NOMEM. */
ls_err trf_model_kernel(const struct trf_kernel *k, const struct trf_size *s, const struct trf_geometry *g,
                        struct trf_traffic out[TRF_ARRAYS_MAX]);

/* The living ranges of a source's homes. All zero is empty; ended by smr_avl_fini of `live`. */
struct trf_homes {
    struct smr_avl live; /* value: row of the source's ranges */
    struct smr_range last;
    bool has_last; /* `last` is the innermost living range that was found last */
};

/* Take an event of the source into account.  Errors: LS_ERR_NOMEM. */
ls_err trf_homes_event(struct trf_homes *h, const struct pat_tables *t, const struct pat_event *e);
/* Return the row of the innermost living range that holds addr, PAT_NONE if there is none. */
uint32_t trf_homes_range(struct trf_homes *h, uint64_t addr);

/* One piece of data of a trace. */
struct trf_row {
    char *label; /* the caller frees it */
    struct trf_traffic traffic;
};

struct trf_rows {
    struct trf_row *rows; /* most traffic first */
    size_t len;
    struct trf_traffic all;
    bool
        is_sampled; /* the source holds bursts: the traffic is the sum over bursts that each begin with empty caches */
};

/* Run all accesses of a source through the caches, all threads as one core.
 * Owns:   the caller ends out with trf_rows_fini.
 * Errors: as of reading the source; LS_ERR_NOMEM. */
ls_err trf_model_source(pat_source *s, const struct trf_geometry *g, struct trf_rows *out);
void trf_rows_fini(struct trf_rows *r);

#endif
