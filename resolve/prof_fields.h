/* SPDX-License-Identifier: BSD-3-Clause */
/* Map samples onto the domains that their nodes are mapped to: /meshes and /fields of a run.
 *
 * This is a separate pass over the samples in the file, since the cost of an access is known only when all
 * samples are (run_h5/prof_cost.h): a few columns are read back, in pieces. Recordings without maps pay
 * nothing. Memory grows with the values that were touched.
 *
 * Thread: one of the process at a time (HDF5 is not thread-safe). */
#ifndef PROF_FIELDS_H
#define PROF_FIELDS_H

#include "common/ls_error.h"
#include "ndm/ndm_field.h"
#include "resolve/prof_domains.h"
#include "run_h5/prof_reader.h"
#include "run_h5/prof_tree.h"

#include <stddef.h>
#include <stdint.h>

/* --- steps in time ---
 *
 * The steps of fields that are resolved in time: the phases at the top of a process, each time one was
 * entered, or equal slices of the run. */

#define PROF_NO_STEP UINT32_MAX
enum { PROF_STEPS_MAX = 200 };

struct prof_step {
    uint64_t begin_ns, end_ns;
    char *label;
};
struct prof_steps {
    struct prof_step *rows; /* in the order of time, none overlaps the next one */
    uint32_t len;           /* 0: not resolved in time */
};

struct prof_step_source {
    const struct prof_phase *phases;
    const struct prof_phase_span *spans;
    size_t phases_len, spans_len;
    const struct prof_thread *threads;
    uint32_t process;
    uint32_t slices;      /* that many equal parts of the run; 0: by phase */
    uint64_t duration_ns; /* duration of the run */
};
/* Make at most max steps: if there are more spans, adjacent ones are joined. Fewer than two steps give none:
 * they would equal the whole run. If several threads of a process have phases, the first thread's are used.
 * Owns:   the caller ends out with prof_steps_fini.  Errors: LS_ERR_NOMEM. */
ls_err prof_steps_init(struct prof_steps *out, const struct prof_step_source *from, uint32_t max);
void prof_steps_fini(struct prof_steps *s);
/* The step at a time, PROF_NO_STEP: between them. */
uint32_t prof_steps_find(const struct prof_steps *s, uint64_t time_ns);

/* --- which fields exist ---
 *
 * The domains and fields of a run: one field for each label that a domain has below one parent (of all lives
 * of that node together), and one for all nodes of the domain. */

#define PROF_NO_FIELD UINT32_MAX

struct prof_planned_domain {
    struct ndm_geometry geometry; /* as stored: label unique, large grids coarser */
    uint32_t from;                /* row of prof_domains: the last of several rows for one domain */
    uint64_t block;               /* cells of the program's domain that a stored cell spans along each axis */
};
struct prof_planned_field {
    uint32_t domain; /* domain of the plan */
    uint32_t node;   /* the first of its lives; UINT32_MAX: all nodes of the domain */
    enum ndm_centering centering;
    uint64_t samples; /* the caller's count */
};
struct prof_atlas_plan {
    LS_VECTOR(struct prof_planned_domain) domains;
    LS_VECTOR(struct prof_planned_field) fields; /* each domain's field of all nodes before its others */
    uint32_t *domain_of;                         /* beside prof_domains.domains: domain of the plan */
    uint32_t (*fields_of)[2]; /* beside prof_domains.spans: field of the node, of all; PROF_NO_FIELD */
};

/* d is sorted. Geometries are copies.
 * Owns:   the caller ends out with prof_atlas_plan_fini, also after a failure.  Errors: LS_ERR_NOMEM. */
ls_err prof_atlas_plan_init(struct prof_atlas_plan *out, const struct prof_domains *d, prof_tree *tree,
                            uint64_t cells_max);
void prof_atlas_plan_fini(struct prof_atlas_plan *p);
/* Value of the stored domain for a value of the program's domain `from`. */
uint64_t prof_atlas_plan_value(const struct prof_planned_domain *d, const struct ndm_geometry *from,
                               uint64_t value);

struct prof_run_state;
struct prof_run;

/* Grids with more cells are kept in blocks of 2 (4, 8, ...) cells an axis, with larger cells. */
#define PROF_FIELD_CELLS_MAX (UINT64_C(1) << 21)
/* Values in all steps of all fields of a run; steps are joined until they fit. */
#define PROF_FIELD_STEP_VALUES_MAX (UINT64_C(1) << 25)

/* All samples, phases and nodes of s are there; run is its description. slices: number of steps of the run;
 * 0: a step per phase. Errors: LS_ERR_NOMEM, and as of prof_writer_add. */
ls_err prof_fields_write(struct prof_run_state *s, const struct prof_run *run, uint32_t slices);

#endif
