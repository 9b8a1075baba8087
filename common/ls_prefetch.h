/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that will be needed soon.  Thread: any.  Signal: safe. */
#ifndef LS_PREFETCH_H
#define LS_PREFETCH_H

/* Any address will do, also one that is not mapped. GCC takes a function that does nothing but
 * __builtin_prefetch for one without effect and drops the calls of it; the empty assembler text, which has
 * one, keeps them. */
static inline void ls_prefetch(const void *p)
{
    __builtin_prefetch(p);
    __asm__ volatile("");
}

#endif
