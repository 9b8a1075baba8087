/* SPDX-License-Identifier: BSD-3-Clause */
/* Which file the program's code is of, from the maps of the process that runs QEMU.
 *
 * Thread: any.  Signal: not needed. */
#ifndef TRC_MAPS_H
#define TRC_MAPS_H

#include <stdbool.h>
#include <stdint.h>

/* Location of code. */
struct trc_code {
    uint64_t start, end; /* range of the mapping in program addresses; empty: not known */
    uint64_t offset_bytes;
    uint32_t module; /* row, UINT32_MAX: in no file */
    bool is_loadstone;
};

/* Call before the program is loaded: the mappings of that time are QEMU's. */
void trc_maps_init(void);

/* Return the mapping that holds the program's address ip, which QEMU maps at host. */
struct trc_code trc_maps_find(uint64_t ip, const void *host);

/* The program has unmapped [start, end). */
void trc_maps_unmapped(uint64_t start, uint64_t end);

#endif
