/* SPDX-License-Identifier: BSD-3-Clause */
/* Several sources, read at the same moments: the values of intervals, and gaps where there are none.
 *
 * Thread: one at a time for one object.  Signal: not safe. */
#ifndef TRF_SAMPLER_H
#define TRF_SAMPLER_H

#include "traffic/trf_source.h"
#include "traffic/trf_verify.h"

/* ---- request ---- */

enum { TRF_SOURCES_MAX = 16, TRF_METRICS_MAX = 64, TRF_REQUEST_BYTES = 4096 };

/* The argument of --series, parsed. Points into itself: do not copy. */
struct trf_request {
    bool by_name[TRF_SOURCES_MAX], by_group[TRF_SOURCES_MAX]; /* by row of trf_sources */
    const char *metrics[TRF_METRICS_MAX + 1]; /* names for the source that takes them; ends with NULL */
    char text[TRF_REQUEST_BYTES];
};

/* Read "traffic,net,pcp:kernel.all.load": groups and sources; a metric may contain no comma.
 * Errors: LS_ERR_USAGE with the names that there are. */
ls_err trf_request_parse(const char *text, struct trf_request *out);

/* ---- sampler ---- */

typedef struct trf_sampler trf_sampler;

/* A counter and its source. */
struct trf_series {
    const struct trf_source *source;
    struct trf_counter counter;
    struct trf_verdict verdict; /* for its source */
};

/* The value of an interval: the growth of a counter in its unit, or a level's value at the end. */
struct trf_point {
    uint32_t series;
    enum ls_gap gap; /* not NONE: no value, for this reason */
    uint64_t begin_ns, end_ns;
    double value; /* NAN in a gap */
};

struct trf_use {
    void (*point)(void *user, const struct trf_point *p);
    void (*note)(void *user, const char *text); /* a source that cannot be used, with the remedy */
    /* Compare a source that can be compared with known traffic; one that is off is noted and left out. NULL:
     * sources are used as they are. Errors: the source is left out. */
    ls_err (*verify)(void *user, const struct trf_source *source, const struct trf_opened *opened,
                     struct trf_verdict *out);
    void *user;
};

/* Open the sources of a request. A missing source is noted if it was named, or if no source of its group is
 * available; the others are used.
 * Owns:   trf_sampler_free ends *out.
 * Errors: LS_ERR_USAGE: an unknown metric; LS_ERR_NOMEM. */
ls_err trf_sampler_new(const struct trf_machine *m, const struct trf_request *r, const struct trf_use *use,
                       trf_sampler **out);
const struct trf_series *trf_sampler_series(const trf_sampler *s, size_t *out_len);
/* Read all counters: a point for each interval since the reading before; the first reading has none. A gap is
 * one point, when it ends. */
void trf_sampler_read(trf_sampler *s);
/* Write the points of gaps that have not ended. */
void trf_sampler_finish(trf_sampler *s);
void trf_sampler_free(trf_sampler *s); /* NULL-safe */

#endif
