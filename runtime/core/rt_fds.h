/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/core/rt_fds_sigsafe.h"
