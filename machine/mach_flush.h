/* SPDX-License-Identifier: BSD-3-Clause */
/* Put a cache line back into memory.
 *
 * Thread: any.  Signal: safe. */
#ifndef MACH_FLUSH_H
#define MACH_FLUSH_H

/* Begin writing the line of addr back and dropping it from all caches; no effect on processors without such
 * an instruction. */
void mach_flush_line(const void *addr);
/* Wait until every line flushed before is gone. */
void mach_flush_wait(void);

#endif
