/* SPDX-License-Identifier: BSD-3-Clause */
/* The semantic tree of the program, as it changes, in the spool. */
#ifndef RT_REGISTRY_H
#define RT_REGISTRY_H

#include <stdint.h>

/* Hear the registry from now on. */
void rt_registry_init(void);
/* [base, base + len_bytes) is about to be freed or unmapped. */
void rt_registry_end_inside(uint64_t base, uint64_t len_bytes);

#endif
