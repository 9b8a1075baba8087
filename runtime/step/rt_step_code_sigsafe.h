/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans of instructions already decoded, kept by ip and checked against the code bytes: code may be rewritten
 * (JIT). */
#ifndef RT_STEP_CODE_SIGSAFE_H
#define RT_STEP_CODE_SIGSAFE_H

#include "runtime/bursts/rt_burst_decode_sigsafe.h"

enum { RT_STEP_CODE_PLACES = 512 }; /* a loop body; direct-mapped */

struct rt_step_code {
    struct rt_burst_scratch scratch;
    uint64_t hits, misses;
    struct rt_burst_plan plans[RT_STEP_CODE_PLACES];
};

/* The plan of the instruction at ip; NULL when its bytes cannot be read or decoded. Valid until the next
 * call. Reads the next page only when the instruction goes on there. Needs the fault handler of the engine
 * (rt_burst_copy).  Thread: the owner of c.  Signal: safe. */
const struct rt_burst_plan *rt_step_code_plan(struct rt_step_code *c, const struct rt_burst_zydis *z,
                                              uint64_t ip);

#endif
