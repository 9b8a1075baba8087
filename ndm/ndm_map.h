/* SPDX-License-Identifier: BSD-3-Clause */
/* A map as plain data: the value of a domain for each element of a node. Maps are reported once and shared by
 * nodes (a group's members).
 *
 * Unless noted otherwise: Thread: one at a time for one object, any number may read it.  Signal: not safe. */
#ifndef NDM_MAP_H
#define NDM_MAP_H

#include "loadstone/ndm.h"
#include "ndm/ndm_shape.h"

#include <stdbool.h>

enum ndm_map_kind {
    NDM_MAP_LAYOUT,   /* elements run through the cells of a grid */
    NDM_MAP_ENTITIES, /* element i belongs to cell or point i */
    NDM_MAP_TARGETS,  /* element i belongs to cell or point targets[i] */
    NDM_MAP_CALLBACK  /* a function of the program returns coordinates, sample by sample */
};
#define NDM_NOWHERE UINT64_MAX

struct ndm_map {
    enum ndm_map_kind kind;
    enum ndm_centering centering;
    struct ndm_layout layout;     /* NDM_MAP_LAYOUT */
    uint64_t elements_per_entity; /* NDM_MAP_ENTITIES, NDM_MAP_TARGETS: at least 1 */
    uint64_t targets_len;
    uint64_t *targets; /* NDM_MAP_TARGETS: values of the domain from 0, or NDM_NOWHERE */
};

/* Number of elements that m covers on g: a node must have as many. NDM_MAP_LAYOUT with NDM_STRIDED: the
 * minimum; NDM_MAP_CALLBACK: 0. m has passed ndm_map_check. */
uint64_t ndm_map_elements(const struct ndm_map *m, const struct ndm_geometry *g);

/* Check that m fits g, independent of the node. g NULL: no domain (callbacks only).
 * Errors: LS_ERR_ARG, LS_ERR_RANGE; the text names `label` (of the node), element and number. */
ls_err ndm_map_check(const struct ndm_map *m, const struct ndm_geometry *g, const char *label);
/* Check that m, which has passed ndm_map_check, covers a node with this many elements.
 * Errors: LS_ERR_RANGE, as above. */
ls_err ndm_map_check_elements(const struct ndm_map *m, const struct ndm_geometry *g, uint64_t elements,
                              const char *label);

/* Find the value of a field on g, with m's centering, that the element belongs to; false: ghost, padding,
 * beyond the map, nowhere, or a map with a callback. m has passed ndm_map_check for g. Constant time.
 * Thread: any number at once.  Signal: safe. */
bool ndm_map_locate(const struct ndm_map *m, const struct ndm_geometry *g, uint64_t element,
                    uint64_t *out_value_index);

/* Free the contents of m, not m itself. */
void ndm_map_fini(struct ndm_map *m);

/* --- order of elements in a grid ---
 *
 * Order of an array's elements in a grid: conversion between element and cell.
 *
 * Unless noted otherwise: Thread: any number at once.  Signal: not safe. */

#define NDM_LAYOUT_PER_CELL_MAX (UINT64_C(1) << 32)

/* Check that l fits the grid g.  Errors: LS_ERR_ARG, LS_ERR_RANGE; the text names `label` (of the node) and
 * the axis. The functions below need a layout that passed. */
ls_err ndm_layout_check(const struct ndm_layout *l, const struct ndm_geometry *g, const char *label);

/* Number of elements of the array, ghosts and padding included; NDM_STRIDED: the last element of any cell +
 * 1. */
uint64_t ndm_layout_elements(const struct ndm_layout *l, const struct ndm_geometry *g);

/* Find the cell (linear, x fastest) of an element; false: ghost, padding, between cells, or beyond the array.
 * Signal: safe. */
bool ndm_layout_cell(const struct ndm_layout *l, const struct ndm_geometry *g, uint64_t element,
                     uint64_t *out_cell);

/* Return the first element of a cell below g's cells_len, the inverse of ndm_layout_cell.  Signal: safe. */
uint64_t ndm_layout_element(const struct ndm_layout *l, const struct ndm_geometry *g, uint64_t cell);

/* --- from the program's arguments ---
 *
 * Convert the program's arguments (include/loadstone/ndm.h) to checked plain data: copies, with indices from
 * 0. */

/* Owns:   *out is freed by ndm_geometry_fini, ndm_map_fini.
 * Errors: as ndm_domain_new_grid, ndm_domain_new_mesh, ndm_map_indirect; then *out is empty. */
ls_err ndm_make_grid(const struct ndm_grid *grid, struct ndm_geometry *out);
ls_err ndm_make_mesh(const struct ndm_mesh *mesh, struct ndm_geometry *out);
/* The map is not yet checked against its domain. `label` is the node's label. */
ls_err ndm_make_targets(const struct ndm_indirection *indirection, const char *label, struct ndm_map *out);

/* --- values by coordinates ---
 *
 * Find a value by coordinates: the cell of a grid, the nearest point of a mesh (a k-d tree: Bentley,
 * "Multidimensional binary search trees used for associative searching", 1975). Used for the coordinates that
 * natural-domain functions return.
 *
 * Unless noted otherwise: Thread: one at a time for one object.  Signal: not safe. */

typedef struct ndm_finder ndm_finder;

/* Owns:   *out is freed by ndm_finder_free; g stays the caller's and must outlive it.
 * Errors: LS_ERR_NOMEM. */
ls_err ndm_finder_new(const struct ndm_geometry *g, ndm_finder **out);
void ndm_finder_free(ndm_finder *f); /* NULL-safe */

/* Centering of the finder's values: cells of a grid or points of a mesh. */
enum ndm_centering ndm_finder_centering(const ndm_finder *f);

/* Find the grid cell that holds `at` (axes beyond the grid's dims are ignored; the far border belongs to the
 * last cell), or the mesh's nearest point, the first one if several are equally near. False: outside of the
 * grid, not finite, or a mesh without points.
 * Thread: any number at once. */
bool ndm_finder_find(const ndm_finder *f, const double at[NDM_AXES_MAX], uint64_t *out_value_index);

#endif
