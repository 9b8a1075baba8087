/* SPDX-License-Identifier: BSD-3-Clause */
/* Names that mean the same thing in another run of the program, or of its next version: no address, no
 * process or thread number, and the program itself is called "program" whatever its file is called. */
#ifndef AN_IDENTITY_H
#define AN_IDENTITY_H

#include "analyse/an_combine.h"

/* Name of a key; for AN_NO_KEY the dimension's text.
 * Owns:   nothing; the text is in out or constant.  Errors: none, cut where out ends. */
const char *an_identity(const struct an_dimension *d, const struct an_tables *t, uint32_t key,
                        char out[AN_LABEL_BYTES]);

enum { AN_IDENTITY_BYTES = AN_COMBINE_MAX * AN_LABEL_BYTES };

/* Name of a group: its name in each dimension, joined by " / ".
 * Owns:   nothing; the text is in out. */
void an_identity_of_group(const struct an_combination *c, const struct an_tables *t, uint32_t group,
                          char out[AN_IDENTITY_BYTES]);

#endif
