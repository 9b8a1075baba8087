/* SPDX-License-Identifier: BSD-3-Clause */
/* Two modules that differ in one constant. */
#include <stdint.h>

uint64_t tr_plugin_step(uint64_t x);
uint64_t __attribute__((noinline)) tr_plugin_step(uint64_t x)
{
    return x + TR_PLUGIN_ADD;
}
