/* SPDX-License-Identifier: BSD-3-Clause */
/* From which length allocations are recorded: LOADSTONE_ALLOC_MIN, and more while a program allocates so much
 * that recording would break the overhead budget. */
#ifndef RT_ALLOC_LIMIT_SIGSAFE_H
#define RT_ALLOC_LIMIT_SIGSAFE_H

#include <stdint.h>

/* Look at the cost so far and move rt_state.alloc_record_bytes.  Thread: any, depth > 0.  Signal: safe. */
void rt_alloc_limit_adjust(uint64_t now_ns);

/* What the calling thread left out and did not tell yet goes to the pending events.  Signal: safe. */
void rt_alloc_tell_skipped(void);

#endif
