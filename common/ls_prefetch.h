/* SPDX-License-Identifier: BSD-3-Clause */
/* Prefetching.  Thread: any.  Signal: safe. */
#ifndef LS_PREFETCH_H
#define LS_PREFETCH_H

/* Any address is allowed, even an unmapped one. GCC treats a function that only calls __builtin_prefetch as
 * free of side effects and drops calls of it; the empty asm statement has a side effect and keeps them. */
static inline void ls_prefetch(const void *p)
{
    __builtin_prefetch(p);
    __asm__ volatile("");
}

#endif
