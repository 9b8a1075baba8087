/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/kn_options.h"

bool kn_isa_has(enum kn_method m)
{
    return m != KN_METHOD_AVX2 && m != KN_METHOD_AVX512 && m != KN_METHOD_NEON;
}
