/* SPDX-License-Identifier: BSD-3-Clause */
/* A gather/scatter configuration on a device. */
#ifndef KN_REPLAY_GPU_H
#define KN_REPLAY_GPU_H

#include "kernels/kn_result.h"
#include "patterns/pat_config.h"

/* Is there a variant of the kernel for c and o on the device, and do its arrays fit in the device's memory
 * and, for validation, in the host's?
 * Errors: as kn_replay_run. */
ls_err kn_replay_gpu_check(const struct pat_config *c, const struct kn_options *o,
                           const struct kn_backend *backend);
/* As kn_replay_run. */
ls_err kn_replay_gpu_run(const struct pat_config *c, const struct kn_options *o,
                         const struct kn_backend *backend, struct kn_result *out);

#endif
