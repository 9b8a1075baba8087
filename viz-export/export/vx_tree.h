/* SPDX-License-Identifier: BSD-3-Clause */
/* Metrics that colour the nodes of the semantic tree: one row per metric in vx_dot.c. */
#ifndef VX_TREE_H
#define VX_TREE_H

#include "analyse/an_table.h"

struct vx_tree_metric {
    const char *name, *unit, *words;
    double (*value)(const struct an_row *r); /* NAN: missing */
};

/* Every metric; ends with one without a name. */
extern const struct vx_tree_metric vx_tree_metrics[];
/* name NULL: the time.  Errors: LS_ERR_USAGE: there is no such metric; the text names those there are. */
ls_err vx_tree_metric_of(const char *name, const struct vx_tree_metric **out);

#endif
