/* SPDX-License-Identifier: BSD-3-Clause */
/* Which samples and bursts an analysis looks at: "dimension=value[,value...]", or != for all others.
 *
 * A value names a key when it is its label or path, the words of it before a blank ("matmul.c:17" for
 * "matmul.c:17 multiply"), or a pattern of the shell (*, ?, [) that matches one of them. Functions have the names of an_function.h,
 * too. */
#ifndef AN_FILTER_H
#define AN_FILTER_H

#include "analyse/an_keys.h"

struct an_filter {
    const struct an_dimension *dimension;
    const char *values; /* as written */
    bool is_negated;
};

/* Owns:   nothing, out points into text.  Errors: LS_ERR_USAGE (no = in it, no such dimension, no value). */
ls_err an_filter_parse(struct an_filter *out, const char *text);
/* One byte per sample and per burst; 0 leaves it out. In a dimension of data the samples of a burst decide;
 * the byte of a burst counts only if it has no accesses. */
struct an_keep {
    uint8_t *samples, *bursts;
};
/* Clear the bytes of keep that f excludes. Columns needed: as for f's dimension.
 * Errors: LS_ERR_NOMEM; LS_ERR_NOT_FOUND when a value names nothing, *out_value then is that value (up to the
 *         next comma); keep is then unchanged. */
ls_err an_filter_apply(const struct an_filter *f, const struct an_tables *t, const struct prof_samples *s,
                       const struct an_keep *keep, const char **out_value);

#endif
