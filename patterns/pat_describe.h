/* SPDX-License-Identifier: BSD-3-Clause */
/* What a list of indices looks like, in the words of the Spatter paper's Table 5; what it was found to be in
 * a program comes before what its indices look like. */
#ifndef PAT_DESCRIBE_H
#define PAT_DESCRIBE_H

#include "patterns/pat_config.h"

enum { PAT_TEXT_BYTES = 64 };

/* "16 x stride 4", "16, broadcast", "16, mostly stride-1", "16, random", "16, complex", by the thresholds of
 * patterns/compact/pat_class.c; the class that the file tells where it does: "3 x stride 1, stencil". Of gs
 * both sides. Written into out and returned.
 * Without memory an irregular list counts as complex. */
const char *pat_describe(const struct pat_config *c, char out[PAT_TEXT_BYTES]);

/* "8", "8,16,..." of a list, "4/8" of gs. Written into out and returned. */
const char *pat_describe_delta(const struct pat_config *c, char out[PAT_TEXT_BYTES]);

#endif
