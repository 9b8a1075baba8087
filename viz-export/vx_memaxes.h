/* SPDX-License-Identifier: BSD-3-Clause */
/* The second file of MemAxes: the machine. */
#ifndef VX_MEMAXES_H
#define VX_MEMAXES_H

#include "viz-export/vx_export.h"

/* NUMA nodes, three levels of caches and processors, as the recording's one line about the machine tells
 * them; which caches a processor has that line does not tell: they are dealt out evenly in order. Every
 * sampled processor is there.  Errors: LS_ERR_NOMEM. */
ls_err vx_memaxes_hardware(const struct vx_source *s, FILE *out);

#endif
