/* SPDX-License-Identifier: BSD-3-Clause */
/* The registers of an IBS op sample, as PERF_SAMPLE_RAW carries them. They hold more than the kernel's data
 * source: the size of the access, and all fields on kernels that do not translate them (before 6.1).
 *
 * Thread: any.  Signal: safe. */
#ifndef PE_IBS_H
#define PE_IBS_H

#include "perf/pe_sample.h"

#include <stdbool.h>

/* Decode s->raw into op, source, level, tlb, locked, addr, phys_addr and latency. *size_bytes is the size of
 * the access, 0 if not known. False when raw is too short to hold IBS op registers; s is unchanged then. A
 * sample of an instruction that is neither load nor store has op LS_NOT_TOLD. */
bool pe_ibs_decode(struct pe_sample *s, uint32_t *size_bytes);

#endif
