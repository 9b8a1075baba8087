/* SPDX-License-Identifier: BSD-3-Clause */
/* For libloadstone.so, whose functions run only when nobody records. */
#include "ndm/ndm_registry.h"

const bool ndm_untold_kept = false;
