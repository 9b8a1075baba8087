/* SPDX-License-Identifier: BSD-3-Clause */
/* Geometry and map as bytes, for chunks of the spool. Little-endian 64-bit words; each text follows its
 * length and is padded with zeros to 8 bytes.
 *
 *   geometry: NDM_WIRE_GEOMETRY kind dims extents[3] origin[3] spacing[3] points_len cells_len
 *             connectivity_len, texts label unit axes[3]; meshes: points f64[3 * points_len],
 *             shapes u8[cells_len] padded to 8, connectivity u64[connectivity_len]
 *   map:      NDM_WIRE_MAP kind centering order block[3] padded[3] ghost_low[3] ghost_high[3] offset
 *             stride[3] elements_per_cell elements_per_entity targets_len, targets u64[targets_len]
 *
 * Unless noted otherwise: Thread: one at a time for one object.  Signal: not safe. */
#ifndef NDM_WIRE_H
#define NDM_WIRE_H

#include "common/ls_span.h"
#include "ndm/ndm_map.h"

#define NDM_WIRE_GEOMETRY UINT64_C(0x31304f45474d444e) /* "NDMGEO01"; the digits are the version */
#define NDM_WIRE_MAP UINT64_C(0x313050414d4d444e)      /* "NDMMAP01" */

/* Receives the next bytes, in order; called with pieces of any length up to a whole array. */
typedef void (*ndm_wire_put)(void *user, const void *bytes, size_t len_bytes);

/* Number of bytes that ndm_geometry_put writes, a multiple of 8. */
uint64_t ndm_geometry_wire_bytes(const struct ndm_geometry *g);
/* g has passed ndm_geometry_check. Allocates nothing. */
void ndm_geometry_put(const struct ndm_geometry *g, ndm_wire_put put, void *user);
uint64_t ndm_map_wire_bytes(const struct ndm_map *m);
void ndm_map_put(const struct ndm_map *m, ndm_wire_put put, void *user);

/* Read bytes that may be damaged.
 * Owns:   *out is freed by ndm_geometry_fini, ndm_map_fini.
 * Errors: LS_ERR_FORMAT, LS_ERR_VERSION, LS_ERR_TRUNCATED, LS_ERR_ARG, LS_ERR_RANGE, LS_ERR_NOMEM; then *out
 * is empty. ndm_geometry_get calls ndm_geometry_check; the caller must call ndm_map_check, because it knows
 * the domain. */
ls_err ndm_geometry_get(struct ls_span bytes, struct ndm_geometry *out);
ls_err ndm_map_get(struct ls_span bytes, struct ndm_map *out);

#endif
