/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/kn_result.h"

#include <stdlib.h>

void kn_result_fini(struct kn_result *r)
{
    free(r->run_seconds);
    r->run_seconds = NULL;
}
