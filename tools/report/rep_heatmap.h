/* SPDX-License-Identifier: BSD-3-Clause */
/* report --heatmap: where on its domain the samples of a node are. */
#ifndef REP_HEATMAP_H
#define REP_HEATMAP_H

#include "common/ls_error.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct rep_heatmap_options {
    const char *path;
    const char *what; /* NODE[:METRIC] */
    uint64_t width;   /* columns of the terminal, 0: as it is */
    bool one_layer, json;
    uint64_t layer;
};
/* Errors: as prof_open and prof_atlas_list; LS_ERR_USAGE when there is no such field
 * or layer. */
ls_err rep_heatmap(const struct rep_heatmap_options *o, FILE *out);

#endif
