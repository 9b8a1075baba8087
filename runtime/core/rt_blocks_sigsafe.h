/* SPDX-License-Identifier: BSD-3-Clause */
/* Which living blocks have an ALLOC record, so that only those get a FREE. No header stands in the program's
 * blocks: a table of addresses on the side, wait-free. */
#ifndef RT_BLOCKS_SIGSAFE_H
#define RT_BLOCKS_SIGSAFE_H

#include <stdbool.h>
#include <stdint.h>

/* Map the table (touched where it is used). 0 or an errno.  Thread: the constructor. */
int rt_blocks_init(void);
/* Remember base; false when there is no room for it (then do not record it).  Thread: any.  Signal: safe. */
bool rt_blocks_add(uint64_t base);
/* Was it there? Forget it.  Thread: any.  Signal: safe. */
bool rt_blocks_remove(uint64_t base);

#endif
