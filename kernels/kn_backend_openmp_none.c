/* SPDX-License-Identifier: BSD-3-Clause */
/* Built by a compiler without OpenMP: one thread. */
#include "kernels/kn_backend.h"

static bool not_built(void)
{
    return false;
}

static bool built(void)
{
    return true;
}

const struct kn_backend kn_backend_openmp = {.name = "openmp",
                                             .summary = "OpenMP threads",
                                             .built = not_built,
                                             .threads_max = kn_backend_one_thread,
                                             .threads_default = kn_backend_one_thread,
                                             .parallel = kn_backend_run_in_turn};

const struct kn_backend kn_backend_scalar = {.name = "scalar",
                                             .summary =
                                                 "the calling thread without vectorisation: the baseline",
                                             .method = KN_METHOD_SCALAR,
                                             .built = built,
                                             .threads_max = kn_backend_one_thread,
                                             .threads_default = kn_backend_one_thread,
                                             .parallel = kn_backend_run_in_turn};
