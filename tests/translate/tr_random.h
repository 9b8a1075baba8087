/* SPDX-License-Identifier: BSD-3-Clause */
/* Random code of every encoding class, with random control flow, that ends by a return. */
#ifndef TR_RANDOM_H
#define TR_RANDOM_H

#include <stddef.h>
#include <stdint.h>

struct tr_random;

/* Memory for code and data in the lower 2 GiB, or NULL. */
struct tr_random *tr_random_new(uint64_t seed);
void tr_random_free(struct tr_random *r);
/* Replace the code by another sequence; returns its entry, a function of the C ABI that preserves nothing but
 * rsp. */
void (*tr_random_draw(struct tr_random *r))(void);
void tr_random_code(const struct tr_random *r, uint64_t *base, uint64_t *end);
void tr_random_data(const struct tr_random *r, void **base, size_t *len_bytes);
/* The number of mnemonics drawn, and the number of instructions. */
void tr_random_coverage(const struct tr_random *r, unsigned *mnemonics, unsigned *instructions);

#endif
