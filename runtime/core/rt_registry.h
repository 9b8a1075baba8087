/* SPDX-License-Identifier: BSD-3-Clause */
/* The semantic tree of the program, as it changes, in the spool.
 *
 * Thread: any; rt_registry_init: the constructor.  Signal: not safe. */
#ifndef RT_REGISTRY_H
#define RT_REGISTRY_H

#include "smrtree/smr_registry.h"

#include <stdbool.h>
#include <stdint.h>

/* Receive changes of the registry from now on. */
void rt_registry_init(void);
/* Receive none any more. */
void rt_registry_end(void);
/* Receive changes of the registry of domains and maps from now on, and its present content (rt_domains.c). */
void rt_domains_init(void);
void rt_domains_end(void);
/* False: rt_registry_end_inside has nothing to do at base, whatever the length. Cheap. */
static inline bool rt_registry_may_end_after(uint64_t base)
{
    return smr_registry_may_end_after(base);
}
/* Note that [base, base + len_bytes) is about to be freed or unmapped. */
void rt_registry_end_inside(uint64_t base, uint64_t len_bytes);

#endif
