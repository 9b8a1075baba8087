/* SPDX-License-Identifier: BSD-3-Clause */
/* Natural domains and the metrics gathered on them, in run.h5: /meshes/<domain> and /fields/<field>
 * (doc/run-h5.md).
 *
 * Thread: one of the process at a time (HDF5 is not thread-safe). */
#ifndef PROF_ATLAS_H
#define PROF_ATLAS_H

#include "common/ls_error.h"
#include "ndm/ndm_field.h"
#include "run_h5/prof_reader.h"

#include <stdbool.h>
#include <stdint.h>

struct prof_writer;

/* Larger atlases are damage: refused before any memory is allocated. */
#define PROF_ATLAS_DOMAINS_MAX UINT32_C(65536)
#define PROF_ATLAS_VALUES_MAX (UINT64_C(1) << 28)

/* --- writing --- */

/* Write domain number domain of a.  Errors: as of prof_writer_add; LS_ERR_EXISTS when another one has its
 * label. */
ls_err prof_atlas_write_domain(struct prof_writer *w, const struct ndm_atlas *a, uint32_t domain);
/* Write field number field of a, whose domain was written, with all its metrics.  Errors: as above. */
ls_err prof_atlas_write_field(struct prof_writer *w, const struct ndm_atlas *a, uint32_t field);
/* Write all domains and fields of a.  Errors: as above. */
ls_err prof_atlas_write(struct prof_writer *w, const struct ndm_atlas *a);

/* --- reading --- */

/* Everything there is. A recording without natural domains gives an empty atlas.
 * Owns:   the caller ends out with ndm_atlas_fini, also after a failure.
 * Errors: LS_ERR_FORMAT (the text names file and group), LS_ERR_RANGE (more than
 *         PROF_ATLAS_VALUES_MAX values: read one field at a time), LS_ERR_NOMEM. */
ls_err prof_atlas_read(prof_profile *p, struct ndm_atlas *out);
/* Domains, and fields without values: values, step_values NULL.  Owns, Errors: as above. */
ls_err prof_atlas_list(prof_profile *p, struct ndm_atlas *out);

#define PROF_ATLAS_ALL ((UINT32_C(1) << NDM_METRICS_LEN) - 1)
struct prof_atlas_want {
    uint32_t field;   /* field of the atlas */
    uint32_t metrics; /* a bit each: 1 << NDM_STALL */
    bool steps;       /* step_values, too */
};
/* Read values that are not there yet into a, which prof_atlas_list made of p.
 * Errors: as above; a keeps the values read so far. */
ls_err prof_atlas_load(prof_profile *p, struct ndm_atlas *a, const struct prof_atlas_want *want);

/* --- both --- */

/* The name of a group for a label: '/' and '%' (and the dots of "." and "..") as %2F and the like.
 * Owns:   the caller frees.  Errors: NULL: out of memory. */
char *prof_atlas_escape(const char *label);
/* Can values of this metric be missing (NaN)? Counts and sums are 0 where nothing is. */
bool prof_atlas_may_miss(enum ndm_metric m);
/* Extents of a field's data sets in C order, without steps: 1 to 3 of them. */
int prof_atlas_shape(const struct ndm_geometry *g, enum ndm_centering centering, uint64_t out[NDM_AXES_MAX]);

#endif
