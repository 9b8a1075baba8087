/* SPDX-License-Identifier: BSD-3-Clause */
/* Are the unwinding tables of a file fit to be followed? Call stacks are unwound outside the reading process,
 * thousands of times: what would crash or never end there is found here first. */
#ifndef SYM_CFI_H
#define SYM_CFI_H

#include "symbols/sym_elf.h"

/* Evaluates every rule that .eh_frame_hdr lists. False also without tables, or with unusual ones. */
bool sym_cfi_is_sound(const struct sym_elf *e);

#endif
