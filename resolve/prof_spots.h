/* SPDX-License-Identifier: BSD-3-Clause */
/* Results of the program's natural-domain functions for single accesses. A separate thread records them,
 * later than the accesses: the key is thread, time of the burst and number of the access in it.
 *
 * Thread: one at a time for one object, any number may read it once sorted. */
#ifndef PROF_SPOTS_H
#define PROF_SPOTS_H

#include "common/ls_vector.h"

#include <stdint.h>

struct prof_spot_key {
    uint32_t process, tid;
    uint64_t burst_ns; /* since the start of the run */
};
struct prof_spot {
    struct prof_spot_key burst;
    uint32_t access; /* number of the access in the burst, from 0 */
    uint32_t domain; /* row of prof_domains */
    uint64_t value;  /* NDM_NOWHERE: outside of it */
};
typedef LS_VECTOR(struct prof_spot) prof_spot_list;

void prof_spots_sort(prof_spot_list *l);
/* Return the spots of one burst, in the order of access.
 * Errors: none, *out_len is 0. */
const struct prof_spot *prof_spots_of(const prof_spot_list *l, const struct prof_spot_key *burst,
                                      size_t *out_len);

#endif
