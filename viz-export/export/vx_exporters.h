/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of the table of formats, each defined in the file of its name.
 *
 * Tables that never change. */
#ifndef VX_EXPORTERS_H
#define VX_EXPORTERS_H

#include "viz-export/export/vx_export.h"

extern const struct vx_exporter vx_exporter_vti, vx_exporter_vtr, vx_exporter_vtu, vx_exporter_pvd,
    vx_exporter_vtkhdf, vx_exporter_xdmf, vx_exporter_memaxes, vx_exporter_csv, vx_exporter_dot,
    vx_exporter_png, vx_exporter_trace;

#endif
