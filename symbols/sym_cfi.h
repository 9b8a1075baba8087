/* SPDX-License-Identifier: BSD-3-Clause */
/* Check whether the unwinding tables of a file can be followed. Call stacks are unwound outside the reading
 * process, thousands of times: tables that would crash or never end there are found here first. */
#ifndef SYM_CFI_H
#define SYM_CFI_H

#include "symbols/sym_elf.h"

/* Evaluate every rule that .eh_frame_hdr lists. False also without tables, or with unusual ones. */
bool sym_cfi_is_sound(const struct sym_elf *e);

#endif
