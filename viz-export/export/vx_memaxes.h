/* SPDX-License-Identifier: BSD-3-Clause */
/* The second file of MemAxes: the machine. */
#ifndef VX_MEMAXES_H
#define VX_MEMAXES_H

#include "viz-export/export/vx_export.h"

/* NUMA nodes, three levels of caches and processors, from the recording's one-line description of the
 * machine. The line does not map processors to caches: caches are assigned evenly in order. Every sampled
 * processor is included.  Errors: LS_ERR_NOMEM. */
ls_err vx_memaxes_hardware(const struct vx_source *s, FILE *out);

#endif
