/* SPDX-License-Identifier: BSD-3-Clause */
/* A naive model of what a replay on a device leaves in its destination.
 *
 * Thread: any.  Signal: not safe. */
#ifndef KN_GPU_MODEL_H
#define KN_GPU_MODEL_H

#include "kernels/gpu/kn_gpu.h"
#include "kernels/kn_result.h"
#include "kernels/replay/kn_arrays.h"

/* Stores of the model and elements of the destination at most; of more, each nth element is checked. */
#define KN_GPU_MODEL_MAX (UINT64_C(1) << 22)

/* Are values only loaded, and added up in one element? */
bool kn_gpu_model_only_loads(const struct kn_plan *p);
/* Memory of the host that the check needs: the checked elements, with a byte or a number for each. */
uint64_t kn_gpu_model_bytes(const struct kn_plan *p);
/* Memory of the device that the check needs beside the destination. */
uint64_t kn_gpu_model_device_bytes(const struct kn_plan *p);
/* Read the destination back and compare it with the model: each element must hold a value that one of the rows
 * stores there, because work items run in any order, or its first value if no row stores there.
 * buffer:    the destination, which the device wrote; not of plans that only load.
 * is_atomic: no update is lost.
 * r:         gets valid, worst_error and invalid.
 * Errors: LS_ERR_NOMEM; the driver's. */
ls_err kn_gpu_model_check(struct kn_gpu *g, void *buffer, const struct kn_plan *p, bool is_atomic,
                          struct kn_result *r);

#endif
