/* SPDX-License-Identifier: BSD-3-Clause */
/* The key of every sample and every burst in one dimension, as small numbers without holes. */
#ifndef AN_KEYS_H
#define AN_KEYS_H

#include "analyse/an_dimension.h"

struct an_keys {
    const struct an_dimension *dimension;
    uint32_t *number_of_sample; /* below len, or AN_NO_KEY */
    uint32_t *number_of_burst;  /* where the burst began; in a dimension of data AN_NO_DATA for all */
    uint32_t *keys;             /* by number, rising: arguments of the dimension's functions */
    uint32_t len;
};

/* Columns of s needed: as for the dimension.
 * Owns:   the caller ends out with an_keys_fini, also after a failure; nothing of t and s is kept.
 * Errors: LS_ERR_NOMEM. */
ls_err an_keys_init(struct an_keys *out, const struct an_dimension *d, const struct an_tables *t,
                    const struct prof_samples *s);
/* Free the numbers of samples and bursts, which are most of its memory; the keys stay. */
void an_keys_drop_numbers(struct an_keys *k);
/* Owns:   frees the contents of k. */
void an_keys_fini(struct an_keys *k);
/* Number of the key that contains this one, smaller than it, or AN_NO_KEY. */
uint32_t an_keys_parent(const struct an_keys *k, const struct an_tables *t, uint32_t number);
/* Key of a number: len represents AN_NO_KEY, len + 1 AN_NO_DATA; and the reverse. */
uint32_t an_keys_key(const struct an_keys *k, uint32_t number);
uint32_t an_keys_dense(const struct an_keys *k, uint32_t number_of);
/* Name of a number as above, with the keys that contain it.
 * Owns:   nothing; the text is in out or constant. */
const char *an_keys_path(const struct an_keys *k, const struct an_tables *t, uint32_t number,
                         char out[AN_LABEL_BYTES]);

#endif
