/* SPDX-License-Identifier: BSD-3-Clause */
/* The natural domains of all images of a run, from the spool: grids and meshes, and the places of each node's
 * elements over time. A fork child inherits its parent's domains. */
#ifndef PROF_DOMAINS_H
#define PROF_DOMAINS_H

#include "common/ls_error.h"
#include "common/ls_vector.h"
#include "ndm/ndm_map.h"
#include "spool/spool_format.h"

#include <stdbool.h>
#include <stdint.h>

/* --- spots of functions ---
 *
 * Results of the program's natural-domain functions for single accesses. A separate thread records them,
 * later than the accesses: the key is thread, time of the burst and number of the access in it. */

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

/* Return the spots of one burst, in the order of access.
 * Errors: none, *out_len is 0. */
const struct prof_spot *prof_spots_of(const prof_spot_list *l, const struct prof_spot_key *burst,
                                      size_t *out_len);

struct prof_forks;
struct prof_replay;
struct prof_image_domains;

#define PROF_NO_DOMAIN UINT32_MAX
#define PROF_NO_LAYOUT UINT32_MAX

struct prof_domain {
    uint32_t process;
    struct ndm_geometry geometry; /* the last one registered */
    ndm_finder *finder;           /* NULL: not needed yet */
};
/* A map's content; several maps and nodes may share it. */
struct prof_layout {
    struct ndm_map map;
    const void *data; /* the data it was read from, and its version */
    uint64_t data_version;
};
/* Layout of the elements of a node from a time on. */
struct prof_map_span {
    uint32_t process, node;
    uint64_t from_ns; /* since the start of the run */
    uint32_t domain;  /* row of domains, or PROF_NO_DOMAIN: it is not mapped */
    uint32_t layout;  /* row of layouts */
    uint32_t order;   /* order of registration: for equal times the last one counts */
};

struct prof_domains {
    LS_VECTOR(struct prof_domain) domains;
    LS_VECTOR(struct prof_layout) layouts;
    LS_VECTOR(struct prof_map_span) spans; /* in the order of prof_domains_sort */
    prof_spot_list spots;
    LS_VECTOR(struct prof_image_domains *) images; /* one per process that registered something */
    const struct prof_forks *forks;
    uint64_t start_ns;
    uint64_t refused; /* records that make no sense */
};

/* Take a record of the image that r replays; records of other kinds than natural domains change nothing.
 * Errors: LS_ERR_NOMEM. */
ls_err prof_domains_take(struct prof_replay *r, const struct spool_rec_header *rec);
/* Call it once all images were replayed; the functions below need it. */
void prof_domains_sort(struct prof_domains *d);
/* The span of a node at a time in a process, or NULL. */
const struct prof_map_span *prof_domains_find(const struct prof_domains *d, uint32_t process, uint32_t node,
                                              uint64_t time_ns);
void prof_domains_fini(struct prof_domains *d);

#endif
