/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels at several sizes: expected traffic, and the count of the model. */
#ifndef TRAFFIC_H
#define TRAFFIC_H

#include "common/ls_vector.h"
#include "traffic/trf_model.h"
#include "traffic/trf_native.h"

struct traffic_point {
    const struct trf_kernel *kernel;
    struct trf_size size;
    struct trf_expected expected;
    struct trf_traffic arrays[TRF_ARRAYS_MAX], all;
    struct trf_measured *measured; /* by source; the sweep frees it */
    size_t measured_len;
    unsigned repetitions; /* in each measured run */
};

struct traffic_measure;

struct traffic_sweep {
    struct trf_geometry geometry;
    struct traffic_measure *measure;        /* NULL: by the model alone */
    LS_VECTOR(struct traffic_point) points; /* kernel by kernel */
};

/* Bytes that the model counts. */
double traffic_model_read(const struct traffic_point *p);
double traffic_model_written(const struct traffic_point *p);

/* Count the traffic of the installed BLAS' product for p, whose kernel and size are set: a trace through the
 * model.  Errors: LS_ERR_UNSUPPORTED: no BLAS or QEMU here; others of reading a trace, LS_ERR_NOMEM. */
ls_err traffic_blas(const struct trf_geometry *g, struct traffic_point *p);
/* Multiply by BLAS once, in the phase that traffic_blas traces.  Errors: LS_ERR_UNSUPPORTED, LS_ERR_NOMEM. */
ls_err traffic_blas_multiply(const struct trf_size *s);

/* ---- by the counters of this machine ---- */

/* Open the sources of a request, as --series takes it, and compare them with known traffic.
 * Owns:   traffic_measure_close ends *out.
 * Errors: LS_ERR_NOT_FOUND: no source of memory traffic can be used here; LS_ERR_USAGE; LS_ERR_NOMEM. */
ls_err traffic_measure_open(const char *sources, unsigned runs, unsigned repetitions,
                            struct traffic_measure **out);
void traffic_measure_close(struct traffic_measure *m); /* NULL-safe */
/* Measure p, whose kernel and size are set.  Errors: as of trf_native_init and trf_measure. */
ls_err traffic_measure_point(struct traffic_measure *m, struct traffic_point *p);
/* Run a kernel natively, its arrays named for the runtime, if that is in this process.
 * Errors: as of trf_native_init. */
ls_err traffic_run_native(const struct trf_kernel *k, const struct trf_size *s, unsigned repetitions);
/* Name arrays for the runtime. */
void traffic_describe(const char *const names[TRF_ARRAYS_MAX], double *const arrays[TRF_ARRAYS_MAX],
                      const size_t bytes[TRF_ARRAYS_MAX]);

/* The words of --format. */
enum traffic_format { TRAFFIC_TABLE, TRAFFIC_CSV, TRAFFIC_JSON };
/* Print the points of a sweep, and the first `top` rows of a trace. */
void traffic_print_points(const struct traffic_sweep *w, enum traffic_format format);
void traffic_print_rows(const struct trf_geometry *g, const struct trf_rows *r, size_t top,
                        enum traffic_format format);

/* Draw a chart for each kernel: bytes by size, expected and counted.
 * Errors: as vx_page_write. */
ls_err traffic_plot(const struct traffic_sweep *w, const char *path);

#endif
