/* SPDX-License-Identifier: BSD-3-Clause */
/* The domains and fields of a run: one field for each label that a domain has below one parent (of all lives
 * of that node together), and one for all nodes of the domain.
 *
 * Thread: one at a time for one object, any number may read it. */
#ifndef PROF_ATLAS_PLAN_H
#define PROF_ATLAS_PLAN_H

#include "ndm/ndm_field.h"
#include "resolve/prof_domains.h"
#include "run_h5/prof_tree.h"

#define PROF_NO_FIELD UINT32_MAX

struct prof_planned_domain {
    struct ndm_geometry geometry; /* as stored: label unique, large grids coarser */
    uint32_t from;                /* row of prof_domains: the last of several rows for one domain */
    uint64_t block;               /* cells of the program's along each axis of a stored one; 1: as they are */
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
    uint32_t (*fields_of)[2]; /* beside prof_domains.spans: node's, all nodes'; PROF_NO_FIELD */
};

/* d is sorted. Geometries are copies.
 * Owns:   the caller ends out with prof_atlas_plan_fini, also after a failure.  Errors: LS_ERR_NOMEM. */
ls_err prof_atlas_plan_init(struct prof_atlas_plan *out, const struct prof_domains *d, prof_tree *tree,
                            uint64_t cells_max);
void prof_atlas_plan_fini(struct prof_atlas_plan *p);
/* Value of the stored domain for a value of the program's domain `from`. */
uint64_t prof_atlas_plan_value(const struct prof_planned_domain *d, const struct ndm_geometry *from,
                               uint64_t value);

#endif
