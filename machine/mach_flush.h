/* SPDX-License-Identifier: BSD-3-Clause */
/* Write a cache line back to memory.
 *
 * Thread: any.  Signal: safe. */
#ifndef MACH_FLUSH_H
#define MACH_FLUSH_H

/* Start to write the line of addr back and to drop it from all caches; no effect on processors without such
 * an instruction. */
void mach_flush_line(const void *addr);
/* Wait until all lines flushed before have left the caches. */
void mach_flush_wait(void);

#endif
