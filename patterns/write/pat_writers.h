/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of pat_write.c and functions that they share. */
#ifndef PAT_WRITERS_H
#define PAT_WRITERS_H

#include "patterns/pat_extent.h"
#include "patterns/write/pat_write.h"

#include <stdbool.h>

extern const struct pat_writer pat_writer_json, pat_writer_spatter, pat_writer_gs, pat_writer_gem5;

uint64_t pat_write_max(const struct pat_write_options *o); /* with its default */
void pat_write_note(const struct pat_write_options *o, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* "1,2,3" */
void pat_write_indices(const struct pat_indices *p, FILE *out);

/* ---- a configuration in the form of other tools: in units of 8 bytes, or access by access ---- */

/* Bytes that Spatter moves per access. */
enum { PAT_SPATTER_BYTES = 8 };

/* Bytes that a replay moves per access to elements of elem_size_bytes: 4 where these are smaller than 8 or
 * consist of an odd number of fields of 4, otherwise 8. */
unsigned pat_replayed_bytes(uint64_t elem_size_bytes);

/* List the elements that side of c touches (pat_extent_of), one by one in order, at most accesses_max of
 * them.
 * Owns:   the caller frees out->data.
 * Errors: LS_ERR_NOMEM, as pat_extent_of; *out is then empty. */
ls_err pat_unroll(const struct pat_config *c, enum pat_side side, uint64_t accesses_max,
                  struct pat_indices *out);

/* Accesses of that side: iterations times indices, UINT64_MAX when that does not fit. */
uint64_t pat_unrolled_len(const struct pat_config *c, enum pat_side side);

/* Copy c, with indices and deltas in units of unit_bytes instead of elements of elem_size_bytes, if these are
 * larger: a replay then touches the same lines. Values that are no multiple of the unit are rounded down.
 * Smaller elements keep their numbers. The lowest index of the copy is 0 where c has negative ones.
 * Owns:   the caller ends *out with pat_config_fini.
 * Errors: LS_ERR_NOMEM, LS_ERR_RANGE (an index does not fit 64 bits); *out may be passed to
 * pat_config_fini. */
ls_err pat_config_scaled(const struct pat_config *c, uint64_t elem_size_bytes, unsigned unit_bytes,
                         struct pat_config *out);

/* Copy a list of elements in such units.
 * Owns:   the caller frees out->data.  Errors: as pat_config_scaled; *out is then empty. */
ls_err pat_elements_scaled(const struct pat_indices *p, uint64_t elem_size_bytes, unsigned unit_bytes,
                           struct pat_indices *out);

/* The lowest of p, which is not empty. */
int64_t pat_lowest(const struct pat_indices *p);
/* Move all indices so that the lowest is 0. The distances stay. */
void pat_normalise(struct pat_indices *p);

/* ---- patterns access by access, for formats without a count: the program's own accesses where they are
 * known, including the ones before and after the repeating part ---- */

/* List the accesses of r, in its elements, the lowest 0, at most accesses_max of them.
 * Owns:   the caller frees out->data.
 * Errors: LS_ERR_NOMEM, LS_ERR_RANGE; *out is then empty. */
ls_err pat_whole(const struct pat_found *r, uint64_t accesses_max, struct pat_indices *out);

/* Note to o the patterns of f whose accesses are not all written, with the numbers, and in a second note the
 * synthetic ones. */
void pat_whole_note(const struct pat_findings *f, const struct pat_write_options *o);

#endif
