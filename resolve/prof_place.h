/* SPDX-License-Identifier: BSD-3-Clause */
/* The place of an address: node, element and component. */
#ifndef PROF_PLACE_H
#define PROF_PLACE_H

#include <stdint.h>

/* Missing element and component: their fill values. */
struct prof_place {
    uint32_t node;
    uint32_t component;
    uint64_t element;
};

#endif
