/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels of stream by the words of --kernel. */
#ifndef STM_CHOOSE_H
#define STM_CHOOSE_H

#include "common/ls_error.h"
#include "kernels/kn_kernel.h"

#include <stddef.h>

enum { STM_KERNELS_MAX = 128 };

struct stm_chosen {
    const struct kn_kernel *rows[STM_KERNELS_MAX];
    size_t len;
};

/* Append the kernels of a comma-separated list of names and groups, in the order of the table.
 * Errors: LS_ERR_USAGE. */
ls_err stm_choose(const char *list, struct stm_chosen *out);

#endif
