/* SPDX-License-Identifier: BSD-3-Clause */
/* For the preloaded runtime, which may begin after libraries have mapped theirs. */
#include "ndm/ndm_registry.h"

const bool ndm_untold_kept = true;
