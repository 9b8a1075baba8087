/* SPDX-License-Identifier: BSD-3-Clause */
/* Labels of allocation sites: the variable that the source line assigns to, else function:line, else
 * module+offset; different sites have different labels. */
#ifndef PROF_SITE_NAMES_H
#define PROF_SITE_NAMES_H

#include "common/ls_error.h"
#include "resolve/prof_site_frames.h"
#include "resolve/prof_sites.h"
#include "run_h5/prof_names.h"
#include "run_h5/prof_tree.h"

/* Name all sites, and their nodes of the tree. The frames know their lines.  Errors: LS_ERR_NOMEM. */
ls_err prof_sites_name(struct prof_sites *s, const struct prof_place_tables *tables, prof_names *names,
                       prof_tree *tree);

#endif
