/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels at several sizes: expected traffic, and the count of the model. */
#ifndef TRAFFIC_H
#define TRAFFIC_H

#include "common/ls_vector.h"
#include "traffic/trf_model.h"

struct traffic_point {
    const struct trf_kernel *kernel;
    struct trf_size size;
    struct trf_expected expected;
    struct trf_traffic arrays[TRF_ARRAYS_MAX], all;
};

struct traffic_sweep {
    struct trf_geometry geometry;
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

/* Draw a chart for each kernel: bytes by size, expected and counted.
 * Errors: as vx_page_write. */
ls_err traffic_plot(const struct traffic_sweep *w, const char *path);

#endif
