/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups of samples by one or several dimensions: those of the first stand at the top (as a tree where the
 * dimension is one), those of the next inside each of them, and so on. */
#ifndef AN_COMBINE_H
#define AN_COMBINE_H

#include "analyse/an_keys.h"

enum { AN_COMBINE_MAX = 4 };

/* What was asked for: "site,line". */
struct an_by {
    const struct an_dimension *dimensions[AN_COMBINE_MAX];
    size_t len;
};

struct an_group {
    uint32_t parent; /* group, smaller than this one; UINT32_MAX at the top */
    uint32_t number; /* of the key in keys[depth]; keys[depth].len: samples without a key */
    uint32_t depth;  /* which dimension, 0 the first */
};

struct an_combination {
    struct an_keys keys[AN_COMBINE_MAX];
    size_t len;
    uint32_t *group_of_sample; /* the innermost; UINT32_MAX: left out */
    struct an_group *groups;
    uint32_t *parents; /* as in groups, for an_table */
    uint32_t groups_len;
};

/* Read a list of dimensions.
 * Owns:   nothing.  Errors: LS_ERR_USAGE (none of that name, too many, one twice).  Thread: any.
 * Signal: not safe. */
ls_err an_by_parse(struct an_by *out, const char *text);
/* Columns of the samples that the dimensions need, as a mask.
 * Owns:   nothing.  Errors: none.  Thread: any.  Signal: safe. */
uint64_t an_by_columns(const struct an_by *by);

/* keep: samples whose byte is 0 are left out; NULL: none is.
 * Owns:   the caller ends out with an_combination_fini, also after a failure; nothing of t, s, keep is kept.
 * Errors: LS_ERR_NOMEM, LS_ERR_RANGE (more groups than fit).  Thread: any.  Signal: not safe. */
ls_err an_combination_init(struct an_combination *out, const struct an_by *by, const struct an_tables *t,
                           const struct prof_samples *s, const uint8_t *keep);
/* Owns:   frees what is in c.  Errors: none.  Thread: any.  Signal: not safe. */
void an_combination_fini(struct an_combination *c);
/* Name of a group: short where it stands below its parent in a tree of the same dimension, else its path.
 * Owns:   nothing; the text is in out or constant.  Errors: none.  Thread: any.  Signal: not safe. */
const char *an_combination_label(const struct an_combination *c, const struct an_tables *t, uint32_t group,
                                 char out[AN_LABEL_BYTES]);
/* The same of the dimension that encloses it: what group is in dimension depth, as a path.
 * Owns:   nothing; the text is in out or constant, "" when depth is below the group.  Errors: none.
 * Thread: any.  Signal: not safe. */
const char *an_combination_path(const struct an_combination *c, const struct an_tables *t, uint32_t group,
                                uint32_t depth, char out[AN_LABEL_BYTES]);

#endif
