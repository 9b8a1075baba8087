/* SPDX-License-Identifier: BSD-3-Clause */
/* Watch the program's system calls for markers (common/ls_marker.h), unmapped memory and other programs.
 *
 * Thread: any.  Signal: not needed. */
#ifndef TRC_GUEST_H
#define TRC_GUEST_H

#include "tools/trace/plugin/trc_qemu.h"

#include <stdbool.h>

/* phase: record only in phases of this name; NULL: everywhere. */
void trc_guest_init(qemu_plugin_id_t id, const char *target, const char *phase);

/* The program's address 0 is at this one of QEMU's. */
void trc_guest_set_base(uint64_t base);

#endif
