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

static unsigned one(void)
{
    return 1;
}

static void run_in_turn(unsigned shares, kn_task *task, void *arg)
{
    for (unsigned s = 0; s < shares; s++)
        task(arg, s);
}

const struct kn_backend kn_backend_openmp = {.name = "openmp",
                                             .summary = "OpenMP threads",
                                             .built = not_built,
                                             .threads_max = one,
                                             .threads_default = one,
                                             .parallel = run_in_turn};

const struct kn_backend kn_backend_scalar = {.name = "scalar",
                                             .summary =
                                                 "the calling thread without vectorisation: the baseline",
                                             .method = KN_METHOD_SCALAR,
                                             .built = built,
                                             .threads_max = one,
                                             .threads_default = one,
                                             .parallel = run_in_turn};
