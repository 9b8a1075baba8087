/* SPDX-License-Identifier: BSD-3-Clause */
/* Call paths are long and few: a thread's file gives each once and refers to it by this hash afterwards. */
#ifndef SPOOL_PATH_H
#define SPOOL_PATH_H

#include <stddef.h>
#include <stdint.h>

/* Hash return addresses, innermost first; never 0. Multiply and rotate with the golden ratio: 64 bits, so two
 * of a million paths of a process collide with a probability of 3e-8.  Thread: any.  Signal: safe. */
static inline uint64_t spool_path_hash(const uint64_t *frames, size_t len)
{
    uint64_t h = len;
    for (size_t i = 0; i < len; i++) {
        h = (h ^ frames[i]) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 32;
    }
    return h ? h : 1;
}

#endif
