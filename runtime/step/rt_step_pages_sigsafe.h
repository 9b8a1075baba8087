/* SPDX-License-Identifier: BSD-3-Clause */
/* Which pages natively are in the first-level TLB: the last ones that a burst touched. The kernel and the
 * handlers that run between two stepped instructions push their translations out. */
#ifndef RT_STEP_PAGES_SIGSAFE_H
#define RT_STEP_PAGES_SIGSAFE_H

#include <stdint.h>

/* Where the processor does not say: 64 entries for 4 KiB pages, as in Intel cores from Haswell to Ice Lake
 * and AMD Zen to Zen 3 (the vendors' software optimization guides). */
enum { RT_STEP_PAGES_MAX = 128, RT_STEP_PAGES_USUAL = 64 };

struct rt_step_pages {
    uint32_t len, len_max;
    uint64_t addrs[RT_STEP_PAGES_MAX]; /* the last address touched in each page, the latest page first */
};

/* Entries for 4 KiB pages of this processor's first-level data TLB, as far as known: what len_max is set to.
 * Thread: any.  Signal: safe. */
uint32_t rt_step_pages_entries(void);
/* Forget all pages.  Thread: the owner of p.  Signal: safe. */
void rt_step_pages_clear(struct rt_step_pages *p);
/* The last address touched in addr's page if that is among the latest len_max ones, else 0; touches
 * addr.  Thread: the owner of p.  Signal: safe. */
uint64_t rt_step_pages_touch(struct rt_step_pages *p, uint64_t addr);

#endif
