/* SPDX-License-Identifier: BSD-3-Clause */
/* Check the results of a STREAM kernel. */
#ifndef KN_PROOF_H
#define KN_PROOF_H

#include "kernels/stream/kn_room.h"

/* Every iteration again, in scalar, from the sources, which no kernel changes, by the sequences themselves,
 * not by the index arrays: the average relative error is to be 1e-13 at most, with floats 1e-6. Fills valid,
 * invalid and worst_error of out. */
void kn_prove(const struct kn_room *r, const struct kn_kernel *k, struct kn_result *out);

#endif
