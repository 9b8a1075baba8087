/* SPDX-License-Identifier: BSD-3-Clause */
/* A map as plain data: the value of a domain for each element of a node. Maps are reported once and shared by
 * nodes (a group's members).
 *
 * Unless noted otherwise: Thread: one at a time for one object, any number may read it.  Signal: not safe. */
#ifndef NDM_MAP_H
#define NDM_MAP_H

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

#endif
