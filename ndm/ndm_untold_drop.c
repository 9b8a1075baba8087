/* SPDX-License-Identifier: BSD-3-Clause */
/* For libloadstone.so, whose functions run only when nothing is recorded. */
#include "ndm/ndm_registry.h"

const bool ndm_untold_kept = false;
