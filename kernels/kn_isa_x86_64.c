/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/kn_options.h"

bool kn_isa_has(enum kn_method m)
{
    switch (m) {
    case KN_METHOD_AVX2:
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    case KN_METHOD_AVX512:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512dq");
    case KN_METHOD_NEON:
        return false;
    default:
        return true;
    }
}
