/* SPDX-License-Identifier: BSD-3-Clause */
/* STREAM kernels on a device. */
#ifndef KN_STREAM_GPU_H
#define KN_STREAM_GPU_H

#include "kernels/stream/kn_stream_arrays.h"

/* Check that the device of o can run the kernels: arithmetic on the type, memory.
 * Errors: as kn_stream_run. */
ls_err kn_stream_gpu_check(const struct kn_stream_arrays *arrays, const struct kn_kernel *const *kernels,
                           size_t len, const struct kn_options *o);
/* Copy the filled arrays to the device, and measure and prove each kernel there; its result is copied back to the
 * arrays.
 * Errors: as kn_stream_run. */
ls_err kn_stream_gpu_run(struct kn_stream_arrays *arrays, const struct kn_kernel *const *kernels, size_t len,
                         const struct kn_options *o, struct kn_result *results);
/* Bytes of the device's cache.  Errors: as the driver. */
ls_err kn_stream_gpu_cache_bytes(const struct kn_backend *backend, const struct kn_options *o, uint64_t *out);

#endif
