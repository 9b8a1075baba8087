/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/truth/calls_plugin.h"

unsigned callee_plt(unsigned x)
{
    static volatile unsigned table[64];
    return x * 1664525u + 1 + table[x >> 26];
}
