/* SPDX-License-Identifier: BSD-3-Clause */
/* A map as plain data: at which value of a domain the elements of a node lie. Maps are told once and shared
 * by nodes (a group's members).
 *
 * Where nothing else is said: Thread: one at a time for one object, any number may read it.  Signal: not
 * safe. */
#ifndef NDM_MAP_H
#define NDM_MAP_H

#include "ndm/ndm_shape.h"

#include <stdbool.h>

enum ndm_map_kind {
    NDM_MAP_LAYOUT,   /* elements run through the cells of a grid */
    NDM_MAP_ENTITIES, /* element i belongs to cell or point i */
    NDM_MAP_TARGETS,  /* element i belongs to cell or point targets[i] */
    NDM_MAP_CALLBACK  /* a function of the program's tells coordinates, sample by sample */
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

/* Elements that m covers when it lies on g: a node must have as many. NDM_MAP_LAYOUT with NDM_STRIDED: the
 * least number that it needs; NDM_MAP_CALLBACK: 0. m has passed ndm_map_check. */
uint64_t ndm_map_elements(const struct ndm_map *m, const struct ndm_geometry *g);

/* Whether m fits g, whatever node it is for. g NULL: no domain (callbacks only).
 * Errors: LS_ERR_ARG, LS_ERR_RANGE; the text names `label` (of the node), element and number. */
ls_err ndm_map_check(const struct ndm_map *m, const struct ndm_geometry *g, const char *label);
/* Whether a node with this many elements is covered by m, which has passed ndm_map_check.  Errors:
 * LS_ERR_RANGE, as above. */
ls_err ndm_map_check_elements(const struct ndm_map *m, const struct ndm_geometry *g, uint64_t elements,
                              const char *label);

/* The value of a field on g, with m's centering, that the element belongs to; false: ghost, padding, beyond
 * the map, nowhere, or a callback's. m has passed ndm_map_check for g. Constant time.
 * Thread: any number at once.  Signal: safe. */
bool ndm_map_locate(const struct ndm_map *m, const struct ndm_geometry *g, uint64_t element,
                    uint64_t *out_value_index);

/* Frees what m holds, not m. */
void ndm_map_fini(struct ndm_map *m);

#endif
