/* SPDX-License-Identifier: BSD-3-Clause */
/* Call paths are long and few: a thread's file gives each once and refers to it by this hash afterwards. */
#ifndef SPOOL_PATH_H
#define SPOOL_PATH_H

#include <stdbool.h>
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

/* A frame of an interpreted program is a word of a path, too. SCRIPT records give the lines of such words, minus 1 as for
 * return addresses. The upper bits mark it (no address of a program has them), then comes a hash of the function's
 * code, then the number of the instruction in it plus 1. */
enum { SPOOL_SCRIPT_MARK = 8, SPOOL_SCRIPT_MARK_SHIFT = 60, SPOOL_SCRIPT_CODE_SHIFT = 20 };
#define SPOOL_SCRIPT_UNIT_MAX ((UINT32_C(1) << SPOOL_SCRIPT_CODE_SHIFT) - 2)

static inline bool spool_path_is_script(uint64_t word)
{
    return word >> SPOOL_SCRIPT_MARK_SHIFT == SPOOL_SCRIPT_MARK;
}

static inline uint64_t spool_path_script(uint64_t code_hash, uint32_t unit)
{
    const uint64_t code =
        code_hash & ((UINT64_C(1) << (SPOOL_SCRIPT_MARK_SHIFT - SPOOL_SCRIPT_CODE_SHIFT)) - 1);
    return (uint64_t)SPOOL_SCRIPT_MARK << SPOOL_SCRIPT_MARK_SHIFT | code << SPOOL_SCRIPT_CODE_SHIFT |
           (unit + 1);
}

#endif
