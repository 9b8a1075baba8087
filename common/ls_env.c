/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/ls_env.h"

#define LS_ENV_ROW(id, variable, value, help) [LS_ENV_##id] = {variable, value, help},
const struct ls_env_row ls_env_rows[LS_ENV_COUNT] = {LS_ENV_LIST(LS_ENV_ROW)};
