/* SPDX-License-Identifier: BSD-3-Clause */
/* Comparison of a source with known memory traffic, before its counters are used: on some machines, counters
 * of memory controllers show no traffic, a third of it or three times as much.
 *
 * Thread: one at a time in a process.  Signal: not safe. */
#ifndef TRF_VERIFY_H
#define TRF_VERIFY_H

#include "traffic/trf_source.h"

enum { TRF_VERDICT_BYTES = 96 };
#define TRF_TOLERANCE 0.1 /* largest error of a counter, as a part of the known traffic */

/* A source's count of known traffic, as a share of it; NAN: it has no such counter. */
struct trf_verdict {
    bool is_good;
    double read, written, moved;
    double roof_per_s; /* bytes a second that the triad of STREAM moves on all cores; NAN: not measured */
    char text[TRF_VERDICT_BYTES]; /* in words */
};

/* Memory traffic whose bytes are known. Tests use other kernels. */
struct trf_known {
    /* Read (or write) memory for about half a second. Errors: LS_ERR_NOMEM. */
    ls_err (*move)(void *user, bool writes, double *out_bytes, double *out_s);
    /* Do nothing for a while; return the seconds. */
    double (*rest)(void *user);
    ls_err (*roof)(void *user, double *out_per_s); /* may be NULL */
    void *user;
};

/* Compare the counters of an opened source with known traffic; traffic of others is measured while nothing
 * moves, and subtracted.
 * Errors: as of known->move. */
ls_err trf_verify(const struct trf_source *source, const struct trf_opened *opened,
                  const struct trf_known *known, struct trf_verdict *out);
/* The verdict of this machine since its boot, kept in $XDG_CACHE_HOME/loadstone; otherwise trf_verify with the
 * bundled kernels (some two seconds), which is kept.
 * Errors: as of trf_verify. */
ls_err trf_verify_here(const struct trf_machine *m, const struct trf_source *source,
                       const struct trf_opened *opened, struct trf_verdict *out);
/* The factor of a kind of counter; NAN: not measured. */
double trf_verdict_factor(const struct trf_verdict *v, enum ls_counter_kind kind);

/* --- the kept verdict --- */

/* Read a kept verdict of this boot. Errors: LS_ERR_NOT_FOUND, LS_ERR_FORMAT; then *out is unchanged. */
ls_err trf_verdict_load(const struct trf_machine *m, const struct trf_source *source,
                        struct trf_verdict *out);
/* Errors: LS_ERR_NOT_FOUND (no cache directory), LS_ERR_PERMISSION, LS_ERR_FULL, LS_ERR_IO. */
ls_err trf_verdict_store(const struct trf_machine *m, const struct trf_source *source,
                         const struct trf_verdict *v);

#endif
