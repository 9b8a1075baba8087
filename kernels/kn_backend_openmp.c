/* SPDX-License-Identifier: BSD-3-Clause */
/* OpenMP's threads. They stay between runs, so that a run is timed without their creation. */
#include "kernels/kn_backend.h"

#include <omp.h>

static bool built(void)
{
    return true;
}

static unsigned processors(void)
{
    return (unsigned)omp_get_num_procs();
}

static unsigned as_asked(void)
{
    return (unsigned)omp_get_max_threads();
}

static void parallel(unsigned shares, kn_task *task, void *arg)
{
#pragma omp parallel num_threads((int)shares)
    {
        const unsigned threads = (unsigned)omp_get_num_threads();
        for (unsigned s = (unsigned)omp_get_thread_num(); s < shares; s += threads)
            task(arg, s);
    }
}

const struct kn_backend kn_backend_openmp = {.name = "openmp",
                                             .summary = "OpenMP threads",
                                             .built = built,
                                             .threads_max = processors,
                                             .threads_default = as_asked,
                                             .parallel = parallel};

const struct kn_backend kn_backend_scalar = {.name = "scalar",
                                             .summary = "OpenMP threads without vectorisation: the baseline",
                                             .method = KN_METHOD_SCALAR,
                                             .built = built,
                                             .threads_max = processors,
                                             .threads_default = as_asked,
                                             .parallel = parallel};
