/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups of samples by one or several dimensions: groups of the first are at the top (as a tree where the
 * dimension is one), groups of the next inside each of them, and so on.
 *
 * Where all dimensions are of origin the time of a burst belongs to the group where it began. Where one is of
 * data the time of a burst is that of its accesses, and only bursts without accesses have a group. */
#ifndef AN_COMBINE_H
#define AN_COMBINE_H

#include "analyse/an_filter.h"

enum { AN_COMBINE_MAX = 4 };

/* The requested dimensions: "site,line". */
struct an_by {
    const struct an_dimension *dimensions[AN_COMBINE_MAX];
    size_t len;
};

struct an_group {
    uint32_t parent; /* group, smaller than this one; UINT32_MAX at the top */
    uint32_t number; /* number of the key in keys[depth]: an_keys_key */
    uint32_t depth;  /* which dimension, 0 the first */
};

struct an_combination {
    struct an_keys keys[AN_COMBINE_MAX];
    size_t len;
    uint32_t *group_of_sample; /* the innermost; UINT32_MAX: left out */
    uint32_t *group_of_burst;  /* innermost group of a burst as a whole */
    bool by_origin;
    struct an_group *groups;
    uint32_t *parents; /* as in groups, for an_table */
    uint32_t groups_len;
};

/* Read a list of dimensions.
 * Errors: LS_ERR_USAGE (none of that name, too many, one twice). */
ls_err an_by_parse(struct an_by *out, const char *text);
/* Columns of the samples that the dimensions need, as a mask. */
uint64_t an_by_columns(const struct an_by *by);

/* Are all of the dimensions of origin? */
bool an_by_is_origin(const struct an_by *by);

/* The data to group: the samples and bursts in keep (NULL: all). by_origin is the result of an_by_is_origin,
 * unless accesses were filtered. */
struct an_grouped {
    const struct an_tables *tables;
    const struct prof_samples *samples;
    const struct an_keep *keep;
    bool by_origin;
};
/* Owns:   the caller ends out with an_combination_fini, also after a failure; nothing of `of` is kept.
 * Errors: LS_ERR_NOMEM, LS_ERR_RANGE (more groups than fit). */
ls_err an_combination_init(struct an_combination *out, const struct an_by *by, const struct an_grouped *of);
/* Free the groups of samples and bursts, which are most of its memory; the groups stay. */
void an_combination_drop_members(struct an_combination *c);
/* Owns:   frees the contents of c. */
void an_combination_fini(struct an_combination *c);
/* Name of a group: short where it is below its parent in a tree of the same dimension, else its path.
 * Owns:   nothing; the text is in out or constant. */
const char *an_combination_label(const struct an_combination *c, const struct an_tables *t, uint32_t group,
                                 char out[AN_LABEL_BYTES]);
/* Name of the enclosing key in dimension depth, as a path.
 * Owns:   nothing; the text is in out or constant, "" when depth is below the group. */
const char *an_combination_path(const struct an_combination *c, const struct an_tables *t, uint32_t group,
                                uint32_t depth, char out[AN_LABEL_BYTES]);

#endif
