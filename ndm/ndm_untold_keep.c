/* SPDX-License-Identifier: BSD-3-Clause */
/* For the preloaded runtime, which may start after libraries have made their maps. */
#include "ndm/ndm_registry.h"

const bool ndm_untold_kept = true;
