/* SPDX-License-Identifier: BSD-3-Clause */
/* Advice that would make a replay faster, measured where that is cheap. */
#ifndef KN_ADVICE_H
#define KN_ADVICE_H

#include "kernels/replay/kn_trial.h"

/* Fill r->advice. */
void kn_advise_replay(struct kn_arena *a, const struct kn_variant *v, const struct kn_options *o,
                      struct kn_result *r);

#endif
