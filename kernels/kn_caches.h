/* SPDX-License-Identifier: BSD-3-Clause */
/* The last-level caches that this process may use. */
#ifndef KN_CACHES_H
#define KN_CACHES_H

#include <stdint.h>

/* Return the size of all last-level caches together in bytes, 0 if unknown. */
uint64_t kn_caches_last_level_bytes(void);

#endif
