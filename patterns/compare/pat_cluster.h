/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups of patterns that are alike: across threads, ranks, inputs. Agglomerative with complete linkage
 * (Defays, Comput. J. 20, 1977), cut at a distance: no two patterns of a group are further apart than that,
 * and two groups are kept apart because some pair of them is. */
#ifndef PAT_CLUSTER_H
#define PAT_CLUSTER_H

#include "patterns/compare/pat_compare_item.h"

struct pat_group {
    size_t representative; /* the medoid: least sum of distances to the others */
    size_t members;
    uint64_t threads; /* of all members, each once */
    uint32_t inputs;  /* files that members are from */
    double share;     /* sum of the members' shares; NAN where none has one */
    double diameter;  /* largest distance within */
    double mean;      /* of the members to the representative */
};

struct pat_clusters {
    size_t *group_of;         /* by item */
    double *distance;         /* by item, to its representative */
    struct pat_group *groups; /* the one with most threads first */
    size_t groups_len;
    double silhouette; /* mean over the items, -1 to 1 (Rousseeuw, J. Comput. Appl. Math. 20, 1987); NAN: one
                          group, or each item its own */
};

/* Owns:   the caller ends *out with pat_clusters_fini.
 * Errors: LS_ERR_NOMEM; *out is then empty. */
ls_err pat_cluster(struct pat_items *items, double within, struct pat_clusters *out);

/* Of distances[i * len + k], symmetric: out[i] is the number of i's group, numbered by the first member.
 * Owns:   out has len places.
 * Errors: LS_ERR_NOMEM. */
ls_err pat_cluster_distances(const double *distances, size_t len, double within, size_t *out);
void pat_clusters_fini(struct pat_clusters *c);

#endif
