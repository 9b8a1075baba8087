/* SPDX-License-Identifier: BSD-3-Clause */
/* Dependent loads as a list in memory: each element holds the address of the element that is loaded next,
 * like the nodes of a program's list. Only the elements are read; a separate list of indices would be another
 * stream through the caches, which changes how long the loads wait.
 *
 * Unless noted otherwise: Thread: one at a time for an arena. */
#ifndef KN_CHAIN_H
#define KN_CHAIN_H

#include "kernels/replay/kn_arena.h"

/* May p's loads be linked at all? Chases of one level with elements as wide as addresses, not too many of
 * them. */
bool kn_chain_fits(const struct kn_plan *p);

/* Link the elements of a, in the order of the pattern, the last to the first, and set a->linked. Not where an
 * element would need two successors: then the elements are as kn_arena_init left them, and a->linked is
 * false. a's plan fits. */
void kn_chain_link(struct kn_arena *a);

/* Return the contents of element j of row i, which begins at element base, once a is linked: an address. */
uint64_t kn_chain_after(const struct kn_arena *a, uint64_t i, size_t j, int64_t base);

#endif
