/* SPDX-License-Identifier: BSD-3-Clause */
/* What a list of indices looks like, in the words of the Spatter paper's Table 5. */
#ifndef PAT_DESCRIBE_H
#define PAT_DESCRIBE_H

#include "patterns/pat_config.h"

enum { PAT_TEXT_BYTES = 64 };

enum pat_shape {
    PAT_SHAPE_SINGLE,         /* one index */
    PAT_SHAPE_UNIFORM,        /* equal distances: stride-N */
    PAT_SHAPE_BROADCAST,      /* runs of the same index, at a constant distance from each other */
    PAT_SHAPE_MOSTLY_STRIDE1, /* 1 is the most frequent distance, and a third of all at least */
    PAT_SHAPE_COMPLEX
};

/* The shape of p, and for uniform ones its stride. p is not empty.
 * Errors: none; without memory a list counts as complex.
 * Thread: any.  Signal: not safe. */
enum pat_shape pat_shape_of(const struct pat_indices *p, int64_t *out_stride);

/* "16 x stride 4", "16, broadcast", "16, mostly stride 1", "16, complex"; of gs both sides. Written into out
 * and returned. Errors: none.  Thread: any.  Signal: not safe. */
const char *pat_describe(const struct pat_config *c, char out[PAT_TEXT_BYTES]);

/* "8", "8,16,..." of a list, "4/8" of gs. Written into out and returned.
 * Errors: none.  Thread: any.  Signal: not safe. */
const char *pat_describe_delta(const struct pat_config *c, char out[PAT_TEXT_BYTES]);

#endif
