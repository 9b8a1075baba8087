/* SPDX-License-Identifier: BSD-3-Clause */
/* STREAM's kernels on arrays of all ranks: their indices reach the elements of any rank, by one-sided
 * communication inside of the loops. One thread a rank, elements of 8 bytes. */
#ifndef KN_REACH_H
#define KN_REACH_H

#include "kernels/stream/kn_stream_arrays.h"
#include "kernels/stream/kn_stream.h"

/* Can k reach elements of other ranks? Sequential kernels stay in the part of their rank. */
bool kn_reach_takes(const struct kn_kernel *k, const struct kn_stream_options *o);

/* Measure k and validate it. `arrays` has the sizes; its memory is not used.
 * Errors: the same on all ranks: LS_ERR_NOMEM, LS_ERR_BUSY, LS_ERR_UNSUPPORTED. */
ls_err kn_reach_run(const struct kn_stream_arrays *arrays, const struct kn_kernel *k,
                    const struct kn_stream_options *o, struct kn_result *out);

#endif
