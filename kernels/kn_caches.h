/* SPDX-License-Identifier: BSD-3-Clause */
/* The last-level caches that this process may use. */
#ifndef KN_CACHES_H
#define KN_CACHES_H

#include <stdint.h>

/* Bytes of all of them together, 0 when nobody tells. */
uint64_t kn_caches_last_level_bytes(void);

#endif
