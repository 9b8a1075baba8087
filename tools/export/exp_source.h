/* SPDX-License-Identifier: BSD-3-Clause */
/* A recording opened for export, with as much of it loaded as a format needs. */
#ifndef EXP_SOURCE_H
#define EXP_SOURCE_H

#include "viz-export/vx_export.h"

struct exp_source {
    prof_profile *profile;
    struct ndm_atlas atlas;
    struct vx_selection selection;
    struct an_tables tables;
    struct an_input in;
    struct an_costs costs;
    uint32_t *parents; /* of nodes */
    an_table *nodes;
    struct vx_source source;
};

/* Which part of a recording. */
struct exp_choice {
    const char *fields, *metrics; /* as vx_select takes them */
    bool steps;
    unsigned needs; /* enum vx_needs */
};

/* Owns:   the caller ends e with exp_source_fini, also after a failure.
 * Errors: as prof_open, prof_atlas_load and vx_select. */
ls_err exp_source_open(struct exp_source *e, const char *path);
ls_err exp_source_load(struct exp_source *e, const struct exp_choice *choice);
void exp_source_fini(struct exp_source *e);

#endif
