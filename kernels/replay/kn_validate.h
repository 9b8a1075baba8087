/* SPDX-License-Identifier: BSD-3-Clause */
/* Check the arrays after a replay against a naive, serial model. */
#ifndef KN_VALIDATE_H
#define KN_VALIDATE_H

#include "kernels/replay/kn_arena.h"
#include "kernels/kn_result.h"

/* Look at the destination after complete runs: all of it when that is cheap, else the ends of every thread's
 * share and random places. Where threads write one place at once, the last store of any of them is right.
 * Sets r->valid and r->invalid. */
void kn_validate(const struct kn_arena *a, struct kn_result *r);

#endif
