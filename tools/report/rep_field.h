/* SPDX-License-Identifier: BSD-3-Clause */
/* Find the field that a user means, and summarize its values in words. */
#ifndef REP_FIELD_H
#define REP_FIELD_H

#include "ndm/ndm_field.h"
#include "profile/prof_reader.h"

#include <stdbool.h>

struct rep_field_choice {
    uint32_t field; /* index in the atlas */
    enum ndm_metric metric;
};

/* "NODE" or "NODE:METRIC". NODE is a node's label, labels joined by /, #id, a domain's label, or a field's
 * name; METRIC one of rep_metric_words, stall by default. Errors: LS_ERR_USAGE; the text lists the fields. */
ls_err rep_field_find(const prof_profile *p, const struct ndm_atlas *a, const char *text,
                      struct rep_field_choice *out);
/* The word for a metric on the command line. */
const char *rep_metric_word(enum ndm_metric m);

enum { REP_HOTTEST_MAX = 3 };
struct rep_hottest {
    uint64_t values[REP_HOTTEST_MAX]; /* the largest ones, the largest first */
    uint32_t len;
    double sum, max;
    /* For additive metrics: each axis is cut in thirds; the part with the largest sum. */
    bool has_part;
    double part_share;
    int part[NDM_AXES_MAX];                       /* 0 low, 1 middle, 2 high; -1: the axis is not cut */
    double low[NDM_AXES_MAX], high[NDM_AXES_MAX]; /* its borders */
    uint32_t parts;                               /* in all: 3, 9, 27 */
};
void rep_field_hottest(const struct ndm_geometry *g, const struct ndm_field *f, enum ndm_metric m,
                       struct rep_hottest *out);

#endif
