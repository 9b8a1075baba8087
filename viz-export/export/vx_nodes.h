/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of the objects that samples refer to, as written in tables and pictures.
 *
 * Errors: none; a missing name is "". */
#ifndef VX_NODES_H
#define VX_NODES_H

#include "analyse/an_tables.h"

enum { VX_PATH_BYTES = 1024 };

/* "range", "heap", ...; the level's name. */
const char *vx_kind_name(uint32_t kind);
const char *vx_level_name(uint8_t level);
/* Labels from below the root down to the node, "Input/B", in out; cut where out ends. */
const char *vx_node_path(const struct an_tables *t, uint32_t node, char out[VX_PATH_BYTES]);
const char *vx_node_label(const struct an_tables *t, uint32_t node);
const char *vx_phase_name(const struct an_tables *t, uint32_t phase);
/* Where an instruction of a thread is; NULL: not known. */
const struct prof_line *vx_line_of(const struct an_tables *t, uint32_t thread, uint64_t ip, uint64_t time_ns);

#endif
