/* SPDX-License-Identifier: BSD-3-Clause */
/* Describe a list of indices in the words of the Spatter paper's Table 5; a class found in a program takes
 * precedence over one derived from the indices. */
#ifndef PAT_DESCRIBE_H
#define PAT_DESCRIBE_H

#include "patterns/pat_config.h"

enum { PAT_TEXT_BYTES = 64 };

/* Write into out and return "16 x stride 4", "16, broadcast", "16, mostly stride-1", "16, random",
 * "16, complex", by the thresholds of patterns/compact/pat_class.c; if the file gives a class, with that
 * class: "3 x stride 1, stencil". For gs both sides are described.
 * Without memory an irregular list counts as complex. */
const char *pat_describe(const struct pat_config *c, char out[PAT_TEXT_BYTES]);

/* Write into out and return "8", "8,16,..." for a list, "4/8" for gs. */
const char *pat_describe_delta(const struct pat_config *c, char out[PAT_TEXT_BYTES]);

#endif
